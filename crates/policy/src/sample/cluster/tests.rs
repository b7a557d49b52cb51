//! Cluster sampling on a small web of two kinds of pages, one of which changes.
use crawl::{Counts, HostNo, Instruments, Links, Outcome, Pages, Time};
use instruments::features::{Features, PageFeatures};

use super::*;
use crate::{
    PolicySpec,
    testing::{DAY, day, made},
};

/// Pages of two kinds: those with many images change in every cycle, the others never do.
struct Web {
    pages: Pages,
    instruments: Instruments,
    changing: u32,
    cycle: u32,
}

impl Web {
    fn new(changing: u32, still: u32) -> Self {
        let (mut pages, mut features) = (Pages::default(), Features::default());
        for number in 0..changing + still {
            // Numbered against the order of addresses, and no two pages quite alike.
            let address = format!("https://a.example/{:04}", 9_999 - number);
            let page = pages.insert(&address, Time::from_millis(0));
            pages.apply(page, Time::from_millis(0), Outcome::First);
            let many = if number < changing { 100 } else { 1 };
            let counts =
                Counts { images: many, words: many * 10 + number % 3, ..Counts::default() };
            features.insert(page, PageFeatures { counts, ..PageFeatures::default() });
        }
        Self { pages, instruments: Instruments::default().with(features), changing, cycle: 0 }
    }

    /// One cycle; every plan with the reasons of its visits.
    fn cycle(&mut self, policy: &mut dyn Policy, budget: u32) -> Vec<Vec<Visit>> {
        self.cycle += 1;
        let start = day(i64::from(self.cycle));
        let (mut left, mut plans) = (Budget(budget), vec![]);
        let links = Links::default();
        while left.0 > 0 {
            let known = Known {
                cycle: self.cycle,
                cycle_start: start,
                instruments: &self.instruments,
                ..Known::new(start, &self.pages, &links)
            };
            let plan = policy.plan(&known, left).0;
            if plan.is_empty() {
                break;
            }
            left = left.less(plan.len());
            for visit in &plan {
                let changes = visit.page.0 < self.changing;
                let outcome = if changes { Outcome::Changed(1.0) } else { Outcome::Same };
                self.pages.apply(visit.page, start, outcome);
                policy.learn(&Observation {
                    reason: visit.reason,
                    since: Some(DAY),
                    ..Observation::new(visit.page, HostNo(0), start, outcome)
                });
            }
            plans.push(plan);
        }
        plans
    }
}

fn with(plans: &[Vec<Visit>], reason: Reason) -> Vec<u32> {
    let visits = plans.iter().flatten().filter(|visit| visit.reason == reason);
    visits.map(|visit| visit.page.0).collect()
}

#[test]
fn looks_at_five_of_each_cluster_and_spends_the_rest_where_pages_change() {
    let mut web = Web::new(60, 60);
    let plans = web.cycle(made("cluster-sample:clusters=2:features=content", 1).as_mut(), 40);
    let samples = with(&plans, Reason::Sample);
    // Five equal outcomes pass the test at once: one round, five pages of each kind.
    assert_eq!(plans.len(), 2);
    assert_eq!(samples.iter().filter(|&&page| page < 60).count(), 5);
    assert_eq!(samples.iter().filter(|&&page| page >= 60).count(), 5);
    let rest = with(&plans, Reason::Refresh);
    assert_eq!(rest.len(), 30);
    assert!(rest.iter().all(|&page| page < 60), "{rest:?}");
    assert!(plans[1].iter().all(|visit| (visit.score - (1.0 - (-1.0_f64).exp())).abs() < 1e-12));
}

#[test]
fn a_cluster_of_both_kinds_is_sampled_up_to_its_share_of_the_budget() {
    let mut web = Web::new(50, 50);
    // One cluster: half of its pages change, and no sample of 30 is accurate within 0.1.
    let words = "cluster-sample:clusters=1:features=url:score=direct";
    let plans = web.cycle(made(words, 1).as_mut(), 30);
    assert_eq!(with(&plans, Reason::Sample).len(), 30);
    assert_eq!(plans[0].len(), 5);
    assert!(plans[1..].iter().all(|plan| plan.len() == 1));
}

#[test]
fn a_wider_delta_needs_fewer_samples() {
    let samples = |delta: &str| {
        let mut web = Web::new(50, 50);
        let words = format!("cluster-sample:clusters=1:features=url:delta={delta}");
        with(&web.cycle(made(&words, 1).as_mut(), 60), Reason::Sample).len()
    };
    assert!(samples("0.3") < samples("0.15") && samples("0.15") < samples("0.05"));
}

#[test]
fn where_the_budget_is_small_there_are_fewer_clusters() {
    let mut web = Web::new(60, 60);
    // 100 clusters of five samples each would take the budget many times over.
    let plans = web.cycle(made("cluster-sample:features=content", 1).as_mut(), 20);
    assert!(with(&plans, Reason::Sample).len() <= 10);
    assert_eq!(plans.iter().map(Vec::len).sum::<usize>(), 20);
}

#[test]
fn the_oldest_pages_of_a_cluster_can_come_first() {
    let mut web = Web::new(40, 0);
    let mut policy = made("cluster-sample:clusters=1:features=content:within=oldest", 1);
    let first: Vec<u32> = with(&web.cycle(policy.as_mut(), 20), Reason::Refresh);
    let second: Vec<u32> = with(&web.cycle(policy.as_mut(), 20), Reason::Refresh);
    assert_eq!((first.len(), second.len()), (15, 15));
    assert!(second.iter().all(|page| !first.contains(page)), "{first:?} {second:?}");
}

#[test]
fn degrades_to_spending_the_whole_budget() {
    // One page; fewer pages than clusters; all features equal; no features at all.
    for (changing, still) in [(1, 0), (3, 2), (0, 12)] {
        let mut web = Web::new(changing, still);
        let all = changing + still;
        let plans = web.cycle(made("cluster-sample", 1).as_mut(), 100);
        assert_eq!(plans.iter().map(Vec::len).sum::<usize>(), all as usize);
    }
    let mut web = Web::new(10, 10);
    web.instruments = Instruments::default();
    let plans = web.cycle(made("cluster-sample", 1).as_mut(), 7);
    assert_eq!(plans.iter().map(Vec::len).sum::<usize>(), 7);
}

#[test]
fn clusters_are_not_made_again_while_features_stay() {
    let mut web = Web::new(30, 30);
    let words = "cluster-sample:clusters=2:features=content+url+linkage";
    let spec = PolicySpec::parse(words).unwrap();
    let mut policy = ClusterSample::new(spec.parameters());
    (0..4).for_each(|_| drop(web.cycle(&mut policy, 30)));
    assert_eq!(policy.grouping.times_made(), 1);
}
