//! The share of pages that change from one week to the next, by detector, site by site.
//!
//! `cargo run --release -p lab --example change_ratio -- TRACES DETECTOR...`
//!
//! `TRACES` is a folder. Sites with fewer than 60 pages are left out, and so are the first 8 of 52 weekly
//! cycles, as in `gap_closed`.
mod common;

use std::{collections::BTreeMap, path::Path, sync::Mutex};

use common::Error;
use crawl::Span;
use lab::{tournament::PageSet, truth::GroundTruth};
use rayon::prelude::*;

const WARM_UP: usize = 8;
const FEWEST_PAGES: usize = 60;

/// The share of the pages alive at the start that are another a week later, over all weeks.
fn change_ratio(truth: &GroundTruth) -> f64 {
    let (mut compared, mut changed) = (0_u32, 0_u32);
    for page in 0..truth.history().pages.len() {
        if truth.reading(page, 0).is_none() {
            continue;
        }
        for cycle in WARM_UP + 1..=truth.grid().cycles {
            let [old, new] = [cycle - 1, cycle].map(|cycle| truth.reading(page, cycle));
            compared += u32::from(old.is_some());
            changed += u32::from(old.is_some() && !truth.same(old, new));
        }
    }
    f64::from(changed) / f64::from(compared.max(1))
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder with traces")?;
    let detectors: Vec<String> = arguments.collect();
    let sites: Mutex<BTreeMap<String, Vec<f64>>> = Mutex::default();
    common::traces(Path::new(&folder))?.par_iter().try_for_each(|trace| -> Result<(), Error> {
        let mut ratios = vec![];
        for detector in &detectors {
            let (dataset, truth) =
                common::load(trace, PageSet::Fixed, detector, Span::from_days(7))?;
            if dataset.pages_at_start() < FEWEST_PAGES {
                return Ok(());
            }
            ratios.push(change_ratio(&truth));
        }
        sites.lock().map_err(|_| "a site panicked")?.insert(common::name(trace), ratios);
        Ok(())
    })?;
    let sites = sites.into_inner().map_err(|_| "a site panicked")?;
    let line = |name: &str, ratios: &[f64]| {
        let ratios: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:8.4}")).collect();
        println!("{name:24} {}", ratios.join(" "));
    };
    for (name, ratios) in &sites {
        line(name, ratios);
    }
    let mean = |number: usize| {
        sites.values().map(|ratios| ratios[number]).sum::<f64>() / sites.len().max(1) as f64
    };
    let means: Vec<f64> = (0..detectors.len()).map(mean).collect();
    line(&format!("mean of {} sites", sites.len()), &means);
    Ok(())
}
