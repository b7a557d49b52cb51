//! Advice from a repository's own log: which policy fits it, and what a budget buys.
//!
//! A [`Record`] is what the log says about a sample of the pages. [`ChangeModel`] learns from it where new pages
//! appear, and draws courses of the past that explain what visits found: how often each page changes by itself,
//! and when many changed at once. A [`Future`] goes on from one of them. The real loop runs on many futures, with
//! each policy and budget in question; [`advise`] sums up what came out. What the log does not tell differs from
//! future to future, and makes the intervals wide.
//!
//! Departures from a real crawl: simulated pages have no text, so evidence from shared fragments is
//! missing and a policy that goes by it is taken to be at least as good as round robin; deleted pages count as
//! changed ones.
mod curve;
mod evidence;
mod future;
mod model;
mod posterior;
mod rates;
mod record;
mod simulation;

use crawl::{Policy, Span};
use instruments::fragments::FragmentNeeds;
use policy::PolicySpec;
use rayon::prelude::*;

pub use self::{
    curve::{Curve, Range},
    future::Future,
    model::ChangeModel,
    record::{Record, Recorder},
    simulation::{Forecast, simulate},
};

/// The fewest repeated visits from which anything is concluded.
pub const FEWEST_CHECKS: usize = 50;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Question {
    /// The policy in use.
    pub policy: PolicySpec,
    /// Other policies to compare it with.
    pub rivals: Vec<PolicySpec>,
    /// The budget of a cycle today, in visits.
    pub budget: u32,
    /// The budgets of the curve, as multiples of today's.
    pub factors: Vec<f64>,
    /// The time from one cycle to the next.
    pub interval: Span,
    /// The number of cycles to simulate.
    pub cycles: u32,
    /// The number of futures.
    pub futures: u64,
    /// Seeds policies and futures.
    pub seed: u64,
}

/// Why no advice was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAdvice {
    /// There are fewer than [`FEWEST_CHECKS`] repeated visits.
    TooShort,
    /// The caller did not want to go on.
    Stopped,
}

/// What is expected of one policy with today's budget.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The policy.
    pub policy: PolicySpec,
    /// Its expected freshness.
    pub freshness: Range,
    /// Changes found per cycle.
    pub changes: Range,
    /// Its freshness minus that of the policy in use, future by future; `None` for the policy in use.
    pub lead: Option<Range>,
    /// Whether it also goes by shared fragments, which simulated pages do not have.
    pub is_handicapped: bool,
}

/// What is expected of one budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// The budget of a cycle, in visits.
    pub budget: u32,
    /// The mean share of held pages that are up to date.
    pub freshness: Range,
    /// How much more that is than with today's budget, future by future.
    pub gain: Range,
    /// Changes found per cycle.
    pub changes: Range,
    /// The share of new pages that are held in the end; `None` where the log shows no new pages.
    pub new_pages: Option<Range>,
}

/// Where the budget is lost: a host on which pages change faster than visits can follow.
#[derive(Clone, Debug, PartialEq)]
pub struct CostlyHost {
    /// Its name.
    pub host: String,
    /// Its share of the held pages.
    pub pages: f64,
    /// Its share of the visits.
    pub visits: f64,
    /// Its expected freshness.
    pub freshness: f64,
}

/// The advice.
#[derive(Clone, Debug)]
pub struct Advice {
    /// Held pages in the repository.
    pub held: usize,
    /// Held pages that were simulated.
    pub simulated: usize,
    /// Repeated visits that it was learned from.
    pub checks: usize,
    /// The expected freshness if nothing is visited any more, at the end of the simulated time.
    pub unvisited: f64,
    /// The time that was simulated.
    pub horizon: Span,
    /// The policy in use first, then the rivals.
    pub contests: Vec<Contest>,
    /// By budget, ascending, for the policy that fits best.
    pub curve: Curve,
    /// Hosts, the one that loses most first.
    pub hosts: Vec<CostlyHost>,
}

impl Advice {
    /// The place of the policy that fits best in `contests`: the one in use, unless another is expected to
    /// be fresher in nearly every future.
    ///
    /// A policy in use that has less evidence here than in reality is never advised against.
    pub fn best(&self) -> usize {
        if self.contests.first().is_some_and(|contest| contest.is_handicapped) {
            return 0;
        }
        let is_surely_better = |contest: &Contest| contest.lead.is_some_and(|lead| lead.low > 0.0);
        let better =
            (0..self.contests.len()).filter(|&place| is_surely_better(&self.contests[place]));
        let by_freshness = |&a: &usize, &b: &usize| {
            let freshness = |place: usize| self.contests[place].freshness.mean;
            freshness(a).total_cmp(&freshness(b)).then(b.cmp(&a))
        };
        better.max_by(by_freshness).unwrap_or(0)
    }
}

/// Simulates what policies and budgets would bring, for as long as `goes_on` says so. It is asked before
/// each simulated cycle, by several threads.
///
/// # Errors
/// If the loop fails, which does not happen in a simulation.
pub fn advise(
    record: &Record,
    question: &Question,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> crawl::Result<Result<Advice, NoAdvice>> {
    let model = ChangeModel::fit(record);
    if model.checks() < FEWEST_CHECKS {
        return Ok(Err(NoAdvice::TooShort));
    }
    let end = record.now + question.interval.times(i64::from(question.cycles));
    let pasts = model.pasts(question.futures as usize, question.seed);
    let futures: Vec<Future> = (question.seed..)
        .zip(&pasts)
        .map(|(seed, past)| Future::draw(record, &model, past, end, seed))
        .collect();
    // What a policy learned from the log is the same in every future.
    let run_one = |policy: &dyn Policy, budget: u32| -> crawl::Result<Option<Vec<Forecast>>> {
        let budget = record.scaled(budget);
        let forks: Vec<Box<dyn Policy>> = futures.iter().map(|_| policy.fork()).collect();
        futures
            .par_iter()
            .zip(forks)
            .map(|(future, policy)| simulate(record, future, policy, budget, question, goes_on))
            .collect()
    };
    let turns = question.rivals.iter().find(|rival| rival.name() == "round-robin");
    let turns = turns.map(|spec| learned(record, spec, question.seed));
    let run = |policy: &dyn Policy, budget: u32| -> crawl::Result<Option<Vec<Forecast>>> {
        let own = run_one(policy, budget)?;
        let Some(turns) = turns.as_ref().filter(|_| is_handicapped(policy)) else {
            return Ok(own);
        };
        // With the evidence that it lacks here it is seldom worse than round robin (docs/results/unified.md).
        let Some((own, turns)) = own.zip(run_one(&**turns, budget)?) else { return Ok(None) };
        let better = |(own, turns): (Forecast, Forecast)| {
            if own.freshness < turns.freshness { turns } else { own }
        };
        Ok(Some(own.into_iter().zip(turns).map(better).collect()))
    };
    let mut contests: Vec<(Contest, Vec<Forecast>)> = vec![];
    for spec in std::iter::once(&question.policy).chain(&question.rivals) {
        let Some(forecasts) = run(&*learned(record, spec, question.seed), question.budget)? else {
            return Ok(Err(NoAdvice::Stopped));
        };
        let lead = contests.first().map(|(_, first)| {
            Range::of_mean(
                forecasts.iter().zip(first).map(|(own, first)| own.freshness - first.freshness),
            )
        });
        let contest = Contest {
            policy: spec.clone(),
            freshness: Range::of_share(forecasts.iter().map(|forecast| forecast.freshness)),
            changes: Range::of_one(forecasts.iter().map(|forecast| forecast.changes))
                .times(record.scale())
                .above_zero(),
            lead,
            is_handicapped: is_handicapped(&*spec.make(0)),
        };
        contests.push((contest, forecasts));
    }
    let mut advice = Advice {
        held: record.held,
        simulated: record.simulated(),
        checks: model.checks(),
        unvisited: Range::of_mean(futures.iter().map(|future| future.unvisited(record))).mean,
        horizon: question.interval.times(i64::from(question.cycles)),
        contests: contests.iter().map(|(contest, _)| contest.clone()).collect(),
        curve: Curve::default(),
        hosts: vec![],
    };
    let best = advice.best();
    let spec = advice.contests[best].policy.clone();
    let policy = learned(record, &spec, question.seed);
    let mut offers = vec![];
    for budget in budgets(record, question) {
        let forecasts = if budget == question.budget {
            contests[best].1.clone()
        } else {
            let Some(forecasts) = run(&*policy, budget)? else {
                return Ok(Err(NoAdvice::Stopped));
            };
            forecasts
        };
        let of = |value: &dyn Fn(&Forecast) -> f64| Range::of_one(forecasts.iter().map(value));
        // In some futures there may be none.
        let new_pages: Vec<f64> =
            forecasts.iter().filter_map(|forecast| forecast.new_pages).collect();
        let new_pages = Some(new_pages).filter(|shares| !shares.is_empty());
        let today = &contests[best].1;
        let gains = forecasts.iter().zip(today).map(|(own, today)| own.freshness - today.freshness);
        offers.push(Offer {
            budget,
            gain: Range::of_one(gains),
            freshness: Range::of_share(forecasts.iter().map(|forecast| forecast.freshness)),
            changes: of(&|forecast| forecast.changes).times(record.scale()).above_zero(),
            new_pages: new_pages.map(|shares| Range::of_share(shares.into_iter())),
        });
    }
    advice.curve = Curve::new(offers);
    advice.hosts = simulation::costly_hosts(record, &contests[best].1);
    Ok(Ok(advice))
}

/// The budgets to simulate, in order: multiples of today's, at most a visit for every page.
fn budgets(record: &Record, question: &Question) -> Vec<u32> {
    let times = |factor: &f64| (f64::from(question.budget) * factor).round() as u32;
    let most = record.held.max(1) as u32;
    let mut budgets: Vec<u32> =
        question.factors.iter().map(|factor| times(factor).clamp(1, most)).collect();
    budgets.sort_unstable();
    budgets.dedup();
    budgets
}

/// Whether a policy also goes by shared fragments, which simulated pages do not have.
fn is_handicapped(policy: &dyn Policy) -> bool {
    policy.needs().find::<FragmentNeeds>().is_some()
}

/// A policy that has learned from the record.
fn learned(record: &Record, spec: &PolicySpec, seed: u64) -> Box<dyn Policy> {
    let mut policy = spec.make(seed);
    record.log.iter().for_each(|seen| policy.learn(seen));
    policy
}
