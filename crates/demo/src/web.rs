//! The whole web as a function from an address and an instant to an answer.
use crawl::{Span, Time};
use extract::read::address::canonical;

use crate::history::PageHistory;
use crate::moments::whole_second;
use crate::page::{Form, Page};
use crate::served::{Mime, Served};
use crate::site::Site;
use crate::sites::{self, Era};

/// The first second of 1980.
const FIRST_START: Time = Time::from_millis(315_532_800_000);
/// The first second of 2500.
const LAST_START: Time = Time::from_millis(16_725_225_600_000);
/// The longest life of a web.
const MOST_DAYS: u32 = 366;

/// A synthetic web that changes. Equal seeds, starts and lengths give equal webs.
pub struct DemoWeb {
    era: Era,
    /// Sorted by host.
    sites: Vec<Site>,
}

impl DemoWeb {
    /// The web of `seed`. It changes for `days` days from `start` (rounded down to a second), then
    /// stays the same. It serves nothing before `start`. `start` is clamped to the years 1980 to 2500,
    /// `days` to 366.
    pub fn new(seed: u64, start: Time, days: u32) -> Self {
        let start = whole_second(start.clamp(FIRST_START, LAST_START));
        let days = days.min(MOST_DAYS);
        let era = Era { seed, start, end: start + Span::from_days(days.into()) };
        let mut sites = sites::all(era);
        sites.sort_by_key(|site| &site.spec.host);
        Self { era, sites }
    }

    /// The first instant at which anything is served.
    pub fn start(&self) -> Time {
        self.era.start
    }

    /// The instant from which nothing changes.
    pub fn end(&self) -> Time {
        self.era.end
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.era.seed
    }

    /// The seeds of a crawl: the front page of the directory of all sites.
    pub fn seeds(&self) -> Vec<String> {
        vec![format!("http://{}/", sites::START_HOST)]
    }

    /// The hosts of all sites, in order. All are served on one socket.
    pub fn hosts(&self) -> Vec<String> {
        self.sites.iter().map(|site| site.spec.host.clone()).collect()
    }

    /// What the web answers for `address` at `at`; the scheme must be `http`, without a port.
    pub fn page(&self, address: &str, at: Time) -> Served {
        let address = canonical(address).unwrap_or_default();
        let rest = address.strip_prefix("http://").unwrap_or_default();
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        self.answer(host, path, at)
    }

    /// What `host` answers for `path` (with its query) at `at`; 421 if the host is unknown.
    pub fn answer(&self, host: &str, path: &str, at: Time) -> Served {
        match self.site(host) {
            Some(site) => site.answer(path, at),
            None => Served::plain(421, Mime::Text, "This host is not served here.\n".to_owned()),
        }
    }

    /// Every address with its versions, in the byte order of the addresses. It includes two years of
    /// the endless calendar.
    pub fn history(&self) -> impl Iterator<Item = PageHistory<'_>> {
        let pages = self.sites.iter().flat_map(|site| site.pages().map(move |page| (site, page)));
        let mut histories: Vec<PageHistory<'_>> =
            pages.map(|(site, page)| PageHistory::new(site, page)).collect();
        histories.sort_by(|a, b| a.address().cmp(b.address()));
        histories.into_iter()
    }

    /// The number of HTML pages at `at`, without redirects and vanished pages.
    pub fn alive(&self, at: Time) -> usize {
        let lives = |page: &&Page| {
            let begun = page.born <= at && self.era.start <= at;
            let ended = page.ends().is_some_and(|end| end <= at);
            begun && !ended && matches!(page.form, Form::Html(_))
        };
        self.sites.iter().map(|site| site.pages().filter(lives).count()).sum()
    }

    pub(crate) fn site(&self, host: &str) -> Option<&Site> {
        let found = self.sites.binary_search_by(|site| (*site.spec.host).cmp(host)).ok()?;
        Some(&self.sites[found])
    }
}

impl std::fmt::Debug for DemoWeb {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("DemoWeb")
            .field("era", &self.era)
            .field("sites", &self.sites.len())
            .finish()
    }
}
