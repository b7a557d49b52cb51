//! The loop in a simulation, where nothing changes.
use std::sync::Arc;

use crawl::{
    Answer, Budget, Crawl, Observation, Outcome, PageNo, Reason, SimulatedRepository, Simulation,
    State, Time, World,
    testing::{A, B, C, D, Site, day, shows},
};

/// The crawl of a site, continued in a simulation.
fn simulated(site: &Site, back_off: Vec<(String, Time)>) -> Crawl<Simulation, SimulatedRepository> {
    let world = Simulation::new(site.world.now(), &site.pages, back_off);
    let (repository, detector) = (SimulatedRepository::default(), Arc::clone(&site.detector));
    Crawl {
        revisits_gone: site.revisits_gone,
        pages: site.pages.clone(),
        links: site.links.clone(),
        cycles: site.cycles,
        ..Crawl::new(world, site.policy.fork(), repository, detector)
    }
}

/// What the cycle of a day finds.
fn cycle(
    crawl: &mut Crawl<Simulation, SimulatedRepository>,
    number: i64,
) -> Vec<(PageNo, Outcome)> {
    crawl.world.wait_until(day(number));
    let cycle = crawl.cycle(Budget(9), &mut |_| {}).unwrap();
    cycle.log.iter().map(|seen: &Observation| (seen.page, seen.outcome)).collect()
}

#[test]
fn nothing_changes_in_a_simulation() {
    // Every page changes every day, in truth.
    let mut site = Site::new(|_, now| shows(&format!("{now:?}"), &[]));
    site.cycle(1, 9).unwrap();
    site.cycle(2, 9).unwrap();
    let (learned, changes) = (site.learned(), site.pages.changes(A));
    let mut simulated = simulated(&site, vec![]);
    for number in 3..20 {
        assert_eq!(cycle(&mut simulated, number), [A, B, C].map(|page| (page, Outcome::Same)));
    }
    assert_eq!((simulated.pages.changes(A), simulated.pages.len()), (changes, 3));
    assert_eq!(simulated.pages.last_seen(A), Some(day(19)));
    // The crawl itself has not moved.
    assert_eq!((site.learned(), site.cycles), (learned, 2));
    assert_eq!(site.cycle(3, 9).unwrap().log[0].outcome, Outcome::Changed(1.0));
}

#[test]
fn a_simulation_goes_on_with_what_the_policy_has_learned() {
    let mut site = Site::new(|_, _| shows("text", &[])).planning(|_, _, learned| {
        // In turn, one a cycle.
        vec![PageNo(learned.len() as u32 % 3)]
    });
    site.cycle(1, 1).unwrap();
    let mut simulated = simulated(&site, vec![]);
    let visited = [2, 3, 4].map(|number| {
        simulated.world.wait_until(day(number));
        simulated.cycle(Budget(1), &mut |_| {}).unwrap().log[0].page
    });
    assert_eq!(visited, [B, C, A]);
}

#[test]
fn hosts_that_back_off_are_not_due_until_their_instant() {
    let mut site = Site::new(|_, _| shows("text", &[]));
    site.pages = crawl::Pages::default();
    let [one, other] = ["http://a.example/", "http://b.example/"]
        .map(|address| site.pages.insert(address, day(0)));
    site.cycle(1, 9).unwrap();
    let back_off = vec![("a.example".to_owned(), day(4)), ("unheard.example".to_owned(), day(9))];
    let mut simulated = simulated(&site, back_off);
    assert_eq!(cycle(&mut simulated, 2), [(other, Outcome::Same)]);
    assert_eq!(cycle(&mut simulated, 3), [(other, Outcome::Same)]);
    assert_eq!(cycle(&mut simulated, 4), [(one, Outcome::Same), (other, Outcome::Same)]);
}

#[test]
fn linked_pages_become_held() {
    let mut site = Site::new(|_, _| shows("text", &[("d", None)]));
    site.cycle(1, 1).unwrap();
    assert_eq!(site.pages.state(D), State::Linked);
    let mut simulated = simulated(&site, vec![]);
    simulated.world.wait_until(day(2));
    let log = simulated.cycle(Budget(9), &mut |_| {}).unwrap().log;
    let seen: Vec<_> = log.iter().map(|seen| (seen.page, seen.reason, seen.outcome)).collect();
    let first = |page| (page, Reason::First, Outcome::First);
    assert_eq!(seen, [(A, Reason::Refresh, Outcome::Same), first(B), first(C), first(D)]);
    assert_eq!(simulated.pages.states(), [State::Held; 4]);
    assert_eq!(cycle(&mut simulated, 3), [A, B, C, D].map(|page| (page, Outcome::Same)));
}

#[test]
fn gone_pages_stay_gone() {
    let mut site = Site::new(|address, now| match address {
        "a" if now == day(2) => vec![Answer::Gone],
        _ => shows("text", &[]),
    });
    site.revisits_gone = true;
    site.cycle(1, 9).unwrap();
    site.cycle(2, 9).unwrap();
    let mut simulated = simulated(&site, vec![]);
    let rest = [B, C].map(|page| (page, Outcome::Same));
    assert_eq!(cycle(&mut simulated, 3), rest);
    // It is checked again and is still gone.
    assert_eq!(cycle(&mut simulated, 9), [&[(A, Outcome::Gone)][..], &rest].concat());
    assert_eq!(simulated.pages.state(A), State::Gone);
    // In truth it is.
    assert_eq!(site.cycle(9, 9).unwrap().log[0].page, A);
    assert_eq!(site.pages.state(A), State::Held);
}
