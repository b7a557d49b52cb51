//! How far the detector `main-text` of a crawl agrees with the ground truth of the lab, site by site.
//!
//! `cargo run --release -p lab --example main_text_agreement -- TRACES PERIOD`
//!
//! A crawl visits every page once in `PERIOD` weeks, as round robin does. It knows the boilerplate of the
//! pages that it holds; the lab knows the whole history. Of the visits that find another text, four
//! numbers are printed: those that both call a change, that only the lab does (missed), that only the
//! crawl does (template counted), and that neither does (template recognised).
mod common;

use std::{collections::BTreeMap, path::Path, sync::Mutex};

use common::Error;
use crawl::{ChangeDetector, Cost, Instrument, Instruments, Outcome, Pages, Span, Visited};
use extract::detect::{MainText, main_text::Boilerplate};
use lab::{tournament::PageSet, truth::GroundTruth};
use rayon::prelude::*;

const FEWEST_PAGES: usize = 60;

/// By whether the lab and the crawl see a change: both, only the lab, only the crawl, neither.
type Counts = [u32; 4];

fn compare(truth: &GroundTruth, period: usize) -> Result<Counts, Error> {
    let history = truth.history();
    let mut pages = Pages::default();
    for page in &history.pages {
        pages.insert(&page.address, history.window.start);
    }
    let mut instruments = Instruments::default().with(Boilerplate::new(&pages));
    let mut held: Vec<Option<u32>> = vec![None; history.pages.len()];
    let mut counts = Counts::default();
    for cycle in 0..=truth.grid().cycles {
        boilerplate(&mut instruments)?.update();
        for number in pages.numbers() {
            // All pages are visited at the start.
            if cycle > 0 && number.index() % period != cycle % period {
                continue;
            }
            let address = pages.address(number);
            let page = truth.find(address).ok_or("a page is not in its own history")?;
            let now = truth.reading(page, cycle);
            let before = std::mem::replace(&mut held[page], now);
            if let (Some(old), Some(new)) = (before, now) {
                let [from, to] = [old, new].map(|one| &*history.readings[one as usize]);
                if from.fingerprints.text != to.fingerprints.text {
                    let is_change = MainText.change(from, to, &instruments) > 0.0;
                    let is_true = !truth.same(Some(old), Some(new));
                    counts[usize::from(!is_change) + 2 * usize::from(!is_true)] += 1;
                }
            }
            boilerplate(&mut instruments)?.visited(&Visited {
                page: number,
                host: pages.host(number),
                address,
                at: truth.grid().instant(cycle),
                outcome: if now.is_some() { Outcome::Same } else { Outcome::Gone },
                new: now.map(|reading| &history.readings[reading as usize]),
                cost: Cost::default(),
                shows_new_link: false,
            })?;
        }
    }
    Ok(counts)
}

fn boilerplate(instruments: &mut Instruments) -> Result<&mut Boilerplate, Error> {
    instruments.find_mut().ok_or_else(|| "the instrument is gone".into())
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder with traces")?;
    let period: usize = arguments.next().ok_or("no period")?.parse()?;
    let sites: Mutex<BTreeMap<String, Counts>> = Mutex::default();
    common::traces(Path::new(&folder))?.par_iter().try_for_each(|trace| -> Result<(), Error> {
        let (dataset, truth) =
            common::load(trace, PageSet::Fixed, "main-text", Span::from_days(7))?;
        if dataset.pages_at_start() >= FEWEST_PAGES {
            let counts = compare(&truth, period.max(1))?;
            sites.lock().map_err(|_| "a site panicked")?.insert(common::name(trace), counts);
        }
        Ok(())
    })?;
    let sites = sites.into_inner().map_err(|_| "a site panicked")?;
    let line = |name: &str, [both, missed, counted, recognised]: Counts| {
        println!("{name:24} {both:7} {missed:7} {counted:7} {recognised:7}");
    };
    println!("{:24} {:>7} {:>7} {:>7} {:>7}", "", "both", "missed", "counted", "neither");
    let mut all = Counts::default();
    for (name, counts) in &sites {
        line(name, *counts);
        all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    line(&format!("{} sites", sites.len()), all);
    Ok(())
}
