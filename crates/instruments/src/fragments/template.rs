//! Fragments of the template of a host, for crawls that do not count its changes.
//!
//! Where the detector leaves out menus and footers, a dead fragment of these says nothing: the pages that
//! still hold it are out of date, but not changed. Leaving them out closes two to three points more of the
//! gap at 5 % of the pages a week (`docs/results/unified.md`).
use std::collections::BTreeSet;

use super::Fragments;
use crawl::Pages;

/// Where a host has fewer pages, nothing is taken for its template.
const FEWEST_PAGES: u32 = 10;

/// The fragments that are on more than half of the held pages of their host, or were.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    is_left_out: bool,
    fragments: BTreeSet<u32>,
}

impl Template {
    pub(super) fn contains(&self, fragment: u32) -> bool {
        self.fragments.contains(&fragment)
    }

    pub(super) fn fragments(&self) -> &BTreeSet<u32> {
        &self.fragments
    }

    pub(super) fn restore(&mut self, fragments: BTreeSet<u32>) {
        self.fragments = fragments;
    }
}

impl Fragments {
    /// Without the fragments of templates: they never count as dead.
    #[must_use]
    pub fn without_template(mut self) -> Self {
        self.template.is_left_out = true;
        self
    }

    /// Finds the fragments of the template, if they are left out. Returns whether any is new or gone.
    pub(super) fn find_template(&mut self, pages: &Pages) -> bool {
        if !self.template.is_left_out {
            return false;
        }
        let mut held = vec![0_u32; pages.host_count()];
        for page in pages.numbers().filter(|page| !self.of_page(*page).is_empty()) {
            held[pages.host(page).0 as usize] += 1;
        }
        let is_frequent = |holders: &super::Holders| {
            // The hash contains the host, so all holders are pages of one host.
            let host = holders.pages.first().map(|page| pages.host(*page).0 as usize);
            let held = host.map_or(0, |host| held[host]);
            held >= FEWEST_PAGES && 2 * holders.count > held
        };
        let before = &self.template.fragments;
        let found = self
            .shared
            .iter()
            .filter(|(fragment, holders)| before.contains(fragment) || is_frequent(holders));
        let now: BTreeSet<u32> = found.map(|(fragment, _)| *fragment).collect();
        let is_other = now != self.template.fragments;
        self.template.fragments = now;
        is_other
    }
}
