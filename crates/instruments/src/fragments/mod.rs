//! Shared fragments: which parts of pages other pages have too, and which of these have changed.
//!
//! A fragment is a pair of consecutive text runs ([`Snapshot::runs`]). Pages made from one template,
//! or that quote the same data, share fragments. Where a visit finds that a shared fragment is gone,
//! the other pages that hold it have probably lost it as well: their copies are out of date
//! (`docs/policies/unified.md`).
//!
//! A fragment is *dead* once a visit finds it gone while at least three held pages had it. It is alive
//! again when a visit finds it anew.
mod evidence;
mod groups;
mod hits;
mod state;
mod template;
#[cfg(test)]
mod tests;
mod traits;

pub use self::{
    evidence::{Death, Evidence},
    groups::Groups,
    hits::{CLASSES, HitRates},
    traits::Traits,
};
use std::collections::BTreeMap;

use self::{state::Restored, template::Template};
use crawl::{
    CycleStart, Instrument, Need, Needs, Outcome, PageNo, Recorded, Result, Saved, Snapshot,
    Visited,
};
use rustc_hash::FxHashMap;

/// The name under which fragments are stored.
pub const NAME: &str = "fragments";

/// A fragment counts as shared from this number of pages on.
const FEWEST_PAGES: usize = 3;
/// The most fragments of a page that are kept.
pub const MOST_FRAGMENTS: usize = 64;

/// A policy's request for fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentNeeds {
    /// The most fragments of each page that are kept.
    pub most: usize,
}

impl Need for FragmentNeeds {
    fn join(&self, other: &Self) -> Self {
        Self { most: self.most.max(other.most) }
    }
}

/// The fragments of every held page.
#[derive(Clone, Debug)]
pub struct Fragments {
    most: usize,
    groups: Groups,
    /// By page, its fragments in ascending order; empty where it is not held.
    pages: Vec<Box<[u32]>>,
    /// By page, what its last snapshot says.
    traits: Vec<Traits>,
    shared: FxHashMap<u32, Holders>,
    /// In order, so that runs are reproducible.
    dead: BTreeMap<u32, Death>,
    hits: HitRates,
    /// The number of visits so far.
    visits: u64,
    /// What visits of this cycle changed.
    recent: FxHashMap<PageNo, Difference>,
    restored: Restored,
    template: Template,
}

/// The held pages with a fragment.
#[derive(Clone, Debug, Default)]
struct Holders {
    count: u32,
    /// All of them. Pages that lost the fragment stay here until they are half of the list, so that a
    /// fragment of a million pages is lost in constant time.
    pages: Vec<PageNo>,
}

/// What a visit changed in the fragments of a page.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Difference {
    /// The number of the visit.
    visit: u64,
    /// The group of the page.
    group: u32,
    /// The host of the page.
    host: u32,
    /// Whether the detector found a change; `None` at a first visit.
    changed: Option<bool>,
    lost: Vec<u32>,
    gained: Vec<u32>,
}

impl Default for Fragments {
    fn default() -> Self {
        Self::new(FragmentNeeds { most: MOST_FRAGMENTS })
    }
}

impl Fragments {
    /// Fragments for these needs, of no page yet.
    pub fn new(needs: FragmentNeeds) -> Self {
        Self {
            most: needs.most,
            groups: Groups::default(),
            pages: vec![],
            traits: vec![],
            shared: FxHashMap::default(),
            dead: BTreeMap::new(),
            hits: HitRates::default(),
            visits: 0,
            recent: FxHashMap::default(),
            restored: Restored::default(),
            template: Template::default(),
        }
    }

    /// Fragments for the needs of a policy; `None` where it needs none.
    pub fn needed(needs: &Needs) -> Option<Self> {
        needs.find::<FragmentNeeds>().copied().map(Self::new)
    }

    /// The groups of pages.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// How often evidence was right.
    pub fn hits(&self) -> &HitRates {
        &self.hits
    }

    /// The dead fragments that some page still holds: what became of each, and these pages.
    pub fn dead(&self) -> impl Iterator<Item = (&Death, impl Iterator<Item = PageNo>)> {
        self.dead.iter().filter_map(|(fragment, death)| {
            let pages = self.shared.get(fragment)?.pages.iter().copied();
            Some((death, pages.filter(|page| self.holds(*page, *fragment))))
        })
    }

    fn holds(&self, page: PageNo, fragment: u32) -> bool {
        self.of_page(page).binary_search(&fragment).is_ok()
    }

    /// The fragments of a page.
    pub fn of_page(&self, page: PageNo) -> &[u32] {
        self.pages.get(page.index()).map_or(&[], |fragments| fragments)
    }

    /// What the last snapshot of a page says.
    pub fn traits(&self, page: PageNo) -> Traits {
        self.traits.get(page.index()).copied().unwrap_or_default()
    }

    fn set_traits(&mut self, page: PageNo, traits: Traits) {
        if self.traits.len() <= page.index() {
            self.traits.resize(page.index() + 1, Traits::default());
        }
        self.traits[page.index()] = traits;
    }

    /// The share of a page's fragments that other held pages have, too.
    pub fn shared_share(&self, page: PageNo) -> f32 {
        let fragments = self.of_page(page);
        let is_shared = |fragment: &&u32| self.document_frequency(**fragment) >= FEWEST_PAGES;
        let shared = fragments.iter().filter(is_shared).count();
        shared as f32 / fragments.len().max(1) as f32
    }

    /// The number of held pages with a fragment.
    pub fn document_frequency(&self, fragment: u32) -> usize {
        self.shared.get(&fragment).map_or(0, |holders| holders.count as usize)
    }

    /// The evidence that a held page is out of date.
    pub fn evidence(&self, page: PageNo) -> Evidence {
        self.evidence_in(page, self.groups.group(page))
    }

    fn evidence_in(&self, page: PageNo, group: u32) -> Evidence {
        let deaths = self.of_page(page).iter().filter_map(|fragment| self.dead.get(fragment));
        deaths.fold(Evidence::default(), |best, death| best.max(death.evidence(group)))
    }

    /// The death that is the strongest evidence against a page.
    pub fn strongest(&self, page: PageNo) -> Option<Death> {
        let group = self.groups.group(page);
        let deaths = self.of_page(page).iter().filter_map(|fragment| self.dead.get(fragment));
        let mut best: Option<(Evidence, Death)> = None;
        for death in deaths {
            let evidence = death.evidence(group);
            if best.is_none_or(|(found, _)| found.max(evidence) != found) {
                best = Some((evidence, *death));
            }
        }
        best.map(|(_, death)| death)
    }

    /// The evidence for every page that has any.
    pub fn all_evidence(&self, pages: usize) -> Vec<Evidence> {
        let mut all = vec![Evidence::default(); pages];
        for (death, holders) in self.dead() {
            for page in holders {
                let best = &mut all[page.index()];
                *best = best.max(death.evidence(self.groups.group(page)));
            }
        }
        all
    }

    /// The fragments of a snapshot that are kept, in ascending order.
    fn choose(&self, snapshot: &Snapshot) -> Vec<u32> {
        let pair = |runs: &[u32]| {
            let mixed =
                (u64::from(runs[0]) << 32 | u64::from(runs[1])).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
        };
        let mut fragments: Vec<u32> = snapshot.runs.windows(2).map(pair).collect();
        fragments.sort_unstable();
        fragments.dedup();
        if fragments.len() > self.most {
            // Shared fragments tell most. Among the others the choice is the same on every page, so
            // that those that come to be shared are chosen on each.
            let is_alone = |fragment: u32| self.document_frequency(fragment) < 2;
            fragments.sort_by_cached_key(|&fragment| (is_alone(fragment), fragment));
            fragments.truncate(self.most);
            fragments.sort_unstable();
        }
        fragments
    }

    /// Takes in what a visit found. `group` is the page's.
    fn apply(&mut self, page: PageNo, difference: &Difference) {
        let &Difference { group, host, changed, .. } = difference;
        if let Some(changed) = changed {
            let class = self.evidence_in(page, group).class;
            self.hits.add(host, group, class, changed);
        }
        let bit = 1 << (group % 64);
        let row = page.index();
        if self.pages.len() <= row {
            self.pages.resize(row + 1, Box::default());
        }
        let before = std::mem::take(&mut self.pages[row]).into_vec();
        let mut after = Vec::with_capacity(before.len());
        for fragment in before {
            if difference.lost.binary_search(&fragment).is_err() {
                if let Some(death) = self.dead.get_mut(&fragment) {
                    death.stayed += 1;
                    death.stayed_in |= bit;
                }
                after.push(fragment);
                continue;
            }
            let holders = self.forget(fragment);
            if changed.is_none() {
                // The page is gone, which says nothing about its fragments.
                continue;
            }
            let is_shared = holders + 1 >= FEWEST_PAGES && !self.template.contains(fragment);
            if holders > 0 && (is_shared || self.dead.contains_key(&fragment)) {
                let death = self.dead.entry(fragment).or_default();
                death.gone += 1;
                death.gone_in |= bit;
            }
        }
        for &fragment in &difference.gained {
            self.dead.remove(&fragment);
            self.shared.entry(fragment).or_default().add(page);
        }
        after.extend(&difference.gained);
        after.sort_unstable();
        self.pages[row] = after.into();
        self.compact(&difference.lost);
    }

    /// Counts one holder of a fragment less. Returns how many are left.
    fn forget(&mut self, fragment: u32) -> usize {
        let Some(holders) = self.shared.get_mut(&fragment) else { return 0 };
        holders.count -= 1;
        if holders.count > 0 {
            return holders.count as usize;
        }
        self.shared.remove(&fragment);
        self.dead.remove(&fragment);
        0
    }

    /// Cleans the lists of holders in which half of the pages have lost the fragment.
    fn compact(&mut self, lost: &[u32]) {
        for fragment in lost {
            let Some(holders) = self.shared.get_mut(fragment) else { continue };
            if holders.pages.len() <= 2 * holders.count as usize + 4 {
                continue;
            }
            let mut pages = std::mem::take(&mut holders.pages);
            pages.sort_unstable();
            pages.dedup();
            pages.retain(|page| self.holds(*page, *fragment));
            if let Some(holders) = self.shared.get_mut(fragment) {
                holders.pages = pages;
            }
        }
    }

    /// What a visit changes; `None` where it found nothing out.
    fn difference(&self, visit: &Visited<'_>) -> Option<Difference> {
        let held = self.of_page(visit.page);
        let (lost, gained) = match (visit.outcome, visit.new) {
            (Outcome::Gone, _) => (held.to_vec(), vec![]),
            (_, Some(new)) => {
                let now = self.choose(new);
                let lost = held.iter().copied().filter(|one| now.binary_search(one).is_err());
                let gained = now.iter().copied().filter(|one| held.binary_search(one).is_err());
                (lost.collect(), gained.collect())
            }
            (Outcome::Same, None) => (vec![], vec![]),
            _ => return None,
        };
        let changed = match visit.outcome {
            Outcome::Changed(_) => Some(true),
            Outcome::Same => Some(false),
            _ => None,
        };
        let group = self.groups.group(visit.page);
        Some(Difference {
            visit: self.visits + 1,
            group,
            host: visit.host.0,
            changed,
            lost,
            gained,
        })
    }
}

impl Holders {
    fn add(&mut self, page: PageNo) {
        self.count += 1;
        self.pages.push(page);
    }
}

impl Instrument for Fragments {
    fn name(&self) -> &'static str {
        NAME
    }

    fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> bool {
        self.finish_restoring();
        self.groups.update(cycle.pages);
        let is_new = self.find_template(cycle.pages) || !self.recent.is_empty();
        self.recent.clear();
        is_new
    }

    fn visited(&mut self, visit: &Visited<'_>) -> Result<Recorded> {
        let Some(difference) = self.difference(visit) else { return Ok(Recorded::default()) };
        self.apply(visit.page, &difference);
        if visit.outcome == Outcome::Gone {
            // What is stored of a page goes with it.
            return Ok(Recorded::default());
        }
        if let Some(new) = visit.new {
            self.set_traits(visit.page, Traits::new(new));
        }
        self.visits += 1;
        self.recent.insert(visit.page, difference);
        Ok(Recorded { impact: None, has_new_state: true })
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(self.clone())
    }

    fn state(&self) -> Vec<u8> {
        self.encode_state()
    }

    fn page_state(&self, page: PageNo) -> Option<Vec<u8>> {
        Some(self.encode_page(page))
    }

    fn restore(&mut self, state: &[u8]) {
        self.decode_state(state);
    }

    fn restore_page(&mut self, page: PageNo, saved: Saved<'_>) -> bool {
        match saved {
            Saved::State(state) => self.decode_page(page, state),
            Saved::Held(held) => {
                let fragments = self.choose(held);
                self.put(page, fragments);
                self.set_traits(page, Traits::new(held));
                true
            }
        }
    }
}
