//! The loop in live conditions: hosts that back off, pages missing once, links followed as they are
//! found, updates about hosts.
use std::{cell::RefCell, rc::Rc};

use crawl::testing::{A, B, C, D, Site, day, fails, shows};
use crawl::{
    Answer, Fault, FaultKind, HostUpdate, Outcome, Reason, Repository, RobotsCopy, RobotsState,
    State, Time, Update,
};

fn outcomes(cycle: &crawl::Cycle) -> Vec<Outcome> {
    cycle.log.iter().map(|seen| seen.outcome).collect()
}

#[test]
fn a_page_is_gone_only_after_the_second_missing_answer() {
    let mut site = Site::new(|address, now| match address {
        "a" if now >= day(2) => vec![Answer::Missing],
        _ => shows("text", &[]),
    })
    .planning(|_, _, _| vec![A]);
    site.cycle(1, 1).unwrap();
    assert_eq!(outcomes(&site.cycle(2, 1).unwrap()), [Outcome::Missing]);
    assert_eq!(site.pages.state(A), State::Held);
    assert!(site.repository.held(A).unwrap().is_some());
    assert_eq!(outcomes(&site.cycle(3, 1).unwrap()), [Outcome::Gone]);
    assert_eq!(site.pages.state(A), State::Gone);
    assert!(site.repository.held(A).unwrap().is_none());
}

#[test]
fn a_page_that_answers_again_is_not_missing() {
    let mut site = Site::new(|_, now| {
        if now == day(2) || now == day(4) { vec![Answer::Missing] } else { shows("text", &[]) }
    })
    .planning(|_, _, _| vec![A]);
    for number in 1..=4 {
        site.cycle(number, 1).unwrap();
    }
    assert_eq!(site.pages.state(A), State::Held);
    assert_eq!((site.pages.misses(A), site.pages.changes(A)), (1, 0));
}

#[test]
fn a_page_that_answers_410_is_gone_at_once() {
    let mut site =
        Site::new(|_, now| if now == day(2) { vec![Answer::Gone] } else { shows("text", &[]) })
            .planning(|_, _, _| vec![A]);
    site.cycle(1, 1).unwrap();
    assert_eq!(outcomes(&site.cycle(2, 1).unwrap()), [Outcome::Gone]);
}

#[test]
fn an_unreached_page_costs_nothing_and_is_not_evidence() {
    let mut site = Site::new(|address, _| match address {
        "a" => vec![Answer::Unreached],
        _ => shows("text", &[]),
    })
    .planning(|known, budget, _| known.due().take(budget.0 as usize).collect());
    let cycle = site.cycle(1, 2).unwrap();
    // The budget of two bought two visits, besides the one that was not made.
    assert_eq!(outcomes(&cycle), [Outcome::Unreached, Outcome::First, Outcome::First]);
    assert_eq!((site.pages.visits(A), site.pages.failures(A)), (0, 0));
    // It is due again in the next cycle.
    assert_eq!(site.cycle(2, 1).unwrap().log[0].page, A);
}

#[test]
fn a_cycle_in_which_nothing_can_be_reached_ends() {
    let mut site = Site::new(|_, _| vec![Answer::Unreached]);
    assert_eq!(site.cycle(1, 100).unwrap().log.len(), 3);
}

#[test]
fn pages_of_a_host_that_backs_off_are_not_planned() {
    let mut site = Site::new(|_, _| shows("text", &[]));
    site.pages = crawl::Pages::default();
    for address in ["http://a.example/1", "http://b.example/1", "http://a.example/2"] {
        site.pages.insert(address, day(0));
    }
    site.world.backing_off = vec!["a.example".to_owned(), "unheard.example".to_owned()];
    site.cycle(1, 100).unwrap();
    assert_eq!(site.world.requested, ["http://b.example/1"]);
}

#[test]
fn a_failed_visit_says_why_in_the_log_and_leaves_the_links() {
    let mut site = Site::new(|address, now| match address {
        "a" if now == day(2) => fails(),
        "a" => shows("text", &[("child", None)]),
        _ => shows("child", &[]),
    });
    site.cycle(1, 100).unwrap();
    let seen = site.cycle(2, 100).unwrap().log[0].clone();
    assert_eq!(seen.fault.unwrap().why, "connection reset");
    let child = site.pages.find("child").unwrap();
    assert_eq!(site.links.of(A), [child]);
    assert_eq!(site.pages.state(child), State::Held);
}

#[test]
fn following_visits_what_pages_lead_to_until_the_budget_is_spent() {
    let web = |address: &str, _: Time| match address {
        "a" => shows("a", &[("d", None), ("e", None)]),
        "d" => shows("d", &[("f", None), ("a", None)]),
        other => shows(other, &[]),
    };
    let mut site = Site::new(web);
    assert_eq!(site.follow(5).unwrap(), 5);
    assert_eq!(site.world.requested, ["a", "b", "c", "d", "e"]);
    // What was known but not visited is visited by the next, and nothing twice.
    site.world.requested.clear();
    assert_eq!(site.follow(5).unwrap(), 1);
    assert_eq!(site.world.requested, ["f"]);
    assert_eq!((site.cycles, site.repository.log().len()), (2, 6));
    assert_eq!(site.learned().len(), 6);
}

#[test]
fn a_canonical_address_becomes_known() {
    let own: Rc<RefCell<Option<&str>>> = Rc::default();
    let canonical = Rc::clone(&own);
    let mut site = Site::new(move |_, _| {
        let mut answers = shows("text", &[]);
        if let Answer::Content(snapshot) = &mut answers[0] {
            let snapshot = std::sync::Arc::make_mut(snapshot);
            snapshot.directives.canonical = canonical.borrow().map(Into::into);
        }
        answers
    })
    .planning(|_, _, _| vec![B, C]);
    *own.borrow_mut() = Some("own");
    site.cycle(1, 1).unwrap();
    assert_eq!(site.pages.find("own"), Some(D));
    *own.borrow_mut() = Some("x is not admitted");
    site.cycle(2, 1).unwrap();
    assert_eq!(site.pages.len(), 4);
}

#[test]
fn sitemaps_named_by_robots_become_known_and_are_followed() {
    let copy = RobotsCopy {
        origin: "http://h.example".to_owned(),
        requested_at: day(1),
        fetches: 1,
        state: RobotsState::Given,
        good: None,
        sitemaps: vec!["map".to_owned(), "x elsewhere".to_owned()],
        exchanges: vec![],
    };
    let update = HostUpdate::Robots(copy);
    let mut site = Site::new(|_, _| shows("text", &[]));
    site.world.host_updates = vec![update.clone()];
    let visited = site.follow(100).unwrap();
    assert_eq!(site.pages.find("x elsewhere"), None);
    assert_eq!(site.repository.updates, [Update::Host(update)]);
    assert_eq!(visited, 4);
}

#[test]
fn refused_pages_cost_nothing() {
    let mut site = Site::new(|address, _| match address {
        "a" | "b" => vec![Answer::Refused(Fault {
            kind: FaultKind::Robots,
            why: "robots.txt says \"Disallow: /\"".to_owned(),
        })],
        _ => shows("text", &[("d", None), ("e", None)]),
    })
    .planning(|known, budget, _| known.due().take(budget.0 as usize).collect());
    let cycle = site.cycle(1, 2).unwrap();
    let expected = [Outcome::Refused, Outcome::Refused, Outcome::First, Outcome::First];
    assert_eq!(outcomes(&cycle), expected);
    // A crawl that follows links is not stopped short by them either.
    let mut site = Site::new(|address, _| match address {
        "a" | "b" => vec![Answer::Refused(Fault {
            kind: FaultKind::Name,
            why: "robots.txt cannot be fetched: h.example has no address".to_owned(),
        })],
        _ => shows("text", &[("d", None), ("e", None)]),
    });
    assert_eq!(site.follow(2).unwrap(), 2);
    assert_eq!(site.world.requested, ["a", "b", "c", "d"]);
}

/// "a" links to "d" from day 1 on, which does not exist before day 4; "b" links to it from day 5 on.
fn born_late(address: &str, now: Time) -> Vec<Answer> {
    match address {
        "a" => shows("text", &[("d", None)]),
        "b" if now >= day(5) => shows("new", &[("d", None)]),
        "d" if now < day(4) => vec![Answer::Gone],
        _ => shows("text", &[]),
    }
}

#[test]
fn a_page_linked_before_it_existed_is_visited_when_a_new_link_appears() {
    let mut site = Site::new(born_late);
    site.cycle(1, 9).unwrap();
    assert_eq!(site.pages.state(D), State::Gone);
    // "a" still links to it, which is not new.
    assert_eq!(outcomes(&site.cycle(4, 9).unwrap()), [Outcome::Same; 3]);
    let cycle = site.cycle(5, 9).unwrap();
    assert_eq!((cycle.log[1].page, cycle.log[1].leads.as_slice()), (B, &[D][..]));
    let found = cycle.log.last().unwrap();
    assert_eq!((found.page, found.reason, found.outcome), (D, Reason::First, Outcome::First));
    // Once it is held it is no longer a lead.
    site.cycle(6, 9).unwrap();
    assert!(site.cycle(7, 9).unwrap().log.iter().all(|seen| seen.leads.is_empty()));
}

#[test]
fn links_that_come_and_go_do_not_cause_repeated_requests_for_a_missing_page() {
    // Every other day "a" links to "d", which never exists.
    let mut site = Site::new(|address, now| match address {
        "a" if (now - day(0)).days() % 2.0 < 0.5 => shows("even", &[("d", None)]),
        "d" => vec![Answer::Gone],
        _ => shows("odd", &[]),
    });
    let requests = |days: std::ops::RangeInclusive<i64>, site: &mut Site| {
        let before = site.world.requested.len();
        days.for_each(|number| drop(site.cycle(number, 9).unwrap()));
        site.world.requested[before..].iter().filter(|address| *address == "d").count()
    };
    assert_eq!(requests(1..=4, &mut site), 2);
    assert!(requests(5..=100, &mut site) <= 5);
}

#[test]
fn a_page_that_moves_is_not_a_lead_but_a_redirect_with_a_new_target_is() {
    let to = |address: &str| {
        let mut answers = shows(address, &[(address, None)]);
        if let Some(Answer::Content(snapshot)) = answers.first_mut() {
            std::sync::Arc::make_mut(snapshot).form = crawl::Form::Moved;
        }
        answers
    };
    let mut site = Site::new(move |address, now| match address {
        "a" if now >= day(3) => to("e"),
        "a" if now >= day(2) => to("d"),
        _ => shows("text", &[]),
    });
    site.cycle(1, 9).unwrap();
    let leads = |cycle: crawl::Cycle| cycle.log[0].leads.clone();
    assert_eq!(leads(site.cycle(2, 9).unwrap()), []);
    assert_eq!(site.pages.state(D), State::Held);
    assert_eq!(leads(site.cycle(3, 9).unwrap()), [crawl::PageNo(4)]);
}

#[test]
fn a_page_found_gone_in_a_cycle_is_not_a_lead_in_it() {
    // "a" and "b" link to "d" from day 2 on, which does not exist; "b" is visited after "d".
    let mut site = Site::new(|address, now| match address {
        "d" => vec![Answer::Gone],
        _ if now >= day(2) => shows("new", &[("d", None)]),
        _ => shows("text", &[]),
    })
    .planning(|known, _, seen| match seen.iter().filter(|seen| seen.cycle == 1).count() {
        _ if known.cycle != 1 => known.due().collect(),
        0 => vec![A],
        1 => vec![D],
        _ => vec![B],
    });
    site.cycle(1, 9).unwrap();
    let cycle = site.cycle(2, 3).unwrap();
    let leads: Vec<_> = cycle.log.iter().map(|seen| (seen.page, seen.leads.clone())).collect();
    assert_eq!(leads, [(A, vec![D]), (D, vec![]), (B, vec![])]);
    assert_eq!(site.pages.state(D), State::Gone);
}
