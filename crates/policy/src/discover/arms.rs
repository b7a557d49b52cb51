//! The bandit's core: which pages to look at when nobody knows how many new pages each will show.
//!
//! What a page shows is believed to come at a rate that is Gamma distributed; a rate is drawn from
//! that belief (Thompson sampling), so that pages of which little is known are looked at, too. Pages
//! that show the same found pages are a group with one rate and one clock, because what one of them
//! shows the others need not show again. `docs/papers.md` B11, D3.3, D3.7, D3.8.
//!
//! Departures: pages are compared by what they showed in one cycle, because a page is found only
//! once, so that what is shown in different cycles cannot overlap. A group's members each have a
//! share of what the group shows, learned where several are looked at in one cycle.
use rayon::prelude::*;

use super::{
    belief::{Means, draw, kept},
    overlap::alike,
};
use crate::score::PAGES_PER_TASK;

/// How much a member's share of its group counts for before it was seen beside others: two thirds,
/// as of two pages that have half of what they show in common and are equal.
const PRIOR_SHARE: [f32; 2] = [2.0, 1.0];

/// A page that may be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Its key.
    pub key: u32,
    /// Its host; pages of one host and kind are believed to be alike.
    pub host: u32,
    /// What kind of page it is.
    pub prior: Prior,
    /// Days since it was last visited.
    pub waited: f64,
}

/// What kind of page it is, as long as nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prior {
    /// The front page of a host.
    Front,
    /// A sitemap or feed.
    Dated,
    /// Any other.
    Page,
}

/// What a visit showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The page.
    pub key: u32,
    /// Days since it was visited before; 0 for what an earlier look turned out to have led to.
    pub waited: f64,
    /// The found pages that it reaches, chains included, by numbers that are never used again.
    pub found: Vec<u32>,
}

/// What is believed of pages that may be looked at.
#[derive(Clone, Debug)]
pub struct Arms {
    seed: u64,
    /// By key.
    pages: Vec<Page>,
}

#[derive(Clone, Copy, Debug)]
struct Page {
    /// A page of the same group that stands above it; itself where it stands for the group.
    above: u32,
    /// What members showed of all that the group did, and what they did not, when seen together.
    share: [f32; 2],
    /// Of the group: found pages and days watched, as of its last look.
    found: f32,
    days: f32,
    /// Of the group: the day of its last look.
    looked: f64,
    is_grouped: bool,
}

impl Arms {
    /// Nothing is known.
    pub fn new(seed: u64) -> Self {
        Self { seed, pages: vec![] }
    }

    /// At most `k` of the arms, best first, with what each is expected to find in addition to those
    /// before it, by the rates drawn. `at_days` is now, `draw` what rates are drawn for: the cycle and
    /// the round. `looked` are those that were looked at in this cycle and not learned from yet.
    pub fn choose(
        &self,
        at_days: f64,
        draw: u64,
        arms: &[Arm],
        looked: &[u32],
        k: usize,
    ) -> Vec<(u32, f64)> {
        let means = Means::of(arms, |arm| {
            let page = self.page(self.head(arm.key));
            let kept = kept(at_days - page.looked);
            let share = self.share(arm.key);
            (f64::from(page.found) * kept * share, f64::from(page.days) * kept)
        });
        let of_arm = |arm: &Arm| {
            let head = self.head(arm.key);
            let rate = self.rate(at_days, draw, head, means.of_arm(arm));
            let page = self.page(head);
            let waited = if page.looked.is_finite() { at_days - page.looked } else { arm.waited };
            let group = if page.is_grouped { head } else { ALONE };
            let share = self.share(arm.key);
            let found = rate * waited.min(arm.waited).max(0.0);
            Worth { key: arm.key, group, share, found, waited: arm.waited }
        };
        let tasks = arms.par_iter().with_min_len(PAGES_PER_TASK);
        let mut worth: Vec<Worth> = tasks.map(of_arm).collect();
        self.discount(&mut worth, looked);
        let better = |a: &Worth, b: &Worth| {
            let worth = b.worth().total_cmp(&a.worth());
            worth.then(b.waited.total_cmp(&a.waited)).then(a.key.cmp(&b.key))
        };
        if k < worth.len() {
            worth.select_nth_unstable_by(k, better);
            worth.truncate(k);
        }
        worth.sort_unstable_by(better);
        worth.iter().map(|worth| (worth.key, worth.worth())).collect()
    }

    /// Takes off what members of groups show that others show before them: those already looked at,
    /// then those of larger shares.
    fn discount(&self, worth: &mut [Worth], looked: &[u32]) {
        let mut grouped: Vec<&mut Worth> =
            worth.iter_mut().filter(|worth| worth.group != ALONE).collect();
        if grouped.is_empty() {
            return;
        }
        grouped.sort_unstable_by(|a, b| {
            a.group.cmp(&b.group).then(b.share.total_cmp(&a.share)).then(a.key.cmp(&b.key))
        });
        let mut shown: Vec<(u32, f64)> =
            looked.iter().map(|&key| (self.head(key), self.share(key))).collect();
        shown.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for members in grouped.chunk_by_mut(|a, b| a.group == b.group) {
            let group = members[0].group;
            let first = shown.partition_point(|look| look.0 < group);
            let looks = shown[first..].iter().take_while(|look| look.0 == group);
            let mut left: f64 = looks.map(|look| 1.0 - look.1).product();
            for member in members {
                let share = member.share;
                member.share = share * left;
                left *= 1.0 - share;
            }
        }
    }

    /// Takes in everything that was looked at in one cycle, which ends at `at_days`. A group gets the
    /// credit for a found page once, however many of its members show it.
    pub fn learn(&mut self, at_days: f64, looks: &[Look]) {
        for look in looks {
            self.admit(look.key);
        }
        for (one, other) in alike(looks) {
            self.join(one, other, at_days);
        }
        let mut order: Vec<(u32, &Look)> = vec![];
        for look in looks {
            let head = self.head(look.key);
            // Directly, so that ways to the head stay short.
            self.pages[look.key as usize].above = head;
            order.push((head, look));
        }
        order.sort_by_key(|&(head, look)| (head, look.key));
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            self.credit(at_days, group);
        }
    }

    fn credit(&mut self, at_days: f64, looks: &[(u32, &Look)]) {
        let head = looks[0].0;
        let mut found: Vec<u32> = looks.iter().flat_map(|(_, look)| &look.found).copied().collect();
        found.sort_unstable();
        found.dedup();
        let real = looks.iter().filter(|(_, look)| look.waited > 0.0);
        let mut missed = 1.0;
        let (mut waited, mut members) = (0.0_f64, 0);
        for (_, look) in real.clone() {
            missed *= 1.0 - self.share(look.key);
            waited = waited.max(look.waited);
            members += 1;
        }
        let page = &mut self.pages[head as usize];
        if members > 0 {
            let since = at_days - page.looked;
            if since.is_finite() {
                waited = waited.min(since.max(0.0));
            }
            page.fade_to(at_days);
            page.days += (waited * (1.0 - missed)) as f32;
        }
        page.found += found.len() as f32;
        if members > 1 {
            for (_, look) in real {
                let [shown, not] = &mut self.pages[look.key as usize].share;
                *shown += look.found.len() as f32;
                *not += (found.len() - look.found.len().min(found.len())) as f32;
            }
        }
    }

    /// Drops what is known of a page, because it is gone.
    pub fn forget(&mut self, key: u32) {
        if let Some(page) = self.pages.get_mut(key as usize) {
            page.share = PRIOR_SHARE;
            if !page.is_grouped {
                *page = Page::new(key);
            }
        }
    }

    fn admit(&mut self, key: u32) {
        for row in self.pages.len() as u32..=key {
            self.pages.push(Page::new(row));
        }
    }

    fn page(&self, key: u32) -> Page {
        self.pages.get(key as usize).copied().unwrap_or(Page::new(key))
    }

    /// The page that stands for a page's group.
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

    /// Makes the groups of two pages one. Its rate is that of the one watched for longer: they show
    /// the same, so it is not their sum.
    fn join(&mut self, one: u32, other: u32, at_days: f64) {
        for key in [one, other] {
            self.pages[key as usize].is_grouped = true;
        }
        let (one, other) = (self.head(one), self.head(other));
        if one == other {
            return;
        }
        let latest = self.page(one).looked.max(self.page(other).looked);
        let days = |key: u32| {
            let page = self.page(key);
            f64::from(page.days) * kept(at_days - page.looked)
        };
        let (head, below) = if days(one) >= days(other) { (one, other) } else { (other, one) };
        self.pages[below as usize].above = head;
        let page = &mut self.pages[head as usize];
        if latest.is_finite() {
            page.fade_to(latest);
        }
        page.is_grouped = true;
    }

    /// A rate drawn from what is believed of a group, per day.
    fn rate(&self, at_days: f64, round: u64, head: u32, mean: f64) -> f64 {
        let page = self.page(head);
        let kept = kept(at_days - page.looked);
        let evidence = (f64::from(page.found) * kept, f64::from(page.days) * kept);
        draw(self.seed, round, head, mean, evidence)
    }
}

impl Page {
    fn new(key: u32) -> Self {
        Self {
            above: key,
            share: PRIOR_SHARE,
            found: 0.0,
            days: 0.0,
            looked: f64::NEG_INFINITY,
            is_grouped: false,
        }
    }

    /// Lets evidence fade until a day, that of a look.
    fn fade_to(&mut self, at_days: f64) {
        let kept = kept(at_days - self.looked) as f32;
        self.found *= kept;
        self.days *= kept;
        self.looked = self.looked.max(at_days);
    }
}

/// It is in no group.
const ALONE: u32 = u32::MAX;

/// What looking at a page is worth.
struct Worth {
    key: u32,
    group: u32,
    /// Of what its group shows, as far as those before it do not.
    share: f64,
    /// What its group is expected to show.
    found: f64,
    waited: f64,
}

impl Worth {
    fn worth(&self) -> f64 {
        self.found * self.share
    }
}

#[cfg(test)]
mod tests;
