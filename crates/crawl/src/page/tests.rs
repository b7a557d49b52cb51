//! Tests of the page table.
use proptest::prelude::*;

use super::*;
use crate::SignalSource;

const START: Time = Time::from_millis(0);

#[test]
fn a_page_is_known_by_its_address_and_keeps_its_number() {
    let mut pages = Pages::default();
    let b = pages.insert("http://b.example/", START);
    let a = pages.insert("http://a.example/", Time::from_millis(5));
    assert_eq!(pages.insert("http://b.example/", Time::from_millis(9)), b);
    assert_eq!(pages.find("http://a.example/"), Some(a));
    assert_eq!(pages.find("http://a.example"), None);
    assert_eq!(pages.first_seen(b), START);
    assert_eq!(pages.address(a), "http://a.example/");
    assert_eq!(pages.id(a), PageId::from_address("http://a.example/"));
    assert_eq!(pages.len(), 2);
}

#[test]
fn pages_of_one_host_share_its_number_and_hosts_are_numbered_as_they_come() {
    let mut pages = Pages::default();
    let mut host = |address| {
        let page = pages.insert(address, START);
        pages.host(page).0
    };
    assert_eq!(host("http://b.example/"), 0);
    assert_eq!(host("http://a.example/x"), 1);
    assert_eq!(host("https://b.example?q=http://a.example/"), 0);
    assert_eq!(host("http://b.example#top"), 0);
    // Another port is another server.
    assert_eq!(host("http://b.example:8080/"), 2);
    assert_eq!(host("http://b.example"), 0);
    assert_eq!(host("without a scheme/x"), 3);
    assert_eq!(pages.host_count(), 4);
}

#[test]
fn applies_each_outcome() {
    let mut pages = Pages::default();
    let page = pages.insert("http://a.example/", START);
    let day = Time::from_millis;
    pages.apply(page, day(1), Outcome::First);
    pages.apply(page, day(2), Outcome::Same);
    pages.apply(page, day(3), Outcome::Changed(0.1));
    pages.apply(page, day(4), Outcome::Failed);
    assert_eq!(pages.state(page), State::Held);
    assert_eq!((pages.last_seen(page), pages.last_tried(page)), (Some(day(3)), Some(day(4))));
    assert_eq!((pages.visits(page), pages.changes(page)), (3, 1));
    // That a held page is gone is a change.
    pages.apply(page, day(5), Outcome::Gone);
    assert_eq!(pages.state(page), State::Gone);
    assert_eq!((pages.visits(page), pages.changes(page)), (4, 2));
}

#[test]
fn one_miss_leaves_a_page_held_and_an_answer_forgives_it() {
    let mut pages = Pages::default();
    let page = pages.insert("http://a.example/", START);
    let day = Time::from_millis;
    pages.apply(page, day(1), Outcome::First);
    pages.apply(page, day(2), Outcome::Failed);
    pages.apply(page, day(3), Outcome::Missing);
    assert_eq!(pages.state(page), State::Held);
    assert_eq!((pages.misses(page), pages.failures(page)), (1, 0));
    assert_eq!((pages.last_seen(page), pages.last_tried(page)), (Some(day(1)), Some(day(3))));
    pages.apply(page, day(4), Outcome::Unreached);
    assert_eq!(pages.misses(page), 1);
    pages.apply(page, day(5), Outcome::Same);
    assert_eq!((pages.state(page), pages.misses(page)), (State::Held, 0));
}

#[test]
fn the_latest_claim_of_a_change_is_kept() {
    let mut pages = Pages::default();
    let page = pages.insert("http://a.example/", START);
    assert_eq!(pages.claimed_change(page), None);
    for day in [3, 9, 4] {
        pages.signal(Signal {
            page,
            changed: Time::from_millis(day),
            source: SignalSource::Sitemap,
        });
    }
    assert_eq!(pages.claimed_change(page), Some(Time::from_millis(9)));
}

#[test]
fn a_restored_page_is_as_it_was() {
    let mut pages = Pages::default();
    let page = pages.insert("http://a.example/x", START);
    pages.apply(page, Time::from_millis(1), Outcome::First);
    pages.apply(page, Time::from_millis(2), Outcome::Changed(0.5));
    pages.apply(page, Time::from_millis(3), Outcome::Missing);
    pages.apply(page, Time::from_millis(4), Outcome::Failed);
    pages.signal(Signal { page, changed: Time::from_millis(7), source: SignalSource::Sitemap });
    let mut again = Pages::default();
    assert_eq!(again.restore("http://a.example/x", &pages.record(page)), page);
    assert_eq!(again.record(page), pages.record(page));
    assert_eq!(again.find("http://a.example/x"), Some(page));
}

#[test]
fn a_page_that_was_never_there_has_not_changed() {
    let mut pages = Pages::default();
    let page = pages.insert("http://a.example/", START);
    pages.apply(page, Time::from_millis(1), Outcome::Gone);
    assert_eq!((pages.state(page), pages.changes(page)), (State::Gone, 0));
}

proptest! {
    #[test]
    fn address_order_is_byte_order_however_pages_were_numbered(
        mut addresses in prop::collection::vec("[aB/é]{0,3}", 1..20),
        ordered in 0_usize..20,
    ) {
        // The first few in order, so that both ways of comparing are tried.
        let ordered = ordered.min(addresses.len());
        addresses[..ordered].sort();
        let mut pages = Pages::default();
        let numbers: Vec<PageNo> =
            addresses.iter().map(|address| pages.insert(address, START)).collect();
        for (a, one) in numbers.iter().zip(&addresses) {
            for (b, other) in numbers.iter().zip(&addresses) {
                let expected = one.as_bytes().cmp(other.as_bytes());
                prop_assert_eq!(pages.address_order(*a, *b), expected);
            }
        }
    }
}
