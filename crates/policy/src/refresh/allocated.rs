//! Visits at the best fixed frequencies: the baselines of user-centric crawling.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 6.1. Every plan computes the
//! frequencies (`allocation.rs`) from the change rates learned so far. Staleness-based refreshing
//! optimises freshness, age-based optimises age. Embarrassment-based refreshing (Wolf, Squillante, Yu,
//! Sethuraman and Ozsen, WWW 2002) weighs a page by how often its changes matter.
//!
//! A page's ideal time is its last visit plus one period. Which visits a cycle makes under its hard
//! limit is Wolf's transportation problem: visits are assigned to equal slots at a cost that grows with
//! the distance between slot and ideal time. The cost is the same convex function for all, so two crossed
//! visits can be swapped without loss, and the assignment in order of ideal times is optimal: each cycle
//! takes the visits with the earliest. Pages that get no visits come after all others, the one not seen
//! for longest first; pages never seen come first.
use crawl::{Budget, Known, Needs, Observation, PageId, PageNo, Plan, Policy, State};
use instruments::{Measured as _, impact::Measure};
use rayon::prelude::*;

use super::{freshness_index::unit_days, severity::Severities};
use crate::{
    Kind, Objective, Parameter, Parameters, PolicyEntry,
    allocation::{self, Demand},
    by_page::GivenValues,
    lacks::{SAME_RATE, never_compared},
    rates::Rates,
    score, user,
};

/// Added to the lateness of a page that gets no visits: it comes after all others ([`score::ORDER_ONLY`]).
const NEVER: f64 = 1e12;
/// The longest period, so that a page with visits comes before every page without.
const LONGEST_PERIOD: f64 = 1e9;

/// Which changes count.
const LARGER: Parameter = Parameter {
    name: "threshold",
    meaning: "a change counts if a larger part of the page than this has changed",
    default: "0",
    kind: Kind::Number(0.0, 1.0),
};

pub(crate) const STALENESS_BASED: PolicyEntry = PolicyEntry {
    parameters: &[LARGER],
    ..PolicyEntry::new(
        "staleness-based",
        "the frequencies at which most pages are fresh, by learned change rates",
        |_, parameters| {
            Box::new(Allocated::learned("staleness-based", Objective::Freshness, parameters))
        },
    )
};
pub(crate) const AGE_BASED: PolicyEntry = PolicyEntry {
    parameters: &[LARGER],
    ..PolicyEntry::new(
        "age-based",
        "the frequencies at which pages are stale for the shortest time, by learned change rates",
        |_, parameters| Box::new(Allocated::learned("age-based", Objective::Age, parameters)),
    )
};
pub(crate) const EMBARRASSMENT_BASED: PolicyEntry = PolicyEntry {
    parameters: EMBARRASSMENT_PARAMETERS,
    ..PolicyEntry::new(
        "embarrassment-based",
        "the frequencies at which searchers see the fewest outdated results",
        |_, parameters| Box::new(Allocated::embarrassment_based(parameters)),
    )
};
const EMBARRASSMENT_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "threshold",
        meaning: "a change matters to searchers if at least this part of the page has changed",
        default: "0.5",
        kind: Kind::Number(0.0, 1.0),
    },
    Parameter {
        name: "clicks",
        meaning: "how clicks spread over results: evenly, or by how much searchers see each page",
        default: "even",
        kind: Kind::Word(&["even", "seen"]),
    },
    user::SCORING,
];

/// Visits pages at the best fixed frequencies.
#[derive(Clone, Debug)]
pub struct Allocated {
    name: &'static str,
    objective: Objective,
    source: Source,
}

/// What is known of a page in advance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageDemand {
    /// Changes per day.
    pub rate_per_day: f64,
    /// How much the page counts.
    pub weight: f64,
}

/// Where change rates and weights come from.
#[derive(Clone, Debug)]
enum Source {
    /// Rates learned from visits, every page counting the same.
    Learned(Rates),
    /// Learned rates, and pages weighted by how often their changes matter. With `clicks`, also by how
    /// much searchers see them.
    Severe {
        rates: Rates,
        severities: Severities,
        clicks: Option<Measure>,
    },
    Given(GivenValues<PageDemand>),
}

impl Allocated {
    /// Staleness-based or age-based refreshing.
    fn learned(name: &'static str, objective: Objective, parameters: &Parameters) -> Self {
        let source = Source::Learned(Rates::above(parameters.number(LARGER.name)));
        Self { name, objective, source }
    }

    fn embarrassment_based(parameters: &Parameters) -> Self {
        let severities = Severities::above(parameters.number("threshold"));
        let are_seen = parameters.word("clicks") == "seen";
        let clicks = are_seen.then(|| Measure::by(user::scoring(parameters)));
        let source = Source::Severe { rates: Rates::default(), severities, clicks };
        Self { name: "embarrassment-based", objective: Objective::Freshness, source }
    }

    /// The policy with given rates and weights. A page without any is visited after all others.
    pub fn with_demands(objective: Objective, pages: Vec<(PageId, PageDemand)>) -> Self {
        let name = match objective {
            Objective::Freshness => "known-staleness",
            Objective::Age => "known-age",
        };
        Self { name, objective, source: Source::Given(GivenValues::new(pages)) }
    }

    /// By page, visits in a unit of time.
    fn frequencies(&self, known: &Known<'_>, budget: Budget) -> Vec<f64> {
        let any_exposure = known.exposures().iter().any(|&exposure| exposure > 0.0);
        let numbers = (0..known.pages.len() as u32).into_par_iter().map(PageNo);
        let demand = |page| self.demand(known, page, any_exposure);
        let demands: Vec<Demand> = numbers.map(demand).collect();
        allocation::frequencies(self.objective, &demands, whole(known, budget))
    }

    fn demand(&self, known: &Known<'_>, page: PageNo, any_exposure: bool) -> Demand {
        if known.pages.state(page) != State::Held {
            return Demand::default();
        }
        let host = known.pages.host(page);
        let (per_day, weight) = match &self.source {
            Source::Learned(rates) => (learned(known, page, rates), 1.0),
            Source::Severe { rates, severities, clicks } => {
                let weighted = clicks.is_some() && any_exposure;
                let clicks = if weighted { f64::from(known.exposure(page)) } else { 1.0 };
                (learned(known, page, rates), severities.share(page, host) * clicks)
            }
            Source::Given(pages) => {
                let PageDemand { rate_per_day, weight } = pages.get(known, page);
                (rate_per_day, weight)
            }
        };
        Demand { rate: per_day * unit_days(known), weight }
    }
}

/// Estimated changes of a page per day.
fn learned(known: &Known<'_>, page: PageNo, rates: &Rates) -> f64 {
    let seen = known.pages.last_seen(page);
    let age = seen.map_or_else(crawl::Span::default, |then| known.now - then);
    rates.belief(page, known.pages.host(page), age).mean()
}

/// How long ago the ideal time of a page was, `age` after its last visit.
fn lateness(age: f64, frequency: f64) -> f64 {
    age - if frequency > 0.0 { (1.0 / frequency).min(LONGEST_PERIOD) } else { NEVER }
}

/// The budget of the whole cycle: the rest of it, and the visits tried so far.
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

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        match self.source {
            Source::Given(_) => vec![],
            Source::Learned(_) | Source::Severe { .. } => {
                never_compared(known, SAME_RATE).into_iter().collect()
            }
        }
    }

    fn needs(&self) -> Needs {
        match &self.source {
            Source::Severe { clicks: Some(measure), .. } => Needs::none().with(*measure),
            Source::Severe { clicks: None, .. } | Source::Learned(_) | Source::Given(_) => {
                Needs::none()
            }
        }
    }

    fn learn(&mut self, seen: &Observation) {
        match &mut self.source {
            Source::Learned(rates) => rates.learn(seen),
            Source::Severe { rates, severities, .. } => {
                rates.learn(seen);
                severities.learn(seen);
            }
            Source::Given(_) => {}
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Instruments, Links, Outcome, Pages, Span, Time};
    use instruments::impact::Impact;
    use proptest::prelude::*;
    use text::relevance::Scoring;

    use super::*;
    use crate::{
        PolicySpec,
        testing::{DAY, made},
    };

    fn day(days: f64) -> Time {
        Time::from_millis(0) + Span::from_millis((days * 86_400_000.0) as i64)
    }

    /// Pages held since these days.
    fn held(days: &[f64]) -> Pages {
        let mut pages = Pages::default();
        for (number, &seen) in days.iter().enumerate() {
            let page = pages.insert(&format!("https://a.example/{number}"), day(0.0));
            pages.apply(page, day(seen), Outcome::First);
        }
        pages
    }

    /// The pages and scores of a plan at `now`, in order.
    fn plan(policy: &mut dyn Policy, pages: &Pages, now: f64, budget: u32) -> Vec<(u32, f64)> {
        let links = Links::default();
        let known = Known { interval: Some(DAY), ..Known::new(day(now), pages, &links) };
        let plan = policy.plan(&known, Budget(budget));
        plan.0.iter().map(|visit| (visit.page.0, visit.score)).collect()
    }

    fn given(objective: Objective, pages: &Pages, rows: &[(f64, f64)]) -> Allocated {
        let give = |(page, &(rate_per_day, weight)): (PageNo, &(f64, f64))| {
            (pages.id(page), PageDemand { rate_per_day, weight })
        };
        Allocated::with_demands(objective, pages.numbers().zip(rows).map(give).collect())
    }

    #[test]
    fn a_score_is_how_long_ago_the_ideal_time_was() {
        // Like pages share the budget, so each is visited every other day. One was seen three days ago, the
        // other one day ago.
        let pages = held(&[0.0, 2.0]);
        for objective in [Objective::Freshness, Objective::Age] {
            let mut policy = given(objective, &pages, &[(0.5, 1.0); 2]);
            let plan = plan(&mut policy, &pages, 3.0, 1);
            assert_eq!(plan.len(), 1);
            assert_eq!(plan[0].0, 0);
            assert!((plan[0].1 - 1.0).abs() < 1e-6, "{}", plan[0].1);
        }
    }

    #[test]
    fn pages_never_seen_come_first_and_those_without_visits_last_by_age() {
        let mut pages = held(&[2.0, 0.0, 1.0, 2.5]);
        pages.insert("https://a.example/new", day(0.0));
        let rows = [(0.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.5, 1.0)];
        let mut policy = given(Objective::Freshness, &pages, &rows);
        let order: Vec<u32> =
            plan(&mut policy, &pages, 3.0, 9).iter().map(|&(page, _)| page).collect();
        assert_eq!(order, [4, 3, 1, 2, 0]);
    }

    #[test]
    fn a_page_too_fast_to_be_kept_fresh_is_abandoned_but_not_where_age_counts() {
        let pages = held(&[0.0; 3]);
        let rows = [(50.0, 1.0), (0.2, 1.0), (0.3, 1.0)];
        for (objective, is_abandoned) in [(Objective::Freshness, true), (Objective::Age, false)] {
            let policy = given(objective, &pages, &rows);
            let links = Links::default();
            let known = Known { interval: Some(DAY), ..Known::new(day(1.0), &pages, &links) };
            let frequencies = policy.frequencies(&known, Budget(1));
            assert_eq!(frequencies[0] <= 0.0, is_abandoned, "{frequencies:?}");
            assert!((frequencies.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_was_tried_in_this_cycle_is_part_of_its_budget() {
        let mut pages = held(&[0.0; 4]);
        let policy = given(Objective::Freshness, &pages, &[(0.3, 1.0); 4]);
        let whole = |pages: &Pages, left| {
            let links = Links::default();
            let known = Known { interval: Some(DAY), ..Known::new(day(1.0), pages, &links) };
            policy.frequencies(&known, Budget(left)).iter().sum::<f64>()
        };
        assert!((whole(&pages, 3) - 3.0).abs() < 1e-9);
        pages.apply(PageNo(1), day(1.0), Outcome::Same);
        pages.apply(PageNo(2), day(1.0), Outcome::Failed);
        assert!((whole(&pages, 1) - 3.0).abs() < 1e-9);
    }

    /// Visits with these outcomes to a page, one a day from day 1 on.
    fn learn(policy: &mut dyn Policy, pages: &mut Pages, page: u32, outcomes: &[Outcome]) {
        for (number, &outcome) in (1..).zip(outcomes) {
            let (page, at) = (PageNo(page), day(f64::from(number)));
            let since = pages.last_seen(page).map(|then| at - then);
            pages.apply(page, at, outcome);
            policy.learn(&Observation {
                since,
                ..Observation::new(page, pages.host(page), at, outcome)
            });
        }
    }

    /// Visits a day to two pages with a budget of one. The first changes a little every day, the second
    /// completely every fourth day.
    fn learned(word: &str, exposures: &[f32]) -> Vec<f64> {
        let mut pages = held(&[0.0; 2]);
        let spec = PolicySpec::parse(word).unwrap();
        let mut policy = match spec.entry().name {
            "age-based" => Allocated::learned("age-based", Objective::Age, spec.parameters()),
            "staleness-based" => {
                Allocated::learned("staleness-based", Objective::Freshness, spec.parameters())
            }
            _ => Allocated::embarrassment_based(spec.parameters()),
        };
        learn(&mut policy, &mut pages, 0, &[Outcome::Changed(0.2); 40]);
        let whole = [Outcome::Changed(0.9), Outcome::Same, Outcome::Same, Outcome::Same].repeat(10);
        learn(&mut policy, &mut pages, 1, &whole);
        let links = Links::default();
        let instruments = &Instruments::default().with(Impact::fixed(exposures.to_vec()));
        let known =
            Known { interval: Some(DAY), instruments, ..Known::new(day(41.0), &pages, &links) };
        policy.frequencies(&known, Budget(1))
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
        // Without exposures all pages count the same.
        for none in [&[][..], &[0.0, 0.0]] {
            assert_eq!(learned("embarrassment-based:clicks=seen", none), severe);
        }
    }

    #[test]
    fn looks_are_asked_for_only_where_they_count() {
        let measure = |word: &str| made(word, 1).needs().find().copied();
        let by = |scoring| Some(Measure::by(scoring));
        assert_eq!(measure("embarrassment-based"), None);
        assert_eq!(measure("embarrassment-based:clicks=seen"), by(Scoring::Bm25));
        let set = "embarrassment-based:clicks=seen:scoring=in-links";
        assert_eq!(measure(set), by(Scoring::InLinks));
    }

    /// The least cost of assigning visits with these ideal times to slots of `size` visits, by brute force.
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
            let mut lateness: Vec<f64> =
                pages.iter().map(|&(age, frequency)| lateness(age, frequency)).collect();
            lateness.sort_by(|a, b| b.total_cmp(a));
            let ideals: Vec<f64> =
                pages.iter().map(|&(age, frequency)| 1.0 / frequency - age).collect();
            for cost in [|distance: f64| distance, |distance: f64| distance.powi(2)] {
                // A page is visited this much after its ideal time: its lateness now plus the time until its slot.
                let late = |(turn, late): (usize, &f64)| cost(((turn / size) as f64 + late).abs());
                let ours: f64 = lateness.iter().enumerate().map(late).sum();
                let best = least(&ideals, 0, size, cost);
                prop_assert!(ours <= best + 1e-9, "{} above {}", ours, best);
            }
        }
    }
}
