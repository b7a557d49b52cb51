//! The core of the bandit: which pages to visit when it is unknown how many new pages each will show.
//!
//! New pages appear on a page at a rate whose posterior is a Gamma distribution. A rate is drawn from that
//! posterior (Thompson sampling), so that pages with little evidence are visited too. Pages that show the
//! same found pages are a group with one rate and one clock, because what one of them shows the others need
//! not show again. `docs/papers.md` B11, D3.3, D3.7, D3.8.
//!
//! Departures: pages are compared by what they showed in one cycle, because a page is found only once, so
//! that finds of different cycles cannot overlap. Each member has a share of what its group shows, learned
//! in cycles that visit several members.
use rayon::prelude::*;

use super::{
    arm_rates::{Means, draw, kept, mean_rate},
    overlap::alike,
};
use crate::score::PAGES_PER_TASK;

/// Prior of a member's share of its group: two thirds, as for two equal pages that have half of their finds
/// in common.
const PRIOR_SHARE: [f32; 2] = [2.0, 1.0];

/// The rates before any evidence, where they are not drawn, compared with the draws. A draw of a rate that is
/// too high only orders the pages; a mean is a price, and with the rates of the draws a site of 400 pages
/// would be expected to have eight new ones a week. Recorded sites have a fifth of that.
const FIRST_MEAN: f64 = 0.2;

/// A page that may be visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Its key.
    pub key: u32,
    /// Its host; pages of one host and kind share a prior.
    pub host: u32,
    /// Its kind.
    pub kind: PageKind,
    /// Days since it was last visited.
    pub waited: f64,
    /// Its prior rate, compared with that of a typical page of its host and kind.
    pub exposure: f64,
}

/// The kind of a page, which decides its prior rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// The front page of a host.
    Front,
    /// A sitemap or feed.
    Dated,
    /// Any other.
    Page,
}

/// What a visit to an arm showed.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmVisit {
    /// The page.
    pub key: u32,
    /// Days since the visit before; 0 for late credit to an earlier visit.
    pub waited: f64,
    /// The found pages that it reaches, chains included, by numbers that are never reused.
    pub found: Vec<u32>,
}

/// The posterior rates of pages.
#[derive(Clone, Debug)]
pub struct Arms {
    /// Of the draws; without it rates are the means of their posteriors.
    seed: Option<u64>,
    /// By key.
    pages: Vec<Page>,
}

#[derive(Clone, Copy, Debug)]
struct Page {
    /// The parent in its group; itself for the head of the group.
    above: u32,
    /// What the member showed of the group's finds, and what it did not, when visited together with others.
    share: [f32; 2],
    /// Of the group: found pages and days watched, as of its last visit.
    found: f32,
    days: f32,
    /// Of the group: the day of its last visit.
    visited: f64,
    is_grouped: bool,
}

impl Arms {
    /// Without any evidence; rates are drawn.
    pub fn new(seed: u64) -> Self {
        Self { seed: Some(seed), pages: vec![] }
    }

    /// Without any evidence; rates are the means of their posteriors.
    pub fn with_means() -> Self {
        Self { seed: None, pages: vec![] }
    }

    /// At most `k` of the arms, best first, each with the finds expected in addition to those before it, by
    /// the rates drawn. `at_days` is now; `draw` seeds the rates (the cycle). `visited` are the arms visited
    /// in this cycle and not learned from yet.
    pub fn choose(
        &self,
        at_days: f64,
        draw: u64,
        arms: &[Arm],
        visited: &[u32],
        k: usize,
    ) -> Vec<(u32, f64)> {
        let chosen = self.choose_by(at_days, draw, arms, visited, k, |found, _| found);
        chosen.into_iter().map(|(key, found, _)| (key, found)).collect()
    }

    /// At most `k` of the arms by what `worth` gives for the expected finds and the days in which they
    /// came. Each with its finds and its worth.
    pub(super) fn choose_by(
        &self,
        at_days: f64,
        draw: u64,
        arms: &[Arm],
        visited: &[u32],
        k: usize,
        worth: impl Fn(f64, f64) -> f64 + Sync,
    ) -> Vec<(u32, f64, f64)> {
        let first = if self.seed.is_some() { 1.0 } else { FIRST_MEAN };
        let means = Means::new(arms, first, |arm| {
            let page = self.page(self.head(arm.key));
            let kept = kept(at_days - page.visited);
            let share = self.share(arm.key);
            (f64::from(page.found) * kept * share, f64::from(page.days) * kept * arm.exposure)
        });
        let for_arm = |arm: &Arm| {
            let head = self.head(arm.key);
            let rate = self.rate(at_days, draw, head, means.for_arm(arm) * arm.exposure);
            let page = self.page(head);
            let waited = if page.visited.is_finite() { at_days - page.visited } else { arm.waited };
            let group = if page.is_grouped { head } else { ALONE };
            let share = self.share(arm.key);
            let days = waited.min(arm.waited).max(0.0);
            Worth { key: arm.key, group, share, found: rate * days, days, waited: arm.waited }
        };
        let tasks = arms.par_iter().with_min_len(PAGES_PER_TASK);
        let mut all: Vec<Worth> = tasks.map(for_arm).collect();
        self.discount(&mut all, visited);
        let value = |arm: &Worth| worth(arm.finds(), arm.days);
        let better = |a: &Worth, b: &Worth| {
            let worth = value(b).total_cmp(&value(a));
            worth.then(b.waited.total_cmp(&a.waited)).then(a.key.cmp(&b.key))
        };
        if k < all.len() {
            all.select_nth_unstable_by(k, better);
            all.truncate(k);
        }
        all.sort_unstable_by(better);
        all.iter().map(|arm| (arm.key, arm.finds(), value(arm))).collect()
    }

    /// Subtracts what members of a group show that others show before them: those already visited, then
    /// those with larger shares.
    fn discount(&self, worth: &mut [Worth], visited: &[u32]) {
        let mut grouped: Vec<&mut Worth> =
            worth.iter_mut().filter(|worth| worth.group != ALONE).collect();
        if grouped.is_empty() {
            return;
        }
        grouped.sort_unstable_by(|a, b| {
            a.group.cmp(&b.group).then(b.share.total_cmp(&a.share)).then(a.key.cmp(&b.key))
        });
        let mut shown: Vec<(u32, f64)> =
            visited.iter().map(|&key| (self.head(key), self.share(key))).collect();
        shown.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for members in grouped.chunk_by_mut(|a, b| a.group == b.group) {
            let group = members[0].group;
            let first = shown.partition_point(|visit| visit.0 < group);
            let visits = shown[first..].iter().take_while(|visit| visit.0 == group);
            let mut left: f64 = visits.map(|visit| 1.0 - visit.1).product();
            for member in members {
                let share = member.share;
                member.share = share * left;
                left *= 1.0 - share;
            }
        }
    }

    /// Learns from all visits of one cycle, which ends at `at_days`. A group gets the credit for a found
    /// page once.
    pub fn learn(&mut self, at_days: f64, visits: &[ArmVisit]) {
        for visit in visits {
            self.insert(visit.key);
        }
        for (one, other) in alike(visits) {
            self.join(one, other, at_days);
        }
        let mut order: Vec<(u32, &ArmVisit)> = vec![];
        for visit in visits {
            let head = self.head(visit.key);
            // Directly, to keep paths to the head short.
            self.pages[visit.key as usize].above = head;
            order.push((head, visit));
        }
        order.sort_by_key(|&(head, visit)| (head, visit.key));
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            self.credit(at_days, group);
        }
    }

    fn credit(&mut self, at_days: f64, visits: &[(u32, &ArmVisit)]) {
        let head = visits[0].0;
        let mut found: Vec<u32> =
            visits.iter().flat_map(|(_, visit)| &visit.found).copied().collect();
        found.sort_unstable();
        found.dedup();
        let real = visits.iter().filter(|(_, visit)| visit.waited > 0.0);
        let mut missed = 1.0;
        let (mut waited, mut members) = (0.0_f64, 0);
        for (_, visit) in real.clone() {
            missed *= 1.0 - self.share(visit.key);
            waited = waited.max(visit.waited);
            members += 1;
        }
        let page = &mut self.pages[head as usize];
        if members > 0 {
            let since = at_days - page.visited;
            if since.is_finite() {
                waited = waited.min(since.max(0.0));
            }
            page.fade_to(at_days);
            page.days += (waited * (1.0 - missed)) as f32;
        }
        page.found += found.len() as f32;
        if members > 1 {
            for (_, visit) in real {
                let [shown, not] = &mut self.pages[visit.key as usize].share;
                *shown += visit.found.len() as f32;
                *not += (found.len() - visit.found.len().min(found.len())) as f32;
            }
        }
    }

    /// Forgets a page that is gone.
    pub fn forget(&mut self, key: u32) {
        if let Some(page) = self.pages.get_mut(key as usize) {
            page.share = PRIOR_SHARE;
            if !page.is_grouped {
                *page = Page::new(key);
            }
        }
    }

    fn insert(&mut self, key: u32) {
        for row in self.pages.len() as u32..=key {
            self.pages.push(Page::new(row));
        }
    }

    fn page(&self, key: u32) -> Page {
        self.pages.get(key as usize).copied().unwrap_or(Page::new(key))
    }

    /// The head of a page's group.
    fn head(&self, mut key: u32) -> u32 {
        while let Some(page) = self.pages.get(key as usize) {
            if page.above == key {
                break;
            }
            key = page.above;
        }
        key
    }

    /// A member's share of what its group shows.
    fn share(&self, key: u32) -> f64 {
        let page = self.page(key);
        let [shown, not] = page.share;
        if page.is_grouped { f64::from(shown / (shown + not)) } else { 1.0 }
    }

    /// Merges the groups of two pages. The rate is that of the one watched for longer: both show the same,
    /// so it is not their sum.
    fn join(&mut self, one: u32, other: u32, at_days: f64) {
        for key in [one, other] {
            self.pages[key as usize].is_grouped = true;
        }
        let (one, other) = (self.head(one), self.head(other));
        if one == other {
            return;
        }
        let latest = self.page(one).visited.max(self.page(other).visited);
        let days = |key: u32| {
            let page = self.page(key);
            f64::from(page.days) * kept(at_days - page.visited)
        };
        let (head, below) = if days(one) >= days(other) { (one, other) } else { (other, one) };
        self.pages[below as usize].above = head;
        let page = &mut self.pages[head as usize];
        if latest.is_finite() {
            page.fade_to(latest);
        }
        page.is_grouped = true;
    }

    /// A rate per day of a group: drawn from its posterior, or the mean.
    fn rate(&self, at_days: f64, round: u64, head: u32, mean: f64) -> f64 {
        let page = self.page(head);
        let kept = kept(at_days - page.visited);
        let evidence = (f64::from(page.found) * kept, f64::from(page.days) * kept);
        match self.seed {
            Some(seed) => draw(seed, round, head, mean, evidence),
            None => mean_rate(mean, evidence),
        }
    }
}

impl Page {
    fn new(key: u32) -> Self {
        Self {
            above: key,
            share: PRIOR_SHARE,
            found: 0.0,
            days: 0.0,
            visited: f64::NEG_INFINITY,
            is_grouped: false,
        }
    }

    /// Fades the evidence to the day of a visit.
    fn fade_to(&mut self, at_days: f64) {
        let kept = kept(at_days - self.visited) as f32;
        self.found *= kept;
        self.days *= kept;
        self.visited = self.visited.max(at_days);
    }
}

/// In no group.
const ALONE: u32 = u32::MAX;

/// The worth of a visit to an arm.
struct Worth {
    key: u32,
    group: u32,
    /// Its share of what its group shows, without what members before it show.
    share: f64,
    /// What its group is expected to show.
    found: f64,
    /// The days in which it came.
    days: f64,
    /// Days since the page itself was visited.
    waited: f64,
}

impl Worth {
    /// What a visit is expected to show in addition to the visits before it.
    fn finds(&self) -> f64 {
        self.found * self.share
    }
}

#[cfg(test)]
mod tests;
