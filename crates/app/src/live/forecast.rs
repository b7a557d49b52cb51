//! When a page will be visited next if nothing changes. The real loop runs on a simulated world with the
//! folder's policy.
use std::sync::Arc;

use crawl::{
    Allowance, Budget, ChangeDetector, Crawl, Explanation, HostState, Instruments, PageNo, Policy,
    Prediction, Reason, SimulatedRepository, Simulation, Span, State, Time, Visit, World,
};
use extract::detect;
use instruments::features::Features;
use store::{CycleSummary, Loaded};

use super::{
    costs::next_budget,
    tally::{counted, grouped, instant},
};
use crate::{failure::Failure, settings::Settings};

/// The most cycles to simulate.
const MOST_CYCLES: u32 = 400;
/// A policy that uses features clusters all pages in each cycle. This limits cycles times pages, so that
/// it takes seconds.
const MOST_CLUSTERED: usize = 100_000;

/// When a page would be visited next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Forecast {
    /// What the policy predicts of the page, if it predicts.
    pub(super) prediction: Option<Prediction>,
    /// What the policy goes by, in sentences.
    pub(super) reasons: Vec<String>,
    pub(super) budget: Option<Allowance>,
    /// How many pages may be visited in the next cycle
    pub(super) due: usize,
    /// and whether this is one of them.
    pub(super) is_due: bool,
    /// The next visit, if it falls within the simulated cycles.
    pub(super) next: Option<NextVisit>,
    /// How many cycles were simulated at most.
    most: u32,
}

/// The next visit to a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NextVisit {
    /// Cycles until then: 1 is the next.
    pub(super) cycles: u32,
    /// The start of that cycle, if the interval is known.
    pub(super) at: Option<Time>,
    /// Its place among the visits of that cycle, from 1.
    pub(super) rank: usize,
    /// How many visits that cycle makes.
    pub(super) visits: usize,
    /// The score that the policy gave it; `None` if the score is only an order.
    pub(super) score: Option<f64>,
    pub(super) reason: Reason,
}

/// The state that a forecast starts from.
pub(super) struct Start<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) policy: Box<dyn Policy>,
    pub(super) instruments: Instruments,
    pub(super) hosts: &'a [HostState],
    pub(super) cycles: &'a [CycleSummary],
    pub(super) now: Time,
}

/// The crawl of a data folder on a world in which nothing changes.
pub(super) struct Simulated {
    pub(super) crawl: Crawl<Simulation, SimulatedRepository>,
    pub(super) budget: Option<Allowance>,
    pub(super) interval: Option<Span>,
    /// The start of the next cycle.
    first: Time,
    /// The time from one cycle to the next; a day if the interval is not known.
    step: Span,
    /// How many cycles to simulate at most.
    most: u32,
}

impl Simulated {
    pub(super) fn new(start: Start<'_>, settings: &Settings) -> Result<Self, Failure> {
        let Start { loaded, policy, instruments, hosts, cycles, now } = start;
        let refreshes = || cycles.iter().filter(|cycle| cycle.kind == "refresh");
        let budget = next_budget(settings, cycles);
        let interval = settings.interval.or_else(|| usual_interval(refreshes()));
        let step = interval.unwrap_or(Span::from_days(1));
        let last = refreshes().next_back().map(|cycle| cycle.started);
        let first = last.map_or(now, |last| (last + step).max(now));
        let most = match budget {
            None => 1,
            Some(_) if instruments.find::<Features>().is_some() => {
                (MOST_CLUSTERED / loaded.pages.len().max(1)).clamp(1, MOST_CYCLES as usize) as u32
            }
            Some(_) => MOST_CYCLES,
        };
        let back_off =
            hosts.iter().filter_map(|host| Some((host.host.clone(), host.back_off_until?)));
        let world = Simulation::new(first, &loaded.pages, back_off.collect());
        let cost = |page| instruments.expected_cost(page, loaded.pages.host(page));
        let world = world.with_costs(loaded.pages.numbers().map(cost).collect());
        let detector: Arc<dyn ChangeDetector> = detect::by_name(detect::DEFAULT)
            .map(Arc::from)
            .ok_or_else(|| Failure::Internal("there is no default detector".to_owned()))?;
        let crawl = Crawl {
            instruments,
            interval,
            revisits_gone: true,
            recheck_share: Some(settings.recheck_share),
            pages: loaded.pages.clone(),
            links: loaded.links.clone(),
            cycles: loaded.cycles,
            ..Crawl::new(world, policy, SimulatedRepository::default(), detector)
        };
        Ok(Self { crawl, budget, interval, first, step, most })
    }

    /// The start of cycle `number`, counted from 0.
    pub(super) fn start_of(&self, number: u32) -> Time {
        self.first + self.step.times(i64::from(number))
    }

    /// The visits of cycle `number`, counted from 0. To be called in order.
    pub(super) fn cycle(&mut self, number: u32) -> Result<Vec<Visit>, Failure> {
        self.crawl.world.wait_until(self.start_of(number));
        let allowance = self.budget.unwrap_or(Budget::UNLIMITED.into());
        let cycle = self.crawl.cycle(allowance, &mut |_| {})?;
        Ok(cycle.plans.into_iter().flat_map(|plan| plan.0).collect())
    }
}

impl Forecast {
    /// Simulates cycles until the page is visited.
    pub(super) fn new(
        page: PageNo,
        start: Start<'_>,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let mut simulated = Simulated::new(start, settings)?;
        let Simulated { crawl, budget, interval, first, most, .. } = &mut simulated;
        let (budget, interval, most) = (*budget, *interval, *most);
        let is_held = crawl.pages.state(page) == State::Held;
        let (due, is_due, explained) = crawl.consult(*first, |policy, known| {
            let explained =
                if is_held { policy.explain(known, page) } else { Explanation::default() };
            (known.due().count(), known.is_due(page), explained)
        });
        let Explanation { prediction, reasons } = explained;
        let mut next = None;
        for number in 0..most {
            let at = simulated.start_of(number);
            let visits = simulated.cycle(number)?;
            if let Some(place) = visits.iter().position(|visit| visit.page == page) {
                let visit = visits[place];
                next = Some(NextVisit {
                    cycles: number + 1,
                    at: interval.map(|_| at),
                    rank: place + 1,
                    visits: visits.len(),
                    score: Some(visit.score).filter(|score| score.abs() < policy::ORDER_ONLY),
                    reason: visit.reason,
                });
                break;
            }
        }
        Ok(Self { prediction, reasons, budget, due, is_due, next, most })
    }

    /// In words; `policy` is the name of the policy that plans.
    pub(super) fn words(&self, policy: &str) -> String {
        let Some(next) = &self.next else {
            let due = counted(self.due as u64, "page is due", "pages are due");
            return match self.budget {
                _ if !self.is_due => {
                    "not due yet: the page failed, is missing or is gone, or its host backs off (see \
                                      below)"
                        .to_owned()
                }
                None => format!("not in the next cycle; {due}; add --budget N to see when"),
                Some(_) => {
                    let most = counted(u64::from(self.most), "cycle", "cycles");
                    format!("not within {most}; {due} in the next one")
                }
            };
        };
        let score = next.score.map_or(String::new(), |score| format!(", score {}", short(score)));
        let (rank, visits) = (grouped(next.rank as u64), grouped(next.visits as u64));
        let place = format!("visit {rank} of {visits} by {policy}{score}");
        if self.budget.is_none() {
            return format!("{place} without a budget; add --budget N to see when");
        }
        let mut when = match next.cycles {
            1 => "in the next cycle".to_owned(),
            cycles => format!("in {cycles} cycles"),
        };
        if let Some(at) = next.at {
            when = format!("{when}, {}", instant(at));
        }
        match next.reason {
            Reason::Sample => when.push_str(", as a sample"),
            Reason::Discover => when.push_str(", to look for new pages"),
            Reason::Refresh | Reason::First => {}
        }
        format!("{when}: {place}, if nothing changes until then")
    }
}

/// The median time between refreshes.
pub(super) fn usual_interval<'c>(
    refreshes: impl Iterator<Item = &'c CycleSummary>,
) -> Option<Span> {
    let starts: Vec<Time> = refreshes.map(|cycle| cycle.started).collect();
    let mut gaps: Vec<Span> = starts.windows(2).map(|two| two[1] - two[0]).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied()
}

/// A number with four significant digits.
fn short(number: f64) -> String {
    match number.abs() {
        0.001..10_000.0 => format!("{number:.3}"),
        0.0 => "0".to_owned(),
        _ => format!("{number:.3e}"),
    }
}
