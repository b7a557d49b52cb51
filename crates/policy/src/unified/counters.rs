//! Changes counted by page, directory and host, and the prior that they give.
use crawl::{Expectation, PageNo, Pages, Span, Time};
use instruments::fragments::Groups;

use super::worth::Belief;
use crate::by_page::row_mut;

/// Half-life of evidence about a page, in weeks.
pub(super) const PAGE_HALF_LIFE: f64 = 26.0;
/// Half-life of recent evidence, in weeks.
const RECENT_HALF_LIFE: f64 = 2.0;
/// The rate before any evidence: changes, and weeks.
const FIRST: (f64, f64) = (0.1, 1.0);
/// The rate of deletions before any evidence: pages, and weeks of one page.
const FIRST_GONE: (f64, f64) = (0.01, 20.0);

/// What visits found, by page and by directory.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    half_life: f64,
    weight: f64,
    uses_directories: bool,
    groups: Groups,
    pages: Vec<Own>,
    directories: Vec<Pool>,
}

/// Evidence about one page, as of its last visit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    changes: f32,
    weeks: f32,
    /// Counts of its directory, group and host at its last visit.
    then: [Count; 3],
    seen_at: Stamp,
    changed_at: Stamp,
}

impl Own {
    /// When it was last seen.
    pub(super) fn seen_at(&self) -> Option<Time> {
        self.seen_at.get()
    }

    /// When a visit last found a change.
    pub(super) fn changed_at(&self) -> Option<Time> {
        self.changed_at.get()
    }

    /// Whether the last visit found a change.
    pub(super) fn had_changed(&self) -> bool {
        self.changed_at.get().is_some() && self.changed_at == self.seen_at
    }
}

/// An instant, if there was one, in eight bytes: there is one for every page.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stamp(Time);

impl Default for Stamp {
    fn default() -> Self {
        Self(Time::from_millis(i64::MIN))
    }
}

impl Stamp {
    fn get(self) -> Option<Time> {
        (self != Self::default()).then_some(self.0)
    }
}

/// Visits and changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) visits: u32,
    pub(super) changes: u32,
}

/// Evidence about many pages, as of an instant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pool {
    /// Changes of pages that are still there.
    changes: f64,
    /// Pages that were deleted.
    gone: f64,
    weeks: f64,
    recent_visits: f32,
    recent_changes: f32,
    pub(super) count: Count,
    pub(super) visited_at: Option<Time>,
    pub(super) changed_at: Option<Time>,
}

impl Pool {
    fn kept(&self, now: Time, half_life: f64) -> f64 {
        self.visited_at.map_or(0.0, |then| kept(now - then, half_life))
    }

    fn add(&mut self, found: Found, weeks: f64, at: Time, half_life: f64) {
        let kept = self.kept(at, half_life);
        let (changes, gone) = match found {
            Found::Same => (0.0, 0.0),
            Found::Changes(changes) => (changes, 0.0),
            Found::Gone => (0.0, 1.0),
        };
        self.changes = self.changes * kept + changes;
        self.gone = self.gone * kept + gone;
        self.weeks = self.weeks * kept + weeks;
        let kept = self.kept(at, RECENT_HALF_LIFE) as f32;
        self.recent_visits = self.recent_visits * kept + 1.0;
        self.recent_changes *= kept;
        self.count.visits += 1;
        self.visited_at = Some(at);
        if !matches!(found, Found::Same) {
            self.recent_changes += 1.0;
            self.count.changes += 1;
            self.changed_at = Some(at);
        }
    }

    /// The rates, where those of the directory above count for so many weeks.
    fn rates(&self, above: Rates, weight: Rates, now: Time, half_life: f64) -> Rates {
        let kept = self.kept(now, half_life);
        let rate = |sum: f64, above: f64, weight: f64| {
            (sum * kept + weight * above) / (self.weeks * kept + weight)
        };
        Rates {
            change: rate(self.changes, above.change, weight.change),
            gone: rate(self.gone, above.gone, weight.gone),
        }
    }

    /// The share of recent visits that found a change.
    pub(super) fn recent(&self, now: Time) -> f32 {
        let kept = self.kept(now, RECENT_HALF_LIFE) as f32;
        (self.recent_changes * kept + 0.2) / (self.recent_visits * kept + 1.0)
    }
}

/// What a visit to a held page found.
#[derive(Clone, Copy, Debug)]
enum Found {
    Same,
    /// So many changes, about.
    Changes(f64),
    Gone,
}

/// Events of one page per week.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    pub(super) change: f64,
    pub(super) gone: f64,
}

/// What is left of evidence after a time.
pub(super) fn kept(span: Span, half_life: f64) -> f64 {
    (-span.days().max(0.0) / 7.0 / half_life).exp2()
}

/// What is kept of a visit until it is learned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) page: PageNo,
    pub(super) at: Time,
    /// Time since the page was seen before.
    pub(super) since: Option<Span>,
    /// Whether it had changed; `None` where the visit does not say.
    pub(super) changed: Option<bool>,
    pub(super) is_first: bool,
    /// Whether it was deleted.
    pub(super) is_gone: bool,
    /// What was expected of the visit.
    pub(super) expected: Option<Expectation>,
}

/// The rates of directories at an instant.
pub(super) struct Priors(Vec<Rates>);

impl Counters {
    pub(super) fn new(uses_directories: bool, half_life: f64, weight: f64) -> Self {
        Self {
            half_life,
            weight,
            uses_directories,
            groups: Groups::default(),
            pages: vec![],
            directories: vec![],
        }
    }

    /// Adds the pages that became known.
    pub(super) fn update(&mut self, pages: &Pages) {
        self.groups.update(pages);
        self.directories.resize(self.groups.len(), Pool::default());
    }

    /// The directory, the group and the host of a page.
    pub(super) fn levels(&self, page: PageNo) -> [u32; 3] {
        [self.groups.directory(page), self.groups.group(page), self.groups.root(page)]
    }

    pub(super) fn pool(&self, directory: u32) -> Pool {
        self.directories[directory as usize]
    }

    pub(super) fn own(&self, page: PageNo) -> Own {
        self.pages.get(page.index()).copied().unwrap_or_default()
    }

    /// Visits and changes since the last visit of a page, in a level that it belongs to.
    pub(super) fn since(&self, own: &Own, level: usize, directory: u32) -> Count {
        let (now, then) = (self.pool(directory).count, own.then[level]);
        Count {
            visits: now.visits.saturating_sub(then.visits),
            changes: now.changes.saturating_sub(then.changes),
        }
    }

    /// Learns from a visit. Returns the probability of a change that was expected, where the page had
    /// been seen before.
    pub(super) fn learn(&mut self, seen: &Seen) -> Option<f64> {
        let expected = seen
            .since
            .zip(seen.changed)
            .map(|(since, changed)| self.learn_change(seen, since, changed));
        let then = self.levels(seen.page).map(|directory| self.pool(directory).count);
        let own = row_mut(&mut self.pages, seen.page.index());
        own.then = then;
        if seen.is_first || seen.changed.is_some() {
            own.seen_at = Stamp(seen.at);
        }
        expected
    }

    fn learn_change(&mut self, seen: &Seen, since: Span, changed: bool) -> f64 {
        let &Seen { page, at, is_gone, .. } = seen;
        let weeks = since.days() / 7.0;
        let directory = self.groups.directory(page);
        let prior = self.prior(directory, at);
        let belief = self.belief_under(page, since, prior.change);
        let expected = belief.rate() * weeks;
        let increment =
            if changed { (expected / -(-expected).exp_m1()).clamp(1.0, 3.0) } else { 0.0 };
        let found = match (changed, is_gone) {
            (false, _) => Found::Same,
            (true, true) => Found::Gone,
            (true, false) => Found::Changes(increment),
        };
        let own = row_mut(&mut self.pages, page.index());
        let fade = kept(since, PAGE_HALF_LIFE);
        own.changes = (f64::from(own.changes) * fade + increment) as f32;
        own.weeks = (f64::from(own.weeks) * fade + weeks) as f32;
        if changed {
            own.changed_at = Stamp(at);
        }
        let mut next = Some(directory);
        while let Some(directory) = next {
            self.directories[directory as usize].add(found, weeks, at, self.half_life);
            next = self.groups.parent(directory);
        }
        1.0 - belief.survival(weeks) * (-prior.gone * weeks).exp()
    }

    /// The rates of one directory at an instant.
    fn prior(&self, directory: u32, now: Time) -> Rates {
        let above = self.groups.parent(directory).map(|parent| self.prior(parent, now));
        self.rates(directory, above, now)
    }

    fn rates(&self, directory: u32, above: Option<Rates>, now: Time) -> Rates {
        let pool = &self.directories[directory as usize];
        let (above, weight) = match above {
            Some(above) if self.uses_directories => {
                (above, Rates { change: self.weight, gone: self.weight })
            }
            Some(above) => return above,
            None => {
                let first = |(events, weeks): (f64, f64)| events / weeks;
                let above = Rates { change: first(FIRST), gone: first(FIRST_GONE) };
                (above, Rates { change: FIRST.1, gone: FIRST_GONE.1 })
            }
        };
        pool.rates(above, weight, now, self.half_life)
    }

    /// The rates of all directories at an instant.
    pub(super) fn priors(&self, now: Time) -> Priors {
        let mut rates: Vec<Rates> = Vec::with_capacity(self.groups.len());
        for directory in 0..self.groups.len() as u32 {
            let above = self.groups.parent(directory).map(|parent| rates[parent as usize]);
            rates.push(self.rates(directory, above, now));
        }
        Priors(rates)
    }

    /// The probability that a page was deleted in some time since its last visit.
    pub(super) fn gone(&self, page: PageNo, age: Span, priors: &Priors) -> f64 {
        let rate = priors.0[self.groups.directory(page) as usize].gone;
        -(-rate * age.days() / 7.0).exp_m1()
    }

    /// The belief about a page some time after its last visit.
    pub(super) fn belief(&self, page: PageNo, age: Span, priors: &Priors) -> Belief {
        self.belief_under(page, age, priors.rate(self.groups.directory(page)))
    }

    /// The weeks of one change in the directory of a page.
    pub(super) fn prior_weeks(&self, page: PageNo, priors: &Priors) -> f64 {
        1.0 / priors.rate(self.groups.directory(page))
    }

    fn belief_under(&self, page: PageNo, age: Span, rate: f64) -> Belief {
        let own = self.own(page);
        let kept = kept(age, PAGE_HALF_LIFE);
        Belief {
            shape: 1.0 + f64::from(own.changes) * kept,
            weeks: 1.0 / rate + f64::from(own.weeks) * kept,
        }
    }
}

impl Priors {
    /// The rate of a directory, in changes of a page per week.
    pub(super) fn rate(&self, directory: u32) -> f64 {
        self.0[directory as usize].change
    }
}
