//! Which readings have the same main text, for the detector `main-text`.
//!
//! A crawl knows the boilerplate of a host only as far as it has seen it, so its detector may say of one
//! pair of snapshots today what it would not say tomorrow. The ground truth must not depend on who asks
//! and when. Here a text run is boilerplate if it is on more than half of the live pages of its host at
//! any cycle, and two readings are the same if the runs that are left are the same, in order.
use std::collections::BTreeMap;

use crawl::{Digest, HostNo, Pages, Snapshot};
use extract::detect::main_text::{FEWEST_PAGES, share_changed};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{grid::Grid, history::History};

/// The main texts of a history.
pub(super) struct MainTexts {
    /// The text runs that are boilerplate of their host at some cycle.
    boilerplate: FxHashSet<u32>,
    /// By main text: equal numbers are the same.
    classes: FxHashMap<u128, u32>,
}

impl MainTexts {
    pub(super) fn new(history: &History, grid: Grid) -> Self {
        let boilerplate = boilerplate(history, grid);
        let mut found = Self { boilerplate, classes: FxHashMap::default() };
        // Equal texts are the same, even if tags divide them into other runs.
        let mut by_text: FxHashMap<Digest, usize> = FxHashMap::default();
        let mut numbers: FxHashMap<u128, usize> = FxHashMap::default();
        let mut parents: Vec<usize> = vec![];
        for reading in &history.readings {
            let number = *numbers.entry(found.identity(reading)).or_insert(parents.len());
            if number == parents.len() {
                parents.push(number);
            }
            let other = *by_text.entry(reading.fingerprints.text).or_insert(number);
            let (one, other) = (root(&parents, number), root(&parents, other));
            parents[one.max(other)] = one.min(other);
        }
        let class = |(identity, number)| (identity, root(&parents, number) as u32);
        found.classes = numbers.into_iter().map(class).collect();
        found
    }

    /// By reading: equal numbers are the same.
    pub(super) fn classes(&self, history: &History) -> Vec<u32> {
        let class = |reading: &Snapshot| self.classes[&self.identity(reading)];
        history.readings.iter().map(|reading| class(reading)).collect()
    }

    /// The share of main-text runs that differ; 0 exactly where two readings are the same.
    pub(super) fn change(&self, old: &Snapshot, new: &Snapshot) -> f32 {
        let class = |reading| self.classes.get(&self.identity(reading));
        if old.fingerprints.text == new.fingerprints.text || class(old) == class(new) {
            return 0.0;
        }
        match share_changed(&self.main(old), &self.main(new)) {
            // The form is another, or there are no runs.
            0.0 => 1.0,
            share => share,
        }
    }

    fn main(&self, reading: &Snapshot) -> Vec<u32> {
        reading.runs.iter().copied().filter(|run| !self.boilerplate.contains(run)).collect()
    }

    /// The digest of the form and the main text; of the whole text where there are no runs.
    fn identity(&self, reading: &Snapshot) -> u128 {
        if reading.runs.is_empty() {
            return reading.fingerprints.text.0;
        }
        let mut bytes = vec![reading.form as u8];
        bytes.extend(self.main(reading).iter().flat_map(|run| run.to_le_bytes()));
        Digest::from_bytes(&bytes).0
    }
}

/// The smallest number of the set that contains `number`.
fn root(parents: &[usize], mut number: usize) -> usize {
    while parents[number] != number {
        number = parents[number];
    }
    number
}

/// The text runs that are on more than half of the live pages of their host at some cycle.
fn boilerplate(history: &History, grid: Grid) -> FxHashSet<u32> {
    let mut pages = Pages::default();
    let mut hosts: BTreeMap<HostNo, Vec<usize>> = BTreeMap::new();
    for (number, page) in history.pages.iter().enumerate() {
        let known = pages.insert(&page.address, history.window.start);
        hosts.entry(pages.host(known)).or_default().push(number);
    }
    let mut found = FxHashSet::default();
    for pages in hosts.values().filter(|pages| pages.len() >= FEWEST_PAGES) {
        of_host(history, grid, pages, &mut found);
    }
    found
}

/// Adds the boilerplate of the host with these pages.
fn of_host(history: &History, grid: Grid, pages: &[usize], found: &mut FxHashSet<u32>) {
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    let mut live: Vec<Option<u32>> = vec![None; pages.len()];
    let mut count = 0;
    for cycle in 0..=grid.cycles {
        let at = grid.instant(cycle);
        let mut is_other = false;
        for (live, &page) in live.iter_mut().zip(pages) {
            // A feed or an image has no text runs, so it is no page of the template.
            let has_runs = |reading: &u32| !history.readings[*reading as usize].runs.is_empty();
            let now = history.pages[page].reading(at).filter(has_runs);
            let before = std::mem::replace(live, now);
            if now == before {
                continue;
            }
            is_other = true;
            if let Some(reading) = before {
                count -= 1;
                each_run(&history.readings[reading as usize], |run| {
                    *counts.entry(run).or_default() -= 1;
                });
            }
            if let Some(reading) = now {
                count += 1;
                each_run(&history.readings[reading as usize], |run| {
                    *counts.entry(run).or_default() += 1;
                });
            }
        }
        if is_other && count >= FEWEST_PAGES {
            found.extend(counts.iter().filter(|(_, with)| 2 * **with > count).map(|(run, _)| *run));
        }
    }
}

/// Calls `each` with every distinct text run.
fn each_run(reading: &Snapshot, each: impl FnMut(u32)) {
    let mut runs = reading.runs.to_vec();
    runs.sort_unstable();
    runs.dedup();
    runs.into_iter().for_each(each);
}
