//! Claims that pages changed, believed as far as they proved right.
//!
//! Sitemaps, feeds, links and notices claim that a page changed. Some are nearly always right, some renew all
//! their dates at each build. So every kind of claim has a weight on every host: log odds that a claim adds
//! to those of a change. Visits to pages with a claim move it. A host without such visits has the weight
//! that all hosts gave. Silence of a source that lists the page has a weight, too, which visits to pages
//! without a claim move. Only the difference of the two counts: a policy that follows claims sees changes
//! at most of its visits, and expects them. Missing notices speak against a change, missing dates do not.
//! `docs/policies/unified.md` has the formulas.
use std::collections::{BTreeMap, VecDeque};

use crawl::{HostNo, PageNo, Pages, Signal, SignalSource, Span, Time};
use rustc_hash::FxHashMap;

use self::weight::{Lesson, Weight, Weights};
use super::{
    counters::{PAGE_HALF_LIFE, kept},
    features::logit,
    slots::{Part, Slots},
};

mod weight;

const SOURCES: usize = SignalSource::ALL.len();
/// Claims about single pages, and waves of claims about many pages at once, of each source.
const CLASSES: usize = 2 * SOURCES;
/// The step of learning of the first visit, how fast it falls, and the least: for a class of claims, and
/// for the claims that one source made at once.
const CLASS_STEP: (f64, f64, f64) = (1.0, 0.2, 0.03);
const BATCH_STEP: (f64, f64, f64) = (1.0, 0.2, 0.1);
/// How soon a difference of weights makes the history of claims count as that of changes.
const INFORMED: f64 = 2.0;
/// A wave is a claim about at least this many pages and this share of the host's pages.
const WAVE: (u32, u32) = (10, 3);
/// The waves of a host that are told apart, and those of a page.
const WAVES: usize = 64;
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
    /// Single claims of each source since the last visit.
    since: [u8; SOURCES],
    /// The last waves of claims since the last visit, from 1 on; 0 for none.
    waves: [u32; PENDING],
}

/// What claims about the pages of one host were worth.
#[derive(Clone, Debug, Default)]
struct Host {
    /// Pages that were visited.
    pages: u32,
    /// Its own weight of each class, once there is one.
    weights: [Option<Weight>; CLASSES],
    /// The last waves of claims, and the number of all.
    waves: VecDeque<Batch>,
    count: u32,
    /// The weight of silence of each source.
    silences: [Weight; SOURCES],
    /// When each source was last looked at.
    looked_at: [Option<Time>; SOURCES],
    /// When each source made its first claim.
    since: [Option<Time>; SOURCES],
}

/// Many claims that one source made at once. They tend to be right or wrong together.
#[derive(Clone, Copy, Debug)]
struct Batch {
    class: usize,
    weight: Weight,
}

/// The time since a page was last seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) seen_at: Time,
    pub(super) weeks: f64,
    /// The probability of a change in it, without claims.
    pub(super) expected: f64,
}

impl Wait {
    fn slots(&self, claims: f64) -> Slots {
        Slots::new(self.expected, self.weeks, claims)
    }
}

/// What is claimed about a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Claim {
    /// What claims, or silence, add to the log odds of a change: in each slot half of their difference.
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
            let source = claims[0].1.source;
            let wave = host.add_wave(source, claims.len() as u32, &self.all);
            for (_, signal) in claims {
                let Listed { since, waves, .. } = self.pages.entry(signal.page).or_default();
                if let Some(wave) = wave {
                    waves.rotate_right(1);
                    waves[0] = wave;
                } else {
                    // Two notices are about two changes. Two pages that link here may tell the same one.
                    let count = &mut since[source.index()];
                    let adds_up = source == SignalSource::Notice;
                    *count = if adds_up { count.saturating_add(1) } else { 1 };
                }
            }
        }
    }

    /// Notes that a page was visited which makes claims, or made some before.
    pub(super) fn look(&mut self, page: PageNo, host: HostNo, at: Time, signals: &[Signal]) {
        let lists = [SignalSource::Sitemap, SignalSource::Feed];
        let own = signals.iter().find(|signal| lists.contains(&signal.source));
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

    /// Learns from a visit to a page that had been seen before.
    pub(super) fn learn(&mut self, (page, host): (PageNo, HostNo), visit: Wait, changed: bool) {
        let Some(host) = self.hosts.get_mut(&host) else { return };
        let listed = self.pages.get_mut(&page).map_or(Listed::default(), |listed| {
            let before = *listed;
            (listed.since, listed.waves) = Default::default();
            before
        });
        for source in SignalSource::ALL {
            let (single, wave) = (class(source, false), class(source, true));
            let claims = f64::from(listed.since[source.index()]);
            let waves = host.pending(&listed.waves, wave);
            let covers = host.covers(source, &listed.dates, visit.seen_at);
            if claims == 0.0 && waves.is_empty() && !covers {
                continue;
            }
            let own = |class: usize| host.weights[class].unwrap_or(self.all.0[class].inherited());
            let mut parts = vec![Part { count: claims, odds: own(single).odds }];
            parts.extend(
                waves.iter().map(|&wave| Part { count: 1.0, odds: host.waves[wave].weight.odds }),
            );
            let slots = visit.slots(claims + waves.len() as f64);
            let silence = if covers { host.silences[source.index()].odds } else { 0.0 };
            parts.push(Part { count: slots.left(&parts), odds: silence });
            let stale = slots.stale(&parts);
            let lesson = |part: Part| Lesson::new(&slots, part, stale, changed);
            if covers {
                let silent = lesson(parts[parts.len() - 1]);
                host.silences[source.index()].learn(silent, CLASS_STEP);
            }
            let mut learn = |class: usize, part: Part| {
                let all = &mut self.all.0[class];
                let own = host.weights[class].get_or_insert(all.inherited());
                own.learn(lesson(part), CLASS_STEP);
                all.learn(lesson(part), CLASS_STEP);
            };
            if claims > 0.0 {
                learn(single, parts[0]);
            }
            for (place, &number) in waves.iter().enumerate() {
                learn(wave, parts[1 + place]);
                host.waves[number].weight.learn(lesson(parts[1 + place]), BATCH_STEP);
            }
        }
    }

    /// What is claimed about a page.
    pub(super) fn claim(&self, (page, host): (PageNo, HostNo), wait: Wait, now: Time) -> Claim {
        let Some(host) = self.hosts.get(&host) else { return Claim::default() };
        let listed = self.pages.get(&page).copied().unwrap_or_default();
        let mut claim = Claim { history: self.history(host, &listed, now), ..Claim::default() };
        for source in SignalSource::ALL {
            let claims = f64::from(listed.since[source.index()]);
            let waves = host.pending(&listed.waves, class(source, true));
            // A rebuild changes pages and leaves the dates of their sitemap as they were, so only notices can be
            // missing.
            let is_silent =
                source == SignalSource::Notice && host.covers(source, &listed.dates, wait.seen_at);
            let is_claimed = claims > 0.0 || !waves.is_empty();
            if !is_claimed && (!is_silent || claim.strongest.is_some()) {
                continue;
            }
            let lift = 0.5 * self.lift(host, source);
            let mut parts = vec![Part { count: claims, odds: lift }];
            let silence = host.silences[source.index()];
            let wave = |&wave: &usize| Part {
                count: 1.0,
                odds: 0.5 * silence.lift(host.waves[wave].weight),
            };
            parts.extend(waves.iter().map(wave));
            let slots = wait.slots(claims + waves.len() as f64);
            let silent = if is_silent { -lift } else { 0.0 };
            parts.push(Part { count: slots.left(&parts), odds: silent });
            let odds = logit(slots.stale(&parts)) - logit(wait.expected);
            if !is_claimed {
                claim.odds = claim.odds.min(odds);
            } else if claim.strongest.is_none() || odds > claim.odds {
                claim.odds = odds;
                claim.strongest = listed.dates[source.index()].map(|date| (source, date));
            }
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
    /// Adds a wave, if a source made claims about so many pages at once that they are one. Returns its number.
    fn add_wave(&mut self, source: SignalSource, claims: u32, all: &Weights) -> Option<u32> {
        if claims < WAVE.0 || claims * WAVE.1 <= self.pages {
            return None;
        }
        let class = class(source, true);
        let weight = self.weights[class].unwrap_or(all.0[class]).inherited();
        self.waves.push_back(Batch { class, weight });
        if self.waves.len() > WAVES {
            self.waves.pop_front();
        }
        self.count += 1;
        Some(self.count)
    }

    /// The places of a page's waves of a class. Those that are no longer told apart are left out.
    fn pending(&self, numbers: &[u32; PENDING], class: usize) -> Vec<usize> {
        let first = self.count as usize + 1 - self.waves.len();
        let place = |&number: &u32| (number as usize).checked_sub(first);
        let places = numbers.iter().filter(|&&number| number > 0).filter_map(place);
        places.filter(|&place| self.waves[place].class == class).collect()
    }

    /// Whether silence about a page means something: it is listed by a source that was looked at since.
    /// A host that sends notices would send one for every page.
    fn covers(&self, source: SignalSource, dates: &[Option<Time>; SOURCES], seen_at: Time) -> bool {
        let looked_at = self.looked_at[source.index()];
        match source {
            SignalSource::Sitemap => {
                dates[source.index()].is_some() && looked_at.is_some_and(|at| at > seen_at)
            }
            // An entry leaves a feed although its page still changes, and most changes show nowhere else.
            SignalSource::Feed | SignalSource::Link => false,
            SignalSource::Notice => looked_at.is_some(),
        }
    }
}

fn class(source: SignalSource, is_wave: bool) -> usize {
    2 * source.index() + usize::from(is_wave)
}

/// Whether it is the class of waves of a source.
fn is_wave(class: usize) -> bool {
    class % 2 == 1
}

/// The latest instant that a date stands for: a date without a time of day is a whole day.
fn end(date: Time) -> Time {
    if date.millis() % DAY == 0 { date + Span::from_millis(DAY) } else { date }
}

#[cfg(test)]
mod tests;
