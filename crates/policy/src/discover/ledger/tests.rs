//! Leads of small logs.
use crawl::{HostNo, PageNo, Span};
use proptest::prelude::*;

use super::*;

const HELD: Outcome = Outcome::Same;

/// A revisit in a cycle, and its leads.
fn revisit(cycle: u32, page: u32, outcome: Outcome, leads: &[u32]) -> Observation {
    Observation {
        cycle,
        reason: Reason::Discover,
        since: Some(Span::from_days(2)),
        leads: leads.iter().copied().map(PageNo).collect(),
        ..Observation::new(
            PageNo(page),
            HostNo(0),
            Time::from_millis(0) + Span::from_days(i64::from(cycle)),
            outcome,
        )
    }
}

/// A first visit.
fn first(cycle: u32, page: u32, outcome: Outcome, leads: &[u32]) -> Observation {
    Observation { reason: Reason::First, since: None, ..revisit(cycle, page, outcome, leads) }
}

/// All cycles of these visits, and the ledger after them.
fn cycles_of(visits: &[Observation]) -> (Vec<CycleLeads>, Ledger) {
    let mut ledger = Ledger::default();
    let mut ended: Vec<CycleLeads> = visits.iter().filter_map(|seen| ledger.learn(seen)).collect();
    ended.extend(ledger.turn_to(u32::MAX));
    (ended, ledger)
}

/// The found pages that each page reaches, by key.
fn reached(ended: &CycleLeads) -> Vec<(u32, Vec<u32>)> {
    let leads = ended.leads();
    let pages = |row| leads.reached(row).into_iter().map(|place| ended.found[place as usize]);
    let row = |(row, &key): (usize, &u32)| (key, pages(row).collect());
    leads.pages().iter().enumerate().map(row).collect()
}

#[test]
fn the_papers_figure_1_is_told_by_its_log() {
    let (ended, ledger) = cycles_of(&[
        revisit(1, 1, HELD, &[4, 5]),
        revisit(1, 2, HELD, &[]),
        first(1, 4, Outcome::First, &[4, 6, 7]),
        revisit(1, 3, HELD, &[5]),
        first(1, 5, Outcome::First, &[]),
        first(1, 6, Outcome::First, &[]),
        first(1, 7, Outcome::First, &[4]),
    ]);
    assert_eq!(ended[0].found, [4, 5, 6, 7]);
    assert_eq!(reached(&ended[0]), [(1, vec![4, 5, 6, 7]), (3, vec![5])]);
    assert_eq!(ended[0].revisits, [(1, 2.0), (2, 2.0), (3, 2.0)]);
    // No page waits, so nothing is kept.
    assert!(ledger.shown_by.is_empty());
}

#[test]
fn credit_comes_late_where_the_first_visit_does() {
    let (ended, ledger) = cycles_of(&[
        revisit(1, 1, HELD, &[2]),
        revisit(1, 9, HELD, &[2]),
        first(2, 2, Outcome::First, &[3, 4]),
        first(2, 3, Outcome::First, &[]),
        // Found in cycle 2 through page 2, which 1 and 9 had led to.
        first(3, 4, Outcome::First, &[5]),
        first(3, 5, Outcome::First, &[]),
    ]);
    assert_eq!(reached(&ended[0]), [(1, vec![2]), (9, vec![2])]);
    assert_eq!(reached(&ended[1]), [(1, vec![3, 4]), (9, vec![3, 4])]);
    assert_eq!(reached(&ended[2]), [(1, vec![5]), (9, vec![5])]);
    assert_eq!((ended[1].revisits.len(), ended[2].revisits.len()), (0, 0));
    assert!(ledger.shown_by.is_empty());
}

#[test]
fn what_is_no_page_is_not_found() {
    let (ended, _) = cycles_of(&[
        revisit(1, 1, HELD, &[2, 3, 4, 5, 6]),
        first(1, 2, Outcome::Gone, &[]),
        first(1, 3, Outcome::Missing, &[]),
        first(1, 4, Outcome::Refused, &[]),
        first(1, 5, Outcome::Failed, &[]),
    ]);
    // A failed page may be one, like a page not visited yet.
    assert_eq!(ended[0].found, [5, 6]);
    assert_eq!(ended[0].gone, [2]);
}

#[test]
fn a_page_that_was_missing_and_is_linked_again_is_found_then() {
    let (ended, _) = cycles_of(&[
        revisit(1, 1, HELD, &[2]),
        first(1, 2, Outcome::Missing, &[]),
        revisit(2, 1, HELD, &[2]),
        first(2, 2, Outcome::First, &[3]),
    ]);
    assert_eq!((ended[0].found.len(), &ended[1].found[..]), (0, &[2, 3][..]));
    assert_eq!(reached(&ended[1]), [(1, vec![2, 3])]);
}

#[test]
fn a_page_that_dies_and_reappears_is_found_once_and_passes_credit_on() {
    let (ended, _) = cycles_of(&[
        revisit(1, 1, HELD, &[2]),
        first(1, 2, Outcome::First, &[]),
        revisit(2, 2, Outcome::Gone, &[]),
        revisit(3, 1, HELD, &[2]),
        first(3, 2, Outcome::First, &[7]),
    ]);
    assert_eq!(ended[0].found, [2]);
    assert_eq!(ended[1].gone, [2]);
    assert_eq!(ended[2].found, [7]);
    assert_eq!(reached(&ended[2]), [(1, vec![7])]);
}

#[test]
fn a_page_that_moves_leads_to_where_it_has_moved() {
    let (ended, _) = cycles_of(&[
        revisit(1, 1, Outcome::Changed(1.0), &[2]),
        first(1, 2, Outcome::First, &[]),
        revisit(2, 1, HELD, &[]),
    ]);
    assert_eq!((&ended[0].found[..], ended[1].found.len()), (&[2][..], 0));
    assert_eq!(reached(&ended[0]), [(1, vec![2])]);
}

#[test]
fn a_visit_that_fails_is_no_look_and_a_first_visit_of_a_seed_no_lead() {
    let (ended, _) = cycles_of(&[
        first(0, 1, Outcome::First, &[2]),
        first(0, 2, Outcome::First, &[3]),
        revisit(1, 1, Outcome::Failed, &[]),
        revisit(1, 2, Outcome::Unreached, &[]),
        first(1, 3, Outcome::First, &[4]),
    ]);
    assert_eq!((ended[0].leads().covered(), ended[0].revisits.len()), (0, 0));
    assert_eq!((ended[1].leads().covered(), ended[1].revisits.len()), (0, 0));
    // No page gets credit, so nothing is remembered.
    assert_eq!((ended[0].found.len(), ended[1].found.len()), (0, 0));
}

#[test]
fn cycles_add_up_to_one() {
    let (mut ended, _) = cycles_of(&[
        revisit(1, 1, HELD, &[3]),
        first(1, 3, Outcome::First, &[]),
        revisit(2, 2, HELD, &[4]),
        first(2, 4, Outcome::First, &[5]),
    ]);
    let later = ended.pop().unwrap();
    ended[0].add(&later);
    assert_eq!(reached(&ended[0]), [(1, vec![3]), (2, vec![4, 5])]);
    assert_eq!(ended[0].cycle, 2);
}

proptest! {
    #[test]
    fn no_page_is_found_twice_and_what_is_kept_is_of_pages_that_wait(
        visits in prop::collection::vec(
            (0_u32..2, 0_u32..12, any::<bool>(), 0_u8..6, prop::collection::vec(0_u32..12, 0..4)),
            0..60,
        ),
    ) {
        let mut cycle = 0;
        let mut visit = |(passed, page, is_first, outcome, leads): &(u32, u32, bool, u8, Vec<u32>)| {
            cycle += passed;
            let outcome = match outcome {
                0 => Outcome::Gone,
                1 => Outcome::Missing,
                2 => Outcome::Failed,
                _ => Outcome::Changed(0.5),
            };
            let made = if *is_first { first } else { revisit };
            made(cycle, *page, outcome, leads)
        };
        let (ended, ledger) = cycles_of(&visits.iter().map(&mut visit).collect::<Vec<_>>());
        let mut found: Vec<u32> = ended.iter().flat_map(|ended| ended.found.clone()).collect();
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        prop_assert_eq!(found.len(), count);
        let is_waiting = |page: &u32| !ledger.answered.contains(*page);
        prop_assert!(ledger.shown_by.is_empty() || ledger.shown_by.keys().any(is_waiting));
    }
}
