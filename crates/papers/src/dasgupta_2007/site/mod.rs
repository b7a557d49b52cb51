//! The history of one site, prepared for questions about discovery.
pub(crate) mod algorithms;
pub(crate) mod graph;
pub(crate) mod hosts;
pub(crate) mod overlap;
use crawl::Form;
use lab::{
    discovery::links::{self, SiteLinks},
    truth::GroundTruth,
};
use policy::discover::PageKind;

use self::graph::{Births, NEVER};

/// The history of one site, as far as discovery needs it.
#[derive(Debug)]
pub(crate) struct Site {
    /// Its name in results.
    pub(crate) name: String,
    /// Days from one cycle to the next.
    pub(crate) cycle_days: f64,
    /// The new pages of each cycle; the first is cycle 1.
    pub(crate) births: Vec<Births>,
    /// By page, the first cycle in which it exists, or `NEVER`.
    pub(crate) first: Vec<u32>,
    /// By cycle from 0 on, then by page: whether it exists.
    pub(crate) alive: Vec<Vec<bool>>,
    /// By page, the number of its host.
    pub(crate) hosts: Vec<u32>,
    /// By page, the prior of a bandit before any visit.
    pub(crate) priors: Vec<PageKind>,
    /// By page, the number of its first-level folder.
    pub(crate) folders: Vec<u32>,
    /// The number of new pages that another page links to in any cycle.
    pub(crate) linked: usize,
}

impl Site {
    /// Prepares the history of a ground truth.
    pub(crate) fn new(truth: &GroundTruth) -> Self {
        let (history, grid) = (truth.history(), truth.grid());
        let links = SiteLinks::new(truth);
        let first = graph::first_cycles(truth);
        let births = graph::births(truth, &links, &first);
        let pages = history.pages.len();
        let alive = |cycle| (0..pages).map(|page| truth.reading(page, cycle).is_some()).collect();
        let alive: Vec<Vec<bool>> = (0..=grid.cycles).map(alive).collect();
        let prior = |page: usize| {
            let born = first[page];
            let reading = (born != NEVER).then(|| truth.reading(page, born as usize)).flatten();
            let form = reading.map(|reading| history.readings[reading as usize].form);
            match form {
                _ if is_front(&history.pages[page].address) => PageKind::Front,
                Some(Form::Sitemap | Form::Feed) => PageKind::Dated,
                _ => PageKind::Page,
            }
        };
        let (priors, folders) = ((0..pages).map(prior).collect(), folders(truth));
        let (hosts, linked) = (links::hosts(truth), linked(truth, &links, &first));
        let (name, cycle_days) = (history.name.clone(), grid.cycle.days());
        Self { name, cycle_days, births, first, alive, hosts, priors, folders, linked }
    }

    /// The number of cycles.
    pub(crate) fn cycles(&self) -> usize {
        self.births.len()
    }

    /// The new pages of a cycle, from 1 on.
    pub(crate) fn births(&self, cycle: usize) -> &Births {
        &self.births[cycle - 1]
    }

    /// Whether a page existed in any cycle before this one.
    pub(crate) fn is_old(&self, page: usize, cycle: usize) -> bool {
        (self.first[page] as usize) < cycle && self.first[page] != NEVER
    }

    /// The number of pages that are new after the start.
    pub(crate) fn new_pages(&self) -> usize {
        self.births.iter().map(|births| births.new.len()).sum()
    }

    /// The number of these that no old page leads to in their first cycle.
    pub(crate) fn orphans(&self) -> usize {
        self.births.iter().map(Births::orphans).sum()
    }

    /// Whether discovery by links can be studied on the site: new pages appear, and old pages lead
    /// to most of them in their first cycle. Otherwise the trace lacks the pages that show them, or
    /// the site links them later.
    pub(crate) fn is_usable(&self) -> bool {
        2 * self.orphans() < self.new_pages()
    }
}

/// Whether an address is the front page of a host.
fn is_front(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

/// By page, the number of its first-level folder; pages outside of folders share one.
fn folders(truth: &GroundTruth) -> Vec<u32> {
    let mut numbers: rustc_hash::FxHashMap<&str, u32> = rustc_hash::FxHashMap::default();
    let folder = |address: &str| {
        let host = address.find("://").map_or(0, |scheme| scheme + 3);
        let path = address[host..].find('/').map_or(address.len(), |path| host + path + 1);
        address[path..].find('/').map_or(path, |end| path + end + 1)
    };
    let pages = truth.history().pages.iter();
    pages
        .map(|page| {
            let next = numbers.len() as u32;
            *numbers.entry(&page.address[..folder(&page.address)]).or_insert(next)
        })
        .collect()
}

/// The number of pages new after the start that another page links to in any cycle.
fn linked(truth: &GroundTruth, links: &SiteLinks, first: &[u32]) -> usize {
    let mut is_linked = vec![false; first.len()];
    for page in 0..first.len() {
        let mut before = None;
        for cycle in 0..=truth.grid().cycles {
            let reading = truth.reading(page, cycle);
            if reading == before {
                continue;
            }
            before = reading;
            for &to in reading.map_or(&[][..], |reading| links.targets(reading)) {
                is_linked[to as usize] |= to as usize != page;
            }
        }
    }
    let is_new = |page: &usize| first[*page] != 0 && first[*page] != NEVER;
    (0..first.len()).filter(is_new).filter(|&page| is_linked[page]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::discovery::testing::truth;

    #[test]
    fn a_site_knows_its_new_pages_their_links_and_its_folders() {
        let site = Site::new(&truth(&[
            ("http://a/", vec![Some(vec![]), Some(vec!["http://a/x/2"]), None]),
            ("http://a/x/1", vec![Some(vec![]), Some(vec![]), Some(vec!["http://a/y/3"])]),
            ("http://a/x/2", vec![None, Some(vec![]), Some(vec![])]),
            // Linked a cycle too late, and one linked from nowhere but itself.
            ("http://a/y/3", vec![None, Some(vec![]), Some(vec![])]),
            ("http://a/y/4", vec![None, None, Some(vec!["http://a/y/4"])]),
        ]));
        assert_eq!(site.cycles(), 2);
        assert_eq!((site.new_pages(), site.orphans(), site.linked), (3, 2, 2));
        assert!(!site.is_usable());
        assert_eq!(site.folders, [0, 1, 1, 2, 2]);
        assert_eq!(site.alive[2], [false, true, true, true, true]);
        let is_old = |cycle| (0..5).map(|page| site.is_old(page, cycle)).collect::<Vec<_>>();
        assert_eq!(is_old(1), [true, true, false, false, false]);
        assert_eq!(is_old(2), [true, true, true, true, false]);
        assert!(matches!(site.priors[..], [PageKind::Front, PageKind::Page, ..]));
    }

    #[test]
    fn a_site_without_new_pages_or_without_links_to_them_tells_nothing() {
        let quiet = Site::new(&truth(&[("http://a/", vec![Some(vec![]), Some(vec![])])]));
        assert!(!quiet.is_usable());
        let mute = Site::new(&truth(&[
            ("http://a/", vec![Some(vec![]), Some(vec!["http://a/1"])]),
            ("http://a/1", vec![None, Some(vec![])]),
            ("http://a/2", vec![None, Some(vec![])]),
        ]));
        // One of two is not most.
        assert!(!mute.is_usable());
        let usable = Site::new(&truth(&[
            ("http://a/", vec![Some(vec![]), Some(vec!["http://a/1"])]),
            ("http://a/1", vec![None, Some(vec![])]),
        ]));
        assert!(usable.is_usable());
    }
}
