//! The instrument: which text runs are boilerplate of their host.
use std::{collections::BTreeMap, ops::Range};

use super::{
    marks::marks,
    sample::HostSample,
    state::{OfHost, OfPage, Whole, decode, encode},
};
use crawl::{
    CycleStart, HostNo, Instrument, Need, Needs, Outcome, PageId, PageNo, Pages, Recorded, Result,
    Saved, Visited,
};
use rustc_hash::FxHashSet;

/// The name under which it is stored.
pub const NAME: &str = "boilerplate";

/// A detector's request for boilerplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoilerplateNeeds;

impl Need for BoilerplateNeeds {
    fn join(&self, _other: &Self) -> Self {
        *self
    }
}

/// The boilerplate of every host, as far as held pages show it.
///
/// It is decided at the start of a cycle and stays the same until the next. So a detector says the same
/// in whatever order the pages of a cycle arrive.
#[derive(Clone, Debug, Default)]
pub struct Boilerplate {
    hosts: BTreeMap<HostNo, HostSample>,
    /// The boilerplate of all hosts. A run's hash contains its host, so one set serves all.
    all: FxHashSet<u32>,
    /// What was boilerplate and is no longer.
    former: FxHashSet<u32>,
    /// Whether the level of a host has risen since the state was last stored.
    has_risen: bool,
    /// By page, its host; `None` where it was not visited.
    host_of: Vec<Option<HostNo>>,
    /// The ID of each page, while stored states are restored.
    ids: Vec<PageId>,
}

impl Boilerplate {
    /// No boilerplate yet. `pages` are those whose states may be restored.
    pub fn new(pages: &Pages) -> Self {
        Self {
            host_of: pages.numbers().map(|page| Some(pages.host(page))).collect(),
            ids: pages.numbers().map(|page| pages.id(page)).collect(),
            ..Self::default()
        }
    }

    /// What was boilerplate when this state was stored, without any page. To be looked up, not to be
    /// updated.
    pub fn from_state(state: &[u8]) -> Self {
        let mut found = Self::default();
        found.restore(state);
        found.collect();
        found
    }

    /// The instrument for the needs of a detector; `None` where it needs none.
    pub fn needed(needs: &Needs, pages: &Pages) -> Option<Self> {
        needs.find::<BoilerplateNeeds>().map(|_| Self::new(pages))
    }

    /// Whether a text run is boilerplate of its host.
    pub fn contains(&self, run: u32) -> bool {
        self.all.contains(&run)
    }

    /// Whether a text run is boilerplate or was. A page that was not visited since the template changed
    /// has the former one.
    pub(super) fn is_or_was(&self, run: u32) -> bool {
        self.contains(run) || self.former.contains(&run)
    }

    /// Whether no host has boilerplate.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes in the stored states and decides anew what is boilerplate, as the start of a cycle does.
    /// Returns whether anything has changed.
    pub fn update(&mut self) -> bool {
        self.ids = vec![];
        let mut is_other = std::mem::take(&mut self.has_risen);
        for host in self.hosts.values_mut() {
            is_other |= host.update();
        }
        self.collect();
        is_other
    }

    /// Collects the boilerplate of all hosts.
    fn collect(&mut self) {
        let hosts = || self.hosts.values();
        self.all = hosts().flat_map(|host| host.boilerplate().iter().copied()).collect();
        self.former = hosts().flat_map(|host| host.former().iter().copied()).collect();
    }

    /// The parts of a text that are boilerplate, in order, given its runs and where they end
    /// ([`Snapshot::text_runs`](crawl::Snapshot::text_runs)).
    pub fn parts(&self, runs: impl Iterator<Item = (u32, usize)>) -> Vec<Range<usize>> {
        parts(runs, |run| self.contains(run))
    }

    /// The parts that are boilerplate or were, for a version that may be an old one.
    pub fn parts_ever(&self, runs: impl Iterator<Item = (u32, usize)>) -> Vec<Range<usize>> {
        parts(runs, |run| self.is_or_was(run))
    }

    fn put(&mut self, page: PageNo, host: HostNo, id: PageId, marks: impl FnOnce() -> Vec<u32>) {
        let sample = self.hosts.entry(host).or_default();
        let before = sample.level();
        sample.put(page, id, marks);
        self.has_risen |= sample.level() > before;
        if self.host_of.len() <= page.index() {
            self.host_of.resize(page.index() + 1, None);
        }
        self.host_of[page.index()] = Some(host);
    }

    fn host(&self, page: PageNo) -> Option<HostNo> {
        self.host_of.get(page.index()).copied().flatten()
    }
}

/// The parts of a text that consist of chosen runs, given where runs end.
fn parts(
    runs: impl Iterator<Item = (u32, usize)>,
    is_chosen: impl Fn(u32) -> bool,
) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = vec![];
    let mut begin = 0;
    for (run, end) in runs {
        if is_chosen(run) {
            match parts.last_mut() {
                Some(last) if last.end == begin => last.end = end,
                _ => parts.push(begin..end),
            }
        }
        begin = end;
    }
    parts
}

impl Instrument for Boilerplate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn begin_cycle(&mut self, _cycle: &CycleStart<'_>) -> bool {
        self.update()
    }

    fn visited(&mut self, visit: &Visited<'_>) -> Result<Recorded> {
        if visit.outcome == Outcome::Gone {
            if let Some(sample) = self.hosts.get_mut(&visit.host) {
                sample.remove(visit.page);
            }
            // What is stored of a page goes with it.
            return Ok(Recorded::default());
        }
        let Some(new) = visit.new else { return Ok(Recorded::default()) };
        let id = PageId::from_address(visit.address);
        self.put(visit.page, visit.host, id, || marks(&new.runs));
        Ok(Recorded { impact: None, has_new_state: true })
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(self.clone())
    }

    fn state(&self) -> Vec<u8> {
        let of_host = |(host, sample): (&HostNo, &HostSample)| OfHost {
            host: *host,
            level: sample.level(),
            boilerplate: sample.boilerplate().to_vec(),
            former: sample.former().to_vec(),
        };
        encode(&Whole(self.hosts.iter().map(of_host).collect()))
    }

    fn page_state(&self, page: PageNo) -> Option<Vec<u8>> {
        let sample = self.hosts.get(&self.host(page)?)?;
        // A page that is not sampled has a state, too: that it need not be read again.
        let marks = sample.marks(page).unwrap_or_default().to_vec();
        Some(encode(&OfPage { level: sample.level(), marks }))
    }

    fn restore(&mut self, state: &[u8]) {
        let Some(Whole(hosts)) = decode(state) else { return };
        for OfHost { host, level, boilerplate, former } in hosts {
            self.hosts.entry(host).or_default().restore(level, boilerplate, former);
        }
    }

    fn restore_page(&mut self, page: PageNo, saved: Saved<'_>) -> bool {
        let (Some(host), Some(&id)) = (self.host(page), self.ids.get(page.index())) else {
            return false;
        };
        match saved {
            Saved::State(state) => {
                let Some(OfPage { level, marks }) = decode(state) else { return false };
                self.hosts.entry(host).or_default().raise(level);
                if !marks.is_empty() {
                    self.put(page, host, id, || marks);
                }
            }
            Saved::Held(held) => self.put(page, host, id, || marks(&held.runs)),
        }
        true
    }
}
