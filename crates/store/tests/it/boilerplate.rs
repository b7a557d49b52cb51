//! The detector `main-text` on a store: boilerplate is loaded exactly, and old snapshots are read back.

use std::sync::Arc;

use crawl::{Digest, Instrument, MemoryRepository, Observation, Outcome, Time};
use extract::detect::{MainText, main_text::Boilerplate};
use proptest::prelude::*;
use store::{FaultInjection, Options, Stage, Store, verify};

use crate::common::{Home, Reply, Site, day, everything, html, log, on};

const PLACES: usize = 30;

fn lot(what: &str) -> u64 {
    (Digest::from_bytes(what.as_bytes()).0 >> 64) as u64
}

/// Every page has a menu and a footer, whose year changes every four days. Texts change at times of
/// their own; some pages answer 304; some disappear.
fn rule(salt: u64) -> impl Fn(&str, Time) -> Reply {
    move |address, now| {
        let days = (now - day(0)).days() as u64;
        let place: usize = address.rsplit('/').next().unwrap().parse().unwrap_or(0);
        let span = 2 + lot(&format!("{salt} {place} span")) % 5;
        let version = days / span;
        if place > 0 && lot(&format!("{salt} {place} {version}")).is_multiple_of(13) {
            return Reply::Status(410);
        }
        let links: Vec<String> = (0..PLACES).map(|place| on(&place.to_string())).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let menu = if days < 5 { "<p>Home<p>About" } else { "<p>Home<p>News<p>About" };
        let text = format!(
            "{menu}<p>Text of {place}<p>Version {version} of {place}<p>Imprint<p>© {}",
            2020 + days / 4
        );
        let page = html(&text, &links);
        if place.is_multiple_of(2) { Reply::Tagged(page) } else { Reply::Page(page) }
    }
}

fn site(salt: u64) -> Site {
    let mut site = Site::new(rule(salt));
    site.detector = Arc::new(MainText);
    site.instruments.insert(Boilerplate::new(&site.pages));
    site
}

/// Visits a third of the pages; on the first two days, all.
fn cycle(site: &mut Site, repository: &mut dyn crawl::Repository, number: i64) {
    site.policy = everything(move |address| {
        number < 2 || lot(&format!("{address} {number}")).is_multiple_of(3)
    });
    // A writer that was stopped fails.
    let _ = site.try_cycle(repository, number, 1_000);
}

/// Loads the stored boilerplate. Returns how many pages were recomputed.
fn reload(site: &mut Site, store: &Store) -> usize {
    site.reload(store);
    let (mut boilerplate, mut read_back) = (Boilerplate::new(&site.pages), 0);
    let is_whole = store.load_instrument(&mut boilerplate, &mut |_, of| {
        read_back = of;
        true
    });
    assert!(is_whole.unwrap());
    site.instruments.insert(boilerplate);
    read_back
}

/// All that is stored, as the next cycle would see it.
fn states(site: &Site) -> Vec<Option<Vec<u8>>> {
    let mut boilerplate = site.instruments.find::<Boilerplate>().unwrap().clone();
    boilerplate.update();
    let pages = site.pages.numbers().filter(|page| site.pages.state(*page) == crawl::State::Held);
    pages.map(|page| boilerplate.page_state(page)).chain([Some(boilerplate.state())]).collect()
}

fn changed(log: &[Observation]) -> usize {
    log.iter().filter(|seen| matches!(seen.outcome, Outcome::Changed(_))).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_crawl_with_restarts_finds_the_changes_that_one_without_finds(
        salt in any::<u64>(),
        restarts in prop::collection::vec(any::<bool>(), 12),
        batch_visits in 1_usize..9,
    ) {
        let mut home = Home::new();
        home.options = Options { batch_visits, ..Options::default() };
        let (mut ours, mut theirs) = (site(salt), site(salt));
        let (mut store, mut memory) = (home.open(), MemoryRepository::default());
        for (number, restarts) in (0..).zip(restarts) {
            cycle(&mut ours, &mut store, number);
            cycle(&mut theirs, &mut memory, number);
            prop_assert_eq!(log(&store), log(&memory));
            if restarts {
                drop(store);
                store = home.open();
                prop_assert_eq!(reload(&mut ours, &store), 0);
                ours.cycles = theirs.cycles;
            }
            prop_assert_eq!(states(&ours), states(&theirs));
        }
        store.finish().unwrap();
        verify(&home.path()).unwrap();
    }
}

#[test]
fn a_writer_that_is_stopped_leaves_the_boilerplate_of_the_visits_it_leaves() {
    for stage in [Stage::Appended, Stage::Synced, Stage::Committed] {
        for batch in [2, 9, 20] {
            let mut home = Home::new();
            let fault_injection =
                FaultInjection { stop_after: Some((batch, stage)), ..FaultInjection::default() };
            home.options = Options { batch_visits: 4, fault_injection, ..Options::default() };
            let (mut store, mut ours) = (home.open(), site(5));
            (0..9).for_each(|number| cycle(&mut ours, &mut store, number));
            drop(store);
            home.options.fault_injection = FaultInjection::default();
            let store = home.open();
            assert_eq!(reload(&mut ours, &store), 0);
            // What is loaded is what the held pages say.
            let mut read = Boilerplate::new(&ours.pages);
            for page in ours.pages.numbers() {
                if let Some(held) = crawl::Repository::read_held(&store, page).unwrap() {
                    read.restore_page(page, crawl::Saved::Held(&held));
                }
            }
            let loaded = ours.instruments.find::<Boilerplate>().unwrap();
            for page in ours.pages.numbers() {
                let is_held = crawl::Repository::held(&store, page).unwrap().is_some();
                if is_held {
                    assert_eq!(loaded.page_state(page), read.page_state(page), "{stage:?} {batch}");
                }
            }
        }
    }
}

#[test]
fn only_texts_count_as_changes_and_an_old_folder_is_read_once() {
    let home = Home::new();
    let mut store = home.open();
    let still = |address: &str, now: Time| {
        let page = rule(5)(address, day(0));
        let year = 2020 + (now - day(0)).days() as u64;
        match page {
            Reply::Tagged(text) | Reply::Page(text) => {
                Reply::Page(text.replace("© 2020", &format!("© {year}")))
            }
            other => other,
        }
    };
    let mut site = Site::new(still);
    site.cycle(&mut store, 0);
    site.cycle(&mut store, 0);
    let before = log(&store).len();
    // Without the instrument so far, as an older version crawled.
    site.detector = Arc::new(MainText);
    assert!(reload(&mut site, &store) > 20);
    assert_eq!(reload(&mut site, &store), 0);
    site.cycle(&mut store, 1);
    assert_eq!(changed(&log(&store)[before..]), 0);
    // The next year, before any other page was seen with it.
    site.cycle(&mut store, 2);
    assert_eq!(changed(&log(&store)[before..]), 0);
    site.detector = Arc::new(extract::detect::TextDigest);
    site.cycle(&mut store, 3);
    assert!(changed(&log(&store)[before..]) > 20);
}
