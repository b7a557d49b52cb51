//! How long choosing experts among 20,000 pages over 50 days takes, how much memory, and how many experts are
//! lost because not all pairs are compared.
//!
//! `cargo bench -p policy --bench experts [pages] [pages whose recall is measured]`. The pages are synthetic:
//! four sites, words of the site's template, of a topic, of the language and of the page. Of the pages 2 %
//! change daily and 10 % weekly, with the news of their topic; each site rebuilds its template twice, on all
//! its pages at once. In the first of two webs topics have a hundred pages and 150 words, in the second all
//! pages have one topic of 500 words, so that nearly every posting list is long. Prints for each relation the
//! seconds to choose, the peak memory so far, and the recall, for all pages and for those that change by
//! themselves.
#![expect(clippy::disallowed_methods, reason = "a benchmark measures us, with a clock")]

use std::{sync::Arc, time::Instant};

use crawl::{Span, Time};
use instruments::features::{Changes, VisitRecord};
use policy::predict::experts::{ExpertSettings, Online, Relation, choose, recall};
use text::counts::WordCounts;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const DAYS: u32 = 50;
const SITES: u32 = 4;
const LINKS_PER_PAGE: u64 = 10;

/// The topics of a web.
#[derive(Clone, Copy, Debug)]
struct Web {
    pages_per_topic: u32,
    words_per_topic: u64,
}

const WEBS: [(&str, Web); 2] = [
    ("many topics", Web { pages_per_topic: 100, words_per_topic: 150 }),
    ("one topic", Web { pages_per_topic: u32::MAX, words_per_topic: 500 }),
];

fn main() {
    let mut asked = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let (count, measured): (u32, u32) =
        (asked.next().unwrap_or(20_000), asked.next().unwrap_or(100));
    for (name, web) in WEBS {
        let histories: Vec<Vec<VisitRecord>> = (0..count).map(|page| web.history(page)).collect();
        let histories: Vec<&[VisitRecord]> = histories.iter().map(Vec::as_slice).collect();
        let words = histories.iter().filter_map(|visits| visits.last());
        let words: usize = words.map(|visit| visit.words.counts().len()).sum();
        println!(
            "{name}: {count} pages, {DAYS} days, {:.0} words a page, {:.0} MB",
            words as f64 / f64::from(count),
            memory("VmRSS:")
        );
        for (name, relation) in Relation::ALL {
            measure(
                web,
                name,
                &ExpertSettings { relation, ..ExpertSettings::default() },
                &histories,
                measured,
            );
        }
    }
}

fn measure(
    web: Web,
    name: &str,
    settings: &ExpertSettings,
    histories: &[&[VisitRecord]],
    measured: u32,
) {
    let count = histories.len() as u32;
    let (now, links) = (end_of(DAYS - 1), |page: usize| links(page as u32, count));
    let (all_neighbours, seconds) = timed(|| choose(settings, histories, &links, now, &|_| true));
    let experts: usize = all_neighbours.iter().map(|neighbours| neighbours.experts.len()).sum();
    let one_of =
        |every: u32, page: usize| draw(page as u32, 9).is_multiple_of(u64::from(every.max(1)));
    let all = recall(settings, histories, &links, now, &|page| one_of(count / measured, page));
    let lively = recall(settings, histories, &links, now, &|page| {
        changes_by_itself(page as u32) && one_of(count / 8 / measured, page)
    });
    println!(
        "  {name:<12} {seconds:>6.2} s, {:.1} experts a page, peak {:.0} MB, \
         recall {all:.4}, of pages that change {lively:.4}",
        experts as f64 / f64::from(count),
        memory("VmHWM:")
    );
    let (mut online, begun) = timed(|| Online::new(settings, histories, all_neighbours, now));
    let words = |page: usize| {
        let page = page as u32;
        let is_new = version(page, DAYS) != version(page, DAYS - 1);
        is_new.then(|| Arc::new(web.words(page, DAYS)))
    };
    let ((), passed) = timed(|| online.advance(now + Span::from_days(1), &words));
    println!("    followed   {begun:>6.2} s to begin, {passed:.2} s a day");
}

fn draw(what: u32, of: u64) -> u64 {
    xxh3_64_with_seed(&what.to_le_bytes(), of)
}

fn end_of(day: u32) -> Time {
    Time::from_millis(0) + Span::from_days(i64::from(day) + 1)
}

/// How often a site has rebuilt its template until a day.
fn rebuilds(page: u32, day: u32) -> u32 {
    let site = page % SITES;
    let on = |time: u64| (draw(site, 50 + time) % 20) as u32 + 5 + 20 * time as u32;
    (0..2).filter(|&time| on(time) <= day).count() as u32
}

/// The content of a page on a day: the rebuilds of its site, and the day of its last news.
fn version(page: u32, day: u32) -> (u32, u32) {
    let news = match draw(page, 1) % 50 {
        0 => day,
        1..=5 => {
            let phase = (draw(page, 2) % 7) as u32;
            (day + phase) / 7 * 7
        }
        _ => 0,
    };
    (rebuilds(page, day), news)
}

/// Whether it shows the news of its topic.
fn changes_by_itself(page: u32) -> bool {
    version(page, DAYS).1 > 0
}

impl Web {
    fn words(self, page: u32, day: u32) -> WordCounts {
        let (rebuilds, news) = version(page, day);
        let (site, topic) = (page % SITES, page / self.pages_per_topic);
        let mut terms = vec![];
        let mut add = |kind: u32, of: u32, word: u64, count: u64| {
            let term = draw(kind << 24 | of, word) as u32;
            terms.extend(std::iter::repeat_n(term, count as usize));
        };
        for place in 0..20 {
            // A rebuild replaces five of the template's words.
            let round = if place < 5 { u64::from(rebuilds) } else { 0 };
            add(1, site, place + 100 * round, 1 + place % 3);
        }
        for place in 0..40 {
            let low = draw(page, 1_000 + place) % self.words_per_topic;
            add(
                2,
                topic,
                low.min(draw(page, 2_000 + place) % self.words_per_topic),
                1 + draw(page, 3_000 + place) % 3,
            );
        }
        for place in 0..30 {
            // Some words of a language are on very many pages.
            let (one, two) = (draw(page, 4_000 + place) % 3_000, draw(page, 5_000 + place) % 3_000);
            add(3, 0, one * two / 3_000, 1);
        }
        for place in 0..8 {
            add(4, page, place, 1);
        }
        if news > 0 {
            // Each page shows a part of the news of its topic.
            for place in (0..8).filter(|&place| !draw(page, 6_000 + place).is_multiple_of(3)) {
                add(
                    2,
                    topic,
                    draw(topic, u64::from(news) * 10 + place) % self.words_per_topic,
                    1 + place % 2,
                );
            }
        }
        WordCounts::from_terms(terms)
    }

    /// A visit a day; equal words are shared.
    fn history(self, page: u32) -> Vec<VisitRecord> {
        let mut visits: Vec<VisitRecord> = vec![];
        for day in 0..DAYS {
            let is_new = day == 0 || version(page, day) != version(page, day - 1);
            let words = match visits.last() {
                Some(last) if !is_new => Arc::clone(&last.words),
                _ => Arc::new(self.words(page, day)),
            };
            let at = end_of(day);
            let changes = Changes { any: is_new && day > 0, ..Changes::default() };
            visits.push(VisitRecord { at, changes, words });
        }
        visits
    }
}

/// Pages link to some of the hundred around them.
fn links(page: u32, count: u32) -> Vec<usize> {
    let to = |place: u64| {
        let drawn = (draw(page, 7_000 + place) % 100) as u32;
        (page / 100 * 100 + drawn).min(count - 1) as usize
    };
    (0..LINKS_PER_PAGE).map(to).collect()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}

/// Megabytes of memory of this process.
fn memory(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = status.lines().find(|text| text.starts_with(line)).unwrap_or_default();
    let kilobytes = found.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
