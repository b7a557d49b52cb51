//! When a page would be visited next, if what is believed now held: the policy is asked for its plans,
//! cycle after cycle, as if nothing were found changed.
use flow::{
    Budget, Foresight, Known, Observation, Outcome, PageNo, Policy, Reason, Span, State, Time,
    Visit,
    features::{Features, Found},
};
use store::{CycleSummary, Loaded};

use super::tally::{counted, grouped, instant};
use crate::settings::Settings;

/// So many cycles are looked ahead.
const MOST_CYCLES: u32 = 400;
/// Where the policy looks at features, it clusters all pages anew in each: then only so many that this
/// many pages are clustered in all, which takes some seconds.
const MOST_CLUSTERED: usize = 100_000;

/// A page's place in the order of the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rank {
    pub(super) score: f64,
    /// From 1.
    pub(super) place: usize,
}

/// When a page would be visited next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Forecast {
    /// What the policy predicts of the page, where it predicts at all.
    pub(super) foresight: Option<Foresight>,
    pub(super) budget: Option<u32>,
    /// How many pages may be visited in the next cycle,
    pub(super) due: usize,
    /// and whether this is one of them.
    pub(super) is_due: bool,
    /// Its place among all of these; of a policy that samples or looks for new pages, whose visits are
    /// chosen one after the other, among the visits of the next cycle, where it is one of them.
    pub(super) rank: Option<Rank>,
    /// Why it would be visited.
    pub(super) reason: Option<Reason>,
    /// Cycles until it is visited: 1 is the next.
    pub(super) cycles: Option<u32>,
    /// The time of that cycle, where cycles come at known intervals.
    pub(super) at: Option<Time>,
    /// How many cycles were looked ahead at most.
    most: u32,
}

impl Forecast {
    /// Of two policies, which are the same one twice unless a budget is shared, the first is asked for the
    /// order of all pages: it learns from that, and could not be asked again for the cycles ahead.
    pub(super) fn of(
        page: PageNo,
        loaded: &Loaded,
        (mut features, exposures): (Features, Vec<f32>),
        [for_order, policy]: [&mut dyn Policy; 2],
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
        // Once for all cycles: where nothing is found changed, what depends on many pages stays.
        features.begin_cycle(&loaded.pages, &loaded.links);
        let most = match budget {
            None => 1,
            Some(_) if features.is_wanted() => {
                (MOST_CLUSTERED / loaded.pages.len().max(1)).clamp(1, MOST_CYCLES as usize) as u32
            }
            Some(_) => MOST_CYCLES,
        };
        let ahead = Ahead::new(loaded, features.fork(), exposures.clone(), every);
        let known = ahead.known(first);
        let (due, is_due) = (known.due().count(), known.is_due(page));
        let is_held = loaded.pages.state(page) == State::Held;
        let foresight = if is_held { for_order.foresee(&known, page) } else { None };
        let mut order = ahead.order(for_order, first);
        let mut ahead = Ahead::new(loaded, features, exposures, every);
        let mut after = None;
        for number in 0..most {
            let at = first + step.times(i64::from(number));
            let visits = ahead.cycle(policy, budget.map_or(Budget::UNLIMITED, Budget), at);
            let found = visits.iter().find(|visit| visit.page == page);
            after = found.map(|visit| (number + 1, at, visit.reason));
            order.get_or_insert(visits);
            if after.is_some() {
                break;
            }
        }
        let place = order.iter().flatten().enumerate().find(|(_, visit)| visit.page == page);
        Self {
            foresight,
            budget,
            due,
            is_due,
            rank: place.map(|(place, visit)| Rank { score: visit.score, place: place + 1 }),
            reason: after.map(|(.., reason)| reason),
            cycles: budget.and(after.map(|(cycles, ..)| cycles)),
            at: budget.and(every).and(after.map(|(_, at, _)| at)),
            most,
        }
    }

    pub(super) fn words(&self, policy: &str) -> String {
        if !self.is_due {
            return "not yet: it is left alone for now, because it failed, is gone, or its host \
                    rests"
                .to_owned();
        }
        let due = counted(self.due as u64, "page that may be visited", "pages that may be visited");
        let place = match self.rank {
            Some(Rank { score, place }) => {
                let (score, place) = (short(score), grouped(place as u64));
                format!("{policy} gives it a score of {score}, rank {place} of {due}")
            }
            None => format!("{policy} leaves it out of the next cycle, as others of {due}"),
        };
        let Some(budget) = self.budget else {
            return format!("{place}; say --budget N to see when that would be");
        };
        let line = self.rank.map_or(String::new(), |rank| {
            let side = if rank.is_within(budget) { "above" } else { "below" };
            format!(", {side} the line of a budget of {}", grouped(u64::from(budget)))
        });
        let mut when = match self.cycles {
            None => format!("not within {}", counted(u64::from(self.most), "cycle", "cycles")),
            Some(1) => "in the next cycle".to_owned(),
            Some(cycles) => format!("in {cycles} cycles"),
        };
        if let Some(at) = self.at {
            when = format!("{when}, {}", instant(at));
        }
        match self.reason {
            Some(Reason::Sample) => when.push_str(", as a sample"),
            Some(Reason::Discover) => when.push_str(", to look for new pages"),
            _ => {}
        }
        format!("{place}{line}: {when}, if nothing else were found changed")
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
    features: Features,
    exposures: Vec<f32>,
    every: Option<Span>,
    number: u32,
}

impl Ahead {
    fn new(loaded: &Loaded, features: Features, exposures: Vec<f32>, every: Option<Span>) -> Self {
        Self { loaded: loaded.clone(), features, exposures, every, number: loaded.cycles }
    }

    fn known(&self, at: Time) -> Known<'_> {
        Known {
            cycle: self.number,
            cadence: self.every,
            revisits_gone: true,
            features: &self.features,
            exposures: &self.exposures,
            ..Known::new(at, &self.loaded.pages, &self.loaded.links)
        }
    }

    /// The order of all pages that may be visited; `None` where the policy samples or looks for new
    /// pages: which pages those are, and what it does with the others, depends on the budget.
    fn order(mut self, policy: &mut dyn Policy, at: Time) -> Option<Vec<Visit>> {
        let mut order = vec![];
        loop {
            let visits = self.round(policy, Budget::UNLIMITED.less(order.len()), at);
            let depends = |visit: &Visit| matches!(visit.reason, Reason::Sample | Reason::Discover);
            if visits.iter().any(depends) {
                return None;
            }
            if visits.is_empty() {
                return Some(order);
            }
            order.extend(visits);
        }
    }

    /// The visits of one cycle in which nothing is found changed.
    fn cycle(&mut self, policy: &mut dyn Policy, budget: Budget, at: Time) -> Vec<Visit> {
        let mut visits = vec![];
        while visits.len() < budget.0 as usize {
            let round = self.round(policy, budget.less(visits.len()), at);
            if round.is_empty() {
                break;
            }
            visits.extend(round);
        }
        self.number += 1;
        visits
    }

    /// A plan that was carried out and learned from.
    fn round(&mut self, policy: &mut dyn Policy, budget: Budget, at: Time) -> Vec<Visit> {
        let plan = policy.plan(&self.known(at), budget).within(budget);
        for visit in &plan.0 {
            policy.learn(&self.seen(visit, at));
        }
        plan.0
    }

    /// What a visit would observe that finds nothing changed.
    fn seen(&mut self, visit: &Visit, at: Time) -> Observation {
        let pages = &mut self.loaded.pages;
        let since = pages.last_seen(visit.page).map(|then| at - then);
        let outcome = match pages.state(visit.page) {
            State::Linked => Outcome::First,
            State::Held => Outcome::Same,
            State::Gone => Outcome::Gone,
        };
        pages.absorb(visit.page, at, outcome);
        self.features.absorb(&Found {
            page: visit.page,
            at,
            outcome,
            new: None,
            shows_new_link: false,
        });
        let is_measured = outcome == Outcome::Same && !self.exposures.is_empty();
        Observation {
            page: visit.page,
            host: pages.host(visit.page),
            at,
            reason: visit.reason,
            outcome,
            fault: None,
            since,
            leads: vec![],
            cycle: self.number,
            signals: vec![],
            impact: is_measured.then_some(0.0),
        }
    }
}
