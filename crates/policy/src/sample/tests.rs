//! What all sampling policies have in common, on small webs; distances are tested beside their code.
use std::collections::BTreeSet;

use crawl::{
    Budget, Known, Links, Observation, Outcome, PageNo, Pages, Plan, Policy, Reason, State, Time,
};

use super::is_selected;
pub(super) use crate::testing::made;
use crate::testing::{DAY, day};

/// Pages held since day 0, and their links.
pub(super) struct Web {
    pub(super) pages: Pages,
    pub(super) links: Links,
    day: i64,
}

impl Web {
    /// Pages at these addresses without links.
    pub(super) fn new(addresses: &[&str]) -> Self {
        Self::linked(addresses, &[])
    }

    /// Pages at these addresses, and links between page numbers.
    pub(super) fn linked(addresses: &[&str], edges: &[(u32, u32)]) -> Self {
        let (mut pages, mut links) = (Pages::default(), Links::default());
        let start = Time::from_millis(0);
        for (number, address) in (0..).zip(addresses) {
            let page = pages.insert(address, start);
            pages.apply(page, start, Outcome::First);
            let of_page = edges.iter().filter(|edge| edge.0 == number);
            let targets: BTreeSet<PageNo> = of_page.map(|edge| PageNo(edge.1)).collect();
            links.restore_list(u64::from(number), &Vec::from_iter(targets));
        }
        for number in 0..addresses.len() as u32 {
            assert!(links.restore_shown(Some(number)));
        }
        Self { pages, links, day: 0 }
    }

    pub(super) fn page(&self, address: &str) -> PageNo {
        self.pages.find(address).expect("a page of the test")
    }

    pub(super) fn known(&self) -> Known<'_> {
        let now = day(self.day);
        Known {
            cycle: self.day as u32,
            interval: Some(DAY),
            ..Known::new(now, &self.pages, &self.links)
        }
    }

    /// Spends a budget a day later; `find` gives the outcome of a visit. Returns all plans.
    pub(super) fn spend(
        &mut self,
        policy: &mut dyn Policy,
        budget: u32,
        find: &dyn Fn(PageNo) -> Outcome,
    ) -> Vec<Plan> {
        self.day += 1;
        let (mut left, mut plans) = (Budget(budget), vec![]);
        while left.0 > 0 {
            let plan = policy.plan(&self.known(), left).within(left);
            if plan.0.is_empty() {
                break;
            }
            let mut log = vec![];
            for visit in &plan.0 {
                let at = self.known().now;
                let since = self.pages.last_seen(visit.page).map(|then| at - then);
                let first = self.pages.state(visit.page) == State::Linked;
                let outcome = if first { Outcome::First } else { find(visit.page) };
                self.pages.apply(visit.page, at, outcome);
                log.push(Observation {
                    reason: visit.reason,
                    since,
                    ..Observation::new(visit.page, self.pages.host(visit.page), at, outcome)
                });
            }
            for seen in &log {
                policy.learn(seen);
            }
            left = left.less(log.iter().filter(|seen| seen.was_requested()).count());
            plans.push(plan);
        }
        plans
    }
}

pub(super) fn pages_of(plan: &Plan) -> Vec<PageNo> {
    plan.0.iter().map(|visit| visit.page).collect()
}

fn changed(_: PageNo) -> Outcome {
    Outcome::Changed(1.0)
}

fn same(_: PageNo) -> Outcome {
    Outcome::Same
}

/// Two directories of five pages each and two pages above them.
fn site() -> Web {
    let mut addresses: Vec<String> = vec!["http://a.example/".into(), "http://a.example/b".into()];
    for directory in ["x", "y"] {
        addresses.extend((1..=5).map(|number| format!("http://a.example/{directory}/{number}")));
    }
    Web::new(&addresses.iter().map(String::as_str).collect::<Vec<_>>())
}

fn directory(web: &Web, page: PageNo) -> &str {
    web.pages.address(page).rsplit_once('/').map_or("", |(directory, _)| directory)
}

#[test]
fn a_granularity_selects_the_distances_from_nothing_to_itself() {
    let selected = |d| -> Vec<i32> { (-3..=3).filter(|&at| is_selected(at, d)).collect() };
    assert_eq!(selected(0), [0]);
    assert_eq!(selected(2), [0, 1, 2]);
    assert_eq!(selected(-2), [-2, -1, 0]);
}

#[test]
fn where_no_sample_leads_on_pages_are_drawn_as_by_random() {
    for word in ["link-sample:chance=never", "directory-sample:chance=never", "link-sample"] {
        let (mut web, mut other) = (site(), site());
        let plans = web.spend(made(word, 5).as_mut(), 7, &changed);
        let random = other.spend(made("random", 5).as_mut(), 7, &changed);
        assert_eq!(plans.len(), 7);
        assert!(plans.iter().all(|plan| plan.0[0].reason == Reason::Sample));
        let drawn: Vec<PageNo> = plans.iter().flat_map(pages_of).collect();
        assert_eq!(drawn, pages_of(&random[0]), "{word}");
    }
}

#[test]
fn after_a_sample_that_has_changed_come_its_neighbours_then_the_next_sample() {
    for seed in 0..20 {
        let mut web = site();
        let plans = web.spend(made("directory-sample:d=0", seed).as_mut(), 100, &changed);
        // One sample of each of the three directories, each followed by the rest of it.
        assert_eq!(plans.len(), 6, "{plans:?}");
        for two in plans.chunks(2) {
            let [sample, rest] = two else { panic!("{two:?}") };
            assert_eq!(sample.0.len(), 1);
            assert_eq!(sample.0[0].reason, Reason::Sample);
            assert!(rest.0.iter().all(|visit| visit.reason == Reason::Refresh));
            let of = directory(&web, sample.0[0].page);
            assert!(rest.0.iter().all(|visit| directory(&web, visit.page) == of));
        }
    }
}

#[test]
fn a_sample_that_has_not_changed_leads_nowhere_but_by_popularity_or_always() {
    for (word, leads) in [
        ("directory-sample:d=0", false),
        ("directory-sample:d=0:chance=history", false),
        ("directory-sample:d=0:chance=always", true),
    ] {
        let plans = site().spend(made(word, 1).as_mut(), 100, &same);
        let refreshes = plans.iter().flat_map(|plan| &plan.0);
        let any = refreshes.into_iter().any(|visit| visit.reason == Reason::Refresh);
        assert_eq!(any, leads, "{word}");
    }
    // All pages without links are equally popular: each leads on with probability 1/11.
    let mut leads = 0;
    for seed in 0..110 {
        let word = "directory-sample:d=0:chance=page-rank";
        let plans = site().spend(made(word, seed).as_mut(), 2, &same);
        leads += u32::from(plans[1].0[0].reason == Reason::Refresh);
    }
    assert!((4..=18).contains(&leads), "{leads}");
}

#[test]
fn what_exceeds_the_budget_is_cut_off_from_the_farthest_by_lot_within_a_distance() {
    let mut rests = BTreeSet::new();
    let mut cut = 0;
    for seed in 0..60 {
        let mut web = site();
        let plans = web.spend(made("directory-sample:d=1", seed).as_mut(), 4, &changed);
        let sample = plans[0].0[0].page;
        if directory(&web, sample) != "http://a.example/x" {
            continue;
        }
        // Four neighbours in the same directory and two above it; three can be visited.
        assert_eq!(plans.len(), 2);
        let rest = pages_of(&plans[1]);
        assert_eq!(rest.len(), 3);
        assert!(rest.iter().all(|&page| directory(&web, page) == "http://a.example/x"));
        rests.insert((sample, rest));
        cut += 1;
    }
    // Another seed, another draw: hardly any two cuts are equal.
    assert!(cut > 10 && rests.len() > cut * 3 / 4, "{} of {cut}", rests.len());
}

#[test]
fn nearer_neighbours_come_first() {
    for seed in 0..20 {
        let mut web = site();
        let plans = web.spend(made("directory-sample:d=1", seed).as_mut(), 100, &changed);
        let sample = plans[0].0[0].page;
        let own = directory(&web, sample).to_owned();
        let far: Vec<bool> =
            pages_of(&plans[1]).iter().map(|&page| directory(&web, page) != own).collect();
        assert!(far.is_sorted(), "{far:?}");
    }
}

#[test]
fn several_samples_can_be_drawn_together_and_share_their_neighbours() {
    let mut web = site();
    let plans = web.spend(made("directory-sample:d=1:batch=6", 3).as_mut(), 100, &changed);
    assert_eq!(plans[0].0.len(), 6);
    assert!(plans[0].0.iter().all(|visit| visit.reason == Reason::Sample));
    // Twelve pages: those above both directories are neighbours of all, each visited once.
    let visited: Vec<PageNo> = plans.iter().flat_map(pages_of).collect();
    assert_eq!(visited.len(), 12);
    assert_eq!(visited.iter().collect::<BTreeSet<_>>().len(), 12);
    // No more samples than the budget has visits.
    let plans = site().spend(made("directory-sample:batch=6", 3).as_mut(), 4, &changed);
    assert_eq!((plans.len(), plans[0].0.len()), (1, 4));
}

#[test]
fn pages_never_seen_come_first_and_those_found_meanwhile_last() {
    for word in ["site-sample", "link-sample", "directory-sample"] {
        let mut web = site();
        let new = web.pages.insert("http://a.example/x/new", Time::from_millis(0));
        let plans = web.spend(made(word, 1).as_mut(), 100, &changed);
        assert_eq!(pages_of(&plans[0]), [new], "{word}");
        assert_eq!(plans[0].0[0].reason, Reason::First);
        assert_eq!(plans.iter().map(|plan| plan.0.len()).sum::<usize>(), 13, "{word}");

        let mut policy = made(word, 1);
        web.day += 1;
        let first = policy.plan(&web.known(), Budget(1000));
        let later = web.pages.insert("http://a.example/x/later", web.known().now);
        for visit in &first.0 {
            web.pages.apply(visit.page, web.known().now, Outcome::Unreached);
        }
        web.day -= 1;
        let plans = web.spend(policy.as_mut(), 100, &changed);
        let last = plans.last().unwrap();
        assert_eq!((pages_of(last), last.0[0].reason), (vec![later], Reason::First), "{word}");
    }
}

#[test]
fn a_neighbour_must_be_held() {
    // A page that is only linked comes first; if its visit fails it is not a neighbour either.
    let mut web = site();
    let mut policy = made("directory-sample:d=0", 1);
    let new = web.pages.insert("http://a.example/x/new", Time::from_millis(0));
    web.pages.apply(new, Time::from_millis(0), Outcome::Failed);
    let plans = web.spend(policy.as_mut(), 100, &|page| {
        if page == new { Outcome::Failed } else { Outcome::Changed(1.0) }
    });
    let visits = plans.iter().flat_map(|plan| &plan.0).filter(|visit| visit.page == new);
    assert_eq!(visits.map(|visit| visit.reason).collect::<Vec<_>>(), [Reason::First]);
}

#[test]
fn visits_that_were_not_made_are_replaced_by_others() {
    for word in ["site-sample", "directory-sample:d=0", "directory-sample:chance=always"] {
        let mut web = site();
        let refused = web.page("http://a.example/x/3");
        let plans = web.spend(made(word, 2).as_mut(), 8, &|page| {
            if page == refused { Outcome::Refused } else { Outcome::Changed(1.0) }
        });
        let requested = plans.iter().flat_map(pages_of).filter(|&page| page != refused).count();
        assert_eq!(requested, 8, "{word}");
    }
}

#[test]
fn history_is_what_makes_a_sample_lead_on_later() {
    // After ten days of changes a page leads on with 1 - 1/e, although it has not changed today.
    let (mut led, mut drawn) = (0, 0);
    for seed in 0..60 {
        let mut web = site();
        let mut policy = made("directory-sample:d=0:chance=history", seed);
        for _ in 0..10 {
            web.spend(policy.as_mut(), 12, &changed);
        }
        let plans = web.spend(policy.as_mut(), 2, &same);
        drawn += 1;
        led += u32::from(plans[1].0[0].reason == Reason::Refresh);
    }
    // 10/11 of the visits found a change: 1 - e^(-10/11) = 0.597 of 60, with a deviation of 3.8.
    assert!((25..=47).contains(&led), "{led} of {drawn}");
}
