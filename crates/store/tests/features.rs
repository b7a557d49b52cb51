//! What features of pages are made from: kept with the visits, loaded exactly, made anew where it is
//! missing.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod common;

use std::path::Path;

use flow::features::Features;
use flow::{
    Budget, Digest, Known, MemoryRepository, PageNo, Plan, Policy, Reason, State, Time, Visit,
};
use proptest::prelude::*;
use rusqlite::Connection;
use store::{Options, Stage, Store, StoreError, Trial, View, verify};

use crate::common::{Home, Reply, Site, day, everything, html, log, on};

/// Orders pages by a number in which every bit of their features has a part: two crawls that differ
/// in any of them soon visit different pages.
struct EveryBit;

impl Policy for EveryBit {
    fn name(&self) -> &'static str {
        "every-bit"
    }

    fn needs_features(&self) -> bool {
        true
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page: PageNo| {
            let linked = known.pages.state(page) == State::Linked;
            let reason = if linked { Reason::First } else { Reason::Refresh };
            let lot = Digest::of(all_of(known.features, page).as_bytes()).0 >> 80;
            Visit { page, score: lot as f64, reason }
        };
        Plan::best(budget, known.due().map(visit).collect(), known.pages)
    }
}

/// Everything that features tell of a page, to the last bit.
fn all_of(features: &Features, page: PageNo) -> String {
    let (rank, links) = (features.page_rank(page), features.in_links(page));
    format!("{:?} {:?} {rank:?} {links}", features.facts(page), features.word_clusters(page))
}

/// What is known of every page without having begun a cycle.
fn facts(site: &Site) -> Vec<String> {
    site.pages.numbers().map(|page| format!("{:?}", site.features.facts(page))).collect()
}

const PLACES: usize = 30;
const TOPICS: [&str; 3] = ["moon tide water", "bread flour oven", "river bridge water"];

/// What a page has on a day: pages of three kinds, most of which change now and then, in words and
/// links; some vouch that they have not, some go away and come back.
fn rule(salt: u64) -> impl Fn(&str, Time) -> Reply {
    move |address, now| {
        let days = (now - day(0)).days() as u64;
        let place: usize = address.rsplit('/').next().unwrap().parse().unwrap_or(0);
        let lot =
            |what: &str| (Digest::of(format!("{salt} {place} {what}").as_bytes()).0 >> 64) as u64;
        let version = days / (1 + lot("span") % 4);
        let turn = |count: u64| lot(&format!("turn {version}")) % count;
        if turn(11) == 0 && place > 0 {
            return Reply::Status(if turn(2) == 0 { 410 } else { 404 });
        }
        let links: Vec<String> = (1..=1 + turn(5))
            .map(|step| on(&((place as u64 * 3 + step * version) % PLACES as u64).to_string()))
            .collect();
        let mut links: Vec<&str> = links.iter().map(String::as_str).collect();
        let next = on(&((place + 1) % PLACES).to_string());
        links.push(&next);
        let words = TOPICS[place % 3].repeat(1 + turn(3) as usize);
        let text =
            html(&format!("{words} word{version} <img src=a> me{version}@a.example"), &links);
        if lot("tag") % 2 == 0 { Reply::Tagged(text) } else { Reply::Page(text) }
    }
}

fn site(salt: u64) -> Site {
    let mut site = Site::new(rule(salt));
    site.policy = Box::new(EveryBit);
    site.features = Features::wanted().looking_back(3);
    site
}

/// Loads what the store has; how many pages had to be read back.
fn reload(site: &mut Site, store: &Store) -> usize {
    site.reload(store);
    site.features = Features::wanted().looking_back(3);
    let mut read_back = 0;
    let is_whole = store.load_features(&mut site.features, &mut |_, of| {
        read_back = of;
        true
    });
    assert!(is_whole.unwrap());
    read_back
}

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("sanderling.db")).unwrap()
}

fn count(folder: &Path, table: &str) -> i64 {
    let select = format!("SELECT count(*) FROM {table}");
    database(folder).query_row(&select, (), |row| row.get(0)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_crawl_with_restarts_plans_what_one_without_plans(
        salt in any::<u64>(),
        restarts in prop::collection::vec(any::<bool>(), 12),
        batch_visits in 1_usize..9,
    ) {
        let mut home = Home::new();
        home.options = Options { batch_visits, ..Options::default() };
        let (mut ours, mut theirs) = (site(salt), site(salt));
        let (mut store, mut memory) = (home.open(), MemoryRepository::default());
        for (number, restarts) in (0..).zip(restarts) {
            let one = ours.try_cycle(&mut store, number, 9).unwrap();
            let other = theirs.try_cycle(&mut memory, number, 9).unwrap();
            prop_assert_eq!(one, other);
            if restarts {
                drop(store);
                store = home.open();
                prop_assert_eq!(reload(&mut ours, &store), 0);
                ours.cycles = theirs.cycles;
            }
            prop_assert_eq!(facts(&ours), facts(&theirs));
            prop_assert_eq!(ours.features.models(), theirs.features.models());
        }
        prop_assert!(theirs.features.models().fitted_to > 5);
        store.finish().unwrap();
        let held = theirs.pages.numbers().filter(|&page| theirs.features.facts(page).is_some());
        prop_assert_eq!(verify(&home.path()).unwrap().facts, held.count() as u64);
    }
}

#[test]
fn a_writer_that_is_stopped_leaves_the_facts_of_the_visits_it_leaves() {
    for stage in [Stage::Appended, Stage::Synced, Stage::Committed] {
        for batch in [1, 3, 6, 9, 12] {
            let mut home = Home::new();
            let trial = Trial { stop_after: Some((batch, stage)), ..Trial::default() };
            home.options = Options { batch_visits: 2, trial, ..Options::default() };
            let mut store = home.open();
            let mut stopped = site(5);
            assert!((1..9).any(|number| stopped.try_cycle(&mut store, number, 7).is_err()));
            drop(store);

            home.options.trial = Trial::default();
            let store = home.open();
            let kept = log(&store).len();
            let mut ours = site(5);
            assert_eq!(reload(&mut ours, &store), 0);
            // The same crawl, told to stop there.
            let (mut theirs, mut memory) = (site(5), MemoryRepository::default());
            let (mut left, mut number) = (kept as u32, 1);
            while left > 0 {
                theirs.try_cycle(&mut memory, number, left.min(7)).unwrap();
                left -= left.min(7);
                number += 1;
            }
            assert_eq!(log(&store), log(&memory), "{stage:?} {batch}");
            assert_eq!(facts(&ours), facts(&theirs), "{stage:?} {batch}");
            store.finish().unwrap();
            verify(&home.path()).unwrap();
        }
    }
}

#[test]
fn nothing_is_written_where_nobody_looks_at_features() {
    let home = Home::new();
    let mut store = home.open();
    let mut site = site(1);
    site.features = Features::default();
    (1..5).for_each(|number| drop(site.try_cycle(&mut store, number, 50).unwrap()));
    store.finish().unwrap();
    assert_eq!([count(&home.path(), "facts"), count(&home.path(), "word_models")], [0, 0]);
    assert_eq!(verify(&home.path()).unwrap().facts, 0);
}

#[test]
fn a_page_that_is_gone_has_no_facts_whoever_finds_out() {
    for are_wanted in [true, false] {
        let home = Home::new();
        let mut store = home.open();
        let mut site = Site::new(|address, now| match address {
            "http://a.example/b" if now >= day(2) => Reply::Status(410),
            _ => Reply::Page(html("text", &["/b"])),
        });
        site.features = Features::wanted();
        site.cycle(&mut store, 1);
        let gone = site.find("b");
        assert!(site.features.facts(gone).is_some());
        if !are_wanted {
            site.features = Features::default();
        }
        site.cycle(&mut store, 2);
        assert_eq!(site.features.facts(gone), None);
        assert_eq!(reload(&mut site, &store), 0);
        assert_eq!(site.features.facts(gone), None);
        store.finish().unwrap();
        assert_eq!(count(&home.path(), "facts"), 1);
        verify(&home.path()).unwrap();
    }
}

/// A front page that leads to two others: "old" never changes, "new" does every day.
fn two(address: &str, now: Time) -> Reply {
    let text = match address {
        "http://a.example/new" => format!("moon number {}", (now - day(0)).days() as i64),
        _ => "nothing new".to_owned(),
    };
    Reply::Page(html(&text, &["/old", "/new"]))
}

#[test]
fn what_came_meanwhile_is_read_back_once() {
    let home = Home::new();
    let mut store = home.open();
    let mut site = Site::new(two);
    site.features = Features::wanted();
    (1..=2).for_each(|number| drop(site.cycle(&mut store, number)));
    let (old, new) = (site.find("old"), site.find("new"));
    let before = site.features.facts(old).cloned();
    // Another policy, which does not look at features, visits "new" and "old".
    site.features = Features::default();
    site.policy = everything(|address| address != on(""));
    site.cycle(&mut store, 3);

    assert_eq!(reload(&mut site, &store), 1);
    // What is held of "old" is what it was, so that its facts hold; how "new" differed from the visit
    // before is not known.
    assert_eq!(site.features.facts(old), before.as_ref());
    let mut expected = Site::new(two);
    expected.features = Features::wanted();
    expected.cycle(&mut MemoryRepository::default(), 3);
    let found = site.features.facts(new).unwrap();
    assert_eq!(found.drift, None);
    assert_eq!(Some(&found.words), expected.features.facts(new).map(|facts| &facts.words));
    // moon number 3, to /old, to /new.
    assert_eq!((found.out_links, found.counts.words), (2, 7));

    let first = facts(&site);
    assert_eq!(reload(&mut site, &store), 0);
    assert_eq!(facts(&site), first);
    drop(store);
    assert_eq!(reload(&mut site, &home.open()), 0);
    assert_eq!(facts(&site), first);
    verify(&home.path()).unwrap();
}

#[test]
fn reading_back_can_be_ended_and_goes_on() {
    let home = Home::new();
    let mut store = home.open();
    let mut site = Site::new(|_, _| {
        let links: Vec<String> = (0..600).map(|number| on(&number.to_string())).collect();
        Reply::Page(html("text", &links.iter().map(String::as_str).collect::<Vec<_>>()))
    });
    site.try_cycle(&mut store, 1, 600).unwrap();
    let mut features = Features::wanted();
    let mut told = vec![];
    let is_whole = store.load_features(&mut features, &mut |done, of| {
        told.push((done, of));
        done < 256
    });
    assert!(!is_whole.unwrap());
    assert_eq!(told, [(0, 600), (256, 600)]);
    drop(store);
    let store = home.open();
    let mut told = vec![];
    let mut features = Features::wanted();
    let is_whole = store.load_features(&mut features, &mut |done, of| {
        told.push((done, of));
        true
    });
    assert!(is_whole.unwrap());
    assert_eq!(told, [(0, 344), (256, 344), (344, 344)]);
    assert!((0..600).all(|page| features.facts(PageNo(page)).is_some()));
}

#[test]
fn a_view_reads_back_the_same_and_keeps_nothing() {
    let home = Home::new();
    let mut store = home.open();
    let mut site = Site::new(two);
    site.cycle(&mut store, 1);
    for _ in 0..2 {
        let (mut seen, mut read_back) = (Features::wanted(), 0);
        let view = View::open(&home.path()).unwrap();
        let is_whole = view.load_features(&mut seen, &mut |_, of| {
            read_back = of;
            true
        });
        assert!(is_whole.unwrap());
        assert_eq!(read_back, 3);
        let words = seen.facts(site.find("new")).unwrap().words.counts().len();
        // A page: moon number 1, to old, (to) new.
        assert_eq!(words, 8);
    }
    assert_eq!(count(&home.path(), "facts"), 0);
    assert_eq!(reload(&mut site, &store), 3);
    assert_eq!(count(&home.path(), "facts"), 3);
}

/// A crawl of three pages with facts and models, closed.
fn written() -> (Home, Site) {
    let home = Home::new();
    let mut store = home.open();
    let mut site = Site::new(two);
    site.features = Features::wanted().looking_back(3);
    (1..=3).for_each(|number| drop(site.cycle(&mut store, number)));
    store.finish().unwrap();
    assert_eq!(verify(&home.path()).unwrap().facts, 3);
    (home, site)
}

#[test]
fn a_row_that_does_not_read_is_made_anew_and_verifying_tells_of_it() {
    for (flaw, missing) in [
        ("UPDATE facts SET facts = zeroblob(9) WHERE page = 1", 1),
        ("UPDATE facts SET digest = zeroblob(3)", 3),
        ("UPDATE facts SET facts = substr(facts, 2) WHERE page <> 0", 2),
        ("UPDATE word_models SET models = x'00'", 0),
    ] {
        let (home, mut site) = written();
        database(&home.path()).execute_batch(flaw).unwrap();
        let error = verify(&home.path()).expect_err(flaw);
        assert!(matches!(error, StoreError::Damaged { .. }), "{flaw}: {error}");
        assert!(error.to_string().contains("made anew"), "{flaw}: {error}");
        let mut store = home.open();
        assert_eq!(reload(&mut site, &store), missing, "{flaw}");
        site.cycle(&mut store, 4);
        store.finish().unwrap();
        assert_eq!(verify(&home.path()).unwrap().facts, 3);
    }
}

#[test]
fn verifying_finds_facts_that_belong_to_nothing() {
    for flaw in [
        "UPDATE facts SET page = 9 WHERE page = 1",
        "UPDATE facts SET observation = 1 WHERE page = 1",
        "UPDATE facts SET observation = 1000",
    ] {
        let (home, _) = written();
        database(&home.path()).execute_batch(flaw).unwrap();
        let error = verify(&home.path()).expect_err(flaw);
        assert!(matches!(error, StoreError::Damaged { .. }), "{flaw}: {error}");
    }
}

#[test]
fn a_folder_of_version_1_is_read_as_it_is_and_upgraded_when_opened() {
    let (home, mut site) = written();
    let before = log(&home.open());
    let connection = database(&home.path());
    // Version 2 added these tables, version 3 this column, version 4 emptied one of the tables.
    connection
        .execute_batch(
            "DROP TABLE facts; DROP TABLE word_models; ALTER TABLE observation DROP COLUMN impact; \
             PRAGMA user_version = 1",
        )
        .unwrap();
    drop(connection);
    let version = |home: &Home| -> u32 {
        let database = database(&home.path());
        database.query_row("PRAGMA user_version", (), |row| row.get(0)).unwrap()
    };
    // Whoever only looks changes nothing.
    let (view, mut seen) = (View::open(&home.path()).unwrap(), Features::wanted());
    assert!(view.load_features(&mut seen, &mut |_, _| true).unwrap());
    assert!(seen.facts(site.find("new")).is_some());
    assert_eq!(verify(&home.path()).unwrap().facts, 0);
    assert_eq!(version(&home), 1);

    let mut store = home.open();
    assert_eq!(version(&home), 4);
    assert_eq!(log(&store), before);
    assert_eq!(reload(&mut site, &store), 3);
    site.cycle(&mut store, 4);
    store.finish().unwrap();
    assert_eq!(verify(&home.path()).unwrap().facts, 3);
}

#[test]
fn facts_of_version_3_are_made_anew() {
    let (home, mut site) = written();
    let connection = database(&home.path());
    // They had no visits at their end: here, the byte that says how many.
    connection
        .execute_batch(
            "UPDATE facts SET facts = substr(facts, 1, length(facts) - 1); PRAGMA user_version = 3",
        )
        .unwrap();
    drop(connection);
    let mut seen = Features::wanted();
    let view = View::open(&home.path()).unwrap();
    assert!(view.load_features(&mut seen, &mut |_, _| true).unwrap());
    assert!(seen.facts(site.find("new")).is_some());
    assert_eq!(verify(&home.path()).unwrap().facts, 0);
    let mut store = home.open();
    assert_eq!(reload(&mut site, &store), 3);
    site.cycle(&mut store, 4);
    store.finish().unwrap();
    assert_eq!(verify(&home.path()).unwrap().facts, 3);
}
