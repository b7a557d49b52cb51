//! `sanderling advise`: which policy fits this repository, and what a budget buys.
//!
//! Everything is learned from the data folder's own log and simulated with the real loop
//! (`lab::advice`).
mod json;
pub(crate) mod text;

use clap::Args;
use crawl::{Allowance, Span, Time};
use instruments::{features::FeatureNeeds, impact::Measure};
use lab::advice::{Advice, FEWEST_CHECKS, NoAdvice, Question, Recorder, advise as simulate};
use policy::PolicySpec;
use serde_json::json;
use store::{CycleSummary, View};

use super::{
    FolderFlags,
    costs::next_budget,
    forecast::usual_interval,
    preparation::folder_policy,
    tally::{counted, duration},
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, values},
};

/// The most pages that are simulated.
const MOST_PAGES: usize = 2_000;
/// Futures that are simulated.
const FUTURES: u64 = 16;
/// How far to look ahead, where that is from 10 to 30 cycles.
const AHEAD: Span = Span::from_days(90);
/// The budgets of the curve, as multiples of today's.
const FACTORS: [f64; 7] = [0.25, 0.5, 1.0, 1.1, 2.0, 4.0, 8.0];
/// The policies that every repository is tried with.
const CANDIDATES: [&str; 3] = ["unified", "freshness-index", "round-robin"];
/// The number of cycles that are looked at for budget and interval.
const CYCLES: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Budget of a cycle, such as 200 (visits), 20MB or 10min [default: the setting, otherwise that of
    /// the last refresh]
    #[arg(long, value_name = "BUDGET", value_parser = values::budget)]
    budget: Option<Allowance>,
    /// The freshness to find a budget for, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = percent)]
    target: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

/// A share in percent.
fn percent(word: &str) -> Result<f64, String> {
    let number = word.trim_end_matches('%').trim().parse::<f64>().ok();
    let share = number.filter(|number| (1.0..=100.0).contains(number));
    share.ok_or_else(|| format!("{word:?} is not a percentage from 1 to 100"))
}

/// Advice, and what it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Advised {
    pub(crate) now: Time,
    /// Visits of a cycle today.
    pub(crate) budget: u32,
    pub(crate) interval: Span,
    /// What was taken for granted, in sentences.
    pub(crate) notes: Vec<String>,
    /// `None` where the history is too short.
    pub(crate) advice: Option<Advice>,
    /// Repeated visits so far.
    pub(crate) checks: usize,
}

pub(crate) fn advise(arguments: &Arguments) -> Result<(), Failure> {
    let (mut settings, view) = arguments.folder.open()?;
    settings.budget = arguments.budget.or(settings.budget);
    let now = super::now(&view)?;
    let advised = Advised::new(&settings, &view, now)?;
    if arguments.json {
        output::print(&format!("{:#}", advised.json(arguments.target / 100.0)))
    } else {
        output::print(&advised.text(arguments.target / 100.0))
    }
}

impl Advised {
    /// Learns from the log of a data folder and simulates what may come.
    pub(crate) fn new(settings: &Settings, view: &View, now: Time) -> Result<Self, Failure> {
        let advised = Self::while_wanted(settings, view, now, &|| true)?;
        advised.ok_or_else(|| Failure::Internal("advice was given up".to_owned()))
    }

    /// The same for as long as `goes_on` says so; `None` if it was given up.
    pub(crate) fn while_wanted(
        settings: &Settings,
        view: &View,
        now: Time,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>, Failure> {
        let loaded = view.load()?;
        let cycles = view.cycles(CYCLES)?;
        let mut notes = vec![];
        let (spec, seed) = folder_policy(&cycles, settings)?;
        let policy = simulable(spec, &mut notes)?;
        let budget = visits_a_cycle(settings, &cycles, loaded.pages.len(), &mut notes);
        let refreshes = cycles.iter().filter(|cycle| cycle.kind == "refresh");
        let interval = settings.interval.or_else(|| usual_interval(refreshes));
        let interval =
            interval.filter(|interval| *interval > Span::default()).unwrap_or_else(|| {
                notes.push("No interval is known; a cycle a day is assumed.".to_owned());
                Span::from_days(1)
            });
        let mut recorder =
            Recorder::new(&loaded.pages, &loaded.links, loaded.cycles, now, MOST_PAGES);
        let mut checks = 0;
        view.replay(&mut |seen| {
            checks += usize::from(seen.changed().is_some() && seen.since.is_some());
            recorder.add(seen);
        })?;
        let mut rivals = vec![];
        for name in CANDIDATES.into_iter().filter(|name| *name != policy.name()) {
            rivals.push(parse(name)?);
        }
        let ahead = AHEAD.millis() / interval.millis().max(1);
        let question = Question {
            policy,
            rivals,
            budget,
            factors: FACTORS.to_vec(),
            interval,
            cycles: ahead.clamp(10, 30) as u32,
            futures: FUTURES,
            seed,
        };
        let advice = match simulate(&recorder.finish(), &question, goes_on)? {
            Ok(advice) => Some(advice),
            Err(NoAdvice::TooShort) => None,
            Err(NoAdvice::Stopped) => return Ok(None),
        };
        Ok(Some(Self { now, budget, interval, notes, advice, checks }))
    }

    /// Why there is no advice.
    pub(crate) fn too_short(&self) -> String {
        format!(
            "The history is too short for advice: {} so far, at least {FEWEST_CHECKS} are needed. Refresh a few \
             more times.",
            counted(self.checks as u64, "repeated visit", "repeated visits")
        )
    }

    /// The budget with its interval, such as "200 visits every 1.0 days".
    pub(crate) fn rhythm(&self) -> String {
        let visits = counted(u64::from(self.budget), "visit", "visits");
        format!("{visits} every {}", duration(self.interval))
    }
}

fn parse(name: &str) -> Result<PolicySpec, Failure> {
    PolicySpec::parse(name).map_err(|error| Failure::Internal(format!("{name}: {error}")))
}

/// The policy, or `unified` where it needs what cannot be simulated.
fn simulable(spec: PolicySpec, notes: &mut Vec<String>) -> Result<PolicySpec, Failure> {
    let needs = spec.make(0).needs();
    let missing = if needs.find::<FeatureNeeds>().is_some() {
        "page features"
    } else if needs.find::<Measure>().is_some() {
        "search results"
    } else {
        return Ok(spec);
    };
    notes.push(format!(
        "{} needs {missing}, which cannot be simulated; unified is simulated in its place.",
        spec.name()
    ));
    parse("unified")
}

/// Visits of a cycle: the budget, or what budgets in another unit bought on average.
fn visits_a_cycle(
    settings: &Settings,
    cycles: &[CycleSummary],
    pages: usize,
    notes: &mut Vec<String>,
) -> u32 {
    let refreshes = || cycles.iter().filter(|cycle| cycle.kind == "refresh");
    match next_budget(settings, cycles) {
        Some(Allowance::Visits(visits)) => visits,
        Some(_) if refreshes().next().is_some() => {
            let visits: u64 = refreshes().map(|cycle| cycle.outcomes.visits()).sum();
            let mean = (visits / refreshes().count() as u64).max(1) as u32;
            notes.push(format!("The budget is not in visits; it bought {mean} a cycle so far."));
            mean
        }
        _ => {
            let visits = (pages as u32 / 20).max(1);
            notes.push(format!(
                "No budget is set; {visits} visits, a twentieth of the pages, is assumed."
            ));
            visits
        }
    }
}

/// The JSON of a range.
fn range_json(range: lab::advice::Range) -> serde_json::Value {
    json!({ "expected": range.mean, "low": range.low, "high": range.high })
}
