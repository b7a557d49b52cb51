//! Worked examples of the formulas, and what the evidence does to plans.
use std::sync::Arc;

use crawl::{
    Budget, CycleStart, HostNo, Instrument as _, Instruments, Known, Links, Observation, Outcome,
    PageNo, Pages, Policy, Snapshot, Span, Time, Visited,
};
use instruments::fragments::Fragments;

use super::worth::{Belief, worth};
use crate::testing::made;

fn day(days: i64) -> Time {
    Time::from_millis(0) + Span::from_days(days)
}

#[test]
fn the_worth_of_a_visit_has_the_golden_values() {
    // docs/papers.md D2, continuous time.
    for (shape, weeks, wait, expected) in
        [(2.0, 4.0, 3.0, 0.734_693_878), (1.0, 2.0, 3.0, 0.632_581_464), (1.5, 10.0, 30.0, 6.25)]
    {
        let belief = Belief { shape, weeks };
        let found = worth(belief, belief.survival(wait), 0.0);
        assert!((found - expected).abs() < 1e-6, "{found} for {belief:?} after {wait}");
    }
}

#[test]
fn a_signal_is_worth_as_much_as_the_wait_that_raises_the_same_doubt() {
    let belief = Belief { shape: 2.5, weeks: 8.0 };
    let doubted = belief.survival(3.0) * (1.0 - 0.4);
    let wait = 8.0 * (doubted.powf(-1.0 / 2.5) - 1.0);
    let found = worth(belief, doubted, 1.0);
    assert!((found - worth(belief, belief.survival(wait), 1.0)).abs() < 1e-9);
    assert!(found > worth(belief, belief.survival(3.0), 1.0));
}

#[test]
fn the_mean_survival_is_the_mean_of_survivals() {
    for shape in [1.0, 1.7, 4.0] {
        let belief = Belief { shape, weeks: 5.0 };
        let steps = 100_000;
        let sum: f64 = (0..steps)
            .map(|step| belief.survival(16.0 * (f64::from(step) + 0.5) / f64::from(steps)))
            .sum();
        assert!((belief.mean_survival(16.0) - sum / f64::from(steps)).abs() < 1e-6);
    }
}

/// Twenty held pages in two directories, and a policy that saw all of them on day 0.
struct Web {
    pages: Pages,
    links: Links,
    instruments: Instruments,
    policy: Box<dyn Policy>,
    cycle: u32,
}

impl Web {
    fn new(policy: &str) -> Self {
        let mut web = Self {
            pages: Pages::default(),
            links: Links::default(),
            instruments: Instruments::default().with(Fragments::default()),
            policy: made(policy, 1),
            cycle: 0,
        };
        for page in 0..20 {
            let directory = if page < 10 { "a" } else { "b" };
            web.pages.insert(&format!("http://x.org/{directory}/{page:02}"), day(0));
        }
        web.begin();
        for page in 0..20 {
            // Pages have a menu, four of them one of their own, and a text.
            let menu = if (10..14).contains(&page) { [7, 8] } else { [1, 2] };
            web.visit(PageNo(page), day(0), Outcome::First, &[menu[0], menu[1], 1_000 + page]);
        }
        web
    }

    fn begin(&mut self) {
        let cycle = CycleStart { pages: &self.pages, links: &self.links, has_plans: true };
        self.instruments.begin_cycle(&cycle);
    }

    fn visit(&mut self, page: PageNo, at: Time, outcome: Outcome, runs: &[u32]) {
        let since = self.pages.last_seen(page).map(|seen| at - seen);
        self.pages.apply(page, at, outcome);
        let new = Arc::new(Snapshot { runs: runs.into(), ..Snapshot::default() });
        let visited = Visited {
            page,
            host: HostNo(0),
            address: self.pages.address(page),
            at,
            outcome,
            new: Some(&new),
            shows_new_link: false,
            cost: crawl::Cost::default(),
        };
        let fragments = self.instruments.find_mut::<Fragments>().expect("inserted at the start");
        fragments.visited(&visited).expect("it cannot fail");
        let seen = Observation {
            since,
            cycle: self.cycle,
            ..Observation::new(page, HostNo(0), at, outcome)
        };
        self.policy.learn(&seen);
    }

    /// A plan at a time; the cycle began then.
    fn plan(&mut self, at: Time, budget: u32) -> Vec<u32> {
        self.begin();
        let known = Known {
            cycle: self.cycle,
            cycle_start: at,
            interval: Some(Span::from_days(7)),
            instruments: &self.instruments,
            ..Known::new(at, &self.pages, &self.links)
        };
        let plan = self.policy.plan(&known, Budget(budget));
        plan.0.iter().map(|visit| visit.page.0).collect()
    }

    fn reasons(&mut self, at: Time, page: u32) -> Vec<String> {
        let known = Known {
            cycle: self.cycle,
            instruments: &self.instruments,
            ..Known::new(at, &self.pages, &self.links)
        };
        self.policy.explain(&known, PageNo(page)).reasons
    }
}

#[test]
fn a_cycle_is_planned_in_rounds() {
    let mut web = Web::new("unified");
    assert_eq!(web.plan(day(7), 20).len(), 3);
    assert_eq!(Web::new("unified:rounds=1").plan(day(7), 20).len(), 20);
    assert_eq!(Web::new("unified").plan(day(7), 3).len(), 1);
}

#[test]
fn where_a_sibling_changed_its_directory_is_visited() {
    let mut web = Web::new("unified:rounds=1:fragments=0:learned=off");
    web.visit(PageNo(3), day(7), Outcome::Changed(1.0), &[1, 2, 5_000]);
    web.visit(PageNo(13), day(7), Outcome::Same, &[1, 2, 1_013]);
    let planned = web.plan(day(14), 5);
    assert!(planned.iter().all(|page| *page < 10), "{planned:?}");
    let alike = Web::new("unified:rounds=1:fragments=0:learned=off:groups=off");
    let mut web = alike;
    web.visit(PageNo(3), day(7), Outcome::Changed(1.0), &[1, 2, 5_000]);
    web.visit(PageNo(13), day(7), Outcome::Same, &[1, 2, 1_013]);
    assert_eq!(web.plan(day(14), 5), [0, 1, 2, 4, 5]);
}

#[test]
fn pages_with_a_text_that_another_page_lost_come_first_and_the_reason_is_told() {
    let mut web = Web::new("unified:rounds=1:learned=off");
    web.visit(PageNo(12), day(8), Outcome::Changed(1.0), &[7, 9, 1_012]);
    assert_eq!(web.plan(day(9), 3), [10, 11, 13]);
    let reasons = web.reasons(day(9), 13);
    assert_eq!(reasons[0], "1 of 1 page visited since had lost a text that this page still holds");
    assert!(reasons.iter().any(|reason| reason.contains("in /b/ visited since")), "{reasons:?}");
}

#[test]
fn a_policy_rebuilt_from_the_log_plans_the_same() {
    let mut web = Web::new("unified");
    let mut log = vec![];
    for page in 0..20 {
        log.push(Observation::new(PageNo(page), HostNo(0), day(0), Outcome::First));
    }
    for (page, at, outcome) in
        [(3, 7, Outcome::Changed(1.0)), (13, 7, Outcome::Same), (4, 14, Outcome::Changed(1.0))]
    {
        let since = Some(Span::from_days(at));
        web.visit(PageNo(page), day(at), outcome, &[1, 2, 6_000 + page]);
        web.plan(day(at + 1), 4);
        log.push(Observation {
            since,
            ..Observation::new(PageNo(page), HostNo(0), day(at), outcome)
        });
    }
    web.cycle = 5;
    let expected = web.plan(day(21), 20);
    web.policy = made("unified", 1);
    for seen in &log {
        web.policy.learn(seen);
    }
    assert_eq!(web.plan(day(21), 20), expected);
}

#[test]
fn the_shipped_models_are_sound() {
    assert!(!super::LEARNED.stale.is_empty() && !super::LEARNED.life.is_empty());
}
