//! How many found pages each row reaches: upper bounds in one pass, and exact numbers by the cheaper of two
//! methods.
//!
//! Usually one search from each distinct row is cheapest. With long chains, as in an archive whose pages
//! link to earlier ones, searches would reach most found pages from most rows. Then all rows are counted
//! together, for 512 SCCs at a time: a sweep from the lowest SCC up gives each the bits of those that it
//! leads to. That takes SCCs times leads / 64 steps in all, and memory for some bits of each SCC.
use rayon::prelude::*;

use super::{
    Leads,
    disjoint_sets::DisjointSets,
    leads::{Search, Seen},
};

/// Fewer searches are done faster by one thread.
const SEARCHES_PER_TASK: usize = 1 << 10;
/// A step of a search takes as long as this many steps of a sweep, which reads memory in order.
const SWEEP_STEPS: u64 = 16;
/// Words of bits for the SCCs of one sweep.
const WORDS: usize = 8;
/// SCCs of one sweep.
const BLOCK: usize = 64 * WORDS;

/// Upper bounds on how many found pages are reached.
struct Bounds {
    /// By SCC: the sum of the bounds of those it leads to, if that is at most `before`.
    reached: Vec<u32>,
    /// By SCC: the found pages of all earlier SCCs that are connected with it and that chains lead to. Other
    /// SCCs are reached only by the rows that link to them.
    before: Vec<u32>,
    /// By SCC: its found pages, if no chain leads to it.
    apart: Vec<u32>,
    /// By SCC: the lowest SCC that is connected with it.
    together: Vec<u32>,
}

impl Bounds {
    fn new(leads: &Leads) -> Self {
        let count = leads.sccs();
        let mut groups = DisjointSets::new(count);
        let mut apart: Vec<u32> = (0..count as u32).map(|scc| leads.weight(scc)).collect();
        for scc in 0..count as u32 {
            for &to in leads.chains(scc) {
                groups.union(scc, to);
                apart[to as usize] = 0;
            }
        }
        let mut sums = vec![0_u32; count];
        let (mut reached, mut before, mut together) = (vec![], vec![], vec![]);
        for scc in 0..count as u32 {
            let (group, weight) = (groups.find(scc), leads.weight(scc));
            let sum = &mut sums[group as usize];
            before.push(*sum);
            let chains = leads.chains(scc).iter().map(|&to| u64::from(reached[to as usize]));
            reached.push(weight + chains.sum::<u64>().min(u64::from(*sum)) as u32);
            *sum += weight - apart[scc as usize];
            together.push(group);
        }
        Self { reached, before, apart, together }
    }

    /// An upper bound on what a row reaches.
    fn for_row(&self, leads: &Leads, row: usize) -> u32 {
        let entries = leads.entries(row);
        if let [scc] = entries {
            return self.reached[*scc as usize];
        }
        let mut sccs: Vec<(u32, u32)> =
            entries.iter().map(|&scc| (self.together[scc as usize], scc)).collect();
        sccs.sort_unstable();
        let of_group = |sccs: &[(u32, u32)]| {
            let Some((&(_, last), others)) = sccs.split_last() else { return 0 };
            let added: u64 = sccs.iter().map(|scc| u64::from(self.reached[scc.1 as usize])).sum();
            let apart: u32 = others.iter().map(|scc| self.apart[scc.1 as usize]).sum();
            let met = leads.weight(last) + self.before[last as usize] + apart;
            added.min(u64::from(met)) as u32
        };
        sccs.chunk_by(|a, b| a.0 == b.0).map(of_group).sum()
    }
}

/// An upper bound on how many found pages each of `rows` reaches.
pub(super) fn bounds(leads: &Leads, rows: &[u32]) -> Vec<u32> {
    let bounds = Bounds::new(leads);
    rows.par_iter().map(|&row| bounds.for_row(leads, row as usize)).collect()
}

/// How many found pages each of `rows` reaches.
pub(super) fn exact(leads: &Leads, rows: &[u32]) -> Vec<u32> {
    let bounds = bounds(leads, rows);
    let searched: u64 = bounds.iter().copied().map(u64::from).sum();
    let links: u64 = rows.iter().map(|&row| leads.entries(row as usize).len() as u64).sum();
    let chains: u64 = (0..leads.sccs() as u32).map(|scc| leads.chains(scc).len() as u64).sum();
    let swept = leads.sccs() as u64 / 64 * (links + chains);
    if searched <= swept / SWEEP_STEPS { by_search(leads, rows) } else { by_sweep(leads, rows) }
}

fn by_search(leads: &Leads, rows: &[u32]) -> Vec<u32> {
    let size = |search: &mut Search, &row: &u32| {
        let weight = |scc| leads.weight(scc) as usize;
        search.run(leads, row as usize, Seen::Forgotten, weight) as u32
    };
    let tasks = rows.par_iter().with_min_len(SEARCHES_PER_TASK);
    tasks.map_init(|| Search::new(leads), size).collect()
}

fn by_sweep(leads: &Leads, rows: &[u32]) -> Vec<u32> {
    // In the order of SCCs, so that bits are read in order.
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    let last = |place: u32| leads.entries(rows[place as usize] as usize).last();
    order.sort_unstable_by(|&a, &b| last(a).cmp(&last(b)).then(a.cmp(&b)));
    let ordered: Vec<u32> = order.iter().map(|&place| rows[place as usize]).collect();
    let mut sizes = vec![0; rows.len()];
    for (place, size) in order.into_iter().zip(in_blocks(leads, &ordered)) {
        sizes[place as usize] = size;
    }
    sizes
}

fn in_blocks(leads: &Leads, rows: &[u32]) -> Vec<u32> {
    let blocks = leads.sccs().div_ceil(BLOCK);
    let none = || vec![0; rows.len()];
    let add = |mut one: Vec<u32>, other: Vec<u32>| {
        one.iter_mut().zip(other).for_each(|(sum, more)| *sum += more);
        one
    };
    let sweep = |(mut sizes, mut bits): (Vec<u32>, Vec<[u64; WORDS]>), block| {
        sweep(leads, rows, block * BLOCK, &mut bits, &mut sizes);
        (sizes, bits)
    };
    let tasks = (0..blocks).into_par_iter().fold(|| (none(), vec![]), sweep);
    tasks.map(|(sizes, _)| sizes).reduce(none, add)
}

/// Adds to the sizes what rows reach of the SCCs from `first` on. Only these and higher ones lead there.
fn sweep(
    leads: &Leads,
    rows: &[u32],
    first: usize,
    bits: &mut Vec<[u64; WORDS]>,
    sizes: &mut [u32],
) {
    let end = leads.sccs().min(first + BLOCK);
    let weights: Vec<u32> = (first..end).map(|scc| leads.weight(scc as u32)).collect();
    let is_counted = weights.iter().all(|&weight| weight == 1);
    bits.clear();
    let join = |all: &mut [u64; WORDS], more: &[u64; WORDS]| {
        all.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
    };
    for scc in first..leads.sccs() {
        let mut reached = [0; WORDS];
        if scc < end {
            reached[(scc - first) / 64] |= 1 << ((scc - first) % 64);
        }
        for &to in leads.chains(scc as u32) {
            if let Some(to) = (to as usize).checked_sub(first) {
                join(&mut reached, &bits[to]);
            }
        }
        bits.push(reached);
    }
    for (&row, size) in rows.iter().zip(sizes) {
        let mut reached = [0; WORDS];
        for &scc in leads.entries(row as usize).iter().rev() {
            let Some(scc) = (scc as usize).checked_sub(first) else { break };
            join(&mut reached, &bits[scc]);
        }
        *size += if is_counted {
            reached.iter().map(|word| word.count_ones()).sum::<u32>()
        } else {
            weigh(&reached, &weights)
        };
    }
}

/// The weights of the bits that are set.
fn weigh(bits: &[u64; WORDS], weights: &[u32]) -> u32 {
    let mut sum = 0;
    for (place, &word) in bits.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            sum += weights[place * 64 + left.trailing_zeros() as usize];
            left &= left - 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::discover::tests::given;

    #[test]
    fn an_archive_is_swept_over_more_than_one_block() {
        // Page n leads to n - 1 and n - 7; each tenth is in a cycle with the one before.
        let chains = (0..2_000_u32).map(|page| {
            let back = [page.checked_sub(1), page.checked_sub(7)].into_iter().flatten();
            let circle = (page % 10 == 8).then_some(page + 1);
            (page, back.chain(circle).collect())
        });
        let rows = (0..300_u32).map(|key| (key, vec![key * 6, key * 3 + 2]));
        let leads = Leads::new(2_000, rows.collect(), chains.collect());
        let all: Vec<u32> = (0..300).collect();
        let sizes = by_sweep(&leads, &all);
        assert_eq!(sizes, by_search(&leads, &all));
        // From 6 * 299 = 1794 every page before is reached, and none after.
        assert_eq!(sizes[299], 1795);
    }

    proptest! {
        #[test]
        fn both_ways_count_the_same_and_no_bound_is_too_low(given in given()) {
            let leads = Leads::new(given.found, given.rows, given.chains);
            let rows: Vec<u32> = (0..leads.pages().len() as u32).collect();
            let searched = by_search(&leads, &rows);
            prop_assert_eq!(&by_sweep(&leads, &rows), &searched);
            let bounds = Bounds::new(&leads);
            for (row, size) in searched.into_iter().enumerate() {
                prop_assert!(bounds.for_row(&leads, row) >= size);
                prop_assert!(bounds.for_row(&leads, row) as usize <= leads.found());
            }
        }
    }
}
