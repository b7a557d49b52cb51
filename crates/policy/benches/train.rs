//! How long it takes to train models for every page of a web, from itself and its experts.
//!
//! `cargo bench -p policy --bench train [pages] [method]`. Prints, for webs whose pages change on some, on half
//! and on all of the days, the seconds of training with two threads, half of the CPU seconds (the same on an
//! idle machine), the CPU microseconds per expert including the page itself, and those of a forecast.
#![expect(clippy::disallowed_methods, reason = "a benchmark measures us, with a clock")]

use std::{sync::Arc, time::Instant};

use crawl::Time;
use instruments::features::{Changes, VisitRecord};
use policy::predict::learn::{Expert, Method, Model, Settings, train};
use rayon::prelude::*;
use text::counts::WordCounts;
use xxhash_rust::xxh3::xxh3_64;

const EXPERTS: usize = 20;
const DAYS: usize = 54;
const WORDS: u32 = 128;
const THREADS: usize = 2;

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let pages: usize = asked.unwrap_or(1_000);
    let named = |name: &str| std::env::args().any(|word| word == name);
    let method = Method::ALL.iter().find(|(name, _)| named(name));
    let (name, method) = *method.unwrap_or(&("multiple", Method::Multiple));
    let threads = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build();
    let threads = threads.expect("two threads can be had");
    println!("{pages} pages with {EXPERTS} experts each, {name}, {THREADS} threads");
    println!(
        "{:<16} {:>10} {:>14} {:>14} {:>14}",
        "days of change", "seconds", "at work", "us an expert", "us a forecast"
    );
    for percent in [10, 50, 100] {
        let web: Vec<Vec<VisitRecord>> =
            (0..pages + EXPERTS).map(|page| history(page, percent)).collect();
        let (start, before) = (Instant::now(), core_seconds());
        let models: Vec<Model> = threads
            .install(|| (0..pages).into_par_iter().map(|page| learn(&web, page, method)).collect());
        let (seconds, at_work) = (start.elapsed().as_secs_f64(), core_seconds() - before);
        let each = at_work * 1e6 / (pages * (EXPERTS + 1)) as f64;
        let before = core_seconds();
        let said: f64 = models.iter().enumerate().map(|(page, model)| ask(&web, page, model)).sum();
        let forecast = (core_seconds() - before) * 1e6 / pages as f64;
        assert!(said > 0.0);
        let at_work = at_work / THREADS as f64;
        println!(
            "{:<16} {seconds:>10.2} {at_work:>14.2} {each:>14.0} {forecast:>14.0}",
            format!("{percent} %")
        );
    }
}

/// The CPU seconds of this process, in hundredths.
fn core_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in brackets, the 12th and 13th field are user and system time.
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn experts(web: &[Vec<VisitRecord>], page: usize) -> Vec<Expert<'_>> {
    web[page + 1..=page + EXPERTS].iter().map(|visits| Expert { visits, weight: 1.0 }).collect()
}

fn learn(web: &[Vec<VisitRecord>], page: usize, method: Method) -> Model {
    train(method, &Settings::default(), &web[page], &experts(web, page), 1.0)
}

fn ask(web: &[Vec<VisitRecord>], page: usize, model: &Model) -> f64 {
    model.forecast(&web[page], &experts(web, page), web[page][DAYS - 1].at, 1.0).probability
}

/// A page that changes about ten of its words on some of the days; about half of the changes are significant.
fn history(page: usize, percent: u64) -> Vec<VisitRecord> {
    let probability = |what: u64, day: usize, number: u32| {
        let purpose = [what, page as u64, day as u64, u64::from(number)].map(u64::to_le_bytes);
        xxh3_64(purpose.as_flattened())
    };
    let mut terms: Vec<u32> =
        (0..WORDS).map(|word| probability(0, 0, word) as u32 % 1_000).collect();
    let mut words = Arc::new(WordCounts::from_terms(terms.clone()));
    let mut visits = vec![];
    for day in 0..DAYS {
        let is_new = probability(1, day, 0) % 100 < percent;
        if is_new {
            for word in 0..10 {
                let place = probability(2, day, word) as usize % terms.len();
                terms[place] = probability(3, day, word) as u32 % 1_000;
            }
            words = Arc::new(WordCounts::from_terms(terms.clone()));
        }
        let significant = is_new && probability(4, day, 0).is_multiple_of(2);
        let at = Time::from_millis(day as i64 * 86_400_000);
        let changes = Changes { any: is_new, significant, new_link: false };
        visits.push(VisitRecord { at, changes, words: Arc::clone(&words) });
    }
    visits
}
