//! The worlds of the papers have the statistics that the papers give (`docs/worlds.md`).

use std::collections::{BTreeMap, BTreeSet};

use crawl::{Span, Time};
use lab::{
    history::{History, PageHistory},
    synthetic::{Kind, Spec, SyntheticWeb},
};
use text::workload::Source;

fn web(kind: Kind, pages: usize, weeks: u32) -> SyntheticWeb {
    SyntheticWeb::new(Spec { kind, pages, seed: 1, weeks })
}

fn host(address: &str) -> &str {
    address.split('/').nth(2).unwrap()
}

/// The number of slashes of an address after those of its scheme.
fn depth(address: &str) -> usize {
    address.matches('/').count() - 2
}

fn changes(page: &PageHistory) -> usize {
    page.versions.len() - 1
}

fn near(value: f64, expected: f64, off: f64, what: &str) {
    assert!((value - expected).abs() <= off, "{what}: {value}, not {expected}");
}

fn links(history: &History, page: &PageHistory, at: Time) -> Vec<String> {
    let reading = page.reading(at).unwrap();
    let links = history.readings[reading as usize].links.links();
    links.iter().map(|link| link.address.to_string()).collect()
}

#[test]
fn the_world_of_tan_has_the_sites_and_domains_of_table_1_at_a_tenth() {
    // Half of the full scale.
    let history = web(Kind::Tan, 14_235, 1).history();
    let mut sites: BTreeMap<&str, usize> = BTreeMap::new();
    for page in &history.pages {
        *sites.entry(host(&page.address)).or_default() += 1;
    }
    assert_eq!(sites.len(), 106);
    let of_domain = |domain: &str| {
        let pages = sites.iter().filter(|(site, _)| site.ends_with(domain)).map(|site| *site.1);
        pages.sum::<usize>() as f64 / 14_235.0
    };
    for (domain, share) in [(".edu", 0.377), (".com", 0.354), (".gov", 0.136), (".org", 0.079)] {
        near(of_domain(domain), share, 0.06, domain);
    }
    // Most addresses have two to four slashes, few seven or eight; the largest site has 1.2 %.
    let share = |least: usize, most: usize| {
        let fits = |page: &&PageHistory| (least..=most).contains(&depth(&page.address));
        history.pages.iter().filter(fits).count() as f64 / 14_235.0
    };
    assert!(share(2, 4) > 0.7 && share(7, 8) < 0.05, "{} {}", share(2, 4), share(7, 8));
    assert!(*sites.values().max().unwrap() < 14_235 / 20);
}

#[test]
fn a_tenth_of_the_world_of_tan_changes_often_and_most_of_it_hardly_ever() {
    let history = web(Kind::Tan, 4_000, 52).history();
    let often = history.pages.iter().filter(|page| changes(page) >= 7).count() as f64 / 4_000.0;
    let never = history.pages.iter().filter(|page| changes(page) == 0).count() as f64 / 4_000.0;
    near(often, 0.1, 0.05, "often");
    // Three quarters that hardly ever change, and e^-1 of 15 % that change once a year.
    near(never, 0.75 * 0.98 + 0.15 * 0.37, 0.08, "never");
    let busy: Vec<usize> =
        history.pages.iter().map(changes).filter(|&changes| changes >= 7).collect();
    // 2.2 changes in eight weeks, times 1.05 for the spread of rates.
    near(busy.iter().sum::<usize>() as f64 / busy.len() as f64, 2.2 * 6.5 * 1.05, 1.5, "rate");
    // In eight weeks from the start about 11 % change: what random visits find at first.
    let eight = history.window.start + Span::from_days(56);
    let changed = |page: &&PageHistory| page.versions.get(1).is_some_and(|next| next.at <= eight);
    near(history.pages.iter().filter(changed).count() as f64 / 4_000.0, 0.113, 0.05, "eight weeks");
}

#[test]
fn folders_of_the_world_of_tan_mix_topics_and_texts_tell_them() {
    let web = web(Kind::Tan, 3_000, 52);
    let history = web.history();
    let mut folders: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for page in &history.pages {
        let folder = page.address.rsplit_once('/').unwrap().0;
        folders.entry(folder).or_default().push(f64::from(u8::from(changes(page) >= 7)));
    }
    let share = |pages: &Vec<f64>| pages.iter().sum::<f64>() / pages.len() as f64;
    let large = folders.values().filter(|pages| pages.len() >= 15);
    // A folder with one topic that changes often has 40 or 60 % of it, not all.
    let mixed: Vec<f64> = large.map(share).filter(|&share| share > 0.2).collect();
    assert!(mixed.len() >= 8, "{mixed:?}");
    let middle = mixed.iter().filter(|share| (0.25..0.8).contains(*share)).count();
    assert!(middle * 10 >= mixed.len() * 7, "{mixed:?}");
    // Pages that change often are larger, and have more images.
    let body = |page: &PageHistory| web.body(&page.address, history.window.start).unwrap();
    let mean = |is_often: bool, of: &dyn Fn(&str) -> usize| {
        let pages = history.pages.iter().filter(|page| (changes(page) >= 7) == is_often);
        let values: Vec<usize> = pages.map(|page| of(&body(page))).collect();
        values.iter().sum::<usize>() as f64 / values.len() as f64
    };
    let images = |body: &str| body.matches("<img").count();
    let words = |body: &str| body.split(' ').count();
    assert!(mean(true, &images) > mean(false, &images) + 1.5);
    assert!(mean(true, &words) > 1.2 * mean(false, &words));
}

#[test]
fn every_page_of_the_world_searched_changes_and_a_share_of_them_every_week() {
    let web = web(Kind::Searched, 1_500, 48);
    let history = web.history();
    let sites: BTreeSet<&str> = history.pages.iter().map(|page| host(&page.address)).collect();
    assert_eq!(sites.len(), 15);
    assert!(history.pages.iter().all(|page| changes(page) >= 1));
    let share = |fits: &dyn Fn(usize) -> bool| {
        history.pages.iter().filter(|page| fits(changes(page))).count() as f64 / 1_500.0
    };
    near(share(&|changes| changes == 48), 0.4, 0.04, "weekly");
    near(share(&|changes| changes <= 3), 0.4, 0.1, "very slow");
    // Every page is there all the time.
    assert!(history.pages.iter().all(|page| page.versions.iter().all(|it| it.reading.is_some())));
}

#[test]
fn only_news_of_the_world_searched_changes_asked_words_every_week() {
    let web = web(Kind::Searched, 600, 12);
    let workload = web.workload().unwrap();
    assert_eq!(workload.source, Source::File("the world searched".to_owned()));
    // A few queries of two words are asked twice.
    assert!((1_950..=2_000).contains(&workload.queries.len()), "{}", workload.queries.len());
    let ratio = workload.queries[0].frequency / workload.queries[9].frequency;
    near(ratio, 10.0, 1.0, "Zipf");
    let two = workload.queries.iter().filter(|query| query.text.contains(' ')).count();
    near(two as f64 / workload.queries.len() as f64, 0.3, 0.02, "two words");
    let asked: BTreeSet<String> = workload
        .queries
        .iter()
        .flat_map(|query| query.text.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let history = web.history();
    let at = |week: i64| history.window.start + Span::from_days(7 * week);
    let words = |page: &PageHistory, week: i64| -> (BTreeSet<String>, Vec<String>) {
        let body = web.body(&page.address, at(week)).unwrap();
        // Without its links.
        let text = body.split("<ul>").next().unwrap();
        let words: Vec<String> = text
            .split(|c: char| !c.is_ascii_lowercase())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        (words.iter().filter(|word| asked.contains(*word)).cloned().collect(), words)
    };
    let (mut news, mut advertisements) = (0, 0);
    for page in history.pages.iter().filter(|page| changes(page) == 12) {
        let changed =
            (1..12).filter(|&week| words(page, week).0 != words(page, week - 1).0).count();
        let (before, after) = (words(page, 0).1, words(page, 1).1);
        let same = before.iter().zip(&after).filter(|(one, other)| one == other).count();
        if changed == 0 {
            advertisements += 1;
            // More than half of the page is another advertisement.
            assert!(same * 10 < before.len() * 7, "{same} of {}", before.len());
        } else {
            news += 1;
            assert!(changed >= 9, "{}: {changed}", page.address);
        }
    }
    near(f64::from(news) / 600.0, 0.1, 0.03, "news");
    near(f64::from(advertisements) / 600.0, 0.3, 0.05, "advertisements");
}

#[test]
fn the_world_discover_grows_as_the_sites_of_the_paper_did() {
    // Four of its 42 sites.
    let history = web(Kind::Discover, 7_280, 23).history();
    let sites: BTreeSet<&str> = history.pages.iter().map(|page| host(&page.address)).collect();
    assert_eq!(sites.len(), 4);
    let born = |page: &PageHistory| page.versions[0].at;
    let new: Vec<&PageHistory> =
        history.pages.iter().filter(|page| born(page) > history.window.start).collect();
    // A fifth of 231 new pages by site and week.
    near(new.len() as f64 / 4.0 / 23.0, 46.2, 1.0, "new pages by site and week");
    // In its first week, an old page shows 40 % of them, and pages as new as itself the others.
    let week = |at: Time| (at - history.window.start).millis() / Span::from_days(7).millis();
    let mut direct: BTreeSet<String> = BTreeSet::new();
    let mut led: BTreeMap<i64, BTreeSet<&str>> = BTreeMap::new();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    let new_in: BTreeMap<&str, i64> =
        new.iter().map(|page| (page.address.as_str(), week(born(page)))).collect();
    for page in &history.pages {
        let is_old = born(page) == history.window.start;
        for version in &page.versions {
            for to in links(&history, page, version.at) {
                let Some(&first) = new_in.get(to.as_str()) else { continue };
                shown.insert(to.clone());
                if is_old && week(version.at) == first {
                    direct.insert(to);
                    led.entry(first).or_default().insert(&page.address);
                }
            }
        }
    }
    assert_eq!(shown.len(), new.len(), "no page is an orphan");
    near(direct.len() as f64 / new.len() as f64, 0.4, 0.03, "linked directly");
    // By the last week about half as many pages again have led to new ones as there are new ones a
    // week: so many visits as the paper's overhead says.
    let ever: BTreeSet<&str> = led.values().flatten().copied().collect();
    assert!((40..110).contains(&(ever.len() / 4)), "{}", ever.len() / 4);
    let before_last: BTreeSet<&str> =
        led.range(..22).flat_map(|(_, pages)| pages.iter().copied()).collect();
    let last = &led[&22];
    assert!(last.iter().filter(|page| before_last.contains(**page)).count() * 2 > last.len());
}

#[test]
fn front_pages_and_mirrors_of_the_world_discover_show_the_same() {
    let history = web(Kind::Discover, 1_820, 23).history();
    let end = history.window.end;
    let find = |name: &str| {
        let page = history.pages.iter().find(|page| page.address.ends_with(name)).unwrap();
        let links = links(&history, page, end).into_iter();
        links.filter(|link| link.contains("/new/")).collect::<BTreeSet<_>>()
    };
    assert!(find(".example/").len() > 10);
    assert_eq!(find(".example/"), find("front4.html"));
    assert!(find("s00/m0.html").len() > 20);
    assert_eq!(find("s00/m0.html"), find("s00/m3.html"));
    assert!(find("s00/m0.html").is_disjoint(&find(".example/")));
    assert!(find("s00/m0.html").len() > find("s05/m0.html").len());
}

#[test]
fn pages_of_a_topic_change_together_for_some_days() {
    let history = web(Kind::Topics, 192, 26).history();
    let day = |at: Time| (at - history.window.start).millis() / Span::from_days(1).millis();
    let label = |page: &PageHistory| {
        let mut days = vec![false; 182];
        for version in &page.versions[1..] {
            days[day(version.at) as usize] = true;
        }
        days
    };
    let labels: Vec<Vec<bool>> = history.pages.iter().map(label).collect();
    let share = |of: &dyn Fn(&[bool]) -> usize, by: usize| {
        labels.iter().map(|days| of(days)).sum::<usize>() as f64 / (192 * by) as f64
    };
    near(share(&|days| days.iter().filter(|day| **day).count(), 182), 0.45, 0.05, "changes");
    // The filter of the paper: the label turns on 30 % of the days.
    let turns = |days: &[bool]| days.windows(2).filter(|two| two[0] != two[1]).count();
    near(share(&turns, 181), 0.32, 0.03, "turns");
    // Pages of a topic say on which days it was active: most of them changed, or few.
    let of_topic = |topic: usize, day: usize| {
        let pages = (topic..192).step_by(6);
        pages.filter(|&page| labels[page][day]).count() as f64 / 32.0
    };
    let (mut active, mut stayed, mut between) = (0, 0, 0);
    for topic in 0..6 {
        let is_active: Vec<bool> = (0..182).map(|day| of_topic(topic, day) > 0.45).collect();
        between += (0..182).filter(|&day| (0.3..0.6).contains(&of_topic(topic, day))).count();
        active += is_active.iter().filter(|day| **day).count();
        stayed += is_active.windows(2).filter(|two| two[0] == two[1]).count();
    }
    near(active as f64 / (6.0 * 182.0), 0.5, 0.08, "active");
    near(stayed as f64 / (6.0 * 181.0), 0.85, 0.04, "stays");
    assert!(between < 30, "{between} days are neither");
}

#[test]
fn pages_of_a_topic_share_words_of_the_day_and_a_subject_has_two_topics() {
    let web = web(Kind::Topics, 192, 26);
    let history = web.history();
    let words = |page: usize, part: usize, day: i64| -> BTreeSet<String> {
        let at = history.window.start + Span::from_days(day);
        let body = web.body(&history.pages[page].address, at).unwrap();
        let text = body.split("<p>").nth(part).unwrap();
        text.split("</p>").next().unwrap().split(' ').map(str::to_owned).collect()
    };
    // Pages 0 and 6 are of topic 0, page 1 of topic 1, page 2 of another subject.
    assert_eq!(words(0, 1, 9), words(1, 1, 9));
    assert!(words(0, 1, 9).is_disjoint(&words(2, 1, 9)));
    let shared = |one: usize, other: usize| {
        (1..182).filter(|&day| !words(one, 3, day).is_disjoint(&words(other, 3, day))).count()
    };
    assert!(shared(0, 6) > 50, "{}", shared(0, 6));
    assert!(shared(0, 1) < 10, "{}", shared(0, 1));
}

#[test]
fn worlds_at_full_scale_have_their_pages() {
    for (kind, expected) in [
        (Kind::Tan, (28_469, 52)),
        (Kind::Searched, (10_000, 48)),
        (Kind::Discover, (76_440, 23)),
        (Kind::Topics, (192, 26)),
    ] {
        assert_eq!(kind.full_scale(), Some(expected));
    }
    assert_eq!(Kind::Poisson.full_scale(), None);
}
