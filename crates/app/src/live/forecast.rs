//! When a page would be visited next, if what is believed now held: the policy is asked for its plans,
//! cycle after cycle, as if nothing were found changed.
use flow::{Budget, Known, Observation, Outcome, PageNo, Policy, Span, State, Time};
use store::{CycleSummary, Loaded};

use super::tally::{counted, grouped, instant};
use crate::settings::Settings;

/// So many cycles are looked ahead.
const MOST_CYCLES: u32 = 400;

/// A page's place in the order of the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rank {
    pub(super) score: f64,
    /// From 1.
    pub(super) place: usize,
    /// How many pages may be visited.
    pub(super) of: usize,
}

/// When a page would be visited next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Forecast {
    pub(super) budget: Option<u32>,
    /// `None` where the page may not be visited now.
    pub(super) rank: Option<Rank>,
    /// Cycles until it is visited: 1 is the next.
    pub(super) cycles: Option<u32>,
    /// The time of that cycle, where cycles come at known intervals.
    pub(super) at: Option<Time>,
}

impl Forecast {
    pub(super) fn of(
        page: PageNo,
        loaded: &Loaded,
        policy: &mut dyn Policy,
        settings: &Settings,
        cycles: &[CycleSummary],
        now: Time,
    ) -> Self {
        let refreshes = || cycles.iter().filter(|cycle| cycle.kind == "refresh");
        let budget = settings.budget.or_else(|| refreshes().next_back()?.budget);
        let every = settings.every.or_else(|| {
            let starts: Vec<Time> = refreshes().map(|cycle| cycle.started).collect();
            let mut gaps: Vec<Span> = starts.windows(2).map(|two| two[1] - two[0]).collect();
            gaps.sort_unstable();
            gaps.get(gaps.len() / 2).copied()
        });
        let step = every.unwrap_or(Span::from_days(1));
        let last = refreshes().next_back().map(|cycle| cycle.started);
        let first = last.map_or(now, |last| (last + step).max(now));
        let mut ahead = Ahead { loaded: loaded.clone(), every, number: loaded.cycles };
        let all = ahead.plan(policy, Budget::UNLIMITED, first);
        let place = all.0.iter().position(|visit| visit.page == page);
        let rank = place.map(|place| Rank {
            score: all.0[place].score,
            place: place + 1,
            of: all.0.len(),
        });
        let mut after = None;
        if let Some(budget) = budget {
            for number in 0..MOST_CYCLES {
                let at = first + step.times(i64::from(number));
                if ahead.visits(policy, Budget(budget), at, page) {
                    after = Some((number + 1, at));
                    break;
                }
            }
        }
        Self {
            budget,
            rank,
            cycles: after.map(|(cycles, _)| cycles),
            at: every.and(after.map(|(_, at)| at)),
        }
    }

    pub(super) fn words(&self, policy: &str) -> String {
        let Some(rank) = &self.rank else {
            return "not yet: it is left alone for now, because it failed, is gone, or its host \
                    rests"
                .to_owned();
        };
        let place = format!(
            "{policy} gives it a score of {}, rank {} of {}",
            short(rank.score),
            grouped(rank.place as u64),
            counted(rank.of as u64, "page that may be visited", "pages that may be visited")
        );
        let Some(budget) = self.budget else {
            return format!("{place}; say --budget N to see when that would be");
        };
        let side = if rank.is_within(budget) { "above" } else { "below" };
        let line = format!("{side} the line of a budget of {}", grouped(u64::from(budget)));
        let when = match (self.cycles, self.at) {
            (None, _) => format!("not within {MOST_CYCLES} cycles"),
            (Some(1), None) => "in the next cycle".to_owned(),
            (Some(cycles), None) => format!("in {cycles} cycles"),
            (Some(1), Some(at)) => format!("in the next cycle, {}", instant(at)),
            (Some(cycles), Some(at)) => format!("in {cycles} cycles, {}", instant(at)),
        };
        format!("{place}, {line}: {when}, if nothing else were found changed")
    }
}

/// A number with four digits that matter.
fn short(number: f64) -> String {
    match number.abs() {
        0.001..10_000.0 => format!("{number:.3}"),
        _ => format!("{number:.3e}"),
    }
}

/// The crawl as it would go on.
struct Ahead {
    loaded: Loaded,
    every: Option<Span>,
    number: u32,
}

impl Ahead {
    fn plan(&self, policy: &mut dyn Policy, budget: Budget, now: Time) -> flow::Plan {
        let known = Known {
            cycle: self.number,
            cadence: self.every,
            revisits_gone: true,
            ..Known::new(now, &self.loaded.pages, &self.loaded.links)
        };
        policy.plan(&known, budget).within(budget)
    }

    /// One cycle in which nothing is found changed; whether it visits `page`.
    fn visits(&mut self, policy: &mut dyn Policy, budget: Budget, at: Time, page: PageNo) -> bool {
        let plan = self.plan(policy, budget, at);
        let mut is_visited = false;
        for visit in &plan.0 {
            is_visited |= visit.page == page;
            let pages = &mut self.loaded.pages;
            let since = pages.last_seen(visit.page).map(|then| at - then);
            let outcome = match pages.state(visit.page) {
                State::Linked => Outcome::First,
                State::Held => Outcome::Same,
                State::Gone => Outcome::Gone,
            };
            pages.absorb(visit.page, at, outcome);
            policy.learn(&Observation {
                page: visit.page,
                host: pages.host(visit.page),
                at,
                reason: visit.reason,
                outcome,
                fault: None,
                since,
                leads: vec![],
                signals: vec![],
            });
        }
        self.number += 1;
        is_visited
    }
}
