//! Estimates for the held pages, and what happened lately. A thread follows the log and publishes them;
//! requests read what was published last.
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use crawl::{HostNo, PageNo, Pages, State as PageState, Time};
use policy::FreshnessEstimate;
use store::{CycleSummary, Followed, StoreError, Totals, View};

use super::{
    history::{CYCLES, ChangeEntry, CycleEstimate, ErrorRow, History},
    hosts::{self, HostRow, Stored},
    state::lock,
};
use crate::{
    live::{
        activity::{self, Activity},
        autopilot,
        failing::Failing,
        lacks,
        status::{self, Status},
        tally::Tally,
    },
    settings::Settings,
};

/// Changes that can be listed with the newest first. Older ones are in the log.
const MOST_CHANGES: usize = 200_000;
/// With more pages, counts that need a scan of all snapshots are only made this often.
const MANY_PAGES: usize = 50_000;
const SCAN_AGAIN: Duration = Duration::from_mins(10);

/// The estimates and what was published last.
pub(crate) struct Following {
    folder: PathBuf,
    estimates: RwLock<Estimates>,
    published: Mutex<Arc<Published>>,
    /// The latest changes, in the order of the log.
    changes: Mutex<VecDeque<ChangeEntry>>,
}

/// The estimates from the log so far.
#[derive(Default)]
struct Estimates {
    followed: Followed,
    freshness: FreshnessEstimate,
    tally: Tally,
    history: History,
    scanned: Option<(Instant, Totals)>,
}

/// What answers read.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    pub(crate) status: Status,
    /// The number of the last observation in the estimates; 0 while the log is first read.
    pub(crate) position: u64,
    /// All observations by outcome.
    pub(crate) tally: Tally,
    /// The mean time since held pages were last seen, in seconds.
    pub(crate) mean_seconds_since_seen: Option<f64>,
    /// The last cycles, the earliest first.
    pub(crate) cycles: Vec<CycleSummary>,
    /// The freshness at the end of each.
    pub(crate) estimates: BTreeMap<u32, Arc<CycleEstimate>>,
    /// By number.
    pub(crate) hosts: Vec<HostRow>,
    pub(crate) errors: Vec<ErrorRow>,
    pub(crate) activity: Activity,
}

/// Which changes to list.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangeFilter {
    /// A host; its subdomains count, too.
    pub(crate) site: Option<String>,
    pub(crate) since: Option<Time>,
    /// Only those before this observation.
    pub(crate) before: Option<u64>,
}

impl Published {
    /// A host by its number.
    pub(crate) fn host(&self, host: HostNo) -> Option<&HostRow> {
        let place = self.hosts.binary_search_by_key(&host, |row| row.no).ok()?;
        self.hosts.get(place)
    }

    /// The hosts of a site.
    pub(crate) fn hosts_of(&self, site: &str) -> BTreeSet<HostNo> {
        let site = site.to_ascii_lowercase();
        let is_of = |name: &str| {
            name == site || name.strip_suffix(&site).is_some_and(|rest| rest.ends_with('.'))
        };
        self.hosts.iter().filter(|row| is_of(&row.name)).map(|row| row.no).collect()
    }
}

impl Following {
    /// Publishes what is known at once. Estimates follow when the log has been read.
    pub(crate) fn new(folder: &Path, view: &View, now: Time) -> Result<Self, StoreError> {
        let published = Published {
            status: Status::read(folder, view, now, None)?,
            position: 0,
            tally: Tally::default(),
            mean_seconds_since_seen: None,
            cycles: vec![],
            estimates: BTreeMap::new(),
            hosts: vec![],
            errors: vec![],
            activity: activity::read(folder, view, None)?,
        };
        Ok(Self {
            folder: folder.to_owned(),
            estimates: RwLock::default(),
            published: Mutex::new(Arc::new(published)),
            changes: Mutex::default(),
        })
    }

    /// The last publication.
    pub(crate) fn published(&self) -> Arc<Published> {
        Arc::clone(&lock(&self.published))
    }

    /// The latest changes, newest first.
    pub(crate) fn latest_changes(&self, filter: &ChangeFilter, most: usize) -> Vec<ChangeEntry> {
        let hosts = filter.site.as_ref().map(|site| self.published().hosts_of(site));
        let matches = |change: &&ChangeEntry| {
            hosts.as_ref().is_none_or(|hosts| hosts.contains(&change.host))
                && filter.before.is_none_or(|before| change.no < before)
        };
        let changes = lock(&self.changes);
        let recent = changes
            .iter()
            .rev()
            .take_while(|change| filter.since.is_none_or(|since| change.at >= since));
        recent.filter(matches).take(most).copied().collect()
    }

    /// Estimated changes of a page per day; `None` if it was never seen, or while new observations are
    /// being read: requests do not wait for that.
    pub(crate) fn rate(&self, page: PageNo, now: Time) -> Option<f64> {
        let estimates = self.estimates.try_read().ok()?;
        let pages = estimates.followed.pages();
        let is_seen = page.index() < pages.len() && pages.last_seen(page).is_some();
        is_seen.then(|| estimates.freshness.rate(page, pages, now))
    }

    /// The probability that a held page is still current.
    pub(crate) fn fresh_probability(&self, page: PageNo, now: Time) -> Option<f64> {
        let estimates = self.estimates.try_read().ok()?;
        let pages = estimates.followed.pages();
        let is_held = page.index() < pages.len() && pages.state(page) == PageState::Held;
        is_held.then(|| estimates.freshness.fresh_probability(page, pages, now)).flatten()
    }

    /// The number of a page. The database has no index by URL.
    pub(crate) fn find(&self, address: &str) -> Option<PageNo> {
        self.estimates.try_read().ok()?.followed.pages().find(address)
    }

    /// Reads new observations and publishes the estimates.
    pub(super) fn catch_up(
        &self,
        view: &View,
        settings: &Settings,
        now: impl FnOnce() -> Time,
    ) -> Result<(), StoreError> {
        let mut guard = self.estimates.write().unwrap_or_else(PoisonError::into_inner);
        let Estimates { followed, freshness, tally, history, .. } = &mut *guard;
        let mut cycles = view.cycles_uncounted(CYCLES)?;
        history.begin(view.crawls()?, cycles.last().map_or(0, |cycle| cycle.no));
        let followed_to = view.follow(followed, &mut |pages, no, seen| {
            history.add(pages, freshness, no, seen);
            freshness.learn(seen);
            tally.add(seen);
        });
        if let Err(error) = followed_to {
            *guard = Estimates::default();
            lock(&self.changes).clear();
            return Err(error);
        }
        let pages = followed.pages();
        if let Some((cycle, ended)) = cycles.last().and_then(|it| Some((it.no, it.ended?))) {
            history.finish(cycle, ended, pages, freshness);
        }
        self.add_changes(history.take_changes());
        let robots = view.robots()?;
        let scan = guard.scanned.take();
        let totals = totals(view, guard.followed.pages(), &robots, scan)?;
        guard.scanned = Some(totals.clone());
        let estimates = std::sync::RwLockWriteGuard::downgrade(guard);
        let Estimates { followed, freshness, tally, history, .. } = &*estimates;
        let (pages, now) = (followed.pages(), now());
        for cycle in &mut cycles {
            cycle.outcomes = history.outcomes(cycle.no);
        }
        let errors = history.errors(pages);
        let states = view.host_states()?;
        let stored = Stored { robots: &robots, states: &states, settings: &settings.web };
        let shown = cycles.len().saturating_sub(status::CYCLES);
        let published = Published {
            status: Status {
                folder: self.folder.display().to_string(),
                now,
                totals: totals.1,
                freshness: freshness.freshness(pages, now),
                cycles: cycles[shown..].to_vec(),
                faults: history.kinds(pages),
                left_out: view.left_out()?,
                autopilot: autopilot::last(view)?,
                lacks: lacks::last(view)?,
                failing: Failing::read(view, now)?,
            },
            position: followed.position(),
            tally: tally.clone(),
            mean_seconds_since_seen: mean_seconds_since_seen(pages, now),
            estimates: history.estimates().clone(),
            hosts: hosts::rows(pages, freshness, &errors, &stored, now),
            errors,
            activity: activity::read(&self.folder, view, cycles.last())?,
            cycles,
        };
        drop(estimates);
        *lock(&self.published) = Arc::new(published);
        Ok(())
    }

    fn add_changes(&self, new: Vec<ChangeEntry>) {
        let mut changes = lock(&self.changes);
        changes.extend(new);
        let excess = changes.len().saturating_sub(MOST_CHANGES);
        changes.drain(..excess);
    }
}

/// The counts over the data folder. Those of `noindex` and canonical addresses need a scan of all
/// snapshots, so they may be ten minutes old where there are many pages.
fn totals(
    view: &View,
    pages: &Pages,
    robots: &[crawl::RobotsCopy],
    scanned: Option<(Instant, Totals)>,
) -> Result<(Instant, Totals), StoreError> {
    let is_recent = |at: Instant| pages.len() > MANY_PAGES && at.elapsed() < SCAN_AGAIN;
    let Some((at, old)) = scanned.filter(|&(at, _)| is_recent(at)) else {
        return Ok((Instant::now(), view.totals()?));
    };
    let count =
        |state| pages.states().iter().filter(|&&other: &&PageState| other == state).count() as u64;
    let (archive_files, archive_bytes) = view.archive_size()?;
    let new = Totals {
        linked: count(PageState::Linked),
        held: count(PageState::Held),
        gone: count(PageState::Gone),
        hosts: pages.host_count() as u64,
        observations: view.position()?,
        robots_fetches: robots.iter().map(|copy| u64::from(copy.fetches)).sum(),
        archive_files,
        archive_bytes,
        last: view.last_visit()?,
        ..old
    };
    Ok((at, new))
}

fn mean_seconds_since_seen(pages: &Pages, now: Time) -> Option<f64> {
    let held = pages.numbers().filter(|&page| pages.state(page) == PageState::Held);
    let (mut count, mut sum) = (0_u64, 0.0);
    for then in held.filter_map(|page| pages.last_seen(page)) {
        count += 1;
        sum += (now - then).millis() as f64 / 1e3;
    }
    (count > 0).then(|| sum / count as f64)
}
