use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::workload::Query;
use crawl::TextRange;

/// A page of these headings and links, one after another.
fn page(title: &str, headings: &[&str], anchors: &[&str]) -> Content {
    let mut content = Content { title: title.into(), ..Content::default() };
    for (number, part) in headings.iter().chain(anchors).enumerate() {
        let from = content.text.len() as u32;
        content.text.push_str(part);
        let range = TextRange { from, to: content.text.len() as u32 };
        content.text.push(' ');
        if number < headings.len() {
            content.headings.push(range);
        } else {
            content.anchors.push(range);
        }
    }
    content
}

fn workload(pages: &[Content], limit: usize, frequencies: Option<&Workload>) -> Workload {
    let mut queries = PseudoQueries::default();
    for page in pages {
        queries.add(page);
    }
    queries.finish(limit, frequencies)
}

fn counted(queries: PseudoQueries) -> BTreeMap<String, u32> {
    queries.phrases.into_phrases().collect()
}

fn texts(workload: &Workload) -> Vec<&str> {
    workload.queries.iter().map(|query| query.text.as_str()).collect()
}

/// The queries in alphabetical order, regardless of frequency.
fn sorted(workload: &Workload) -> Vec<&str> {
    let mut texts = texts(workload);
    texts.sort_unstable();
    texts
}

#[test]
fn titles_headings_and_links_become_pseudo_queries() {
    let queries = workload(&[page("Kan Extensions", &["1. Idea"], &["Adjoint functor"])], 10, None);
    assert!(queries.source.is_pseudo());
    assert_eq!(sorted(&queries), ["adjoint functor", "idea", "kan extensions"]);
}

#[test]
fn the_phrase_on_the_most_pages_is_asked_the_most() {
    let pages = [
        page("One", &[], &["Monad", "Monad", "Monad"]),
        page("Two", &["Monad"], &["Topos"]),
        page("Three", &["Topos"], &["Monad"]),
    ];
    let queries = workload(&pages, 10, None);
    // Monad on three pages, Topos on two, each title on one.
    assert_eq!(texts(&queries)[..2], ["monad", "topos"]);
    assert_eq!(sorted(&queries), ["monad", "one", "three", "topos", "two"]);
    assert_eq!(texts(&workload(&pages, 2, None)), ["monad", "topos"]);
}

#[test]
fn the_name_of_the_site_is_cut_off_titles_and_a_page_counts_once() {
    // Each page says its name twice, in its title and as a heading; Topos is linked, too.
    let pages = [
        page("Monad | nLab", &["Monad"], &[]),
        page("Topos | nLab", &["Topos"], &[]),
        page("Sheaf | nLab", &["Sheaf"], &["Topos"]),
    ];
    let queries = workload(&pages, 10, None);
    assert_eq!(sorted(&queries), ["monad", "sheaf", "topos"]);
    let mut collected = PseudoQueries::default();
    for page in &pages {
        collected.add(page);
    }
    collected.find_site_names();
    let pages = counted(collected);
    assert_eq!([pages["monad"], pages["topos"]], [1, 2]);
}

#[test]
fn titles_after_the_site_name_is_known_are_cut_at_once() {
    let mut collected = PseudoQueries::default();
    for title in ["Monad | nLab", "Topos | nLab", "Sheaf | nLab"] {
        collected.add(&page(title, &[], &[]));
    }
    collected.find_site_names();
    collected.add(&page("Stack | nLab", &["Stack"], &[]));
    assert_eq!(sorted(&collected.clone().finish(10, None)), ["monad", "sheaf", "stack", "topos"]);
    assert_eq!(counted(collected)["stack"], 1);
}

#[test]
fn on_thirty_pages_what_stands_on_more_than_a_tenth_is_navigation() {
    let subject = |number: usize| format!("subject s{number}");
    let site = |pages: usize| -> Vec<Content> {
        let anchors =
            |number: usize| if number < 3 { ["Home", "Popular"] } else { ["Home", "Next"] };
        (0..pages).map(|number| page(&subject(number), &[], &anchors(number))).collect()
    };
    let queries = workload(&site(30), 100, None);
    assert_eq!(queries.queries.len(), 31);
    assert_eq!(texts(&queries)[0], "popular");
    // 29 pages are too few to decide.
    let queries = workload(&site(29), 100, None);
    assert_eq!(queries.queries.len(), 32);
    assert!(texts(&queries).contains(&"home"));
}

#[test]
fn ties_are_not_broken_by_the_alphabet() {
    let headings: Vec<String> = ('a'..='z').map(|letter| format!("{letter}{letter}")).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let queries = workload(&[page("", &headings, &[])], 8, None);
    assert!(sorted(&queries)[7] > "mm", "{:?}", sorted(&queries));
}

#[test]
fn a_phrase_on_very_many_pages_is_asked_no_more_than_one_on_many() {
    let on = |linked: &[&str]| page("", &[], linked);
    let mut pages: Vec<Content> = (0..20).map(|_| on(&["Often", "Always"])).collect();
    pages.extend((0..80).map(|_| on(&["Always"])));
    pages.extend((0..2_000).map(|_| on(&[])));
    let queries = workload(&pages, 10, None);
    let first = if Digest::from_bytes(b"often") < Digest::from_bytes(b"always") {
        "often"
    } else {
        "always"
    };
    assert_eq!(texts(&queries)[0], first);
}

#[test]
fn frequencies_follow_the_workload_that_is_given() {
    let given = |frequencies: &[f64]| {
        let texts = (0..frequencies.len()).map(|number| format!("query {number}"));
        Workload::new(Source::Log, texts.zip(frequencies.iter().copied()))
    };
    let frequencies = |like: &Workload| -> Vec<f64> {
        let pages = [page("", &["Aa", "Bb", "Cc", "Dd"], &[])];
        let queries = workload(&pages, 10, Some(like)).queries;
        queries.iter().map(|query: &Query| query.frequency).collect()
    };
    assert_eq!(frequencies(&given(&[2.0, 9.0, 7.0, 4.0, 1.0])), [9.0, 7.0, 4.0, 2.0]);
    assert_eq!(frequencies(&given(&[5.0, 3.0])), [5.0, 5.0, 3.0, 3.0]);
    let falling = [1.0, 2.0_f64.powf(-0.7), 3.0_f64.powf(-0.7), 4.0_f64.powf(-0.7)];
    assert_eq!(frequencies(&given(&[])), falling);
}

#[test]
fn without_phrases_there_are_no_queries() {
    assert_eq!(workload(&[], 10, None).queries, []);
    assert_eq!(workload(&[page("", &[], &[])], 10, None).queries, []);
    assert_eq!(workload(&[page("Monad", &[], &[])], 0, None).queries, []);
}

#[test]
fn a_huge_title_is_ignored() {
    let endless = page(&"a | ".repeat(1_000_000), &["Monad"], &[]);
    assert_eq!(texts(&workload(&[endless], 10, None)), ["monad"]);
}

#[test]
fn ranges_outside_the_text_are_ignored() {
    let mut broken = page("Monad", &["é"], &[]);
    broken.headings = vec![TextRange { from: 1, to: 2 }, TextRange { from: 9, to: 4 }];
    broken.anchors = vec![TextRange { from: 0, to: u32::MAX }];
    assert_eq!(texts(&workload(&[broken], 10, None)), ["monad"]);
}

proptest! {
    #[test]
    fn any_pages_give_short_queries_and_the_order_of_pages_does_not_matter(
        parts in prop::collection::vec(("[a-cA-C |·-]{0,12}", "[a-c 0-9.é猫-]{0,20}", "\\PC{0,20}"), 0..40),
    ) {
        let mut pages: Vec<Content> = parts
            .iter()
            .map(|(title, heading, anchor)| page(title, &[heading], &[anchor]))
            .collect();
        let queries = workload(&pages, 20, None);
        prop_assert!(queries.queries.len() <= 20);
        for query in &queries.queries {
            let words = query.text.split(' ').count();
            prop_assert!((1..=6).contains(&words), "{:?}", query.text);
            prop_assert!(query.frequency > 0.0);
        }
        pages.reverse();
        prop_assert_eq!(workload(&pages, 20, None), queries);
    }
}
