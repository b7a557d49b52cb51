//! Both user-centric policies on measured visits, worked out by hand.
use crawl::{
    Budget, Instruments, Known, Links, Observation, Outcome, PageId, PageNo, Pages, Plan, Policy,
    Reason, Span,
};
use instruments::impact::{Impact, Measure};
use text::relevance::Scoring;

use super::UserCentric;
use crate::testing::{DAY, day, made};

/// Pages of two hosts, and the log.
#[derive(Default)]
struct Web {
    pages: Pages,
    log: Vec<Observation>,
    exposures: Vec<f32>,
}

impl Web {
    /// Pages of each host, held since day 0: those of the first host, then those of the second.
    fn held(first: u32, second: u32) -> Self {
        let mut web = Self::linked(first, second);
        (0..first + second).for_each(|page| web.visit(page, 0, Outcome::First, None));
        web
    }

    /// Pages of each host, never visited.
    fn linked(first: u32, second: u32) -> Self {
        let mut web = Self::default();
        for number in 0..first + second {
            let host = if number < first { "a" } else { "b" };
            web.pages.insert(&format!("https://{host}.example/{number:03}"), day(0));
        }
        web
    }

    fn visit(&mut self, page: u32, at: i64, outcome: Outcome, impact: Option<f32>) {
        let (page, at) = (PageNo(page), day(at));
        let since = self.pages.last_seen(page).map(|then| at - then);
        self.pages.apply(page, at, outcome);
        self.log.push(Observation {
            reason: if since.is_none() { Reason::First } else { Reason::Refresh },
            since,
            impact,
            ..Observation::new(page, self.pages.host(page), at, outcome)
        });
    }

    /// The whole plan of a policy that has learned the log.
    fn plan(&self, policy: &mut dyn Policy, now: i64, interval: Option<Span>) -> Plan {
        self.log.iter().for_each(|seen| policy.learn(seen));
        let links = Links::default();
        let known = Known::new(day(now), &self.pages, &links);
        let instruments = &Instruments::default().with(Impact::fixed(self.exposures.clone()));
        policy.plan(&Known { interval, instruments, ..known }, Budget(1000))
    }

    /// The score of every page, in order of page number.
    fn scores(&self, word: &str, now: i64, interval: Option<Span>) -> Vec<f64> {
        let mut plan = self.plan(made(word, 1).as_mut(), now, interval);
        plan.0.sort_by_key(|visit| visit.page);
        plan.0.iter().map(|visit| visit.score).collect()
    }
}

fn assert_close(actual: f64, expected: f64) {
    assert!((actual / expected - 1.0).abs() < 1e-6, "{actual} is not {expected}");
}

#[test]
fn the_priority_is_past_impact_per_day_times_days_waited() {
    let mut web = Web::held(1, 0);
    web.visit(0, 2, Outcome::Changed(1.0), Some(0.4));
    web.visit(0, 10, Outcome::Changed(1.0), Some(0.4));
    // Waits of 2 and 8 days, and 3 days since: ratios of 0.2 and 0.05, whose mean is 0.125.
    for (word, per_day) in [
        ("user-centric", 0.125),
        ("user-centric:mean=sums", 0.8 / 10.0),
        ("user-centric:window=1", 0.4 / 8.0),
        ("user-centric:mean=sums:window=1", 0.4 / 8.0),
        // The first visit counts half.
        ("user-centric:mean=decayed:window=2", 0.6 / 9.0),
        ("user-centric:mean=decayed:window=1", 0.4 / 8.0),
    ] {
        assert_close(web.scores(word, 13, None)[0], 3.0 * per_day);
    }
}

#[test]
fn only_the_last_visits_of_the_window_count() {
    let mut web = Web::held(1, 0);
    for visit in 1..=5 {
        web.visit(0, visit, Outcome::Changed(1.0), Some(visit as f32));
    }
    assert_close(web.scores("user-centric:window=3", 6, None)[0], (3.0 + 4.0 + 5.0) / 3.0);
}

#[test]
fn visits_that_measured_or_compared_nothing_do_not_count() {
    let mut web = Web::linked(1, 0);
    web.visit(0, 0, Outcome::First, Some(9.0));
    web.visit(0, 1, Outcome::Changed(1.0), Some(0.5));
    web.visit(0, 2, Outcome::Changed(1.0), None);
    web.visit(0, 3, Outcome::Failed, Some(9.0));
    assert_close(web.scores("user-centric", 4, None)[0], 2.0 * 0.5);
    // A visit that finds the same does count, and a negative impact is 0: 0.6 in five visits.
    web.visit(0, 3, Outcome::Same, Some(0.0));
    web.visit(0, 4, Outcome::Same, Some(-0.3));
    web.visit(0, 5, Outcome::Gone, Some(0.1));
    web.visit(0, 6, Outcome::Changed(0.1), Some(0.0));
    assert_close(web.scores("user-centric", 7, None)[0], 0.6 / 5.0);
}

#[test]
fn a_page_without_measurements_takes_the_value_of_its_host() {
    let mut web = Web::held(2, 2);
    web.visit(0, 10, Outcome::Changed(1.0), Some(3.0));
    web.visit(2, 10, Outcome::Changed(1.0), Some(1.0));
    let scores = web.scores("user-centric", 11, None);
    // All: 4 / 20. Hosts: (3 + 30 * 0.2) / (10 + 30) and (1 + 30 * 0.2) / (10 + 30).
    assert_close(scores[1], 11.0 * 9.0 / 40.0);
    assert_close(scores[3], 11.0 * 7.0 / 40.0);
}

#[test]
fn where_nothing_was_measured_user_centric_is_round_robin() {
    let mut web = Web::held(5, 5);
    web.pages.insert("https://b.example/new", day(0));
    for (page, at) in [(7, 1), (1, 2), (9, 3), (3, 3), (0, 4)] {
        web.visit(page, at, Outcome::Changed(1.0), None);
    }
    let order = |word| -> Vec<PageNo> {
        let plan = web.plan(made(word, 1).as_mut(), 9, None);
        plan.0.iter().map(|visit| visit.page).collect()
    };
    assert_eq!(order("user-centric"), order("round-robin"));
}

#[test]
fn where_all_impacts_are_none_pages_not_measured_come_first_and_then_the_oldest() {
    let mut web = Web::held(4, 0);
    for (page, at) in [(2, 1), (0, 2), (3, 3)] {
        web.visit(page, at, Outcome::Changed(1.0), Some(0.0));
    }
    let mut policy = made("user-centric", 1);
    let plan = web.plan(policy.as_mut(), 9, None);
    let order: Vec<u32> = plan.0.iter().map(|visit| visit.page.0).collect();
    assert_eq!(order, [1, 2, 0, 3]);
}

#[test]
fn told_values_are_taken_as_they_are_and_a_page_not_named_has_none() {
    let web = Web::held(3, 0);
    let id = |page| web.pages.id(PageNo(page));
    let values: Vec<(PageId, f64)> = vec![(id(2), 0.5), (id(0), 0.25)];
    let mut policy = UserCentric::with_values(values);
    let plan = web.plan(&mut policy, 4, None);
    let scores: Vec<_> = plan.0.iter().map(|visit| (visit.page.0, visit.score)).collect();
    assert_eq!(scores, [(2, 2.0), (0, 1.0), (1, 0.0)]);
    assert_eq!(policy.needs().find::<Measure>(), None);
}

#[test]
fn they_say_how_impact_is_to_be_measured() {
    for name in ["user-centric", "user-centric-index"] {
        let measure = |word: &str| {
            let needs = made(word, 1).needs();
            *needs.find::<Measure>().unwrap()
        };
        let usual = measure(name);
        assert_eq!((usual.scoring, usual.pieces), (Scoring::Bm25, 3));
        for scoring in Scoring::ALL {
            let set = measure(&format!("{name}:scoring={}:pieces=16", scoring.name()));
            assert_eq!((set.scoring, set.pieces), (scoring, 16));
        }
    }
}

/// Pages with a history without measurements.
fn unmeasured() -> Web {
    let mut web = Web::held(20, 20);
    web.pages.insert("https://a.example/new", day(0));
    for page in 0..40 {
        for at in 1..=(page % 5) {
            let changed = (page + at) % 3 == 0;
            let outcome = if changed { Outcome::Changed(0.5) } else { Outcome::Same };
            web.visit(page, i64::from(at * (page % 7 + 1)), outcome, None);
        }
    }
    web
}

#[test]
fn where_nothing_is_known_the_index_is_exactly_the_freshness_index() {
    let web = unmeasured();
    for interval in [None, Some(DAY), Some(DAY.times(7))] {
        for now in [29, 30, 45, 90] {
            let plan = |word| web.plan(made(word, 1).as_mut(), now, interval);
            assert_eq!(plan("user-centric-index"), plan("freshness-index"));
        }
    }
}

#[test]
fn before_anything_is_measured_pages_count_by_how_much_they_are_looked_at() {
    let mut web = unmeasured();
    web.exposures = (0..20).map(|page| 0.01 * page as f32).collect();
    let plain = web.scores("freshness-index", 29, Some(DAY.times(30)));
    let scores = web.scores("user-centric-index", 29, Some(DAY.times(30)));
    // The mean of 40 held pages: 1.9 / 40.
    let floor = 0.1 * 1.9 / 40.0;
    for page in 0..40 {
        let exposure = if page < 20 { 0.01 * page as f64 } else { 0.0 };
        if plain[page] > 0.0 {
            assert_close(scores[page] / plain[page], exposure + floor);
        }
    }
    // A page never visited counts as an average one.
    assert_close(scores[40] / plain[40], 11.0 * floor);
}

#[test]
fn what_a_change_costs_is_drawn_from_looks_to_what_was_found() {
    let mut web = Web::held(2, 1);
    web.exposures = vec![0.3, 0.1, 0.2];
    web.visit(0, 1, Outcome::Changed(1.0), Some(0.08));
    web.visit(0, 2, Outcome::Changed(1.0), Some(0.1));
    web.visit(0, 3, Outcome::Same, Some(-0.02));
    let plain = web.scores("freshness-index", 6, Some(DAY.times(4)));
    let scores = web.scores("user-centric-index", 6, Some(DAY.times(4)));
    // Exposures with the floor: 0.32, 0.12, 0.22. Two changes on page 0: 0.18 / 0.64 per exposure over all.
    let all = 0.18 / 0.64;
    let host = (0.18 + 2.0 * 0.22 * all) / (0.64 + 2.0 * 0.22);
    assert_close(scores[0] / plain[0], (0.18 + 2.0 * host * 0.32) / (2.0 + 2.0));
    assert_close(scores[1] / plain[1], host * 0.12);
    assert_close(scores[2] / plain[2], all * 0.22);
}

#[test]
fn without_looks_pages_count_by_what_was_found_alone() {
    let mut web = Web::held(2, 1);
    web.visit(0, 1, Outcome::Changed(1.0), Some(0.1));
    web.visit(1, 1, Outcome::Changed(1.0), Some(0.0));
    web.visit(2, 1, Outcome::Changed(1.0), Some(0.2));
    let plain = web.scores("freshness-index", 2, Some(DAY));
    let scores = web.scores("user-centric-index", 2, Some(DAY));
    // A tenth per change over all; on the first host (0.1 + 2 * 0.1) / (2 + 2).
    assert_close(scores[0] / plain[0], (0.1 + 2.0 * 0.075) / 3.0);
    assert_close(scores[1] / plain[1], (2.0 * 0.075) / 3.0);
    assert_close(scores[2] / plain[2], (0.2 + 2.0 * (0.2 + 0.2) / 3.0) / 3.0);
}

#[test]
fn a_page_that_is_gone_stands_for_an_average_one() {
    let mut web = Web::held(3, 0);
    web.exposures = vec![0.0, 0.3, 0.1];
    web.visit(0, 1, Outcome::Gone, Some(0.11));
    let plain = web.scores("freshness-index", 2, Some(DAY));
    let scores = web.scores("user-centric-index", 2, Some(DAY));
    // The mean of the two held pages is 0.2, so a unit of exposure is worth 0.11 / 0.22.
    assert_close(scores[0] / plain[0], 0.5 * 0.32);
    assert_close(scores[1] / plain[1], 0.5 * 0.12);
}

#[test]
fn a_first_visit_is_worth_what_others_of_the_host_were() {
    let mut web = Web::linked(3, 2);
    web.visit(0, 0, Outcome::First, Some(0.3));
    web.visit(1, 0, Outcome::First, Some(0.1));
    web.exposures = vec![0.2, 0.2];
    let plain = web.scores("freshness-index", 2, Some(DAY));
    let scores = web.scores("user-centric-index", 2, Some(DAY));
    // An average page: 0.22. All: (0.4 + 2 * 0.22) / 4 = 0.21; the host: (0.4 + 2 * 0.21) / 4.
    assert_close(scores[2] / plain[2], 0.205);
    assert_close(scores[3] / plain[3], 0.21);
}

#[test]
fn where_loss_grows_by_the_day_the_index_is_half_its_square() {
    let mut web = Web::held(2, 0);
    web.visit(0, 4, Outcome::Changed(1.0), Some(0.4));
    web.visit(0, 6, Outcome::Same, Some(0.0));
    for (interval, unit) in [(None, 1.0), (Some(DAY.times(10)), 10.0)] {
        let scores = web.scores("user-centric-index:loss=linear", 7, interval);
        // The mean wait of 3 days counts twice: 6 days of 0.4 / 6 beside its own 6 days.
        let per_day = 0.4 / 6.0;
        // The budget is enough for all pages, so a turn of round robin is one cycle, or a day.
        let patience = |age: f64| 1.0 + age / unit;
        assert_close(scores[0], patience(1.0) * per_day * 1.0 / (2.0 * unit));
        assert_close(scores[1], patience(7.0) * per_day * 49.0 / (2.0 * unit));
    }
}

#[test]
fn a_page_whose_changes_matter_comes_before_one_whose_changes_do_not() {
    let mut web = Web::held(2, 0);
    for at in 1..6 {
        web.visit(0, at, Outcome::Changed(1.0), Some(0.0));
        web.visit(1, at, Outcome::Changed(1.0), Some(0.02));
    }
    for word in ["user-centric", "user-centric-index", "user-centric-index:loss=linear"] {
        let scores = web.scores(word, 6, Some(DAY));
        assert!(scores[1] > 2.0 * scores[0], "{word}: {scores:?}");
    }
}
