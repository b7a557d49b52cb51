//! Small webs for tests, of this crate and of those that build on it.
use std::sync::Arc;

use crate::{
    compare::{Comparison, Texts, TextsError},
    grid::Grid,
    history::{History, PageHistory, Version, Window},
    truth::GroundTruth,
};
use crawl::{Digest, Fingerprints, Form, Link, LinkList, Snapshot, Span, Time};
use extract::detect;

/// Digests need no texts.
struct NoTexts;

impl Texts for NoTexts {
    fn contents(&self, _page: usize) -> Result<Vec<(u32, Arc<crawl::Content>)>, TextsError> {
        Err("nothing should ask for texts here".into())
    }
}

/// What a page shows in each of its daily cycles, the first being the start: `None` if it is not
/// there, else the addresses it links to, of which those that begin with "!" are marked nofollow.
pub type Shown<'a> = Vec<Option<Vec<&'a str>>>;

/// A small web, given by what its pages show on each day.
pub fn truth(pages: &[(&str, Shown<'_>)]) -> GroundTruth {
    let (start, day) = (Time::from_millis(0), Span::from_days(1));
    let mut readings = vec![];
    let mut histories: Vec<PageHistory> = pages
        .iter()
        .map(|(address, days)| {
            let mut versions: Vec<Version> = vec![];
            for (number, shown) in days.iter().enumerate() {
                let at = start + day.times(number as i64);
                let reading = shown.as_ref().map(|links| {
                    readings.push(snapshot(address, links));
                    readings.len() as u32 - 1
                });
                if reading.is_some() || versions.last().is_some_and(|v| v.reading.is_some()) {
                    versions.push(Version { at, reading });
                }
            }
            PageHistory { address: (*address).to_owned(), versions }
        })
        .collect();
    histories.sort_by(|one, other| one.address.cmp(&other.address));
    let days = pages.iter().map(|page| page.1.len()).max().unwrap_or(1);
    let window = Window { start, end: start + day.times(days as i64 - 1) };
    let (name, source) = ("small".to_owned(), "made by hand".to_owned());
    let history = History { name, source, window, pages: histories, readings };
    let grid = Grid::within(window, day);
    let digest = detect::by_name("digest").expect("a small web is right");
    let comparison =
        Comparison::new(&history, &NoTexts, grid, digest).expect("a small web is right");
    GroundTruth::new(Arc::new(history), comparison, grid)
}

fn snapshot(address: &str, links: &[&str]) -> Arc<Snapshot> {
    let link = |word: &&str| match word.strip_prefix('!') {
        Some(address) => Link { follow: false, ..Link::to(address) },
        None => Link::to(*word),
    };
    let text = Digest::from_bytes(format!("{address} {links:?}").as_bytes());
    Arc::new(Snapshot {
        form: Form::Html,
        fingerprints: Fingerprints { body: text, text, ..Fingerprints::default() },
        counts: crawl::Counts::default(),
        links: Arc::new(LinkList::new(links.iter().map(link).collect())),
        ..Snapshot::default()
    })
}
