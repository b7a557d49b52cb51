//! The share of the distance from round robin to the clairvoyant that policies close, site by site.
//!
//! `cargo run --release -p lab --example gap_closed -- TRACES BUDGETS [--growing] [--detector NAME]
//! [--metric NAME] [--notices RECALL,PRECISION|noise:SHARE] [--sites] [--days N] [--bytes SHARE]
//! POLICY...`
//!
//! `TRACES` is a folder, `BUDGETS` a list of shares such as `0.05,0.1`. With `--days` cycles are so many days
//! long instead of a week; then a week has the same whole number of visits for every day, whatever `N` is.
//! With `--bytes` the budget is in bytes, a share of those of all pages, and servers answer "not modified" for
//! `SHARE` of the pages. A policy `@FOLDER` is `unified`
//! with the corrections that `bench/fit_unified.py` wrote there, for each site those fitted without it.
//! Sites with fewer than 60 pages are left out, and so are the first 8 of 52 weeks. A site counts
//! only where the metric is defined for all policies: days until a new page is held are not, where a
//! policy held none. Notices are simulated.
//!
//! The arithmetic is that of `lab::bench`. `sanderling lab bench` runs the frozen protocol; this example has
//! what research needs besides.
mod common;

use std::{collections::BTreeMap, path::Path, sync::Mutex};

use common::Error;
use crawl::{Allowance, Budget, Policy, Span};
use lab::{
    bench::{self, Gap, Judged, SiteOutcome},
    notices::NoticeModel,
    tournament::{Dataset, PageSet, visits_per_cycle},
};
use policy::{PolicySpec, unified::Unified};
use rayon::prelude::*;

const WARM_UP_DAYS: usize = 56;
const FEWEST_PAGES: usize = 60;

struct Options {
    budgets: Vec<f64>,
    pages: PageSet,
    detector: String,
    metric: String,
    notices: Option<NoticeModel>,
    lists_sites: bool,
    /// Days of a cycle, where they are given.
    days: Option<usize>,
    /// The share of pages with validators, where the budget is in bytes.
    validators: Option<f64>,
    policies: Vec<String>,
}

type Outcomes = BTreeMap<(usize, String), SiteOutcome>;

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, Error> {
    let budgets = arguments.next().ok_or("no budgets")?;
    let mut options = Options {
        budgets: budgets.split(',').map(str::parse).collect::<Result<_, _>>()?,
        pages: PageSet::Fixed,
        detector: "digest".to_owned(),
        metric: "freshness".to_owned(),
        notices: None,
        lists_sites: false,
        days: None,
        validators: None,
        policies: vec![],
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--growing" => options.pages = PageSet::Growing,
            "--sites" => options.lists_sites = true,
            "--detector" => options.detector = arguments.next().ok_or("no detector")?,
            "--metric" => options.metric = arguments.next().ok_or("no metric")?,
            "--notices" => {
                options.notices = Some(notices(&arguments.next().ok_or("no notices")?)?);
            }
            "--days" => options.days = Some(arguments.next().ok_or("no days")?.parse()?),
            "--bytes" => options.validators = Some(arguments.next().ok_or("no share")?.parse()?),
            _ => options.policies.push(argument),
        }
    }
    Ok(options)
}

/// `RECALL,PRECISION`, or `noise:SHARE`.
fn notices(text: &str) -> Result<NoticeModel, Error> {
    if let Some(share) = text.strip_prefix("noise:") {
        return Ok(NoticeModel::Noise(share.parse()?));
    }
    let (recall, precision) = text.split_once(',').ok_or("recall and precision?")?;
    Ok(NoticeModel::Informed { recall: recall.parse()?, precision: precision.parse()? })
}

fn policy(text: &str, site: &str) -> Result<Box<dyn Policy>, Error> {
    Ok(match text.strip_prefix('@') {
        Some(folder) => Box::new(Unified::with_corrections(common::corrections(folder, site)?)),
        None => PolicySpec::parse(text)?.make(1),
    })
}

/// The budget of a cycle.
fn allowance(options: &Options, dataset: &Dataset, share: f64) -> Allowance {
    let pages = dataset.pages_at_start();
    if options.validators.is_some() {
        return Allowance::Bytes((share * dataset.bytes_at_start() as f64) as u64);
    }
    let visits = match options.days {
        Some(days) => days as u32 * visits_per_cycle(share / 7.0, pages),
        None => visits_per_cycle(share, pages),
    };
    Budget(visits).into()
}

fn play(trace: &Path, options: &Options, outcomes: &Mutex<Outcomes>) -> Result<(), Error> {
    let name = common::name(trace);
    let days = options.days.unwrap_or(7);
    let interval = Span::from_days(days as i64);
    let (dataset, truth) = common::load(trace, options.pages, &options.detector, interval)?;
    let mut dataset = dataset.with_validators(options.validators.unwrap_or(0.0));
    if let Some(model) = options.notices {
        dataset = dataset.with_notices(model, 1);
    }
    if dataset.pages_at_start() < FEWEST_PAGES {
        return Ok(());
    }
    for (place, &share) in options.budgets.iter().enumerate() {
        let budget = allowance(options, &dataset, share);
        let judged = Judged { metric: &options.metric, warm_up: WARM_UP_DAYS / days };
        let policies = options.policies.iter().map(|text| policy(text, &name));
        let policies = policies.collect::<Result<_, _>>()?;
        if let Some(outcome) = bench::play(&name, &dataset, &truth, budget, judged, policies)? {
            outcomes.lock().map_err(|_| "a run panicked")?.insert((place, name.clone()), outcome);
        }
    }
    Ok(())
}

fn print(options: &Options, outcomes: &Outcomes) {
    for (place, share) in options.budgets.iter().enumerate() {
        let of_budget = outcomes.iter().filter(|((budget, _), _)| *budget == place);
        let rows: Vec<&SiteOutcome> = of_budget.map(|(_, outcome)| outcome).collect();
        if options.lists_sites {
            for SiteOutcome { site, pages, round_robin, oracle, values, .. } in &rows {
                let gains = values.iter().map(|value| format!("{:+.3}", value - round_robin));
                let gains: Vec<String> = gains.collect();
                let oracle = oracle.map_or_else(String::new, |oracle| {
                    format!("oracle {:+.3} ", oracle - round_robin)
                });
                println!("{site:24} {pages:5} {round_robin:.3} {oracle}{}", gains.join(" "));
            }
        }
        let Some(gap) = Gap::new(rows) else {
            println!("budget {share}: no sites");
            continue;
        };
        let base = gap.round_robin();
        print!("budget {share}: {} sites, round robin {base:.4}", gap.sites());
        println!("{}", gap.oracle().map_or(String::new(), |it| format!(", gap {:.4}", it - base)));
        for (number, policy) in options.policies.iter().enumerate() {
            let closed = gap.closed(number);
            let share =
                closed.share.map_or("     -".to_owned(), |it| format!("{:6.1}", 100.0 * it));
            let (gain, worst, below) = (closed.gain, closed.worst.1, closed.below);
            println!("{share} % {gain:+.4}  worst {worst:+.3}  {below:2} below -.01  {policy}");
        }
    }
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder with traces")?;
    let options = options(arguments)?;
    let outcomes = Mutex::default();
    let traces = common::traces(Path::new(&folder))?;
    traces.par_iter().try_for_each(|trace| play(trace, &options, &outcomes))?;
    print(&options, &outcomes.into_inner().map_err(|_| "a run panicked")?);
    Ok(())
}
