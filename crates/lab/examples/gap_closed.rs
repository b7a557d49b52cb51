//! The share of the distance from round robin to the clairvoyant that policies close, site by site.
//!
//! `cargo run --release -p lab --example gap_closed -- TRACES BUDGETS [--growing] [--detector NAME]
//! [--metric NAMES] [--queries FILE] [--notices RECALL,PRECISION|noise:SHARE] [--sites] [--days N] [--bytes SHARE]
//! POLICY...`
//!
//! `TRACES` is a folder, `BUDGETS` a list of shares such as `0.05,0.1`. With `--days` cycles are so many days
//! long instead of a week; then a week has the same whole number of visits for every day, whatever `N` is.
//! `--metric` takes several names, with commas between; for `weighted_freshness` the clairvoyant weighs pages, too.
//! With `--queries` up to 500 queries of a file are the workload, as in a tournament; the metrics are then
//! `quality_tf_idf` and `quality_blend`, unless others are named.
//! With `--bytes` the budget is in bytes, a share of those of all pages, and servers answer "not modified" for
//! `SHARE` of the pages. A policy `@FOLDER` is `unified`
//! with the corrections that `bench/fit_unified.py` wrote there, for each site those fitted without it;
//! parameters may follow, as in `@FOLDER:value=searchers`.
//! Sites with fewer than 60 pages are left out, and so are the first 8 of 52 weeks. A site counts
//! only where the metric is defined for all policies: days until a new page is held are not, where a
//! policy held none. Notices are simulated.
//!
//! The arithmetic is that of `lab::bench`. `sanderling lab bench` runs the frozen protocol; this example has
//! what research needs besides.
mod common;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};

use common::Error;
use crawl::{Allowance, Budget, Policy, Span};
use lab::{
    bench::{Gap, SiteOutcome},
    notices::NoticeModel,
    oracle::Clairvoyant,
    quality::Queries,
    tournament::{Dataset, PageSet, Run, RunOutcome, visits_per_cycle},
};
use policy::{PolicySpec, unified::Unified};
use rayon::prelude::*;

const WARM_UP_DAYS: usize = 56;
const FEWEST_PAGES: usize = 60;
/// The most queries of a site.
const QUERIES: usize = 500;

struct Options {
    budgets: Vec<f64>,
    pages: PageSet,
    detector: String,
    metrics: Vec<String>,
    queries: Queries,
    notices: Option<NoticeModel>,
    lists_sites: bool,
    /// Days of a cycle, where they are given.
    days: Option<usize>,
    /// The share of pages with validators, where the budget is in bytes.
    validators: Option<f64>,
    policies: Vec<String>,
}

/// By metric, budget and site.
type Outcomes = BTreeMap<(usize, usize, String), SiteOutcome>;

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, Error> {
    let budgets = arguments.next().ok_or("no budgets")?;
    let mut options = Options {
        budgets: budgets.split(',').map(str::parse).collect::<Result<_, _>>()?,
        pages: PageSet::Fixed,
        detector: "digest".to_owned(),
        metrics: vec![],
        queries: Queries::None,
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
            "--metric" => {
                let names = arguments.next().ok_or("no metric")?;
                options.metrics = names.split(',').map(str::to_owned).collect();
            }
            "--queries" => {
                options.queries = common::queries(&arguments.next().ok_or("no queries")?, QUERIES)?;
            }
            "--notices" => {
                options.notices = Some(notices(&arguments.next().ok_or("no notices")?)?);
            }
            "--days" => options.days = Some(arguments.next().ok_or("no days")?.parse()?),
            "--bytes" => options.validators = Some(arguments.next().ok_or("no share")?.parse()?),
            _ => options.policies.push(argument),
        }
    }
    if options.metrics.is_empty() {
        let names: &[&str] = match options.queries {
            Queries::None => &["freshness"],
            _ => &["quality_tf_idf", "quality_blend"],
        };
        options.metrics = names.iter().map(|name| (*name).to_owned()).collect();
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
        Some(text) => {
            let (folder, parameters) = text.split_once(':').unwrap_or((text, "value=alike"));
            let spec = PolicySpec::parse(&format!("unified:{parameters}"))?;
            let corrections = common::corrections(folder, site)?;
            Box::new(Unified::with_corrections(corrections, spec.parameters()))
        }
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
    let Options { pages, detector, queries, .. } = options;
    let (dataset, truth) = common::load_with_queries(trace, *pages, detector, interval, queries)?;
    let weighted = |metric: &str| metric.starts_with("weighted");
    let has_weights = options.metrics.iter().any(|metric| weighted(metric));
    let needs_links = has_weights || !matches!(options.queries, Queries::None);
    let mut dataset =
        dataset.with_validators(options.validators.unwrap_or(0.0)).weighted(needs_links);
    if let Some(model) = options.notices {
        dataset = dataset.with_notices(model, 1);
    }
    if dataset.pages_at_start() < FEWEST_PAGES {
        return Ok(());
    }
    for (place, &share) in options.budgets.iter().enumerate() {
        let budget = allowance(options, &dataset, share);
        let warm_up = WARM_UP_DAYS / days;
        let run = |policy| Run::new(&dataset, policy, budget).play();
        let round_robin = run(policy("round-robin", &name)?)?;
        let oracle = run(Box::new(Clairvoyant::freshness(Arc::clone(&truth))))?;
        let of_weights = has_weights
            .then(|| run(Box::new(Clairvoyant::weighted_freshness(Arc::clone(&truth)))))
            .transpose()?;
        let runs: Vec<RunOutcome> = options
            .policies
            .iter()
            .map(|text| Ok(run(policy(text, &name)?)?))
            .collect::<Result<_, Error>>()?;
        for (number, metric) in options.metrics.iter().enumerate() {
            let value = |run: &RunOutcome| run.value(metric, warm_up);
            let values: Option<Vec<f64>> = runs.iter().map(value).collect();
            let (Some(round_robin), Some(values)) = (value(&round_robin), values) else {
                continue;
            };
            let oracle = of_weights.as_ref().filter(|_| weighted(metric)).unwrap_or(&oracle);
            let oracle = value(oracle);
            let site = name.clone();
            let outcome = SiteOutcome {
                site,
                pages: dataset.pages_at_start(),
                round_robin,
                oracle,
                bound: None,
                values,
            };
            let key = (number, place, name.clone());
            outcomes.lock().map_err(|_| "a run panicked")?.insert(key, outcome);
        }
    }
    Ok(())
}

fn print(options: &Options, metric: usize, outcomes: &Outcomes) {
    println!("{}", options.metrics[metric]);
    for (place, share) in options.budgets.iter().enumerate() {
        let of_budget =
            outcomes.iter().filter(|((of, budget, _), _)| (*of, *budget) == (metric, place));
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
    let outcomes = outcomes.into_inner().map_err(|_| "a run panicked")?;
    (0..options.metrics.len()).for_each(|metric| print(&options, metric, &outcomes));
    Ok(())
}
