//! Random leads, and a reference implementation of what they reach.
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

/// The input of [`Leads::new`](super::Leads::new).
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) found: usize,
    pub(super) rows: Vec<(u32, Vec<u32>)>,
    pub(super) chains: Vec<(u32, Vec<u32>)>,
}

/// A few pages and found pages, with chains, cycles, overlap and orphans.
pub(super) fn given() -> impl Strategy<Value = Given> {
    (1_u32..16).prop_flat_map(|found| {
        let shown = |most| prop::collection::vec(0..found, 0..most);
        let rows = prop::collection::vec((0_u32..10, shown(5)), 0..12);
        let chains = prop::collection::vec((0..found, shown(3)), 0..12);
        (rows, chains).prop_map(move |(rows, chains)| Given { found: found as usize, rows, chains })
    })
}

/// N(x) by following every link, for each key that reaches anything.
pub(super) fn closed(
    rows: &[(u32, Vec<u32>)],
    chains: &[(u32, Vec<u32>)],
) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut reached: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (key, shown) in rows.iter().filter(|row| !row.1.is_empty()) {
        let set = reached.entry(*key).or_default();
        let mut waiting = shown.clone();
        while let Some(page) = waiting.pop() {
            if set.insert(page) {
                let links = chains.iter().filter(|chain| chain.0 == page);
                waiting.extend(links.flat_map(|chain| &chain.1));
            }
        }
    }
    reached
}

/// How much the best `k` of the sets cover, by brute force.
pub(super) fn most(sets: &[BTreeSet<u32>], k: usize) -> usize {
    (0_u32..1 << sets.len())
        .filter(|chosen| chosen.count_ones() as usize <= k)
        .map(|chosen| {
            let taken = sets.iter().enumerate().filter(|(row, _)| chosen >> row & 1 == 1);
            taken.flat_map(|(_, set)| set).collect::<BTreeSet<_>>().len()
        })
        .max()
        .unwrap_or(0)
}
