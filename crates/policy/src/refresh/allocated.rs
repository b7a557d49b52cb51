//! Visits at the best fixed frequencies: what user-centric crawling was compared with.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 6.1. Frequencies are those of
//! `allocation.rs`, worked out anew for every plan from the change rates learned so far. Staleness-based
//! refreshing aims at freshness, age-based at age; embarrassment-based refreshing (Wolf, Squillante,
//! Yu, Sethuraman and Ozsen, WWW 2002) weighs a page by how often its changes matter.
//!
//! A page's ideal time is its last visit and one period more. Which visits a cycle makes under its
//! hard limit is Wolf's transportation problem: visits are assigned to equal slots at a cost that
//! grows with the distance between slot and ideal time. As that cost is the same convex function for
//! all, two visits that are crossed can be swapped without loss, so the assignment that keeps the order of
//! ideal times is optimal: each cycle takes the visits with the earliest. Pages that get no visits
//! come after all others, the one not seen for longest first; pages never seen come first.
use flow::{Budget, Known, Observation, PageId, PageNo, Plan, Policy, State, impact::Measure};
use rayon::prelude::*;

use super::{freshness_index::unit_days, severity::Severities};
use crate::{
    Kind, Objective, Parameter, Parameters,
    allocation::{self, Demand},
    rate::Rates,
    score, user,
};

/// Below every other score: a page that gets no visits, in units of time after its ideal one.
const NEVER: f64 = 1e12;
/// No period is longer, so that no page that gets visits comes after one that gets none.
const LONGEST_PERIOD: f64 = 1e9;

/// Which changes count.
pub(crate) const LARGER: Parameter = Parameter {
    name: "threshold",
    meaning: "a change counts if a larger part of the page than this has changed",
    default: "0",
    kind: Kind::Number(0.0, 1.0),
};

pub(crate) const EMBARRASSMENT_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "threshold",
        meaning: "a change matters to searchers if at least this part of the page has changed",
        default: "0.5",
        kind: Kind::Number(0.0, 1.0),
    },
    Parameter {
        name: "clicks",
        meaning: "which results are clicked on: all pages alike, or as searchers see them",
        default: "even",
        kind: Kind::Word(&["even", "seen"]),
    },
    user::SCORING,
];

/// Visits pages at the best fixed frequencies.
#[derive(Debug)]
pub struct Allocated {
    name: &'static str,
    objective: Objective,
    source: Source,
}

/// What is known of a page beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Told {
    /// Changes in a day.
    pub rate_per_day: f64,
    /// What it counts for.
    pub weight: f64,
}

/// Where change rates and weights come from.
#[derive(Debug)]
enum Source {
    /// Rates learned from visits, every page counting the same.
    Learned(Rates),
    /// Rates learned from visits, pages counting by how often their changes matter and, where clicks
    /// are asked for, by how much they are looked at.
    Severe { rates: Rates, severities: Severities, clicks: Option<Measure> },
    /// Given, by page id in ascending order: for the lab, where the truth is known.
    Told(Vec<(PageId, Told)>),
}

impl Allocated {
    /// Staleness-based refreshing.
    pub(crate) fn staleness_based(parameters: &Parameters) -> Self {
        let source = Source::Learned(Rates::above(parameters.number(LARGER.name)));
        Self { name: "staleness-based", objective: Objective::Freshness, source }
    }

    /// Age-based refreshing.
    pub(crate) fn age_based(parameters: &Parameters) -> Self {
        let source = Source::Learned(Rates::above(parameters.number(LARGER.name)));
        Self { name: "age-based", objective: Objective::Age, source }
    }

    /// Embarrassment-based refreshing.
    pub(crate) fn embarrassment_based(parameters: &Parameters) -> Self {
        let severities = Severities::from(parameters.number("threshold"));
        let are_seen = parameters.word("clicks") == "seen";
        let clicks = are_seen.then(|| Measure::by(user::scoring(parameters)));
        let source = Source::Severe { rates: Rates::default(), severities, clicks };
        Self { name: "embarrassment-based", objective: Objective::Freshness, source }
    }

    /// The policy with rates and weights given for each page; a page not named gets no visits before
    /// all others have theirs.
    pub fn told(objective: Objective, mut pages: Vec<(PageId, Told)>) -> Self {
        pages.sort_unstable_by_key(|&(page, _)| page);
        let name = match objective {
            Objective::Freshness => "known-staleness",
            Objective::Age => "known-age",
        };
        Self { name, objective, source: Source::Told(pages) }
    }

    /// By page, visits in a unit of time.
    fn frequencies(&self, known: &Known<'_>, budget: Budget) -> Vec<f64> {
        let is_looked_at = known.exposures.iter().any(|&exposure| exposure > 0.0);
        let numbers = (0..known.pages.len() as u32).into_par_iter().map(PageNo);
        let demand = |page| self.demand(known, page, is_looked_at);
        let demands: Vec<Demand> = numbers.map(demand).collect();
        allocation::frequencies(self.objective, &demands, whole(known, budget))
    }

    fn demand(&self, known: &Known<'_>, page: PageNo, is_looked_at: bool) -> Demand {
        if known.pages.state(page) != State::Held {
            return Demand::default();
        }
        let host = known.pages.host(page);
        let (per_day, weight) = match &self.source {
            Source::Learned(rates) => (learned(known, page, rates), 1.0),
            Source::Severe { rates, severities, clicks } => {
                let looked = clicks.is_some() && is_looked_at;
                let clicks = if looked { f64::from(known.exposure(page)) } else { 1.0 };
                (learned(known, page, rates), severities.of(page, host) * clicks)
            }
            Source::Told(pages) => {
                let row = pages.binary_search_by_key(&known.pages.id(page), |&(page, _)| page);
                let told = row.map_or(Told::default(), |row| pages[row].1);
                (told.rate_per_day, told.weight)
            }
        };
        Demand { rate: per_day * unit_days(known), weight }
    }
}

/// Changes of a page in a day, as believed now.
fn learned(known: &Known<'_>, page: PageNo, rates: &Rates) -> f64 {
    let seen = known.pages.last_seen(page);
    let age = seen.map_or_else(flow::Span::default, |then| known.now - then);
    rates.belief(page, known.pages.host(page), age).mean()
}

/// How long ago a page's ideal time was, `age` after its last visit.
fn lateness(age: f64, frequency: f64) -> f64 {
    age - if frequency > 0.0 { (1.0 / frequency).min(LONGEST_PERIOD) } else { NEVER }
}

/// The budget of the whole cycle: what is left of it, and what was tried in it.
fn whole(known: &Known<'_>, left: Budget) -> f64 {
    let tried = |&page: &PageNo| {
        known.pages.last_tried(page).is_some_and(|tried| tried >= known.cycle_start)
    };
    f64::from(left.0) + known.pages.numbers().filter(tried).count() as f64
}

impl Policy for Allocated {
    fn name(&self) -> &'static str {
        self.name
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let frequencies = self.frequencies(known, budget);
        let unit = unit_days(known);
        score::best(known, budget, |page| {
            let age = score::age_days(known, page);
            age.map_or(f64::INFINITY, |age| lateness(age / unit, frequencies[page.index()]))
        })
    }

    fn measure(&self) -> Option<Measure> {
        match &self.source {
            Source::Severe { clicks, .. } => *clicks,
            Source::Learned(_) | Source::Told(_) => None,
        }
    }

    fn learn(&mut self, seen: &Observation) {
        match &mut self.source {
            Source::Learned(rates) => rates.learn(seen),
            Source::Severe { rates, severities, .. } => {
                rates.learn(seen);
                severities.learn(seen);
            }
            Source::Told(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use flow::{Links, Outcome, Pages, Reason, Span, Time, relevance::Scoring};
    use proptest::prelude::*;

    use super::*;
    use crate::Choice;

    const DAY: Span = Span::from_days(1);

    fn day(days: f64) -> Time {
        Time::from_millis(0) + Span::from_millis((days * 86_400_000.0) as i64)
    }

    /// Pages held since these days.
    fn held(days: &[f64]) -> Pages {
        let mut pages = Pages::default();
        for (number, &seen) in days.iter().enumerate() {
            let page = pages.admit(&format!("https://a.example/{number}"), day(0.0));
            pages.absorb(page, day(seen), Outcome::First);
        }
        pages
    }

    /// A plan at `now`, and its pages and scores in order.
    fn plan(policy: &mut dyn Policy, pages: &Pages, now: f64, budget: u32) -> Vec<(u32, f64)> {
        let links = Links::default();
        let known = Known { cadence: Some(DAY), ..Known::new(day(now), pages, &links) };
        let plan = policy.plan(&known, Budget(budget));
        plan.0.iter().map(|visit| (visit.page.0, visit.score)).collect()
    }

    fn told(objective: Objective, pages: &Pages, rows: &[(f64, f64)]) -> Allocated {
        let tell = |(page, &(rate_per_day, weight)): (PageNo, &(f64, f64))| {
            (pages.id(page), Told { rate_per_day, weight })
        };
        Allocated::told(objective, pages.numbers().zip(rows).map(tell).collect())
    }

    #[test]
    fn a_score_is_how_long_ago_the_ideal_time_was() {
        // Like pages share the budget, so each is visited every other day. Seen three days ago and
        // one day ago.
        let pages = held(&[0.0, 2.0]);
        for objective in [Objective::Freshness, Objective::Age] {
            let mut policy = told(objective, &pages, &[(0.5, 1.0); 2]);
            let plan = plan(&mut policy, &pages, 3.0, 1);
            assert_eq!(plan.len(), 1);
            assert_eq!(plan[0].0, 0);
            assert!((plan[0].1 - 1.0).abs() < 1e-6, "{}", plan[0].1);
        }
    }

    #[test]
    fn pages_never_seen_come_first_and_those_without_visits_last_by_age() {
        let mut pages = held(&[2.0, 0.0, 1.0, 2.5]);
        pages.admit("https://a.example/new", day(0.0));
        let rows = [(0.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.5, 1.0)];
        let mut policy = told(Objective::Freshness, &pages, &rows);
        let order: Vec<u32> =
            plan(&mut policy, &pages, 3.0, 9).iter().map(|&(page, _)| page).collect();
        assert_eq!(order, [4, 3, 1, 2, 0]);
    }

    #[test]
    fn a_page_too_fast_to_be_kept_fresh_is_abandoned_but_not_where_age_counts() {
        let pages = held(&[0.0; 3]);
        let rows = [(50.0, 1.0), (0.2, 1.0), (0.3, 1.0)];
        for (objective, is_abandoned) in [(Objective::Freshness, true), (Objective::Age, false)] {
            let policy = told(objective, &pages, &rows);
            let links = Links::default();
            let known = Known { cadence: Some(DAY), ..Known::new(day(1.0), &pages, &links) };
            let frequencies = policy.frequencies(&known, Budget(1));
            assert_eq!(frequencies[0] <= 0.0, is_abandoned, "{frequencies:?}");
            assert!((frequencies.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_was_tried_in_this_cycle_is_part_of_its_budget() {
        let mut pages = held(&[0.0; 4]);
        let policy = told(Objective::Freshness, &pages, &[(0.3, 1.0); 4]);
        let whole = |pages: &Pages, left| {
            let links = Links::default();
            let known = Known { cadence: Some(DAY), ..Known::new(day(1.0), pages, &links) };
            policy.frequencies(&known, Budget(left)).iter().sum::<f64>()
        };
        assert!((whole(&pages, 3) - 3.0).abs() < 1e-9);
        pages.absorb(PageNo(1), day(1.0), Outcome::Same);
        pages.absorb(PageNo(2), day(1.0), Outcome::Failed);
        assert!((whole(&pages, 1) - 3.0).abs() < 1e-9);
    }

    /// Visits with these outcomes to a page each day, from the first day on.
    fn learn(policy: &mut dyn Policy, pages: &mut Pages, page: u32, outcomes: &[Outcome]) {
        for (number, &outcome) in (1..).zip(outcomes) {
            let (page, at) = (PageNo(page), day(f64::from(number)));
            let since = pages.last_seen(page).map(|then| at - then);
            pages.absorb(page, at, outcome);
            policy.learn(&Observation {
                page,
                host: pages.host(page),
                at,
                reason: Reason::Refresh,
                outcome,
                since,
                fault: None,
                leads: vec![],
                cycle: 0,
                signals: vec![],
                impact: None,
            });
        }
    }

    /// Visits a day to two pages with a budget of one: the first seen to change a little every day,
    /// the second to change as a whole every fourth.
    fn learned(word: &str, exposures: &[f32]) -> Vec<f64> {
        let mut pages = held(&[0.0; 2]);
        let choice = Choice::parse(word).unwrap();
        let mut policy = match choice.entry().name {
            "age-based" => Allocated::age_based(choice.parameters()),
            "staleness-based" => Allocated::staleness_based(choice.parameters()),
            _ => Allocated::embarrassment_based(choice.parameters()),
        };
        learn(&mut policy, &mut pages, 0, &[Outcome::Changed(0.2); 40]);
        let whole = [Outcome::Changed(0.9), Outcome::Same, Outcome::Same, Outcome::Same].repeat(10);
        learn(&mut policy, &mut pages, 1, &whole);
        let links = Links::default();
        let known = Known { cadence: Some(DAY), ..Known::new(day(41.0), &pages, &links) };
        policy.frequencies(&Known { exposures, ..known }, Budget(1))
    }

    #[test]
    fn small_changes_make_a_page_fast_only_where_they_count() {
        for name in ["staleness-based", "age-based"] {
            let any = learned(name, &[]);
            let large = learned(&format!("{name}:threshold=0.5"), &[]);
            assert!(any[0] > any[1], "{any:?}");
            assert!(large[0] < large[1], "{large:?}");
        }
    }

    #[test]
    fn pages_embarrass_by_large_changes_and_by_being_seen() {
        let severe = learned("embarrassment-based", &[]);
        let any = learned("embarrassment-based:threshold=0", &[]);
        assert!(severe[0] < any[0], "{severe:?} {any:?}");
        let seen = learned("embarrassment-based:clicks=seen", &[0.9, 0.0]);
        assert!(seen[0] > 0.9 && seen[1] <= 0.0, "{seen:?}");
        // Where nobody is known to look at anything, all count alike.
        for none in [&[][..], &[0.0, 0.0]] {
            assert_eq!(learned("embarrassment-based:clicks=seen", none), severe);
        }
    }

    #[test]
    fn looks_are_asked_for_only_where_they_count() {
        let measure = |word: &str| Choice::parse(word).unwrap().make(1).measure();
        let by = |scoring| Some(Measure::by(scoring));
        assert_eq!(measure("embarrassment-based"), None);
        assert_eq!(measure("embarrassment-based:clicks=seen"), by(Scoring::Bm25));
        let set = "embarrassment-based:clicks=seen:scoring=in-links";
        assert_eq!(measure(set), by(Scoring::InLinks));
    }

    /// The least cost of assigning visits with these ideal times to slots of `size` visits, by
    /// trying all.
    fn least(ideals: &[f64], taken: usize, size: usize, cost: fn(f64) -> f64) -> f64 {
        let slot = (taken / size) as f64;
        let tried = (0..ideals.len()).map(|pick| {
            let mut rest = ideals.to_vec();
            let ideal = rest.swap_remove(pick);
            cost((slot - ideal).abs()) + least(&rest, taken + 1, size, cost)
        });
        tried.reduce(f64::min).unwrap_or(0.0)
    }

    proptest! {
        #[test]
        fn no_assignment_to_cycles_is_nearer_to_ideal_times_than_the_latest_first(
            pages in prop::collection::vec((0.0..9.0_f64, 0.05..1.0_f64), 1..7),
            size in 1_usize..4,
        ) {
            let mut lates: Vec<f64> =
                pages.iter().map(|&(age, frequency)| lateness(age, frequency)).collect();
            lates.sort_by(|a, b| b.total_cmp(a));
            let ideals: Vec<f64> =
                pages.iter().map(|&(age, frequency)| 1.0 / frequency - age).collect();
            for cost in [|distance: f64| distance, |distance: f64| distance.powi(2)] {
                // A page comes so much after its ideal time as it is late now, and its slot later.
                let late = |(turn, late): (usize, &f64)| cost(((turn / size) as f64 + late).abs());
                let ours: f64 = lates.iter().enumerate().map(late).sum();
                let best = least(&ideals, 0, size, cost);
                prop_assert!(ours <= best + 1e-9, "{} above {}", ours, best);
            }
        }
    }
}
