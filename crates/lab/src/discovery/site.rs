//! Everything that is asked about discovery on one site, taken from its record once.
use flow::Form;
use policy::discover::Prior;

use super::{
    graph::{self, Births, NEVER},
    links::{self, SiteLinks},
};
use crate::truth::Truth;

/// One site's record, as far as discovery goes.
#[derive(Debug)]
pub(crate) struct Site {
    /// The name used in results.
    pub(crate) name: String,
    /// Days from one cycle to the next.
    pub(crate) cycle_days: f64,
    /// What is new in each cycle; the first is cycle 1.
    pub(crate) births: Vec<Births>,
    /// By page, the first cycle at which it is there; `NEVER` where it is at none.
    pub(crate) first: Vec<u32>,
    /// By cycle from 0 on, then by page: whether it is there.
    pub(crate) alive: Vec<Vec<bool>>,
    /// By page, the number of its host.
    pub(crate) hosts: Vec<u32>,
    /// By page, what is believed of it before it was ever looked at.
    pub(crate) priors: Vec<Prior>,
    /// By page, the number of its first-level folder.
    pub(crate) folders: Vec<u32>,
    /// New pages that some other page links to at some cycle.
    pub(crate) linked: usize,
}

impl Site {
    /// What a truth says about its history.
    pub(crate) fn new(truth: &Truth) -> Self {
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
                _ if is_front(&history.pages[page].address) => Prior::Front,
                Some(Form::Sitemap | Form::Feed) => Prior::Dated,
                _ => Prior::Page,
            }
        };
        let (priors, folders) = ((0..pages).map(prior).collect(), folders(truth));
        let (hosts, linked) = (links::hosts(truth), linked(truth, &links, &first));
        let (name, cycle_days) = (history.name.clone(), grid.cycle.days());
        Self { name, cycle_days, births, first, alive, hosts, priors, folders, linked }
    }

    /// How many cycles there are.
    pub(crate) fn cycles(&self) -> usize {
        self.births.len()
    }

    /// What is new in a cycle, from 1 on.
    pub(crate) fn births(&self, cycle: usize) -> &Births {
        &self.births[cycle - 1]
    }

    /// Whether a page was there at any cycle before this one.
    pub(crate) fn is_old(&self, page: usize, cycle: usize) -> bool {
        (self.first[page] as usize) < cycle && self.first[page] != NEVER
    }

    /// How many pages are new after the start.
    pub(crate) fn new_pages(&self) -> usize {
        self.births.iter().map(|births| births.new.len()).sum()
    }

    /// How many of them no old page leads to in their first cycle.
    pub(crate) fn orphans(&self) -> usize {
        self.births.iter().map(Births::orphans).sum()
    }

    /// Whether the site says anything about discovery by links: new pages appear, and old pages lead to
    /// most of them in their first cycle. Else the record lacks what shows them (pages beyond its limits,
    /// links into other addresses, parts put together by the server), or the site links them later.
    pub(crate) fn tells(&self) -> bool {
        2 * self.orphans() < self.new_pages()
    }
}

/// Whether an address is that of a host's front page.
fn is_front(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

/// By page, the number of its first-level folder; pages above all folders are in one of their own.
fn folders(truth: &Truth) -> Vec<u32> {
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

/// How many pages that are new after the start some other page links to at some cycle.
fn linked(truth: &Truth, links: &SiteLinks, first: &[u32]) -> usize {
    let mut is_linked = vec![false; first.len()];
    for page in 0..first.len() {
        let mut before = None;
        for cycle in 0..=truth.grid().cycles {
            let reading = truth.reading(page, cycle);
            if reading == before {
                continue;
            }
            before = reading;
            for &to in reading.map_or(&[][..], |reading| links.of(reading)) {
                is_linked[to as usize] |= to as usize != page;
            }
        }
    }
    let is_new = |page: &usize| first[*page] != 0 && first[*page] != NEVER;
    (0..first.len()).filter(is_new).filter(|&page| is_linked[page]).count()
}

#[cfg(test)]
mod tests {
    use super::{super::links::tests::truth, *};

    #[test]
    fn a_site_is_asked_about_its_new_pages_their_links_and_its_folders() {
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
        assert!(!site.tells());
        assert_eq!(site.folders, [0, 1, 1, 2, 2]);
        assert_eq!(site.alive[2], [false, true, true, true, true]);
        let is_old = |cycle| (0..5).map(|page| site.is_old(page, cycle)).collect::<Vec<_>>();
        assert_eq!(is_old(1), [true, true, false, false, false]);
        assert_eq!(is_old(2), [true, true, true, true, false]);
        assert!(matches!(site.priors[..], [Prior::Front, Prior::Page, ..]));
    }

    #[test]
    fn a_site_without_new_pages_or_without_links_to_them_tells_nothing() {
        let quiet = Site::new(&truth(&[("http://a/", vec![Some(vec![]), Some(vec![])])]));
        assert!(!quiet.tells());
        let mute = Site::new(&truth(&[
            ("http://a/", vec![Some(vec![]), Some(vec!["http://a/1"])]),
            ("http://a/1", vec![None, Some(vec![])]),
            ("http://a/2", vec![None, Some(vec![])]),
        ]));
        // One of two is not most.
        assert!(!mute.tells());
        let telling = Site::new(&truth(&[
            ("http://a/", vec![Some(vec![]), Some(vec!["http://a/1"])]),
            ("http://a/1", vec![None, Some(vec![])]),
        ]));
        assert!(telling.tells());
    }
}
