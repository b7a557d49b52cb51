//! Claims that pages changed, believed as far as they proved right.
//!
//! Sitemaps, feeds and notices claim that a page changed. Some are nearly always right, some renew all
//! their dates at each build. So every kind of claim has a weight on every host: log odds that a claim adds
//! to those of a change. Visits to pages with a claim move it. A host without such visits has the weight
//! that all hosts gave. Silence of a source that lists the page has a weight, too, which visits to pages
//! without a claim move. Only the difference of the two counts: a policy that follows claims sees changes
//! at most of its visits, and expects them. `docs/policies/unified.md` has the formulas.
use std::collections::{BTreeMap, VecDeque};

use crawl::{HostNo, PageNo, Pages, Signal, SignalSource, Span, Time};
use rustc_hash::FxHashMap;

use super::{
    counters::{PAGE_HALF_LIFE, kept},
    features::logit,
};

const SOURCES: usize = SignalSource::ALL.len();
/// Claims about single pages, and waves of claims about many pages at once, of each source.
const CLASSES: usize = 2 * SOURCES;
/// What a claim of each source adds to the log odds of a change before anything is known, and what a wave
/// adds. A notice is sent on purpose. Sitemaps and feeds are made by programs and must earn their weight.
const FIRST: [f64; SOURCES] = [0.0, 0.0, 2.0];
const FIRST_WAVE: [f64; SOURCES] = [0.0, 0.0, 0.5];
/// The step of learning of the first visit, how fast it falls, and the least: for a class of claims, and
/// for the claims that one source made at once.
const CLASS_STEP: (f64, f64, f64) = (1.0, 0.2, 0.03);
const BATCH_STEP: (f64, f64, f64) = (1.0, 0.2, 0.1);
/// Weights are within these bounds.
const BOUND: f64 = 8.0;
/// The variance of a weight is about this, divided by the visits that moved it.
const VARIANCE: f64 = 4.0;
/// How soon a difference of weights makes the history of claims count as that of changes.
const INFORMED: f64 = 2.0;
/// The visits that a first guess of one half counts for in the share of claims that are right.
const PRECISION_WEIGHT: f64 = 4.0;
/// A wave is a claim about at least this many pages and this share of the host's pages.
const WAVE: (u32, u32) = (10, 3);
/// The batches of a host that are told apart, and those of a page.
const BATCHES: usize = 64;
const PENDING: usize = 4;
const DAY: i64 = 86_400_000;

/// All claims, and how right they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    pages: FxHashMap<PageNo, Listed>,
    hosts: BTreeMap<HostNo, Host>,
    /// The weight of each class of claims on all hosts.
    all: Weights,
    /// The pages that made claims.
    sources: FxHashMap<PageNo, SignalSource>,
}

/// A page that was claimed to have changed at some time.
#[derive(Clone, Copy, Debug, Default)]
struct Listed {
    /// The last date that each source gave.
    dates: [Option<Time>; SOURCES],
    /// Claims so far by source, of which old ones fade, as of the last date.
    claims: [f32; SOURCES],
    /// The last batches with a claim since the last visit, from 1 on; 0 for none.
    pending: [u32; PENDING],
}

/// What claims about the pages of one host were worth.
#[derive(Clone, Debug, Default)]
struct Host {
    /// Pages that were visited.
    pages: u32,
    /// Its own weight of each class, once there is one.
    weights: [Option<Weight>; CLASSES],
    /// The last batches of claims, and the number of all.
    batches: VecDeque<Batch>,
    count: u32,
    /// The weight of silence of each source.
    silences: [Weight; SOURCES],
    /// When each source was last looked at.
    looked_at: [Option<Time>; SOURCES],
    /// When each source made its first claim.
    since: [Option<Time>; SOURCES],
}

/// Claims that one source made at once. They tend to be right or wrong together.
#[derive(Clone, Copy, Debug)]
struct Batch {
    class: usize,
    weight: Weight,
}

/// What claims, or silence, add to the log odds of a change.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    odds: f64,
    visits: f64,
    changes: f64,
}

impl Weight {
    fn new(class: usize) -> Self {
        let first = if is_wave(class) { FIRST_WAVE } else { FIRST };
        Self { odds: first[class / 2], ..Self::default() }
    }

    /// The same, without visits of its own.
    fn inherited(self) -> Self {
        Self { visits: 0.0, changes: 0.0, ..self }
    }

    /// One step of gradient descent on the log loss of the predicted change.
    fn learn(&mut self, expected: f64, changed: bool, (first, fall, least): (f64, f64, f64)) {
        let step = (first / (1.0 + fall * self.visits)).max(least);
        let right = f64::from(u8::from(changed));
        let predicted = 1.0 / (1.0 + (-logit(expected) - self.odds).exp());
        self.odds = (self.odds + step * (right - predicted)).clamp(-BOUND, BOUND);
        self.visits += 1.0;
        self.changes += right;
    }

    /// How much more another weight is than this, as far as visits make that certain.
    fn lift(self, other: Self) -> f64 {
        let lift = (other.odds - self.odds).max(0.0);
        let variance = VARIANCE / (self.visits + VARIANCE) + VARIANCE / (other.visits + VARIANCE);
        lift * lift * lift / (lift * lift + variance)
    }

    /// The share of claims that are right.
    fn precision(self) -> f64 {
        (self.changes + 0.5 * PRECISION_WEIGHT) / (self.visits + PRECISION_WEIGHT)
    }
}

/// The weight of each class of claims.
#[derive(Clone, Debug)]
struct Weights([Weight; CLASSES]);

impl Default for Weights {
    fn default() -> Self {
        Self(std::array::from_fn(Weight::new))
    }
}

/// What is claimed about a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Claim {
    /// What claims, or silence, add to the log odds of a change: half of their difference each.
    pub(super) odds: f64,
    /// What the claims so far say about the rate of the page: changes, the weeks in which they were
    /// claimed, and the weight of that.
    pub(super) history: (f64, f64, f64),
    /// The most believed claim: who makes it, and when the page changed.
    pub(super) strongest: Option<(SignalSource, Time)>,
}

impl Signals {
    /// Takes in claims. `seen_at` says when a page was last seen.
    pub(super) fn take(
        &mut self,
        signals: &[Signal],
        pages: &Pages,
        seen_at: impl Fn(PageNo) -> Option<Time>,
    ) {
        let mut fresh: Vec<(HostNo, Signal)> = vec![];
        for &signal in signals {
            let Signal { page, changed, source } = signal;
            let listed = self.pages.entry(page).or_default();
            let before = listed.dates[source.index()].replace(changed);
            if before == Some(changed) {
                continue;
            }
            let claims = &mut listed.claims[source.index()];
            if let Some(before) = before {
                *claims *= kept(changed - before, PAGE_HALF_LIFE) as f32;
            }
            // The first date of a sitemap is no news, the first notice is.
            if before.is_some() || source == SignalSource::Notice {
                *claims += 1.0;
            }
            let name = pages.host(page);
            let host = self.hosts.entry(name).or_default();
            host.since[source.index()].get_or_insert(changed);
            if source == SignalSource::Notice {
                host.looked_at[source.index()] = Some(changed);
            }
            if seen_at(page).is_some_and(|seen| end(changed) > seen) {
                fresh.push((name, signal));
            }
        }
        fresh.sort_unstable_by_key(|&(host, signal)| (host, signal.source));
        let is_same = |one: &(HostNo, Signal), two: &(HostNo, Signal)| {
            (one.0, one.1.source) == (two.0, two.1.source)
        };
        for claims in fresh.chunk_by(is_same) {
            let host = self.hosts.entry(claims[0].0).or_default();
            let number = host.add_batch(claims[0].1.source, claims.len() as u32, &self.all);
            for (_, signal) in claims {
                let pending = &mut self.pages.entry(signal.page).or_default().pending;
                pending.rotate_right(1);
                pending[0] = number;
            }
        }
    }

    /// Notes that a page was visited which makes claims, or made some before.
    pub(super) fn look(&mut self, page: PageNo, host: HostNo, at: Time, signals: &[Signal]) {
        let own = signals.iter().find(|signal| signal.source != SignalSource::Notice);
        if let Some(signal) = own {
            self.sources.insert(page, signal.source);
        }
        if let Some(source) = self.sources.get(&page) {
            self.hosts.entry(host).or_default().looked_at[source.index()] = Some(at);
        }
    }

    /// Learns from a first visit.
    pub(super) fn first_visit(&mut self, host: HostNo) {
        self.hosts.entry(host).or_default().pages += 1;
    }

    /// Learns whether a page had changed that was last seen at an instant.
    pub(super) fn learn(
        &mut self,
        (page, host): (PageNo, HostNo),
        seen_at: Time,
        expected: f64,
        changed: bool,
    ) {
        let Some(host) = self.hosts.get_mut(&host) else { return };
        let listed = self.pages.get_mut(&page);
        let (pending, dates) = listed.map_or(Default::default(), |listed| {
            (std::mem::take(&mut listed.pending), listed.dates)
        });
        let batches = host.pending(&pending);
        if batches.is_empty() {
            for source in SignalSource::ALL {
                if host.covers(source, &dates, seen_at) {
                    host.silences[source.index()].learn(expected, changed, CLASS_STEP);
                }
            }
        }
        for batch in batches {
            let Batch { class, weight } = &mut host.batches[batch];
            if is_wave(*class) {
                weight.learn(expected, changed, BATCH_STEP);
            }
            let all = &mut self.all.0[*class];
            let own = host.weights[*class].get_or_insert(all.inherited());
            own.learn(expected, changed, CLASS_STEP);
            all.learn(expected, changed, CLASS_STEP);
        }
    }

    /// What is claimed about a page that was last seen at an instant.
    pub(super) fn claim(&self, (page, host): (PageNo, HostNo), seen_at: Time, now: Time) -> Claim {
        let Some(host) = self.hosts.get(&host) else { return Claim::default() };
        let listed = self.pages.get(&page).copied().unwrap_or_default();
        let mut claim = Claim { history: self.history(host, &listed, now), ..Claim::default() };
        for batch in host.pending(&listed.pending) {
            let Batch { class, weight } = host.batches[batch];
            let source = SignalSource::ALL[class / 2];
            let lift = if is_wave(class) {
                host.silences[source.index()].lift(weight)
            } else {
                self.lift(host, source)
            };
            let odds = 0.5 * lift;
            if claim.strongest.is_none() || odds > claim.odds {
                claim.odds = odds;
                claim.strongest = listed.dates[source.index()].map(|date| (source, date));
            }
        }
        if claim.strongest.is_none() {
            let covering = |source: &SignalSource| host.covers(*source, &listed.dates, seen_at);
            let silences = SignalSource::ALL.into_iter().filter(covering);
            claim.odds = silences.map(|source| -0.5 * self.lift(host, source)).fold(0.0, f64::min);
        }
        claim
    }

    /// What a claim of a source adds to the log odds of a change, compared with its silence.
    fn lift(&self, host: &Host, source: SignalSource) -> f64 {
        let class = class(source, false);
        let weight = host.weights[class].unwrap_or(self.all.0[class].inherited());
        host.silences[source.index()].lift(weight)
    }

    /// What the claims of the best source so far say about the rate of a page.
    fn history(&self, host: &Host, listed: &Listed, now: Time) -> (f64, f64, f64) {
        let mut best = (0.0, 0.0, 0.0);
        for source in [SignalSource::Sitemap, SignalSource::Notice] {
            let (index, class) = (source.index(), class(source, false));
            let Some(since) = host.since[index] else { continue };
            let Some(weight) = host.weights[class] else { continue };
            let share = 1.0 - (-self.lift(host, source) / INFORMED).exp();
            if share > best.2 {
                let age = listed.dates[index].map_or(Span::default(), |then| now - then);
                let claims = f64::from(listed.claims[index]) * kept(age, PAGE_HALF_LIFE);
                let all = PAGE_HALF_LIFE / std::f64::consts::LN_2;
                let weeks = all * (1.0 - kept(now - since, PAGE_HALF_LIFE));
                best = (claims * weight.precision(), weeks, share);
            }
        }
        best
    }
}

impl Host {
    /// Adds a batch of claims about so many pages. Returns its number.
    fn add_batch(&mut self, source: SignalSource, claims: u32, all: &Weights) -> u32 {
        let is_wave = claims >= WAVE.0 && claims * WAVE.1 > self.pages;
        let class = class(source, is_wave);
        let weight = self.weights[class].unwrap_or(all.0[class]).inherited();
        self.batches.push_back(Batch { class, weight });
        if self.batches.len() > BATCHES {
            self.batches.pop_front();
        }
        self.count += 1;
        self.count
    }

    /// The places of batches that are still told apart. Older ones are forgotten.
    fn pending(&self, numbers: &[u32; PENDING]) -> Vec<usize> {
        let first = self.count as usize + 1 - self.batches.len();
        let place = |&number: &u32| (number as usize).checked_sub(first);
        numbers.iter().filter(|&&number| number > 0).filter_map(place).collect()
    }

    /// Whether silence about a page means something: it is listed by a source that was looked at since.
    /// A host that sends notices would send one for every page.
    fn covers(&self, source: SignalSource, dates: &[Option<Time>; SOURCES], seen_at: Time) -> bool {
        let looked_at = self.looked_at[source.index()];
        match source {
            SignalSource::Sitemap => {
                dates[source.index()].is_some() && looked_at.is_some_and(|at| at > seen_at)
            }
            // An entry leaves a feed although its page still changes.
            SignalSource::Feed => false,
            SignalSource::Notice => looked_at.is_some(),
        }
    }
}

fn class(source: SignalSource, is_wave: bool) -> usize {
    2 * source.index() + usize::from(is_wave)
}

fn is_wave(class: usize) -> bool {
    class % 2 == 1
}

/// The latest instant that a date stands for: a date without a time of day is a whole day.
fn end(date: Time) -> Time {
    if date.millis() % DAY == 0 { date + Span::from_millis(DAY) } else { date }
}

#[cfg(test)]
mod tests;
