//! Storing fragments, and restoring them exactly.
//!
//! The state as a whole (deaths, hit rates and the template) is stored when a cycle begins, and the state of a page
//! at each visit. A crash in the middle of a cycle therefore leaves pages that are newer than the
//! whole. A page is visited at most once in a cycle, and its state says what that visit changed. So
//! these visits are undone and made again in their order. One departure: a page that was found gone in
//! that cycle has no state, so it is no holder of a fragment for the visits before it.
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Death, Difference, Fragments, HitRates, Traits};
use crawl::PageNo;

/// The state as a whole.
#[derive(Serialize, Deserialize)]
struct Whole {
    visits: u64,
    dead: BTreeMap<u32, Death>,
    hits: HitRates,
    template: BTreeSet<u32>,
}

/// The state of one page.
#[derive(Serialize, Deserialize)]
struct OfPage {
    fragments: Vec<u32>,
    traits: Traits,
    last: Difference,
}

/// The last visits of restored pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Restored(Vec<(PageNo, Difference)>);

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers and lists can always be encoded")
}

impl Fragments {
    pub(super) fn encode_state(&self) -> Vec<u8> {
        let (dead, hits) = (self.dead.clone(), self.hits.clone());
        let template = self.template.fragments().clone();
        encode(&Whole { visits: self.visits, dead, hits, template })
    }

    pub(super) fn decode_state(&mut self, state: &[u8]) {
        if let Ok(Whole { visits, dead, hits, template }) = postcard::from_bytes(state) {
            (self.visits, self.dead, self.hits) = (visits, dead, hits);
            self.template.restore(template);
        }
    }

    pub(super) fn encode_page(&self, page: PageNo) -> Vec<u8> {
        // A page that was restored from the archive had no visit.
        let last = self.recent.get(&page).cloned().unwrap_or_default();
        let fragments = self.of_page(page).to_vec();
        encode(&OfPage { fragments, traits: self.traits(page), last })
    }

    pub(super) fn decode_page(&mut self, page: PageNo, state: &[u8]) -> bool {
        let Ok(OfPage { fragments, traits, last }) = postcard::from_bytes(state) else {
            return false;
        };
        self.put(page, fragments);
        self.set_traits(page, traits);
        self.restored.0.push((page, last));
        true
    }

    /// Sets the fragments of a page, without any conclusion.
    pub(super) fn put(&mut self, page: PageNo, fragments: Vec<u32>) {
        let row = page.index();
        if self.pages.len() <= row {
            self.pages.resize(row + 1, Box::default());
        }
        for fragment in std::mem::take(&mut self.pages[row]) {
            self.release(fragment);
        }
        for &fragment in &fragments {
            self.shared.entry(fragment).or_default().add(page);
        }
        self.pages[row] = fragments.into();
    }

    /// Counts one holder of a fragment less, without any conclusion.
    fn release(&mut self, fragment: u32) {
        if let Some(holders) = self.shared.get_mut(&fragment) {
            holders.count -= 1;
            if holders.count == 0 {
                self.shared.remove(&fragment);
            }
        }
    }

    /// Makes the visits again that are newer than the state as a whole.
    pub(super) fn finish_restoring(&mut self) {
        let mut visits = std::mem::take(&mut self.restored.0);
        visits.retain(|(_, difference)| difference.visit > self.visits);
        visits.sort_by_key(|(_, difference)| difference.visit);
        for (page, difference) in &visits {
            let now = self.of_page(*page).iter();
            let mut before: Vec<u32> =
                now.copied().filter(|one| difference.gained.binary_search(one).is_err()).collect();
            before.extend(&difference.lost);
            before.sort_unstable();
            self.put(*page, before);
        }
        for (page, difference) in visits {
            self.visits = difference.visit;
            self.apply(page, &difference);
            self.recent.insert(page, difference);
        }
        let shared = &self.shared;
        self.dead.retain(|fragment, _| shared.contains_key(fragment));
    }
}
