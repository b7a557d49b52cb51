//! The summary of small made-up histories whose numbers are counted by hand.
use std::sync::Arc;

use crawl::{Counts, Digest, Fingerprints, Form, Link, LinkList, Snapshot, Span, Time};
use lab::history::{History, PageHistory, Version, Window};
use lab::summary::{Summary, summarise};

/// A history under construction; times are days after the start.
struct Web {
    history: History,
}

impl Web {
    fn new(days: i64) -> Self {
        let window = Window { start: day(0), end: day(days) };
        let (name, source) = ("site".to_owned(), "made by hand".to_owned());
        Self { history: History { name, source, window, pages: vec![], readings: vec![] } }
    }

    /// Adds a page with its versions: day, body (none while gone) and links.
    fn page(&mut self, path: &str, versions: &[(i64, &str, &[&str])]) -> &mut Self {
        self.page_of(Form::Html, path, versions)
    }

    fn page_of(&mut self, form: Form, path: &str, versions: &[(i64, &str, &[&str])]) -> &mut Self {
        let versions = versions.iter().map(|&(at, body, links)| {
            let reading = (!body.is_empty()).then(|| {
                self.history.readings.push(Arc::new(snapshot(form, body, links)));
                self.history.readings.len() as u32 - 1
            });
            Version { at: day(at), reading }
        });
        let page = PageHistory { address: address(path), versions: versions.collect() };
        self.history.pages.push(page);
        self
    }

    fn summary(&self) -> Summary {
        summarise(&self.history)
    }
}

fn day(days: i64) -> Time {
    Time::from_millis(0) + Span::from_days(days)
}

fn address(path: &str) -> String {
    format!("https://e.org/{path}")
}

fn snapshot(form: Form, body: &str, links: &[&str]) -> Snapshot {
    let links = links.iter().map(|path| Link::to(address(path)));
    Snapshot {
        form,
        fingerprints: Fingerprints {
            body: Digest::from_bytes(body.as_bytes()),
            ..Fingerprints::default()
        },
        counts: Counts::default(),
        links: Arc::new(LinkList::new(links.collect())),
        ..Snapshot::default()
    }
}

#[track_caller]
fn assert_near(actual: Option<f64>, expected: f64) {
    assert!(actual.is_some_and(|actual| (actual - expected).abs() < 1e-12), "{actual:?}");
}

#[test]
fn counts_pages_and_versions() {
    let mut web = Web::new(14);
    web.page("", &[(0, "a", &[]), (3, "b", &[])]);
    web.page("gone", &[(0, "a", &[]), (5, "", &[])]);
    web.page("new", &[(9, "a", &[])]);
    let summary = web.summary();
    assert_eq!((summary.pages_at_start, summary.pages), (2, 3));
    assert_eq!((summary.versions, summary.weeks), (4, 2));
}

#[test]
fn compares_the_two_ends_of_each_week() {
    let mut web = Web::new(21);
    // Changes in week 1; changes and comes back in week 2; never; gone in week 3.
    web.page("a", &[(0, "1", &[]), (1, "2", &[])]);
    web.page("b", &[(0, "1", &[]), (8, "2", &[]), (9, "1", &[])]);
    web.page("c", &[(0, "1", &[])]);
    web.page("d", &[(0, "1", &[]), (20, "", &[])]);
    let summary = web.summary();
    assert_near(summary.changing_mean, 0.25 / 3.0);
    assert_near(summary.changing_median, 0.0);
    assert_near(summary.never_changed, 0.25);
    assert_near(summary.gone_per_week, 1.0 / 3.0);
    assert_near(summary.born_per_week, 0.0);
}

#[test]
fn the_median_of_two_weeks_is_between_them() {
    let mut web = Web::new(14);
    web.page("a", &[(0, "1", &[]), (1, "2", &[])]);
    assert_near(web.summary().changing_median, 0.5);
}

#[test]
fn a_version_at_the_end_of_a_week_belongs_to_it() {
    let mut web = Web::new(14);
    web.page("a", &[(0, "1", &[]), (7, "2", &[])]);
    web.page("b", &[(7, "1", &[])]);
    let summary = web.summary();
    assert_near(summary.born_per_week, 0.5);
    // One of one page in the first week, none of two in the second.
    assert_near(summary.changing_mean, 0.5);
}

#[test]
fn a_new_page_counts_as_linked_by_an_older_page_in_two_snapshots() {
    let mut web = Web::new(28);
    // "first" is linked at day 7, "second" only at day 14, "third" only at day 21, which is too late.
    web.page(
        "",
        &[(0, "0", &[]), (2, "1", &["first"]), (8, "2", &["second"]), (15, "3", &["third"])],
    );
    web.page("first", &[(1, "x", &[])]);
    web.page("second", &[(1, "x", &[])]);
    web.page("third", &[(1, "x", &[])]);
    web.page("never", &[(1, "x", &["never"])]);
    let summary = web.summary();
    assert_eq!(summary.new_pages, 4);
    assert_near(summary.linked, 0.5);
    assert_near(summary.linked_or_announced, 0.5);
    assert_near(summary.linked_ever, 0.75);
}

#[test]
fn links_from_pages_of_the_same_age_count_only_as_ever() {
    let mut web = Web::new(14);
    web.page("a", &[(1, "x", &["b"])]);
    web.page("b", &[(1, "x", &["a"])]);
    let summary = web.summary();
    assert_near(summary.linked, 0.0);
    assert_near(summary.linked_ever, 1.0);
}

#[test]
fn feeds_and_sitemaps_are_counted_apart() {
    let mut web = Web::new(14);
    web.page_of(Form::Feed, "feed.xml", &[(0, "0", &[]), (1, "1", &["a"])]);
    web.page_of(Form::Sitemap, "sitemap.xml", &[(0, "0", &[]), (1, "1", &["b"])]);
    web.page("a", &[(1, "x", &[])]);
    web.page("b", &[(1, "x", &[])]);
    web.page("c", &[(1, "x", &[])]);
    let summary = web.summary();
    assert_near(summary.linked, 0.0);
    assert_near(summary.linked_or_announced, 2.0 / 3.0);
}

#[test]
fn a_link_to_an_index_file_is_a_link_to_its_folder() {
    let mut web = Web::new(14);
    web.page("", &[(0, "0", &["a/index.html", "b/index.htm", "c/index.php"])]);
    web.page("a/", &[(1, "x", &[])]);
    web.page("b/", &[(1, "x", &[])]);
    web.page("c/", &[(1, "x", &[])]);
    assert_near(web.summary().linked, 2.0 / 3.0);
}

#[test]
fn what_is_not_defined_is_none() {
    let summary = Web::new(3).summary();
    assert_eq!(summary.weeks, 0);
    assert_eq!(
        [summary.changing_mean, summary.changing_median, summary.never_changed, summary.linked],
        [None; 4]
    );
}

#[test]
fn prints_a_block_of_lines() {
    let mut web = Web::new(14);
    web.page("", &[(0, "0", &[]), (1, "1", &["a"])]);
    web.page("a", &[(1, "x", &[])]);
    assert_eq!(
        web.summary().to_string(),
        "site (made by hand)\n  \
         window        1970-01-01 to 1970-01-15, 2 weeks\n  \
         pages         1 at start, 2 ever\n  \
         versions      3\n  \
         changing      50.0 % of pages per week in the mean, 50.0 % in the median\n  \
         never changed 0.0 %\n  \
         per week      0.50 pages born, 0.00 gone\n  \
         new pages     1; linked from an older page 100.0 %, with feeds and sitemaps 100.0 %, ever \
         100.0 %"
    );
}
