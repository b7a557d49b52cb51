//! What a crawl remembers of the last visits of its pages, for policies that look back.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
#[expect(dead_code, reason = "these tests need a part of it")]
mod scripted;

use std::sync::Arc;

use flow::{
    Answer, Link, LinkList, Time,
    features::{Changes, Facts, Features, Look, Target, term_hash},
};

use crate::scripted::{A, Site, day, fails};

/// A page of these words, each as often as it is written, and links.
fn page(text: &str, links: &[&str]) -> Vec<Answer> {
    let html = format!("<title>t</title><p>{text}</p>");
    let read = flow::read::read("http://a.example/", "text/html", html.as_bytes());
    let links = links.iter().map(|address| Link::to(*address)).collect();
    vec![Answer::Content(Arc::new(flow::Snapshot {
        links: Arc::new(LinkList::new(links)),
        ..read
    }))]
}

/// Looks at page A once a day, from the first day to the last.
fn watched(
    rule: impl Fn(Time) -> Vec<Answer> + 'static,
    looks: usize,
    days: i64,
) -> Option<Vec<Look>> {
    let mut site = Site::new(move |_, now| rule(now)).planning(|_, _, _| vec![A]);
    site.features = Features::wanted().looking_back(looks);
    for number in 1..=days {
        site.cycle(number, 1).unwrap();
    }
    site.features.facts(A).map(Facts::looks)
}

fn changes(looks: &[Look]) -> Vec<(i64, bool, bool, bool)> {
    let told = |look: &Look| {
        let Changes { any, significant, new_link } = look.changes;
        (look.at.millis() / 86_400_000, any, significant, new_link)
    };
    looks.iter().map(told).collect()
}

#[test]
fn every_visit_that_told_something_is_looked_back_on() {
    let often = "sand ".repeat(40);
    let looks = watched(
        move |now| match now {
            now if now == day(2) => vec![Answer::NotModified],
            now if now == day(3) => fails(),
            // A word more, which forty others make insignificant.
            now if now >= day(6) => page(&format!("{}tide", "wave ".repeat(40)), &["b", "c"]),
            now if now >= day(5) => page(&format!("{often}tide"), &["b", "c"]),
            now if now >= day(4) => page(&format!("{often}tide"), &["b"]),
            _ => page(&often, &["b"]),
        },
        10,
        6,
    )
    .unwrap();
    assert_eq!(
        changes(&looks),
        [
            (1, false, false, false),
            (2, false, false, false),
            (4, true, false, false),
            // The same text with one link more.
            (5, false, false, true),
            (6, true, true, false),
        ]
    );
    assert!(looks[4].changes.of(Target::Significant) && !looks[2].changes.of(Target::Significant));
    let sand: Vec<u16> = looks.iter().map(|look| look.words.count(term_hash("sand"))).collect();
    assert_eq!(sand, [40, 40, 40, 40, 0]);
}

#[test]
fn no_more_visits_are_kept_than_are_looked_back_on() {
    let rule = |now: Time| page(&format!("day{} ", now.millis() / 86_400_000).repeat(30), &[]);
    let looks = watched(rule, 3, 8).unwrap();
    assert_eq!(changes(&looks).iter().map(|look| look.0).collect::<Vec<_>>(), [6, 7, 8]);
    let word = |day: u32| looks[day as usize - 6].words.count(term_hash(&format!("day{day}")));
    assert_eq!([word(6), word(7), word(8)], [30, 30, 30]);
}

#[test]
fn nothing_is_kept_where_nobody_looks_back() {
    assert_eq!(watched(|_| page("sand", &[]), 0, 3).unwrap(), []);
}

#[test]
fn a_page_that_is_gone_is_forgotten_and_begins_anew() {
    let rule = |now: Time| {
        if now == day(3) { vec![Answer::Gone] } else { page("sand", &[]) }
    };
    assert_eq!(watched(rule, 9, 3), None);
}
