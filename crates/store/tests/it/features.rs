//! Page features: stored with visits, loaded exactly, and recomputed if missing.

use std::path::Path;

use crawl::{
    Budget, Digest, Instruments, Known, MemoryRepository, Needs, PageNo, Plan, Policy, Reason,
    State, Time, Visit,
};
use instruments::{
    Measured,
    features::{FeatureNeeds, Features},
};
use proptest::prelude::*;
use rusqlite::Connection;
use store::{FaultInjection, Options, Stage, Store, StoreError, View, verify};

use crate::common::{Home, Reply, Site, day, everything, html, log, on};

/// Scores pages by a hash of all their features, so that crawls with different features soon visit
/// different pages.
#[derive(Clone, Copy)]
struct EveryBit;

impl Policy for EveryBit {
    fn name(&self) -> &'static str {
        "every-bit"
    }

    fn needs(&self) -> Needs {
        Needs::none().with(FeatureNeeds { look_back: 3 })
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(*self)
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page: PageNo| {
            let linked = known.pages.state(page) == State::Linked;
            let reason = if linked { Reason::First } else { Reason::Refresh };
            let lot = Digest::from_bytes(all_of(known.features(), page).as_bytes()).0 >> 80;
            Visit { page, score: lot as f64, reason }
        };
        Plan::best(budget, known.due().map(visit).collect(), known.pages)
    }
}

/// All features of a page, bit by bit.
fn all_of(features: &Features, page: PageNo) -> String {
    let (rank, links) = (features.page_rank(page), features.in_links(page));
    format!("{:?} {:?} {rank:?} {links}", features.page(page), features.word_clusters(page))
}

/// Features of every page, before a cycle begins.
fn features(site: &Site) -> Vec<String> {
    site.pages.numbers().map(|page| format!("{:?}", site.features().page(page))).collect()
}

const PLACES: usize = 30;
const TOPICS: [&str; 3] = ["moon tide water", "bread flour oven", "river bridge water"];

/// Three kinds of pages. Most change sometimes, in words and links; some answer 304; some disappear
/// and come back.
fn rule(salt: u64) -> impl Fn(&str, Time) -> Reply {
    move |address, now| {
        let days = (now - day(0)).days() as u64;
        let place: usize = address.rsplit('/').next().unwrap().parse().unwrap_or(0);
        let lot = |what: &str| {
            (Digest::from_bytes(format!("{salt} {place} {what}").as_bytes()).0 >> 64) as u64
        };
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

fn looking_back(look_back: usize) -> Features {
    Features::new(FeatureNeeds { look_back })
}

fn site(salt: u64) -> Site {
    let mut site = Site::new(rule(salt));
    site.policy = Box::new(EveryBit);
    site.instruments.insert(looking_back(3));
    site
}

/// Loads stored features. Returns how many pages were recomputed.
fn reload(site: &mut Site, store: &Store) -> usize {
    site.reload(store);
    let (mut features, mut read_back) = (looking_back(3), 0);
    let is_whole = store.load_instrument(&mut features, &mut |_, of| {
        read_back = of;
        true
    });
    assert!(is_whole.unwrap());
    site.instruments.insert(features);
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
            prop_assert_eq!(features(&ours), features(&theirs));
            prop_assert_eq!(ours.features().models(), theirs.features().models());
        }
        prop_assert!(theirs.features().models().fitted_to > 5);
        store.finish().unwrap();
        let held = theirs.pages.numbers().filter(|&page| theirs.features().page(page).is_some());
        prop_assert_eq!(verify(&home.path()).unwrap().page_states, held.count() as u64);
    }
}

#[test]
fn a_writer_that_is_stopped_leaves_the_features_of_the_visits_it_leaves() {
    for stage in [Stage::Appended, Stage::Synced, Stage::Committed] {
        for batch in [1, 3, 6, 9, 12] {
            let mut home = Home::new();
            let fault_injection =
                FaultInjection { stop_after: Some((batch, stage)), ..FaultInjection::default() };
            home.options = Options { batch_visits: 2, fault_injection, ..Options::default() };
            let mut store = home.open();
            let mut stopped = site(5);
            assert!((1..9).any(|number| stopped.try_cycle(&mut store, number, 7).is_err()));
            drop(store);

            home.options.fault_injection = FaultInjection::default();
            let store = home.open();
            let kept = log(&store).len();
            let mut ours = site(5);
            assert_eq!(reload(&mut ours, &store), 0);
            // The same crawl without a restart.
            let (mut theirs, mut memory) = (site(5), MemoryRepository::default());
            let (mut left, mut number) = (kept as u32, 1);
            while left > 0 {
                theirs.try_cycle(&mut memory, number, left.min(7)).unwrap();
                left -= left.min(7);
                number += 1;
            }
            assert_eq!(log(&store), log(&memory), "{stage:?} {batch}");
            assert_eq!(features(&ours), features(&theirs), "{stage:?} {batch}");
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
    site.instruments = Instruments::default();
    (1..5).for_each(|number| drop(site.try_cycle(&mut store, number, 50).unwrap()));
    store.finish().unwrap();
    assert_eq!([count(&home.path(), "instrument_page"), count(&home.path(), "instrument")], [0, 0]);
    assert_eq!(verify(&home.path()).unwrap().page_states, 0);
}

#[test]
fn a_page_that_is_gone_has_no_features_whoever_finds_out() {
    for are_wanted in [true, false] {
        let home = Home::new();
        let mut store = home.open();
        let mut site = Site::new(|address, now| match address {
            "http://a.example/b" if now >= day(2) => Reply::Status(410),
            _ => Reply::Page(html("text", &["/b"])),
        });
        site.instruments.insert(looking_back(0));
        site.cycle(&mut store, 1);
        let gone = site.find("b");
        assert!(site.features().page(gone).is_some());
        if !are_wanted {
            site.instruments = Instruments::default();
        }
        site.cycle(&mut store, 2);
        assert_eq!(site.features().page(gone), None);
        assert_eq!(reload(&mut site, &store), 0);
        assert_eq!(site.features().page(gone), None);
        store.finish().unwrap();
        assert_eq!(count(&home.path(), "instrument_page"), 1);
        verify(&home.path()).unwrap();
    }
}

/// A front page and two others: "old" never changes, "new" changes every day.
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
    site.instruments.insert(looking_back(0));
    (1..=2).for_each(|number| drop(site.cycle(&mut store, number)));
    let (old, new) = (site.find("old"), site.find("new"));
    let before = site.features().page(old).cloned();
    // A policy without features visits "new" and "old".
    site.instruments = Instruments::default();
    site.policy = everything(|address| address != on(""));
    site.cycle(&mut store, 3);

    assert_eq!(reload(&mut site, &store), 1);
    // "old" is unchanged, so its features are valid. How "new" differed from its previous version
    // is unknown.
    assert_eq!(site.features().page(old), before.as_ref());
    let mut expected = Site::new(two);
    expected.instruments.insert(looking_back(0));
    expected.cycle(&mut MemoryRepository::default(), 3);
    let found = site.features().page(new).unwrap();
    assert_eq!(found.change, None);
    assert_eq!(Some(&found.words), expected.features().page(new).map(|page| &page.words));
    // moon number 3, to /old, to /new.
    assert_eq!((found.out_links, found.counts.words), (2, 7));

    let first = features(&site);
    assert_eq!(reload(&mut site, &store), 0);
    assert_eq!(features(&site), first);
    drop(store);
    assert_eq!(reload(&mut site, &home.open()), 0);
    assert_eq!(features(&site), first);
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
    let mut features = looking_back(0);
    let mut told = vec![];
    let is_whole = store.load_instrument(&mut features, &mut |done, of| {
        told.push((done, of));
        done < 256
    });
    assert!(!is_whole.unwrap());
    assert_eq!(told, [(0, 600), (256, 600)]);
    drop(store);
    let store = home.open();
    let mut told = vec![];
    let mut features = looking_back(0);
    let is_whole = store.load_instrument(&mut features, &mut |done, of| {
        told.push((done, of));
        true
    });
    assert!(is_whole.unwrap());
    assert_eq!(told, [(0, 344), (256, 344), (344, 344)]);
    assert!((0..600).all(|page| features.page(PageNo(page)).is_some()));
}

#[test]
fn a_view_reads_back_the_same_and_keeps_nothing() {
    let home = Home::new();
    let mut store = home.open();
    let mut site = Site::new(two);
    site.cycle(&mut store, 1);
    for _ in 0..2 {
        let (mut seen, mut read_back) = (looking_back(0), 0);
        let view = View::open(&home.path()).unwrap();
        let is_whole = view.load_instrument(&mut seen, &mut |_, of| {
            read_back = of;
            true
        });
        assert!(is_whole.unwrap());
        assert_eq!(read_back, 3);
        let words = seen.page(site.find("new")).unwrap().words.counts().len();
        // A page: moon number 1, to old, (to) new.
        assert_eq!(words, 8);
    }
    assert_eq!(count(&home.path(), "instrument_page"), 0);
    assert_eq!(reload(&mut site, &store), 3);
    assert_eq!(count(&home.path(), "instrument_page"), 3);
}

/// A finished crawl of three pages with features and models.
fn written() -> (Home, Site) {
    let home = Home::new();
    let mut store = home.open();
    let mut site = Site::new(two);
    site.instruments.insert(looking_back(3));
    (1..=3).for_each(|number| drop(site.cycle(&mut store, number)));
    store.finish().unwrap();
    assert_eq!(verify(&home.path()).unwrap().page_states, 3);
    (home, site)
}

#[test]
fn a_row_that_does_not_read_is_made_anew_and_verifying_tells_of_it() {
    for (flaw, missing) in [
        ("UPDATE instrument_page SET state = zeroblob(9) WHERE page = 1", 1),
        ("UPDATE instrument_page SET digest = zeroblob(3)", 3),
        ("UPDATE instrument_page SET state = substr(state, 2) WHERE page <> 0", 2),
        ("UPDATE instrument SET state = x'00'", 0),
    ] {
        let (home, mut site) = written();
        database(&home.path()).execute_batch(flaw).unwrap();
        let error = verify(&home.path()).expect_err(flaw);
        assert!(matches!(error, StoreError::Damaged { .. }), "{flaw}: {error}");
        assert!(error.to_string().contains("recomputes it"), "{flaw}: {error}");
        let mut store = home.open();
        assert_eq!(reload(&mut site, &store), missing, "{flaw}");
        site.cycle(&mut store, 4);
        store.finish().unwrap();
        assert_eq!(verify(&home.path()).unwrap().page_states, 3);
    }
}

#[test]
fn verifying_finds_states_that_belong_to_nothing() {
    for flaw in [
        "UPDATE instrument_page SET page = 9 WHERE page = 1",
        "UPDATE instrument_page SET observation = 1 WHERE page = 1",
        "UPDATE instrument_page SET observation = 1000",
    ] {
        let (home, _) = written();
        database(&home.path()).execute_batch(flaw).unwrap();
        let error = verify(&home.path()).expect_err(flaw);
        assert!(matches!(error, StoreError::Damaged { .. }), "{flaw}: {error}");
    }
}
