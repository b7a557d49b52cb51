//! Made-up webs obey the laws they were made by, and answers known in closed form come out.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use crawl::{Budget, PageId, Policy, Snapshot, Span, Time};
use lab::{
    history::{History, PageHistory},
    oracle,
    synthetic::{KINDS, Kind, Spec, SyntheticWeb},
    tournament::{Dataset, Experiment, PageSet, PreparedWeb, Run, Start, WebSource},
};
use policy::FreshnessIndex;

use crate::common::{DAY, tiny};

fn web(kind: Kind, pages: usize, seed: u64, weeks: u32) -> SyntheticWeb {
    SyntheticWeb::new(Spec { kind, pages, seed, weeks })
}

/// The instants at which a page changes, its first version left out.
fn changes(page: &PageHistory) -> Vec<Time> {
    page.versions.iter().skip(1).map(|version| version.at).collect()
}

/// Whether a page is none of the hubs: neither front page, nor directory, nor feed.
fn is_leaf(page: &PageHistory) -> bool {
    !page.address.ends_with('/') && !page.address.ends_with("feed.xml")
}

/// Everything up to the last slash of an address.
fn directory(address: &str) -> &str {
    address.rsplit_once('/').map_or(address, |(directory, _)| directory)
}

fn assert_same(one: &History, other: &History, same: bool) {
    let equal = one.pages == other.pages && one.readings == other.readings;
    assert_eq!(equal, same, "{} and {}", one.name, other.name);
}

#[test]
fn the_same_seed_makes_the_same_web_and_another_another() {
    for &(_, kind) in KINDS {
        let history = |seed| web(kind, 40, seed, 6).history();
        assert_same(&history(1), &history(1), true);
        assert_same(&history(1), &history(2), false);
    }
}

#[test]
fn pages_are_in_order_and_versions_within_the_window() {
    for &(name, kind) in KINDS {
        let history = web(kind, 130, 1, 8).history();
        assert_eq!(history.pages.len(), 130, "{name}");
        assert!(history.pages.is_sorted_by(|a, b| a.address < b.address), "{name}");
        for page in &history.pages {
            assert!(page.versions.is_sorted_by(|a, b| a.at < b.at), "{name}");
            let within = |at| (history.window.start..=history.window.end).contains(&at);
            assert!(page.versions.iter().all(|version| within(version.at)), "{name}");
        }
    }
}

#[test]
fn the_body_at_an_instant_reads_as_the_history_says() {
    for &(name, kind) in KINDS {
        let web = web(kind, 30, 5, 6);
        let history = web.history();
        let every_nine_hours =
            (0..).map(|n| web.window().start + Span::from_millis(n * 9 * 3_600_000));
        let instants: Vec<Time> =
            every_nine_hours.take_while(|&at| at <= web.window().end).collect();
        for page in &history.pages {
            // Just before each change, at it, and at other times.
            let at_changes = page
                .versions
                .iter()
                .flat_map(|version| [version.at, Time::from_millis(version.at.millis() - 1)]);
            let feed = page.address.ends_with("feed.xml");
            let kind = if feed { "application/rss+xml" } else { "text/html; charset=utf-8" };
            for at in at_changes.chain(instants.iter().copied().step_by(7)) {
                let body = web.body(&page.address, at);
                let read =
                    body.map(|body| extract::read::read(&page.address, kind, body.as_bytes()));
                let read = read.map(|snapshot| Snapshot { content: None, ..snapshot });
                let expected = page.reading(at).map(|reading| &*history.readings[reading as usize]);
                assert_eq!(read.as_ref(), expected, "{} of {name} at {at:?}", page.address);
            }
        }
    }
}

/// Changes counted over half a year against the true rates: for Poisson counts the sum of
/// (count - expected)^2 / expected has mean n, and variance 2 n + the sum of 1 / expected.
#[test]
fn pages_change_at_their_true_rates() {
    for kind in [Kind::Poisson, Kind::Clustered] {
        let web = web(kind, 300, 11, 26);
        let rates: BTreeMap<PageId, f64> = web.rates().unwrap().into_iter().collect();
        let days = web.window().length().days();
        let (mut statistic, mut variance, mut counted, mut expected_in_all) = (0.0, 0.0, 0.0, 0.0);
        let history = web.history();
        for page in &history.pages {
            let count = changes(page).len() as f64;
            let expected = rates[&PageId::from_address(&page.address)] * days;
            statistic += (count - expected).powi(2) / expected;
            variance += 2.0 + 1.0 / expected;
            counted += count;
            expected_in_all += expected;
        }
        let off = (statistic - history.pages.len() as f64) / f64::sqrt(variance);
        assert!(off.abs() < 3.0, "{kind:?}: {off} standard deviations");
        let off = (counted - expected_in_all) / f64::sqrt(expected_in_all);
        assert!(off.abs() < 3.0, "{kind:?}: {off} standard deviations in all");
    }
}

#[test]
fn rates_of_one_directory_are_alike_where_they_are_clustered() {
    let spread = |kind| {
        let web = web(kind, 1_000, 3, 1);
        let rates: BTreeMap<PageId, f64> = web.rates().unwrap().into_iter().collect();
        let mut directories: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        // Only leaves: a directory's own page has a rate of its own.
        for page in web.history().pages.iter().filter(|page| is_leaf(page)) {
            let rate = rates[&PageId::from_address(&page.address)];
            directories.entry(directory(&page.address).to_owned()).or_default().push(rate.ln());
        }
        let (mut squares, mut free) = (0.0, 0.0);
        for rates in directories.values() {
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            squares += rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
            free += rates.len() as f64 - 1.0;
        }
        f64::sqrt(squares / free)
    };
    // Log-uniform from 1/365 to 1 has a standard deviation of ln 365 / sqrt 12 = 1.70.
    assert!((spread(Kind::Poisson) - 1.70).abs() < 0.1);
    assert!((spread(Kind::Clustered) - 0.30).abs() < 0.03);
}

#[test]
fn periodic_pages_change_at_equal_gaps() {
    let history = web(Kind::Periodic, 80, 2, 30).history();
    let mut seen = BTreeSet::new();
    for page in &history.pages {
        let gaps: Vec<i64> =
            changes(page).windows(2).map(|pair| (pair[1] - pair[0]).millis()).collect();
        let periods = [1, 2, 7, 14, 28, 91].map(|days| DAY.times(days).millis());
        for &gap in &gaps {
            // Instants are whole milliseconds, so a gap may be off by one.
            let period = periods.into_iter().find(|period| period.abs_diff(gap) <= 1);
            assert!(period.is_some(), "{}: {gap} ms", page.address);
            assert!(gap.abs_diff(gaps[0]) <= 1, "{}", page.address);
            seen.extend(period);
        }
    }
    assert_eq!(seen.len(), 6, "every period occurs");
}

#[test]
fn a_shock_changes_a_whole_directory_at_one_instant() {
    let history = web(Kind::Shocks, 200, 2, 20).history();
    let mut directories: BTreeMap<&str, usize> = BTreeMap::new();
    let mut at: BTreeMap<Time, BTreeMap<&str, usize>> = BTreeMap::new();
    for page in history.pages.iter().filter(|page| is_leaf(page)) {
        *directories.entry(directory(&page.address)).or_default() += 1;
        for change in changes(page) {
            *at.entry(change).or_default().entry(directory(&page.address)).or_default() += 1;
        }
    }
    // Pages change by themselves too, but never two in the same millisecond here.
    let shocks: Vec<_> =
        at.values().filter(|changed| changed.values().any(|&pages| pages > 1)).collect();
    for changed in &shocks {
        for (directory, &pages) in *changed {
            assert_eq!(pages, directories[directory], "{directory} changed in part");
        }
    }
    // Two hosts: each is shocked as a whole about 140 / 45 times, its 4 directories 140 / 20 times.
    let whole_hosts = shocks.iter().filter(|changed| changed.len() == 4).count();
    assert!((1..20).contains(&whole_hosts), "{whole_hosts}");
    assert!((20..100).contains(&(shocks.len() - whole_hosts)), "{}", shocks.len());
}

#[test]
fn changes_of_a_bursty_page_come_in_crowds() {
    // Variance over mean of the changes in a week: 1 for steady chance, more for crowds.
    let dispersion = |kind| {
        let web = web(kind, 60, 7, 52);
        let (mut sum, mut squares, mut weeks) = (0.0, 0.0, 0.0);
        for page in &web.history().pages {
            let changes = changes(page);
            let expected = changes.len() as f64 / 52.0;
            for week in 0..52 {
                let start = web.window().start + DAY.times(7 * week);
                let within = |at: &&Time| **at > start && **at <= start + DAY.times(7);
                let count = changes.iter().filter(within).count() as f64;
                sum += count;
                squares += (count - expected).powi(2);
                weeks += 1.0;
            }
        }
        (squares / weeks) / (sum / weeks)
    };
    let (steady, bursty) = (dispersion(Kind::Poisson), dispersion(Kind::Bursty));
    assert!((0.85..1.15).contains(&steady), "{steady}");
    assert!(bursty > 2.0, "{bursty}");
}

#[test]
fn followers_show_the_same_news_some_days_after_the_first_of_their_group() {
    let web = web(Kind::Followers, 36, 2, 10);
    let address =
        |number: usize| format!("https://site0000.example/d{}/p{number:02}.html", number % 4);
    // The paragraph of news is the fifth.
    let news = |number: usize, at: Time| {
        let body = web.body(&address(number), at).unwrap();
        body.split("<p>").nth(5).unwrap().to_owned()
    };
    let days = |count: i64| web.window().start + DAY.times(count);
    let mut lags = BTreeSet::new();
    // Leaves 6 to 15 are a group, of which 6 is the first.
    for follower in 7..16 {
        let lag = (1..=3)
            .find(|&lag| (3..70).all(|day| news(follower, days(day)) == news(6, days(day - lag))));
        lags.insert(lag.unwrap_or_else(|| panic!("{} follows nobody", address(follower))));
    }
    assert!(lags.len() > 1, "{lags:?}");
    let pieces: BTreeSet<String> = (0..70).map(|day| news(6, days(day))).collect();
    assert!((12..35).contains(&pieces.len()), "{}", pieces.len());
    // Another group has other news.
    assert_ne!(news(6, days(9)), news(16, days(9)));
}

#[test]
fn a_birth_is_shown_by_at_least_two_hubs_at_once_and_by_none_before() {
    let history = web(Kind::Hubs, 200, 9, 12).history();
    let shown_by = |address: &str, at: Time| {
        let hubs = history.pages.iter().filter(|page| !is_leaf(page));
        hubs.filter(|page| {
            page.reading(at).is_some_and(|reading| {
                let links = history.readings[reading as usize].links.links();
                links.iter().any(|link| *link.address == *address)
            })
        })
        .count()
    };
    let born_later = history
        .pages
        .iter()
        .filter(|page| page.versions[0].at > history.window.start && is_leaf(page));
    let mut births = 0;
    for page in born_later {
        let born = page.versions[0].at;
        assert!(shown_by(&page.address, born) >= 2, "{}", page.address);
        assert_eq!(shown_by(&page.address, Time::from_millis(born.millis() - 1)), 0);
        births += 1;
    }
    assert!(births > 40, "{births}");
}

#[test]
fn rates_are_known_only_where_they_stay() {
    for &(name, kind) in KINDS {
        let known = web(kind, 20, 1, 2).rates().is_some();
        assert_eq!(known, matches!(kind, Kind::Poisson | Kind::Clustered), "{name}");
    }
}

/// Mean freshness over time, from one cycle a day with a tenth of the pages visited, after a
/// warm-up in which the start is forgotten; and what Cho and Garcia-Molina's optimum promises.
struct Reached {
    known_rates: f64,
    freshness_index: f64,
    round_robin: f64,
    optimum: f64,
}

fn daily(spec: Spec, warm_up: usize) -> Reached {
    let experiment = Experiment {
        cycle: DAY,
        // The last cycle's day would end after the window.
        cycles: Some(7 * spec.weeks as usize - 1),
        ..tiny::experiment(vec![])
    };
    let prepared = PreparedWeb::open(&WebSource::Synthetic(spec), Path::new("unused")).unwrap();
    let loaded = prepared.load(&experiment).unwrap();
    let dataset =
        Dataset::new(Arc::clone(&loaded.truth), PageSet::Fixed, &Start::Synchronised).unwrap();
    let budget = spec.pages as u32 / 10;
    let freshness = |policy: Box<dyn Policy>| {
        let outcome = Run::new(&dataset, policy, Budget(budget)).play().unwrap();
        outcome.value("freshness_mean", warm_up).unwrap()
    };
    let rates = loaded.rates.unwrap();
    let per_day: Vec<f64> = rates.iter().map(|&(_, rate)| rate).collect();
    let named = |name: &str| policy::by_name(name).unwrap().with_defaults(1);
    Reached {
        known_rates: freshness(Box::new(FreshnessIndex::with_rates(rates))),
        freshness_index: freshness(named("freshness-index")),
        round_robin: freshness(named("round-robin")),
        optimum: oracle::poisson_optimum(&per_day, f64::from(budget)),
    }
}

/// Measured over ten webs of 400 and 1000 pages, known rates come to 0.0 to 1.6 % below the optimum:
/// visits happen at whole days only, and half a year is short for pages that change once a year.
#[test]
fn known_rates_come_within_two_percent_of_the_optimum_on_poisson_webs() {
    let (mut reached, mut promised) = (0.0, 0.0);
    for seed in 1..=3 {
        let spec = Spec { kind: Kind::Poisson, pages: 400, seed, weeks: 30 };
        let Reached { known_rates, freshness_index, round_robin, optimum } = daily(spec, 70);
        println!(
            "optimum {optimum:.4}, known-rates {known_rates:.4}, freshness-index \
             {freshness_index:.4}, round-robin {round_robin:.4}"
        );
        assert!(freshness_index > round_robin, "{freshness_index} and {round_robin}");
        assert!(known_rates > freshness_index, "{known_rates} and {freshness_index}");
        reached += known_rates;
        promised += optimum;
    }
    assert!((reached / promised - 1.0).abs() < 0.02, "{reached} and {promised}");
}
