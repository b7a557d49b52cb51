//! Worked examples of the formulas, and what the evidence does to plans.
use std::sync::Arc;

use crawl::{
    Budget, CycleStart, HostNo, Instrument as _, Instruments, Known, Links, Observation, Outcome,
    PageNo, Pages, Policy, Reason, Snapshot, Span, Time, Visited,
};
use instruments::{fragments::Fragments, weights::Weights};

use super::worth::{Belief, worth};
use crate::testing::made;

mod deletions;

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
fn where_a_sibling_was_deleted_the_others_are_checked_before_pages_that_may_have_changed() {
    let mut web = Web::new("unified:rounds=1:fragments=0:learned=off");
    web.visit(PageNo(3), day(70), Outcome::Gone, &[]);
    web.visit(PageNo(4), day(70), Outcome::Gone, &[]);
    web.visit(PageNo(13), day(70), Outcome::Changed(1.0), &[1, 2, 5_000]);
    web.visit(PageNo(14), day(70), Outcome::Changed(1.0), &[1, 2, 5_001]);
    let planned = web.plan(day(77), 8);
    assert!(planned.iter().all(|page| *page < 10), "{planned:?}");
    let reasons = web.reasons(day(77), 5);
    assert!(reasons.iter().any(|reason| reason.ends_with("likely to be deleted")), "{reasons:?}");
}

#[test]
fn a_page_that_was_not_found_is_asked_again_to_make_sure() {
    let mut web = Web::new("unified:rounds=1:fragments=0:learned=off");
    web.pages.apply(PageNo(17), day(7), Outcome::Missing);
    assert_eq!(web.plan(day(14), 1), [17]);
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

/// A cycle in which page 5 showed three pages that were then visited, and a week after it.
fn with_a_hub(policy: &str) -> Web {
    let mut web = Web::new(policy);
    for page in 20..23 {
        web.pages.insert(&format!("http://x.org/a/{page}"), day(7));
    }
    web.cycle = 1;
    let seen = Observation {
        since: Some(Span::from_days(7)),
        cycle: 1,
        reason: Reason::Refresh,
        leads: (20..23).map(PageNo).collect(),
        ..Observation::new(PageNo(5), HostNo(0), day(7), Outcome::Same)
    };
    web.pages.apply(PageNo(5), day(7), Outcome::Same);
    web.policy.learn(&seen);
    web.cycle = 2;
    web
}

fn visit_found(web: &mut Web) {
    for page in 20..23 {
        web.pages.apply(PageNo(page), day(7), Outcome::First);
        let seen = Observation {
            cycle: 1,
            reason: Reason::First,
            ..Observation::new(PageNo(page), HostNo(0), day(7), Outcome::First)
        };
        web.policy.learn(&seen);
    }
}

#[test]
fn a_page_that_showed_new_ones_is_visited_for_those_it_may_show() {
    let alone = "unified:rounds=1:learned=off:fragments=0";
    let mut web = with_a_hub(alone);
    visit_found(&mut web);
    let known = Known {
        cycle: 2,
        cycle_start: day(28),
        interval: Some(Span::from_days(7)),
        instruments: &web.instruments,
        ..Known::new(day(28), &web.pages, &web.links)
    };
    let plan = web.policy.plan(&known, Budget(1));
    assert_eq!(plan.0[0].page, PageNo(5));
    assert_eq!(plan.0[0].reason, Reason::Discover);
    let reasons = web.policy.explain(&known, PageNo(5)).reasons;
    assert!(reasons.last().is_some_and(|last| last.contains("new pages")), "{reasons:?}");
    // Where another policy looks for new pages, or they are worth nothing, it is a page like the others.
    let other = Known { plans_first_visits: false, cycle: 3, ..known };
    assert_eq!(web.policy.plan(&other, Budget(1)).0[0].reason, Reason::Refresh);
    let mut web = with_a_hub("unified:rounds=1:learned=off:fragments=0:new=0");
    visit_found(&mut web);
    assert_ne!(web.plan(day(28), 1), [5]);
}

#[test]
fn while_found_pages_wait_there_is_no_search_for_others() {
    let mut web = with_a_hub("unified:rounds=1:learned=off:fragments=0");
    let mut planned = web.plan(day(28), 3);
    planned.sort_unstable();
    assert_eq!(planned, [20, 21, 22]);
}

#[test]
fn a_first_visit_competes_by_how_long_its_copy_will_last() {
    // The pages of /a/ change every day, those of /b/ never.
    let mut web = Web::new("unified:rounds=1:learned=off:fragments=0:new=1");
    for at in 1..15 {
        for page in [0, 1, 2, 10, 11, 12] {
            let outcome = if page < 10 { Outcome::Changed(1.0) } else { Outcome::Same };
            web.visit(PageNo(page), day(at), outcome, &[page]);
        }
    }
    web.pages.insert("http://x.org/a/new", day(15));
    web.pages.insert("http://x.org/b/new", day(15));
    web.cycle = 9;
    let planned = web.plan(day(100), 24);
    let place = |page: u32| planned.iter().position(|other| *other == page).expect("it is due");
    assert_eq!(place(21), 0, "{planned:?}");
    assert!(place(20) > place(12), "a copy in /a/ lasts a day: {planned:?}");
}

#[test]
fn a_feed_is_visited_for_the_new_pages_that_feeds_show() {
    let mut web = Web::new("unified:rounds=1:learned=off:fragments=0");
    let feed = web.pages.insert("http://x.org/blog/feed.xml", day(0));
    web.visit(feed, day(0), Outcome::First, &[5_000]);
    web.cycle = 1;
    assert_eq!(web.plan(day(28), 1), [feed.0]);
    let mut web = Web::new("unified:rounds=1:learned=off:fragments=0");
    let other = web.pages.insert("http://x.org/blog/feud.xml", day(0));
    web.visit(other, day(0), Outcome::First, &[5_000]);
    web.cycle = 1;
    assert_ne!(web.plan(day(28), 1), [other.0]);
}

#[test]
fn the_pages_of_a_host_that_was_just_seeded_are_visited_soon_however_stale_the_others_are() {
    for policy in ["unified", "unified:learned=off", "unified:new=1", "unified:new=0"] {
        let mut web = Web::new(policy);
        for page in 20..500 {
            web.pages.insert(&format!("http://x.org/c/{page}"), day(0));
            web.visit(PageNo(page), day(0), Outcome::First, &[page]);
        }
        // Two years later: all are stale, and the pages of the new host turn out to change every week.
        let (mut weeks, found) = (0, web.pages.len() as u32);
        for page in 0..60 {
            web.pages.insert(&format!("http://new.example/{page}"), day(728));
        }
        let waiting = |web: &Web| {
            (found..found + 60).filter(|page| web.pages.last_seen(PageNo(*page)).is_none()).count()
        };
        while waiting(&web) > 0 {
            weeks += 1;
            web.cycle += 1;
            let at = day(728 + 7 * weeks);
            let mut left = 10;
            while left > 0 {
                let planned = web.plan(at, left);
                assert!(!planned.is_empty());
                left -= planned.len() as u32;
                for page in planned {
                    let is_new = web.pages.last_seen(PageNo(page)).is_none();
                    let outcome = if is_new { Outcome::First } else { Outcome::Changed(1.0) };
                    web.visit(PageNo(page), at, outcome, &[page, weeks as u32]);
                }
            }
            assert!(
                weeks <= 12,
                "{policy}: {} of 60 still wait after {weeks} weeks",
                waiting(&web)
            );
        }
    }
}

#[test]
fn a_page_that_keeps_failing_waits_behind_others_that_were_found() {
    let mut web = Web::new("unified:rounds=1:learned=off:fragments=0");
    let failing = web.pages.insert("http://x.org/a/failing", day(0));
    web.pages.apply(failing, day(1), Outcome::Failed);
    let other = web.pages.insert("http://x.org/a/other", day(6));
    web.cycle = 1;
    assert_eq!(web.plan(day(7), 2), [other.0, failing.0]);
}

#[test]
fn pages_count_by_the_weights_that_the_user_set() {
    let rules = ["http://x.org/b/=4", "*/03=0"].map(|word| word.parse().expect("a rule"));
    let plan = |value: &str| {
        let mut web = Web::new(&format!("unified:rounds=1:learned=off:fragments=0:value={value}"));
        let weights = Weights::new(rules.to_vec()).expect("they differ");
        web.instruments.insert(weights);
        web.cycle = 1;
        let mut planned = web.plan(day(7), 20);
        let known =
            Known { instruments: &web.instruments, ..Known::new(day(7), &web.pages, &web.links) };
        let reasons = [11, 3, 0].map(|page| {
            web.policy.explain(&known, PageNo(page)).reasons.last().cloned().unwrap_or_default()
        });
        assert_eq!(planned.last().copied() == Some(3), value == "weights");
        planned.truncate(10);
        planned.sort_unstable();
        (planned, reasons)
    };
    let (planned, reasons) = plan("weights");
    assert_eq!(planned, (10..20).collect::<Vec<u32>>());
    assert_eq!(
        reasons,
        [
            "its weight is 4, by the rule http://x.org/b/",
            "its weight is 0, by the rule */03",
            "its weight is 1: no rule of the settings matches it"
        ]
    );
    assert_ne!(plan("alike").0, planned);
}
