//! What is known of each host: what is held, how fresh it is, how often and why it may be asked.
use std::collections::BTreeMap;

use crawl::{
    FaultKind, HostNo, HostState, Pages, RobotsCopy, RobotsState, State as PageState, Time,
};
use extract::read::address;
use policy::{Freshness, FreshnessEstimate};
use web::{DelayReason, FetchPermission};

use super::{
    history::{ErrorRow, HOST_SAMPLE, held_by_host, sampled},
    words,
};
use crate::live::tally::duration;

/// A host.
#[derive(Clone, Debug)]
pub(crate) struct HostRow {
    pub(crate) no: HostNo,
    pub(crate) name: String,
    pub(crate) linked: u64,
    pub(crate) held: u64,
    pub(crate) gone: u64,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) failure: Option<HostFailure>,
    pub(crate) permission: FetchPermission,
    /// How often in a row it asked for fewer requests or could not be reached.
    pub(crate) strikes: u32,
    /// What its robots.txt is like, in words.
    pub(crate) robots: String,
}

/// What went wrong on a host lately.
#[derive(Clone, Debug)]
pub(crate) struct HostFailure {
    /// Visits that failed in the recent cycles.
    pub(crate) count: u64,
    /// The most frequent kind, and its latest message.
    pub(crate) kind: &'static str,
    pub(crate) why: String,
}

/// What went wrong on a host. The one place where failures of hosts come from.
fn failure(host: HostNo, errors: &[ErrorRow]) -> Option<HostFailure> {
    // A page that robots.txt forbids is no trouble. Whether robots.txt can be fetched is told apart.
    let is_own = |row: &&ErrorRow| row.host == host && row.kind != FaultKind::Robots;
    let mut own = errors.iter().filter(is_own);
    // The most frequent comes first.
    let first = own.next()?;
    let (_, example) = first.examples.first()?;
    Some(HostFailure {
        count: first.count + own.map(|row| row.count).sum::<u64>(),
        kind: first.kind.name(),
        why: example.why.clone(),
    })
}

/// The stored state of hosts.
pub(crate) struct Stored<'a> {
    pub(crate) robots: &'a [RobotsCopy],
    pub(crate) states: &'a [HostState],
    pub(crate) settings: &'a web::Settings,
}

/// All hosts, by number.
pub(crate) fn rows(
    pages: &Pages,
    estimate: &FreshnessEstimate,
    errors: &[ErrorRow],
    stored: &Stored<'_>,
    now: Time,
) -> Vec<HostRow> {
    let robots: BTreeMap<&str, &RobotsCopy> =
        stored.robots.iter().map(|copy| (copy.origin.as_str(), copy)).collect();
    let states: BTreeMap<&str, &HostState> =
        stored.states.iter().map(|state| (state.host.as_str(), state)).collect();
    let mut first_pages = vec![None; pages.host_count()];
    let mut counts = vec![[0_u64; 2]; pages.host_count()];
    for page in pages.numbers() {
        let host = pages.host(page).0 as usize;
        first_pages[host].get_or_insert(page);
        match pages.state(page) {
            PageState::Linked => counts[host][0] += 1,
            PageState::Gone => counts[host][1] += 1,
            PageState::Held => {}
        }
    }
    let held = held_by_host(pages);
    let row = |(number, held): (usize, &Vec<crawl::PageNo>)| {
        let no = HostNo(number as u32);
        let name = pages.host_name(no);
        let page = first_pages[number]?;
        let copy = robots.get(address::origin(pages.address(page))).copied();
        let state = states.get(name).copied();
        let permission =
            web::fetch_permission(pages.address(page), stored.settings, copy, state, now);
        Some(HostRow {
            no,
            name: name.to_owned(),
            linked: counts[number][0],
            held: held.len() as u64,
            gone: counts[number][1],
            freshness: sampled(held.iter().copied(), HOST_SAMPLE, pages, now, estimate),
            failure: failure(no, errors),
            strikes: state.map_or(0, |state| state.strikes),
            robots: robots_words(copy, now),
            permission,
        })
    };
    held.iter().enumerate().filter_map(row).collect()
}

fn robots_words(copy: Option<&RobotsCopy>, now: Time) -> String {
    let Some(copy) = copy else { return "not fetched yet".to_owned() };
    let when = words::ago(copy.requested_at, now);
    match &copy.state {
        RobotsState::Given => format!("applies, fetched {when}"),
        RobotsState::Absent(status) => format!("none ({status}), all is allowed; asked {when}"),
        RobotsState::Unreachable(why) => {
            let applies =
                if copy.good.is_some() { "the last copy applies" } else { "nothing is allowed" };
            format!("unreachable, {applies}: {why}; asked {when}")
        }
    }
}

impl HostRow {
    /// Whether it needs attention.
    pub(crate) fn has_trouble(&self) -> bool {
        self.failure.is_some() || self.permission.back_off_until.is_some()
    }

    /// The delay between requests and its reason, in words.
    pub(crate) fn delay_words(&self) -> String {
        let because = match self.permission.delay_reason {
            DelayReason::Configured => "as configured",
            DelayReason::CrawlDelay => "its Crawl-delay",
            DelayReason::ResponseTime => "its last response was slow",
        };
        format!("{}, {because}", duration(self.permission.delay))
    }
}
