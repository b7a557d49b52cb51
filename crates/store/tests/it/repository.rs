//! Compares the store with the repository in memory, over random histories with restarts.

use crawl::{MemoryRepository, PageNo, Repository, Time};
use proptest::prelude::*;
use store::{Options, Store, verify};

use crate::common::{Home, Reply, Site, day, html, log, on};

/// What a page does on a day.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Shows(u8),
    ShowsTagged(u8),
    Forbids(u8),
    Lists,
    Moves,
    Missing,
    Gone,
    Fails,
    Stalls,
    NotReached,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0_u8..3).prop_map(Deed::Shows),
        4 => (0_u8..3).prop_map(Deed::ShowsTagged),
        1 => (0_u8..2).prop_map(Deed::Forbids),
        1 => Just(Deed::Lists),
        1 => Just(Deed::Moves),
        1 => Just(Deed::Missing),
        1 => Just(Deed::Gone),
        1 => Just(Deed::Fails),
        1 => Just(Deed::Stalls),
        1 => Just(Deed::NotReached),
    ]
}

const PLACES: usize = 8;

/// A web of few pages with an action for each day.
fn rule(deeds: Vec<Vec<Deed>>) -> impl Fn(&str, Time) -> Reply {
    move |address, now| {
        let days = (now - day(0)).days() as usize;
        let place = address.bytes().map(usize::from).sum::<usize>() % PLACES;
        let deeds = &deeds[days.min(deeds.len() - 1)];
        let links = |version: u8| {
            let to = usize::from(version) * 3 + place;
            [on(&format!("{}", to % PLACES)), on(&format!("{}", (to + 1) % PLACES)), on("")]
        };
        let show = |version: u8| {
            let links = links(version);
            html(&format!("version {version}"), &links.each_ref().map(String::as_str))
        };
        match deeds[place] {
            Deed::Shows(version) => Reply::Page(show(version)),
            Deed::ShowsTagged(version) => Reply::Tagged(show(version)),
            Deed::Forbids(version) => {
                Reply::With("X-Robots-Tag: noindex, nofollow\r\n", show(version))
            }
            Deed::Lists => {
                let date = format!("2026-11-{:02}", place + 1);
                let entry = |path: &str| {
                    format!("<url><loc>{}</loc><lastmod>{date}</lastmod></url>", on(path))
                };
                Reply::Typed(
                    "application/xml",
                    format!("<urlset>{}{}</urlset>", entry("1"), entry("new")),
                )
            }
            Deed::Moves => Reply::Moved("http://b.example/there"),
            Deed::Missing => Reply::Status(404),
            Deed::Gone => Reply::Status(410),
            Deed::Fails => Reply::Status(500),
            Deed::Stalls => Reply::Timeout,
            Deed::NotReached => Reply::Unreached,
        }
    }
}

fn same_held(store: &Store, memory: &MemoryRepository, pages: u32) {
    for page in (0..pages).map(PageNo) {
        let (ours, theirs) = (store.held(page).unwrap(), memory.held(page).unwrap());
        assert_eq!(ours.is_some(), theirs.is_some(), "page {page:?}");
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        assert_eq!((ours.form, &ours.fingerprints), (theirs.form, &theirs.fingerprints));
        assert_eq!((ours.counts, &ours.directives), (theirs.counts, &theirs.directives));
        let full = store.read_held(page).unwrap().unwrap();
        assert_eq!((&full.runs, &full.content), (&theirs.runs, &theirs.content));
    }
}

fn same_links(one: &Site, other: &Site) {
    for page in one.pages.numbers() {
        assert_eq!(one.links.of(page), other.links.of(page));
        assert_eq!(one.links.list_of(page).is_some(), other.links.list_of(page).is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_history_is_kept_as_memory_keeps_it_through_every_restart(
        deeds in prop::collection::vec(prop::collection::vec(deed(), PLACES), 2..6),
        restarts in prop::collection::vec(any::<bool>(), 6),
        batch_visits in 1_usize..5,
        warc_file_bytes in prop::sample::select(vec![1, 2_000, 1_000_000]),
    ) {
        let mut home = Home::new();
        home.options = Options { batch_visits, warc_file_bytes, ..Options::default() };
        let (mut ours, mut theirs) = (Site::new(rule(deeds.clone())), Site::new(rule(deeds.clone())));
        let (mut store, mut memory) = (home.open(), MemoryRepository::default());
        for (number, restarts) in (0..deeds.len() as i64).zip(restarts) {
            let (one, other) =
                (ours.cycle(&mut store, number), theirs.cycle(&mut memory, number));
            prop_assert_eq!(one.log, other.log);
            if restarts {
                drop(store);
                store = home.open();
                let before: Vec<_> = ours.pages.numbers().map(|no| ours.pages.record(no)).collect();
                ours.reload(&store);
                ours.cycles = theirs.cycles;
                let after: Vec<_> = ours.pages.numbers().map(|no| ours.pages.record(no)).collect();
                prop_assert_eq!(after, before);
                same_links(&ours, &theirs);
            }
            same_held(&store, &memory, ours.pages.len() as u32);
        }
        prop_assert_eq!(log(&store), log(&memory));
        prop_assert_eq!(store.acknowledged(), log(&memory).len() as u64);
        store.finish().unwrap();
        let verified = verify(&home.path()).unwrap();
        prop_assert_eq!(verified.observations, log(&memory).len() as u64);
    }
}
