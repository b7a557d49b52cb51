//! Budgets in bytes and in time: what is spent, and when a cycle ends.
use crawl::{
    Allowance, Answer, Budget, Cost, CycleStart, HostNo, Instrument, Outcome, PageNo, Recorded,
    Result, Span, Visited,
    testing::{Site, day, shows},
};

/// A site with `count` pages on each of `hosts` hosts. Every page costs the same.
fn site(hosts: u32, count: u32, cost: Cost) -> Site {
    let mut site = Site::new(|_, _| shows("text", &[]));
    site.pages = crawl::Pages::default();
    for host in 0..hosts {
        for page in 0..count {
            site.pages.insert(&format!("http://{host}.example/{page:03}"), day(0));
        }
    }
    site.world.cost = Box::new(move |_| cost);
    site.world.now = day(1);
    site
}

/// Expects every visit to cost this.
#[derive(Clone, Debug)]
struct Expects(Cost);

impl Instrument for Expects {
    fn name(&self) -> &'static str {
        "expects"
    }

    fn begin_cycle(&mut self, _: &CycleStart<'_>) -> bool {
        false
    }

    fn visited(&mut self, _: &Visited<'_>) -> Result<Recorded> {
        Ok(Recorded::default())
    }

    fn expected_cost(&self, _: PageNo, _: HostNo) -> Option<Cost> {
        Some(self.0)
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(self.clone())
    }
}

fn bytes(bytes: u64) -> Cost {
    Cost { bytes, time: Span::default() }
}

fn seconds(seconds: i64) -> Span {
    Span::from_millis(1_000 * seconds)
}

#[test]
fn a_budget_in_bytes_buys_what_it_pays_for_and_no_more() {
    let mut site = site(1, 100, bytes(1_000));
    site.instruments.insert(Expects(bytes(1_000)));
    let cycle = site.cycle_with(Allowance::Bytes(10_000)).unwrap();
    assert_eq!((cycle.spent.visits, cycle.spent.bytes), (10, 10_000));
    assert_eq!(cycle.log.len(), 10);
    assert_eq!(cycle.plans.iter().map(|plan| plan.0.len()).sum::<usize>(), 10);
}

#[test]
fn bytes_are_overspent_by_the_requests_under_way_at_most() {
    // Expected to cost next to nothing, so nothing is set aside: two requests per host are under way.
    for hosts in [1, 3] {
        let mut site = site(hosts, 100, bytes(1_000));
        site.instruments.insert(Expects(bytes(1)));
        let spent = site.cycle_with(Allowance::Bytes(10_500)).unwrap().spent;
        let most = 10_500 + 1_000 * 2 * u64::from(hosts);
        assert!((10_500..=most).contains(&spent.bytes), "{hosts} hosts: {spent:?}");
    }
}

#[test]
fn bytes_that_cost_less_than_expected_buy_more_rounds() {
    let mut site = site(2, 50, bytes(100));
    site.instruments.insert(Expects(bytes(5_000)));
    let cycle = site.cycle_with(Allowance::Bytes(6_000)).unwrap();
    assert_eq!((cycle.spent.visits, cycle.spent.bytes), (60, 6_000));
    assert!(cycle.plans.len() > 2);
}

#[test]
fn a_budget_in_bytes_may_be_larger_than_the_web() {
    let mut site = site(2, 5, bytes(100));
    let spent = site.cycle_with(Allowance::Bytes(u64::MAX)).unwrap().spent;
    assert_eq!((spent.visits, spent.bytes), (10, 1_000));
}

#[test]
fn visits_that_bring_nothing_end_when_every_page_was_tried() {
    let mut site = site(1, 5, bytes(0));
    assert_eq!(site.cycle_with(Allowance::Bytes(1)).unwrap().spent.visits, 5);
}

#[test]
fn a_budget_in_seconds_ends_in_time() {
    let mut site = site(1, 100, Cost { bytes: 1, time: seconds(2) });
    let cycle = site.cycle_with(Allowance::Time(seconds(11))).unwrap();
    assert_eq!((cycle.spent.time, cycle.spent.visits), (seconds(12), 6));
}

#[test]
fn where_the_clock_stands_still_every_host_has_its_own_time() {
    let mut site = site(3, 100, Cost { bytes: 0, time: seconds(1) });
    site.world.stands_still = true;
    assert_eq!(site.cycle_with(Allowance::Time(seconds(4))).unwrap().spent.visits, 12);
}

#[test]
fn pages_that_were_not_requested_cost_nothing() {
    let mut site = site(1, 20, bytes(500));
    site.instruments.insert(Expects(bytes(500)));
    let is_unreached = |address: &str| address.ends_with('3');
    site.world.cost = Box::new(move |address| bytes(if is_unreached(address) { 0 } else { 500 }));
    let mut site = site.answering(move |address, _| {
        if is_unreached(address) { vec![Answer::Unreached] } else { shows("text", &[]) }
    });
    let cycle = site.cycle_with(Allowance::Bytes(5_000)).unwrap();
    assert_eq!((cycle.spent.visits, cycle.spent.bytes), (10, 5_000));
    let unreached = cycle.log.iter().filter(|seen| seen.outcome == Outcome::Unreached).count();
    assert_eq!(unreached, 1);
}

#[test]
fn the_policy_knows_the_unit_and_what_is_left_in_visits() {
    let mut site = site(1, 100, bytes(1_000)).planning(|known, budget, _| {
        assert_eq!(known.allowance, Allowance::Bytes(7_000));
        assert!(budget.0 <= 7, "{budget:?}");
        known.due().take(budget.0.min(3) as usize).collect()
    });
    site.instruments.insert(Expects(bytes(1_000)));
    let cycle = site.cycle_with(Allowance::Bytes(7_000)).unwrap();
    let rounds: Vec<usize> = cycle.plans.iter().map(|plan| plan.0.len()).collect();
    assert_eq!(rounds, [3, 3, 1]);
}

#[test]
fn a_budget_in_visits_says_what_it_brought() {
    let mut site = site(2, 10, Cost { bytes: 70, time: seconds(1) });
    let spent = site.cycle_with(Budget(5)).unwrap().spent;
    assert_eq!((spent.visits, spent.bytes, spent.time), (5, 350, seconds(5)));
}
