//! How often the 95 % interval of the freshness that `status` estimates holds the true freshness, on
//! recorded sites.
//!
//! `cargo run --release -p lab --example freshness_calibration -- TRACES [--detector NAME] [--days N]
//! [--share BUDGET] [--sites] POLICY...`
//!
//! `TRACES` is a folder. Each site is crawled once and then refreshed for a year, every week or every `N`
//! days, with a budget of 5 % of its pages a cycle or the given share. After each cycle the estimate from the log alone is
//! compared with the ground truth. Sites with fewer than 30 pages are left out. Cycles before a page was
//! visited twice claim nothing and do not count.
mod common;

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use common::Error;
use crawl::{
    Budget, Explanation, Known, Needs, Observation, PageNo, Plan, Policy, Signal, Span, Time,
};
use lab::tournament::{Dataset, PageSet, Run, visits_per_cycle};
use policy::{Freshness, FreshnessEstimate, PolicySpec};
use rayon::prelude::*;

const FEWEST_PAGES: usize = 30;

struct Options {
    detector: String,
    days: i64,
    share: f64,
    lists_sites: bool,
    policies: Vec<String>,
}

/// A policy that is watched: estimates freshness from the observations it learns.
struct Watched {
    inner: Box<dyn Policy>,
    estimate: FreshnessEstimate,
    /// The cycle under way, and its time.
    cycle: Option<(u32, Time)>,
    /// The estimate after each cycle.
    estimates: Arc<Mutex<Vec<Option<Freshness>>>>,
}

impl Policy for Watched {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        // The pages are as after the visits of the cycle before.
        if let Some((cycle, then)) = self.cycle
            && cycle != known.cycle
        {
            let freshness = self.estimate.freshness(known.pages, then);
            self.estimates.lock().expect("no thread panics").push(freshness);
        }
        self.cycle = Some((known.cycle, known.now));
        self.inner.plan(known, budget)
    }

    fn learn(&mut self, seen: &Observation) {
        self.estimate.learn(seen);
        self.inner.learn(seen);
    }

    fn learn_notices(&mut self, signals: &[Signal]) {
        self.inner.learn_notices(signals);
    }

    fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        self.inner.explain(known, page)
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self {
            inner: self.inner.fork(),
            estimate: self.estimate.clone(),
            cycle: self.cycle,
            estimates: Arc::clone(&self.estimates),
        })
    }
}

/// An estimate and the truth after one cycle.
#[derive(Clone, Copy)]
struct Compared {
    /// Cycles with an estimate before this one.
    number: usize,
    estimate: Freshness,
    truth: f64,
}

impl Compared {
    fn holds(&self) -> bool {
        self.estimate.low - 1e-9 <= self.truth && self.truth <= self.estimate.high + 1e-9
    }
}

fn compare(
    dataset: &Dataset,
    policy: Box<dyn Policy>,
    budget: Budget,
) -> Result<Vec<Compared>, Error> {
    let estimates = Arc::new(Mutex::new(vec![]));
    let watched = Watched {
        inner: policy,
        estimate: FreshnessEstimate::default(),
        cycle: None,
        estimates: Arc::clone(&estimates),
    };
    let outcome = Run::new(dataset, Box::new(watched), budget).play()?;
    let place = lab::metric::METRICS.iter().position(|metric| metric.name == "freshness");
    let place = place.ok_or("no metric freshness")?;
    let estimates = estimates.lock().map_err(|_| "a thread panicked")?;
    let both = estimates.iter().zip(&outcome.cycles);
    let known = both.filter_map(|(estimate, values)| Some(((*estimate)?, values[place]?)));
    let compared = |(number, (estimate, truth))| Compared { number, estimate, truth };
    Ok(known.enumerate().map(compared).collect())
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, Error> {
    let mut options = Options {
        detector: "digest".to_owned(),
        days: 7,
        share: 0.05,
        lists_sites: false,
        policies: vec![],
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--detector" => options.detector = arguments.next().ok_or("no detector")?,
            "--days" => options.days = arguments.next().ok_or("no days")?.parse()?,
            "--share" => options.share = arguments.next().ok_or("no share")?.parse()?,
            "--sites" => options.lists_sites = true,
            _ => options.policies.push(argument),
        }
    }
    Ok(options)
}

/// A row of the table: which of the cycles, how many, how many hold the truth, and how wide they are.
fn row(name: &str, compared: &[Compared]) -> String {
    let count = compared.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Compared) -> f64| compared.iter().map(of).sum::<f64>() / count;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} |",
        compared.len(),
        percent(mean(&|one| f64::from(u8::from(one.holds())))),
        percent(mean(&|one| f64::from(u8::from(one.truth < one.estimate.low - 1e-9)))),
        percent(mean(&|one| one.estimate.high - one.estimate.low)),
        percent(mean(&|one| f64::from(u8::from(one.estimate.is_known())))),
        percent(mean(&|one| (one.estimate.share - one.truth).abs())),
    )
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let traces = arguments.next().ok_or("no traces")?;
    let options = options(arguments)?;
    let sites: Vec<Vec<(String, Vec<Vec<Compared>>)>> = common::traces(Path::new(&traces))?
        .par_iter()
        .map(|trace| {
            let interval = Span::from_days(options.days);
            let (dataset, _) = common::load(trace, PageSet::Fixed, &options.detector, interval)?;
            let pages = dataset.pages_at_start();
            if pages < FEWEST_PAGES {
                return Ok(vec![]);
            }
            let budget = Budget(visits_per_cycle(options.share, pages));
            let of = |text: &String| compare(&dataset, PolicySpec::parse(text)?.make(1), budget);
            let compared = options.policies.iter().map(of).collect::<Result<_, Error>>()?;
            Ok(vec![(common::name(trace), compared)])
        })
        .collect::<Result<_, Error>>()?;
    let sites: Vec<(String, Vec<Vec<Compared>>)> = sites.into_iter().flatten().collect();
    println!("{} sites", sites.len());
    println!("| | intervals | hold the truth | truth below | mean width | known | mean error |");
    println!("|---|---|---|---|---|---|---|");
    for (place, policy) in options.policies.iter().enumerate() {
        let all: Vec<Compared> =
            sites.iter().flat_map(|(_, compared)| compared[place].iter().copied()).collect();
        println!("{}", row(&format!("{policy}, all cycles"), &all));
        for (from, to) in [(0, 1), (1, 4), (4, 13), (13, 1_000)] {
            let some: Vec<Compared> =
                all.iter().copied().filter(|one| (from..to).contains(&one.number)).collect();
            println!("{}", row(&format!("{policy}, estimates {} to {to}", from + 1), &some));
        }
        if options.lists_sites {
            for (site, compared) in &sites {
                println!("{}", row(&format!("{policy} on {site}"), &compared[place]));
            }
        }
    }
    Ok(())
}
