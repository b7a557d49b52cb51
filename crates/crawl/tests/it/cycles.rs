//! The loop with worlds that fail, drop answers or answer twice, and policies that overspend or plan
//! in several rounds.
use std::sync::Arc;

use crawl::{
    Answer, Budget, Cycle, Error, Known, Observation, Outcome, PageNo, Reason, Repository, Signal,
    SignalSource, Snapshot, Span, State, Time, World,
};

use crawl::testing::{A, B, C, D, DAY, Site, day, fails, shows};

fn outcomes(log: &[Observation]) -> Vec<(PageNo, Outcome)> {
    log.iter().map(|seen| (seen.page, seen.outcome)).collect()
}

/// What is known about a page, except when it was last tried.
fn page_info(site: &Site, page: PageNo) -> impl PartialEq + std::fmt::Debug + use<> {
    let pages = &site.pages;
    let held = site.repository.held(page).unwrap();
    (pages.state(page), pages.visits(page), pages.changes(page), pages.last_seen(page), held)
}

#[test]
fn a_failed_visit_leaves_the_page_and_its_snapshot_alone() {
    let mut site = Site::new(|_, now| if now > day(1) { fails() } else { shows("text", &[]) });
    site.cycle(1, 9).unwrap();
    let before = page_info(&site, A);
    let cycle = site.cycle(2, 9).unwrap();
    assert_eq!(outcomes(&cycle.log), [A, B, C].map(|page| (page, Outcome::Failed)));
    assert_eq!(page_info(&site, A), before);
    assert_eq!(cycle.log[0].changed(), None);
}

#[test]
fn a_page_that_fails_at_its_first_visit_is_still_only_linked() {
    let mut site = Site::new(|_, _| fails());
    site.cycle(1, 9).unwrap();
    assert_eq!(site.pages.states(), [State::Linked; 3]);
    assert_eq!(site.pages.visits(A), 0);
}

#[test]
fn a_failed_visit_is_spent_and_not_tried_again_in_the_same_cycle() {
    let mut site = Site::new(|_, _| fails());
    let cycle = site.cycle(1, 9).unwrap();
    assert_eq!(cycle.log.len(), 3);
    assert_eq!(cycle.plans.len(), 1);
    assert_eq!(site.pages.last_tried(A), Some(day(1)));
    assert_eq!(site.cycle(2, 9).unwrap().log.len(), 3);
}

#[test]
fn since_is_counted_from_the_last_conclusive_visit() {
    let mut site = Site::new(|_, now| if now == day(3) { fails() } else { shows("text", &[]) });
    let since: Vec<_> =
        [1, 3, 7].map(|day| site.cycle(day, 9).unwrap().log[0].since).into_iter().collect();
    assert_eq!(since, [None, Some(DAY.times(2)), Some(DAY.times(6))]);
}

#[test]
fn not_modified_is_the_same_where_a_snapshot_is_held() {
    let not_modified = |_: &str, now| {
        if now > day(1) { vec![Answer::NotModified] } else { shows("text", &[("b", None)]) }
    };
    let mut site = Site::new(not_modified);
    site.cycle(1, 9).unwrap();
    let held = site.repository.held(A).unwrap();
    let cycle = site.cycle(2, 9).unwrap();
    assert_eq!(cycle.log[0].outcome, Outcome::Same);
    assert_eq!(site.repository.held(A).unwrap(), held);
    assert_eq!(site.pages.last_seen(A), Some(day(2)));
    assert_eq!(site.links.of(A), [B]);
}

#[test]
fn not_modified_fails_for_a_page_that_is_not_held() {
    let mut site = Site::new(|_, _| vec![Answer::NotModified]);
    let cycle = site.cycle(1, 9).unwrap();
    assert_eq!(cycle.log[0].outcome, Outcome::Failed);
    assert_eq!(site.pages.state(A), State::Linked);
}

#[test]
fn a_world_that_drops_an_answer_stops_the_crawl() {
    let mut site = Site::new(|address, _| if address == "b" { vec![] } else { shows("text", &[]) });
    let error = site.cycle(1, 9).unwrap_err();
    assert!(matches!(error, Error::Unanswered { requested: 3, answered: 2 }), "{error}");
}

#[test]
fn a_world_that_answers_twice_stops_the_crawl_with_the_address() {
    let twice = |address: &str, _| match address {
        "b" => [shows("one", &[]), shows("two", &[])].concat(),
        _ => shows("text", &[]),
    };
    let mut site = Site::new(twice);
    let error = site.cycle(1, 9).unwrap_err();
    assert!(matches!(&error, Error::Unrequested { address } if address == "b"), "{error}");
    // What came first was kept.
    assert_eq!(outcomes(site.repository.log()), [(A, Outcome::First), (B, Outcome::First)]);
}

#[test]
fn a_policy_that_overspends_is_cut_to_the_budget() {
    let mut site = Site::new(|_, _| shows("text", &[]));
    let cycle = site.cycle(1, 2).unwrap();
    assert_eq!(outcomes(&cycle.log), [(A, Outcome::First), (B, Outcome::First)]);
    assert_eq!(cycle.plans.iter().map(|plan| plan.0.len()).sum::<usize>(), 2);
}

#[test]
fn a_policy_that_plans_nothing_ends_the_cycle() {
    let mut site = Site::new(|_, _| shows("text", &[])).planning(|_, _, _| vec![]);
    assert_eq!(site.cycle(1, 2).unwrap(), Cycle::default());
    assert_eq!((site.cycles, site.repository.commits), (1, 1));
}

#[test]
fn a_budget_of_zero_visits_nothing() {
    let mut site = Site::new(|_, _| shows("text", &[]));
    assert_eq!(site.cycle(1, 0).unwrap(), Cycle::default());
    assert_eq!(site.cycles, 1);
}

#[test]
fn a_policy_may_spend_a_part_learn_and_spend_the_rest() {
    // One visit at a time; the next goes to the newest page there is, found by the visit before.
    let newest = |known: &Known<'_>, budget: Budget, learned: &[Observation]| {
        assert_eq!(budget.0 as usize, 4 - learned.len());
        known.due().last().into_iter().collect()
    };
    let chain = |address: &str, _| match address {
        "c" => shows("text", &[("d", None)]),
        "d" => shows("text", &[("e", None)]),
        _ => shows("text", &[]),
    };
    let mut site = Site::new(chain).planning(newest);
    let cycle = site.cycle(1, 4).unwrap();
    let visited: Vec<_> = cycle.log.iter().map(|seen| site.pages.address(seen.page)).collect();
    assert_eq!(visited, ["c", "d", "e", "b"]);
    assert_eq!(cycle.plans.len(), 4);
    assert_eq!(site.learned(), cycle.log);
}

#[test]
fn the_rest_of_a_cycle_is_planned_with_what_is_left_of_the_budget() {
    let two_then_all = |known: &Known<'_>, _: Budget, learned: &[Observation]| {
        let due = known.due();
        if learned.is_empty() { due.take(1).collect() } else { due.collect() }
    };
    let mut site = Site::new(|_, _| shows("text", &[])).planning(two_then_all);
    let cycle = site.cycle(1, 2).unwrap();
    assert_eq!(cycle.plans.iter().map(|plan| plan.0.len()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn every_page_that_shows_a_link_to_a_new_page_is_credited_with_it() {
    // From day 2 on, "a" and "b" link to "d", which is new. "b" also links to a known page and to an
    // address that is not admitted.
    let hubs = |address: &str, now: Time| match address {
        "a" if now >= day(2) => shows("new", &[("d", None)]),
        "b" if now >= day(2) => shows("new", &[("a", None), ("d", None), ("x", None)]),
        _ => shows("text", &[]),
    };
    let mut site = Site::new(hubs);
    site.cycle(1, 9).unwrap();
    let cycle = site.cycle(2, 3).unwrap();
    let leads: Vec<_> = cycle.log.iter().map(|seen| seen.leads.clone()).collect();
    assert_eq!(leads, [vec![D], vec![D], vec![]]);
    assert_eq!(site.pages.first_seen(D), day(2));
    // A day later the link is no longer a lead.
    let cycle = site.cycle(3, 9).unwrap();
    assert!(cycle.log.iter().all(|seen| seen.leads.is_empty()));
}

#[test]
fn two_pages_with_the_very_same_new_links_are_both_credited() {
    let same_menu = |_: &str, now: Time| {
        if now >= day(2) { shows("new", &[("d", None)]) } else { shows("text", &[]) }
    };
    let mut site = Site::new(same_menu);
    site.cycle(1, 9).unwrap();
    let cycle = site.cycle(2, 3).unwrap();
    assert!(cycle.log.iter().all(|seen| seen.leads == [D]));
}

#[test]
fn dates_shown_for_known_pages_are_signals() {
    let sitemap = |address: &str, _| match address {
        "a" => shows(
            "map",
            &[("b", Some(day(-3))), ("c", None), ("d", Some(day(1))), ("x", Some(day(1)))],
        ),
        _ => shows("text", &[]),
    };
    let mut site = Site::new(sitemap);
    let cycle = site.cycle(1, 3).unwrap();
    let source = SignalSource::Sitemap;
    let expected =
        [(B, day(-3)), (D, day(1))].map(|(page, changed)| Signal { page, changed, source });
    assert_eq!(cycle.log[0].signals, expected);
    assert_eq!(cycle.log[1].signals, []);
}

/// A page with links, each with the hash of its text.
fn lists(text: &str, links: &[(&str, u32)]) -> Vec<Answer> {
    let addresses: Vec<_> = links.iter().map(|(address, _)| (*address, None)).collect();
    let mut answers = shows(text, &addresses);
    if let [Answer::Content(page)] = answers.as_mut_slice() {
        let link_texts = links.iter().map(|(_, text)| *text).collect();
        *page = Arc::new(Snapshot { link_texts, ..Snapshot::clone(page) });
    }
    answers
}

#[test]
fn another_text_beside_a_link_is_a_claim_about_its_target() {
    let hub = |address: &str, now: Time| match address {
        "a" if now >= day(3) => lists("third", &[("b", 2), ("c", 1), ("d", 1)]),
        "a" if now >= day(2) => lists("second", &[("b", 2), ("c", 1)]),
        "a" => lists("first", &[("b", 1), ("c", 1)]),
        _ => shows("text", &[]),
    };
    let mut site = Site::new(hub);
    assert_eq!(site.cycle(1, 9).unwrap().log[0].signals, []);
    // It changed after the hub was seen before.
    let changed = day(1) + Span::from_millis(1);
    let claim = Signal { page: B, changed, source: SignalSource::Link };
    assert_eq!(site.cycle(2, 9).unwrap().log[0].signals, [claim]);
    // A new link is not a claim, and the date of a sitemap stays its own.
    assert_eq!(site.cycle(3, 9).unwrap().log[0].signals, []);
    assert_eq!(site.pages.claimed_change(B), None);
}

#[test]
fn a_page_whose_links_all_have_other_texts_has_another_layout() {
    let names: Vec<String> = (0..9).map(|number| format!("p{number}")).collect();
    let hub = move |address: &str, now: Time| match address {
        "a" => {
            let text = u32::from(now >= day(2));
            let links: Vec<_> = names.iter().map(|name| (name.as_str(), text)).collect();
            lists(if now >= day(2) { "new" } else { "old" }, &links)
        }
        _ => shows("text", &[]),
    };
    let mut site = Site::new(hub);
    site.cycle(1, 99).unwrap();
    assert_eq!(site.cycle(2, 99).unwrap().log[0].signals, []);
}

#[test]
fn a_gone_page_loses_its_snapshot_and_links() {
    let dies = |address: &str, now: Time| match address {
        "a" if now >= day(2) => vec![Answer::Gone],
        _ => shows(address, &[("b", None), ("c", None)]),
    };
    let mut site = Site::new(dies);
    site.cycle(1, 9).unwrap();
    assert_eq!(site.links.of(A), [B, C]);
    let cycle = site.cycle(2, 9).unwrap();
    assert_eq!((cycle.log[0].outcome, cycle.log[0].changed()), (Outcome::Gone, Some(true)));
    assert_eq!(site.links.of(A), []);
    assert_eq!(site.repository.held(A).unwrap(), None);
    assert_eq!((site.pages.state(A), site.pages.changes(A)), (State::Gone, 1));
    // It is not requested again.
    assert_eq!(site.cycle(3, 9).unwrap().log.len(), 2);
}

#[test]
fn a_first_visit_that_finds_nothing_is_not_a_change() {
    let mut site =
        Site::new(|address, _| if address == "b" { vec![Answer::Gone] } else { shows("t", &[]) });
    let cycle = site.cycle(1, 9).unwrap();
    let seen = &cycle.log[1];
    assert_eq!((seen.reason, seen.outcome, seen.changed()), (Reason::First, Outcome::Gone, None));
    assert_eq!((site.pages.state(B), site.pages.changes(B)), (State::Gone, 0));
    assert_eq!((site.pages.visits(B), site.pages.last_seen(B)), (1, Some(day(1))));
}

#[test]
fn changes_are_measured_against_what_is_held() {
    let texts = |address: &str, now: Time| match address {
        "a" if now >= day(2) => shows("new", &[]),
        _ => shows("text", &[]),
    };
    let mut site = Site::new(texts);
    site.cycle(1, 9).unwrap();
    let expected = [(A, Outcome::Changed(1.0)), (B, Outcome::Same), (C, Outcome::Same)];
    assert_eq!(outcomes(&site.cycle(2, 9).unwrap().log), expected);
    assert_eq!(site.cycle(3, 9).unwrap().log[0].outcome, Outcome::Same);
    assert_eq!((site.pages.visits(A), site.pages.changes(A)), (3, 1));
}

#[test]
fn captures_may_arrive_in_any_order() {
    let mut site = Site::new(|_, _| shows("text", &[]));
    site.cycle(1, 2).unwrap();
    site.world.backwards = true;
    let cycle = site.cycle(2, 9).unwrap();
    let seen: Vec<_> = cycle.log.iter().map(|seen| (seen.page, seen.reason)).collect();
    assert_eq!(seen, [(C, Reason::First), (B, Reason::Refresh), (A, Reason::Refresh)]);
}

#[test]
fn hold_linked_visits_every_linked_page_once_without_a_budget() {
    let mut site = Site::new(|_, _| shows("text", &[("d", None)]));
    site.cycle(1, 1).unwrap();
    site.world.wait_until(day(2));
    let log = site.hold_linked().unwrap();
    assert_eq!(outcomes(&log), [B, C, D].map(|page| (page, Outcome::First)));
    assert_eq!(site.learned().len(), 4);
    assert_eq!(site.cycles, 1);
}

#[test]
fn the_log_played_back_is_what_the_policy_learned() {
    let mut site = Site::new(|_, now| if now == day(2) { fails() } else { shows("t", &[]) });
    for number in 1..5 {
        site.cycle(number, 2).unwrap();
    }
    let mut played = vec![];
    site.repository.replay(&mut |seen| played.push(seen.clone())).unwrap();
    assert_eq!(played, site.learned());
    assert_eq!(site.repository.commits, 4);
}

#[test]
fn a_crawl_goes_on_after_its_repository_has_failed() {
    let mut site = Site::new(|_, _| shows("text", &[]));
    site.cycle(1, 1).unwrap();
    site.repository.is_full = true;
    let error = site.cycle(2, 9).unwrap_err();
    assert!(matches!(error, Error::Repository(_)), "{error}");
    assert_eq!((site.cycles, site.repository.log().len()), (1, 1));
    site.repository.is_full = false;
    let expected = [(A, Outcome::Same), (B, Outcome::First), (C, Outcome::First)];
    assert_eq!(outcomes(&site.cycle(3, 9).unwrap().log), expected);
    assert_eq!(site.cycles, 2);
}
