//! Pages are not deleted by mistake. Other crawlers deleted children of pages that were not due
//! (Norconex/crawler#278 and #1121) and pages that timed out (#98).

use crawl::{Outcome, PageNo, Repository as _, State, Time};
use store::{Store, View, verify};

use crate::common::{Home, Reply, Site, day, everything, html, on, page};

/// The front page links to "hub", and "hub" to two children. `hub` is what it does later.
fn site(hub: impl Fn(i64) -> Reply + 'static) -> (Home, Store, Site) {
    let rule = move |address: &str, now: Time| {
        let number = (now - day(0)).days() as i64;
        match address.strip_prefix("http://a.example/").unwrap_or_default() {
            "" => page("front", &["/hub"]),
            "hub" => hub(number),
            path => page(path, &[]),
        }
    };
    let home = Home::new();
    let store = home.open();
    (home, store, Site::new(rule))
}

fn hub() -> Reply {
    Reply::Tagged(html("hub", &["/one", "/two"]))
}

fn children(site: &Site) -> [PageNo; 2] {
    [site.find("one"), site.find("two")]
}

/// Checks that the hub's links and both children are still held, and that the next cycle visits
/// them.
#[track_caller]
fn children_are_safe(store: &mut Store, site: &mut Site, next: i64) {
    let (hub, [one, two]) = (site.find("hub"), children(site));
    for page in [one, two] {
        assert_eq!(site.pages.state(page), State::Held);
        assert!(store.held(page).unwrap().is_some());
    }
    assert_eq!(site.links.of(hub), [one, two]);
    // Also after a restart.
    let loaded = store.load().unwrap();
    assert_eq!(loaded.links.of(hub), [one, two]);
    assert_eq!(loaded.pages.state(one), State::Held);
    let cycle = site.cycle(store, next);
    let visited: Vec<PageNo> = cycle.log.iter().map(|seen| seen.page).collect();
    assert!(visited.contains(&one) && visited.contains(&two));
}

#[test]
fn children_of_a_page_that_is_not_visited_stay() {
    let (_home, mut store, mut site) = site(|_| hub());
    site.cycle(&mut store, 1);
    site.policy = everything(|address| !address.ends_with("/hub"));
    site.cycle(&mut store, 2);
    children_are_safe(&mut store, &mut site, 3);
}

#[test]
fn children_of_a_page_that_is_not_modified_stay() {
    let (_home, mut store, mut site) = site(|_| hub());
    site.cycle(&mut store, 1);
    let cycle = site.cycle(&mut store, 2);
    let hub = site.find("hub");
    let request = site.world.requests.iter().rev().find(|request| request.page == hub).unwrap();
    assert!(request.validators.is_some());
    let seen = cycle.log.iter().find(|seen| seen.page == hub).unwrap();
    assert_eq!(seen.outcome, Outcome::Same);
    children_are_safe(&mut store, &mut site, 3);
}

#[test]
fn children_of_a_page_that_fails_or_times_out_stay() {
    for failure in [Reply::Status(500), Reply::Timeout, Reply::Unreached] {
        let (_home, mut store, mut site) =
            site(move |number| if number == 2 { failure.clone() } else { hub() });
        site.cycle(&mut store, 1);
        site.cycle(&mut store, 2);
        children_are_safe(&mut store, &mut site, 3);
    }
}

#[test]
fn children_of_a_page_that_a_redirect_leads_to_stay_when_the_redirect_is_not_followed_again() {
    let rule = |address: &str, _: Time| match address {
        "http://a.example/" => Reply::Moved("/hub"),
        "http://a.example/hub" => hub(),
        _ => page("child", &[]),
    };
    let (home, mut site) = (Home::new(), Site::new(rule));
    let mut store = home.open();
    site.cycle(&mut store, 1);
    site.policy = everything(|address| address != on(""));
    site.cycle(&mut store, 2);
    let front = site.find("");
    assert_eq!(site.links.of(front), [site.find("hub")]);
    children_are_safe(&mut store, &mut site, 3);
}

#[test]
fn time_outs_never_delete() {
    let (home, mut store, mut site) =
        site(|number| if number > 1 { Reply::Timeout } else { hub() });
    // Far enough apart for a retry after any number of failures.
    for number in [1, 2, 3, 10, 20, 30, 40, 50, 60, 70] {
        site.cycle(&mut store, number);
    }
    let hub = site.find("hub");
    assert_eq!(site.pages.failures(hub), 9);
    assert_eq!(site.pages.state(hub), State::Held);
    assert!(store.held(hub).unwrap().is_some());
    assert!(store.validators(hub).unwrap().is_some());
    children_are_safe(&mut store, &mut site, 80);
    store.finish().unwrap();
    verify(&home.path()).unwrap();
}

#[test]
fn one_404_keeps_a_page_and_a_second_lets_it_go() {
    let (home, mut store, mut site) =
        site(|number| if number > 1 { Reply::Status(404) } else { hub() });
    site.cycle(&mut store, 1);
    site.cycle(&mut store, 2);
    let hub = site.find("hub");
    assert_eq!(site.pages.state(hub), State::Held);
    assert!(store.held(hub).unwrap().is_some());
    assert_eq!(site.links.of(hub).len(), 2);
    site.cycle(&mut store, 3);
    assert_eq!(site.pages.state(hub), State::Gone);
    assert!(store.held(hub).unwrap().is_none());
    assert!(store.validators(hub).unwrap().is_none());
    assert!(site.links.of(hub).is_empty());
    // Its children are unaffected.
    for child in children(&site) {
        assert_eq!(site.pages.state(child), State::Held);
    }
    store.finish().unwrap();
    // Its log and records stay.
    let view = View::open(&home.path()).unwrap();
    let visits = view.visits(hub, 9).unwrap();
    let statuses: Vec<Option<u16>> = visits.iter().map(|visit| visit.status).collect();
    assert_eq!(statuses, [Some(404), Some(404), Some(200)]);
    assert!(visits.iter().all(|visit| visit.position.is_some()));
    verify(&home.path()).unwrap();
}

#[test]
fn an_answer_between_two_404s_forgives_the_first() {
    let (_home, mut store, mut site) =
        site(|number| if number == 2 || number == 4 { Reply::Status(404) } else { hub() });
    for number in 1..=4 {
        site.cycle(&mut store, number);
    }
    assert_eq!(site.pages.state(site.find("hub")), State::Held);
}

#[test]
fn a_410_is_believed_at_once() {
    let (_home, mut store, mut site) =
        site(|number| if number > 1 { Reply::Status(410) } else { hub() });
    site.cycle(&mut store, 1);
    site.cycle(&mut store, 2);
    let hub = site.find("hub");
    assert_eq!(site.pages.state(hub), State::Gone);
    assert!(store.held(hub).unwrap().is_none());
}

#[test]
fn a_page_that_comes_back_is_held_again() {
    let (home, mut store, mut site) =
        site(|number| if number == 2 { Reply::Status(410) } else { hub() });
    site.cycle(&mut store, 1);
    site.cycle(&mut store, 2);
    let hub = site.find("hub");
    let cycle = site.cycle(&mut store, 9);
    let seen = cycle.log.iter().find(|seen| seen.page == hub).unwrap();
    assert_eq!(seen.outcome, Outcome::First);
    assert!(store.held(hub).unwrap().is_some());
    children_are_safe(&mut store, &mut site, 10);
    store.finish().unwrap();
    verify(&home.path()).unwrap();
}

#[test]
fn that_a_page_is_linked_anew_is_remembered_until_it_can_be_visited() {
    // The hub is gone on day 2; on day 3, "one" links to it.
    let rule = |address: &str, now: Time| {
        let number = (now - day(0)).days() as i64;
        match address.strip_prefix("http://a.example/").unwrap_or_default() {
            "" => page("front", &["/hub"]),
            "hub" if number == 2 => Reply::Status(410),
            "hub" => hub(),
            "one" if number >= 3 => page("new", &["/hub"]),
            path => page(path, &[]),
        }
    };
    let home = Home::new();
    let (mut store, mut site) = (home.open(), Site::new(rule));
    site.cycle(&mut store, 1);
    site.cycle(&mut store, 2);
    site.policy = everything(|address| address.ends_with("/one"));
    site.cycle(&mut store, 3);
    let hub = site.find("hub");
    assert_eq!(site.pages.state(hub), State::Linked);
    let loaded = store.load().unwrap();
    assert_eq!(loaded.pages.record(hub), site.pages.record(hub));
    site.reload(&store);
    site.policy = everything(|_| true);
    let cycle = site.cycle(&mut store, 4);
    let seen = cycle.log.iter().find(|seen| seen.page == hub).unwrap();
    assert_eq!((seen.outcome, site.pages.state(hub)), (Outcome::First, State::Held));
    store.finish().unwrap();
    verify(&home.path()).unwrap();
}
