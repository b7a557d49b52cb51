//! What a user of the demo web relies on: histories are the truth, and everything can be reached.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crawl::{Span, Time};
use demo::{DemoWeb, Mime, PageHistory};
use proptest::prelude::*;

const START: Time = Time::from_millis(1_772_524_800_000);
const DAYS: u32 = 60;

fn web() -> &'static DemoWeb {
    static WEB: OnceLock<DemoWeb> = OnceLock::new();
    WEB.get_or_init(|| DemoWeb::new(7, START, DAYS))
}

fn histories() -> &'static [PageHistory<'static>] {
    static HISTORIES: OnceLock<Vec<PageHistory<'static>>> = OnceLock::new();
    HISTORIES.get_or_init(|| web().history().collect())
}

fn day(day: i64) -> Time {
    START + Span::from_days(day)
}

/// What is linked from `address` at `at`, without what asks not to be followed.
fn links(address: &str, at: Time) -> Vec<String> {
    let served = web().page(address, at);
    match served.status {
        200 => {
            let snapshot = extract::read::read(address, served.mime.content_type(), &served.body);
            let links = snapshot.links.links().iter().filter(|link| link.follow);
            links.map(|link| link.address.to_string()).collect()
        }
        _ => served.location.into_iter().collect(),
    }
}

/// Every address that can be reached by links; months of the calendar beyond the second year are
/// left alone.
fn reached(at: Time) -> BTreeSet<String> {
    let known: BTreeSet<&str> = histories().iter().map(PageHistory::address).collect();
    let mut reached: BTreeSet<String> = web().seeds().into_iter().collect();
    let mut waiting: Vec<String> = web().seeds();
    while let Some(address) = waiting.pop() {
        for link in links(&address, at) {
            if known.contains(&*link) && reached.insert(link.clone()) {
                waiting.push(link);
            }
        }
    }
    reached
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn a_page_serves_what_its_history_says(number in 0_usize..1_000_000, second in -86_400_i64..61 * 86_400) {
        let history = &histories()[number % histories().len()];
        let at = START + Span::from_millis(second * 1_000 + 17);
        let served = web().page(history.address(), at);
        let version = history.versions().take_while(|version| version.at <= at).last();
        match version {
            None => prop_assert_eq!(served.status, 404),
            Some(version) => {
                prop_assert_eq!(served.status, version.status);
                prop_assert_eq!(served.mime, version.mime);
                prop_assert_eq!(served.body, version.body);
            }
        }
    }
}

#[test]
fn equal_seeds_give_equal_webs_and_others_do_not() {
    let (again, other) = (DemoWeb::new(7, START, DAYS), DemoWeb::new(8, START, DAYS));
    let served = |web: &DemoWeb| {
        let front = |host| web.page(&format!("http://{host}/"), day(9)).body;
        web.hosts().into_iter().map(front).collect::<Vec<_>>()
    };
    assert_eq!(served(&again), served(web()));
    assert_ne!(served(&other), served(web()));
    let addresses = |web: &DemoWeb| {
        web.history().map(|history| history.address().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(addresses(&again), addresses(web()));
}

#[test]
fn nothing_is_served_before_the_start() {
    let before = START + Span::from_millis(-1);
    for history in histories() {
        assert_eq!(web().page(history.address(), before).status, 404);
        assert!(history.versions().next().is_some_and(|version| version.at >= START));
    }
}

#[test]
fn addresses_are_canonical_sorted_and_unique() {
    let addresses: Vec<&str> = histories().iter().map(PageHistory::address).collect();
    assert!(addresses.windows(2).all(|pair| pair[0] < pair[1]));
    for address in addresses {
        assert_eq!(extract::read::address::canonical(address).as_deref(), Some(address));
    }
}

#[test]
fn every_page_that_is_there_can_be_reached_by_links() {
    for at in [START, day(30)] {
        let reached = reached(at);
        let missing: Vec<&str> = histories()
            .iter()
            .map(PageHistory::address)
            .filter(|address| {
                let served = web().page(address, at);
                let is_page = served.status == 200 && served.mime == Mime::Html;
                is_page && !reached.contains(*address)
            })
            // Only links that ask not to be followed lead to these.
            .filter(|address| {
                !["/login", "/basket/", "/compare", "/edit/new"]
                    .iter()
                    .any(|end| address.ends_with(end))
            })
            .collect();
        assert!(
            missing.is_empty(),
            "{} of them, as {:?}",
            missing.len(),
            &missing[..missing.len().min(9)]
        );
    }
}

#[test]
fn about_two_thousand_pages_are_there_at_any_time() {
    for at in [START, day(30), day(59)] {
        assert!((1_700..2_900).contains(&web().alive(at)), "{}", web().alive(at));
    }
}

#[test]
fn a_minority_of_pages_changes_often_and_about_half_never() {
    let mut changes = Vec::new();
    for history in histories() {
        let (mut count, mut was_there) = (0, false);
        for version in history.versions().take_while(|version| version.at <= day(30)) {
            if version.at == START && version.status == 200 && version.mime == Mime::Html {
                was_there = true;
            } else {
                count += 1;
            }
        }
        if was_there {
            changes.push(count);
        }
    }
    let share = |least: usize| {
        changes.iter().filter(|count| **count >= least).count() as f64 / changes.len() as f64
    };
    assert!((0.35..0.6).contains(&share(1)), "{} change at all", share(1));
    assert!((0.02..0.2).contains(&share(15)), "{} change every other day", share(15));
}

#[test]
fn pages_are_neither_empty_nor_huge() {
    let mut sizes = BTreeMap::new();
    for history in histories() {
        let served = web().page(history.address(), day(20));
        if served.status == 200 && served.mime == Mime::Html {
            sizes.insert(served.body.len(), history.address());
        }
    }
    let (smallest, largest) = (sizes.first_key_value().unwrap(), sizes.last_key_value().unwrap());
    assert!(*smallest.0 > 500, "{smallest:?}");
    assert!(*largest.0 < 16_000, "{largest:?}");
}

#[test]
fn the_lamp_room_changes_its_bytes_and_never_its_text() {
    let address =
        histories().iter().map(PageHistory::address).find(|address| address.contains("/lamps/"));
    let address = address.unwrap();
    let (then, now) = (web().page(address, START), web().page(address, day(1)));
    let text = |body: &[u8]| extract::read::read(address, "text/html", body).content;
    assert_ne!(then.body, now.body);
    assert_eq!(text(&then.body), text(&now.body));
}

#[test]
fn the_calendar_goes_on_and_is_left_out_of_the_histories() {
    let far = "http://slipway-club.example/calendar/3141-05";
    assert_eq!(web().page(far, day(1)).status, 200);
    assert!(links(far, day(1)).iter().any(|link| link.ends_with("/calendar/3141-06")));
    assert!(!histories().iter().any(|history| history.address() == far));
}

#[test]
fn addresses_that_are_none_of_ours_are_refused() {
    assert_eq!(web().page("http://elsewhere.example/", day(1)).status, 421);
    assert_eq!(web().page("http://index.example/nothing", day(1)).status, 404);
    assert_eq!(web().page("not an address", day(1)).status, 421);
}

#[test]
fn a_truthful_sitemap_names_the_last_change_and_a_lying_one_the_last_build() {
    let lastmods = |host: &str, at| {
        let body = web().page(&format!("http://{host}/sitemap.xml"), at).body;
        let body = String::from_utf8(body.to_vec()).unwrap();
        let dates = body.split("<lastmod>").skip(1).map(|rest| rest[..20].to_owned());
        dates.collect::<BTreeSet<String>>()
    };
    assert_eq!(lastmods("shore-docs.example", day(10)).len(), 1);
    assert!(lastmods("coast-cyclopedia.example", day(10)).len() > 100);
}

#[test]
fn every_seed_and_every_start_make_a_web() {
    for seed in 0..8 {
        let web = DemoWeb::new(seed, START, 40);
        let alive = web.alive(day(20));
        assert!((1_700..2_900).contains(&alive), "{alive} pages with seed {seed}");
        assert_eq!(web.hosts().len(), 20);
    }
    for (start, days) in [(i64::MIN, 1), (0, 0), (i64::MAX, u32::MAX)] {
        let web = DemoWeb::new(1, Time::from_millis(start), days);
        assert_eq!(web.page("http://index.example/", web.start()).status, 200);
        assert_eq!(web.page("http://daily-tide.example/", web.end()).status, 200);
    }
}
