//! The ground truth of the detector `main-text`: a change of the template is no change of any page.
use std::sync::Arc;

use crawl::{ChangeDetector, Instruments};
use extract::detect::by_name;
use lab::{
    history::{History, PageHistory, Version, Window},
    truth::GroundTruth,
};

use crate::common::{DAY, START, truth_of};

const WEEK: crawl::Span = DAY.times(7);
const WEEKS: usize = 5;

/// What a page shows in a week.
fn body(pages: usize, page: usize, week: usize) -> String {
    // Week 1 brings a new year, week 2 an entry of the menu.
    let year = if week < 1 { 2025 } else { 2026 };
    let menu = if week < 2 { "<p>Home<p>About" } else { "<p>Home<p>News<p>About" };
    let text = match (page, week) {
        // The first page changes in week 3, and turns its lines around in week 4.
        (0, 3) => "<p>Another text<p>with two lines".to_owned(),
        (0, 4) => "<p>with two lines<p>Another text".to_owned(),
        // The second page gets its first text in week 2.
        (1, 0 | 1) => String::new(),
        // The third emphasises a word in week 4.
        (2, 4) => "<p>Text of <b>page</b> 2".to_owned(),
        _ => format!("<p>Text of page {page}"),
    };
    format!("<title>{page} of {pages}</title>{menu}{text}<p>Imprint<p>© {year}")
}

fn history(pages: usize) -> History {
    let mut readings = vec![];
    let mut page = |number: usize| {
        let address = format!("https://h.example/{number:02}");
        let mut version = |week: usize| {
            let body = body(pages, number, week);
            let at = START + WEEK.times(week as i64);
            readings.push(Arc::new(extract::read::read(&address, "text/html", body.as_bytes())));
            Version { at, reading: Some(readings.len() as u32 - 1) }
        };
        let versions = (0..WEEKS).map(&mut version).collect();
        PageHistory { address: address.clone(), versions }
    };
    let pages = (0..pages).map(&mut page).collect();
    let window = Window { start: START, end: START + WEEK.times(WEEKS as i64 - 1) };
    History { name: "template".into(), source: "made by hand".into(), window, pages, readings }
}

fn truth(pages: usize, detector: &str) -> Arc<GroundTruth> {
    truth_of(history(pages), WEEK, by_name(detector).unwrap())
}

/// The weeks in which a page is another than in the week before.
fn changes(truth: &GroundTruth, page: usize) -> Vec<usize> {
    let is_other =
        |week: &usize| !truth.same(truth.reading(page, week - 1), truth.reading(page, *week));
    (1..WEEKS).filter(is_other).collect()
}

#[test]
fn only_changes_of_the_main_text_count() {
    let (main, digest) = (truth(12, "main-text"), truth(12, "digest"));
    assert_eq!(changes(&digest, 5), [1, 2]);
    assert!(changes(&main, 5).is_empty());
    assert_eq!(changes(&main, 0), [3, 4]);
    assert_eq!(changes(&main, 1), [2]);
    assert!(changes(&main, 2).is_empty());
}

#[test]
fn every_difference_counts_on_a_host_with_fewer_than_ten_pages() {
    let main = truth(9, "main-text");
    assert_eq!(changes(&main, 5), [1, 2]);
    assert!(main.comparison().is_transitive());
}

#[test]
fn the_size_of_a_change_is_the_share_of_the_main_text() {
    let main = truth(12, "main-text");
    let change = |page: usize, one: usize, other: usize| {
        let [one, other] = [one, other].map(|week| {
            let reading = main.reading(page, week).unwrap();
            Arc::clone(&main.history().readings[reading as usize])
        });
        main.comparison().change(&one, &other, Instruments::NONE)
    };
    // The title stays, one line is replaced by two.
    assert!((change(0, 0, 3) - 3.0 / 5.0).abs() < 1e-6);
    for (page, one, other) in [(5, 0, 4), (2, 0, 4), (1, 2, 4)] {
        assert!(change(page, one, other) == 0.0, "{page}");
    }
}

#[test]
fn a_change_is_0_exactly_where_two_readings_are_the_same() {
    for pages in [9, 12] {
        let main = truth(pages, "main-text");
        for page in 0..pages {
            for (one, other) in (0..WEEKS).flat_map(|one| (0..WEEKS).map(move |other| (one, other)))
            {
                let [old, new] = [one, other].map(|week| main.reading(page, week).unwrap());
                let [from, to] = [old, new].map(|one| &main.history().readings[one as usize]);
                let change = main.comparison().change(from, to, Instruments::NONE);
                let back = main.comparison().change(to, from, Instruments::NONE);
                assert_eq!(change.to_bits(), back.to_bits());
                assert_eq!(change == 0.0, main.same(Some(old), Some(new)));
                assert!((0.0..=1.0).contains(&change));
            }
        }
    }
}
