//! The window of last visits that a crawl keeps of its pages.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
use std::sync::Arc;

use crawl::{
    Answer, Link, LinkList, Time,
    testing::{A, Site, day, fails},
};
use instruments::features::{Changes, FeatureNeeds, Features, PageFeatures, Target, VisitRecord};
use text::counts::term_hash;

/// A page of these words, each as often as it is written, and links.
fn page(text: &str, links: &[&str]) -> Vec<Answer> {
    let html = format!("<title>t</title><p>{text}</p>");
    let read = extract::read::read("http://a.example/", "text/html", html.as_bytes());
    let links = links.iter().map(|address| Link::to(*address)).collect();
    vec![Answer::Content(Arc::new(crawl::Snapshot {
        links: Arc::new(LinkList::new(links)),
        ..read
    }))]
}

/// Visits page A once a day, from the first day to the last.
fn visits(
    rule: impl Fn(Time) -> Vec<Answer> + 'static,
    look_back: usize,
    days: i64,
) -> Option<Vec<VisitRecord>> {
    let mut site = Site::new(move |_, now| rule(now)).planning(|_, _, _| vec![A]);
    site.instruments.insert(Features::new(FeatureNeeds { look_back }));
    for number in 1..=days {
        site.cycle(number, 1).unwrap();
    }
    site.instruments.find::<Features>().unwrap().page(A).map(PageFeatures::visits)
}

fn changes(visits: &[VisitRecord]) -> Vec<(i64, bool, bool, bool)> {
    let row = |visit: &VisitRecord| {
        let Changes { any, significant, new_link } = visit.changes;
        (visit.at.millis() / 86_400_000, any, significant, new_link)
    };
    visits.iter().map(row).collect()
}

#[test]
fn every_conclusive_visit_is_kept() {
    let often = "sand ".repeat(40);
    let found = visits(
        move |now| match now {
            now if now == day(2) => vec![Answer::NotModified],
            now if now == day(3) => fails(),
            // One more word is not significant among forty others.
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
        changes(&found),
        [
            (1, false, false, false),
            (2, false, false, false),
            (4, true, false, false),
            // The same text with one more link.
            (5, false, false, true),
            (6, true, true, false),
        ]
    );
    assert!(
        found[4].changes.includes(Target::Significant)
            && !found[2].changes.includes(Target::Significant)
    );
    let sand: Vec<u16> = found.iter().map(|visit| visit.words.count(term_hash("sand"))).collect();
    assert_eq!(sand, [40, 40, 40, 40, 0]);
}

#[test]
fn only_the_needed_visits_are_kept() {
    let rule = |now: Time| page(&format!("day{} ", now.millis() / 86_400_000).repeat(30), &[]);
    let found = visits(rule, 3, 8).unwrap();
    assert_eq!(changes(&found).iter().map(|visit| visit.0).collect::<Vec<_>>(), [6, 7, 8]);
    let word = |day: u32| found[day as usize - 6].words.count(term_hash(&format!("day{day}")));
    assert_eq!([word(6), word(7), word(8)], [30, 30, 30]);
}

#[test]
fn nothing_is_kept_without_a_look_back() {
    assert_eq!(visits(|_| page("sand", &[]), 0, 3).unwrap(), []);
}

#[test]
fn a_gone_page_has_no_visits() {
    let rule = |now: Time| {
        if now == day(3) { vec![Answer::Gone] } else { page("sand", &[]) }
    };
    assert_eq!(visits(rule, 9, 3), None);
}
