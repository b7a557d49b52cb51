//! How good advice is: what it says after 12 weeks, and what the following 40 weeks bring.
//!
//! `cargo run --release -p lab --example advice_check -- TRACES [--detector NAME] [--sites] [NAMES OF SITES]`
//!
//! For each site, `unified` spends 5 % of the pages a week for 12 weeks. Advice is taken from its log. Then
//! the weeks 13 to 52 are played with each policy and budget that the advice speaks about. Sites with fewer than
//! 60 pages are left out.
mod common;

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use common::Error;
use crawl::{Budget, Known, Needs, Observation, Outcome, Plan, Policy, Span};
use lab::{
    advice::{Advice, Question, Recorder, advise},
    tournament::{Dataset, PageSet, Run, visits_per_cycle},
    truth::GroundTruth,
};
use policy::PolicySpec;
use rayon::prelude::*;

const FEWEST_PAGES: usize = 60;
const LEARNED_WEEKS: u32 = 12;
const SHARE: f64 = 0.05;
const FACTORS: [f64; 3] = [0.5, 1.0, 2.0];
const POLICIES: [&str; 3] = ["unified", "round-robin", "freshness-index"];

/// Plans with one policy and budget until a cycle, and with others from then on. It keeps the log.
struct Switching {
    first: Box<dyn Policy>,
    then: Box<dyn Policy>,
    budgets: [u32; 2],
    log: Arc<Mutex<Vec<Observation>>>,
}

impl Policy for Switching {
    fn name(&self) -> &'static str {
        "switching"
    }

    fn needs(&self) -> Needs {
        // Both are `unified`, or the second needs nothing.
        self.first.needs()
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let is_second = known.cycle >= LEARNED_WEEKS;
        let spent = self.budgets[0].max(self.budgets[1]) - budget.0;
        let left = self.budgets[usize::from(is_second)].saturating_sub(spent);
        let policy = if is_second { &mut self.then } else { &mut self.first };
        if left == 0 { Plan::default() } else { policy.plan(known, Budget(left)) }
    }

    fn learn(&mut self, seen: &Observation) {
        self.first.learn(seen);
        self.then.learn(seen);
        if let Ok(mut log) = self.log.lock() {
            log.push(seen.clone());
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        let log = Arc::clone(&self.log);
        let (first, then) = (self.first.fork(), self.then.fork());
        Box::new(Self { first, then, budgets: self.budgets, log })
    }
}

/// What came of one site.
struct Site {
    name: String,
    advice: Option<Advice>,
    /// By factor: true freshness of the policy in use. By policy: true freshness with today's budget.
    by_factor: Vec<f64>,
    by_policy: Vec<f64>,
}

/// Plays all weeks; returns the mean freshness after the first ones, and the log.
fn play(
    dataset: &Dataset,
    then: &str,
    budgets: [u32; 2],
) -> Result<(f64, Vec<Observation>), Error> {
    let log = Arc::new(Mutex::new(vec![]));
    let make = |name: &str| -> Result<_, Error> { Ok(PolicySpec::parse(name)?.make(1)) };
    let policy =
        Switching { first: make("unified")?, then: make(then)?, budgets, log: Arc::clone(&log) };
    let most = Budget(budgets[0].max(budgets[1]));
    let outcome = Run::new(dataset, Box::new(policy), most).play()?;
    let fresh = outcome.value("freshness_mean", LEARNED_WEEKS as usize).ok_or("no freshness")?;
    let log = std::mem::take(&mut *log.lock().map_err(|_| "a thread failed")?);
    Ok((fresh, log))
}

fn site(name: String, dataset: &Dataset, truth: &GroundTruth, budget: u32) -> Result<Site, Error> {
    let (_, log) = play(dataset, "unified", [budget, budget])?;
    let log: Vec<Observation> = log.into_iter().filter(|seen| seen.cycle < LEARNED_WEEKS).collect();
    let mut pages = dataset.pages().clone();
    for seen in log.iter().filter(|seen| seen.outcome != Outcome::First) {
        pages.apply(seen.page, seen.at, seen.outcome);
    }
    let grid = truth.grid();
    let now = grid.instant(LEARNED_WEEKS as usize + 1);
    let mut recorder = Recorder::new(&pages, dataset.links(), LEARNED_WEEKS, now, 4_000);
    for seen in &log {
        recorder.add(seen);
    }
    let specs: Vec<PolicySpec> =
        POLICIES.iter().map(|name| PolicySpec::parse(name)).collect::<Result<_, _>>()?;
    let question = Question {
        policy: specs[0].clone(),
        rivals: specs[1..].to_vec(),
        budget,
        factors: FACTORS.to_vec(),
        interval: Span::from_days(7),
        cycles: (grid.cycles as u32).saturating_sub(LEARNED_WEEKS),
        futures: 16,
        seed: 1,
    };
    let advice = advise(&recorder.finish(), &question, &|| true)?.ok();
    let mut by_policy = vec![];
    for name in POLICIES {
        by_policy.push(play(dataset, name, [budget, budget])?.0);
    }
    let mut by_factor = vec![];
    for factor in FACTORS {
        let then = (f64::from(budget) * factor).round().max(1.0) as u32;
        by_factor.push(play(dataset, "unified", [budget, then])?.0);
    }
    Ok(Site { name, advice, by_factor, by_policy })
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder of traces")?;
    let (mut detector, mut lists_sites, mut names) = ("digest".to_owned(), false, vec![]);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--detector" => detector = arguments.next().ok_or("no detector")?,
            "--sites" => lists_sites = true,
            other if other.starts_with('-') => {
                return Err(format!("unknown argument {other}").into());
            }
            name => names.push(name.to_owned()),
        }
    }
    let mut traces = common::traces(Path::new(&folder))?;
    traces.retain(|trace| names.is_empty() || names.contains(&common::name(trace)));
    let sites: Vec<Option<Site>> = traces
        .par_iter()
        .map(|trace| -> Result<Option<Site>, Error> {
            let (dataset, truth) =
                common::load(trace, PageSet::Fixed, &detector, Span::from_days(7))?;
            let pages = dataset.pages_at_start();
            if pages < FEWEST_PAGES {
                return Ok(None);
            }
            let budget = visits_per_cycle(SHARE, pages);
            site(common::name(trace), &dataset, &truth, budget).map(Some)
        })
        .collect::<Result<_, _>>()?;
    let sites: Vec<Site> = sites.into_iter().flatten().collect();
    print(&sites, lists_sites);
    Ok(())
}

fn print(sites: &[Site], lists_sites: bool) {
    let advised: Vec<(&Site, &Advice)> =
        sites.iter().filter_map(|site| Some((site, site.advice.as_ref()?))).collect();
    println!("{} sites, {} with advice", sites.len(), advised.len());
    println!(
        "budget  predicted  true   bias  mean abs error  interval holds the truth, width, known"
    );
    for (place, factor) in FACTORS.iter().enumerate() {
        let (mut sums, mut held, mut known, mut count) = ([0.0; 7], 0, 0, 0);
        for (site, advice) in &advised {
            // Small budgets round to the same number of visits.
            let budget = advice.curve.offers().iter().map(|offer| offer.budget).collect::<Vec<_>>();
            if budget.len() != FACTORS.len() {
                continue;
            }
            let range = advice.curve.offers()[place].freshness;
            let truth = site.by_factor[place];
            let error = range.mean - truth;
            let (gain, gained) =
                (advice.curve.offers()[place].gain.mean, truth - site.by_factor[1]);
            let all = [range.mean, truth, error, error.abs(), range.high - range.low, gain, gained];
            sums = std::array::from_fn(|sum| sums[sum] + all[sum]);
            known += usize::from(range.is_known());
            held += usize::from(range.low <= truth && truth <= range.high);
            count += 1;
            if lists_sites {
                println!(
                    "  {factor} {} {:.3} ({:.3} to {:.3}) {truth:.3}",
                    site.name, range.mean, range.low, range.high
                );
            }
        }
        let means = sums.map(|sum| sum / f64::from(count.max(1)));
        let [predicted, truth, bias, size, width, gain, gained] = means;
        println!(
            "{factor:>6}  {predicted:.3}  {truth:.3}  {bias:+.3}  {size:.3}  {held} of {count}  {width:.3}  {known}"
        );
        println!("        more than with today's budget: predicted {gain:+.3}, true {gained:+.3}");
    }
    let (mut ranks, mut kept, mut lost) = ([0; 3], 0, 0.0);
    for (site, advice) in &advised {
        let chosen = advice.best();
        kept += usize::from(chosen == 0);
        let better = site.by_policy.iter().filter(|&&other| other > site.by_policy[chosen]).count();
        ranks[better] += 1;
        let best = site.by_policy.iter().copied().fold(0.0, f64::max);
        lost += best - site.by_policy[chosen];
    }
    println!("rank of the advised policy (1, 2, 3): {ranks:?}; kept the one in use: {kept}");
    println!(
        "mean freshness lost against the best policy: {:.4}",
        lost / advised.len().max(1) as f64
    );
    for (place, name) in POLICIES.iter().enumerate() {
        let mean = |value: &dyn Fn(&(&Site, &Advice)) -> f64| {
            advised.iter().map(value).sum::<f64>() / advised.len().max(1) as f64
        };
        let truth = mean(&|(site, _)| site.by_policy[place]);
        let predicted = mean(&|(_, advice)| advice.contests[place].freshness.mean);
        println!("{name}: predicted {predicted:.3}, true {truth:.3}");
    }
}
