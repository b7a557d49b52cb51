//! The optimal cover by branch and bound, to measure how far greedy covers are from it.
//!
//! Both problems are NP-hard (Dasgupta et al. 2007, section 2.1), so the search gives up after a
//! number of nodes. Before it begins, found pages with the same rows are merged into one with a
//! weight, dominated rows are dropped, and rows that are the only ones to reach some page are taken
//! if everything must be covered.
use policy::discover::Leads;
use rustc_hash::FxHashMap;

/// The search is refused for more rows than this after dominated rows are dropped.
const MOST_ROWS: usize = 5_000;

/// The most found pages that `budget` rows lead to; `None` if `nodes` steps were not enough.
pub fn most_found_exactly(leads: &Leads, budget: usize, nodes: usize) -> Option<usize> {
    let instance = Instance::from_leads(leads)?;
    let mut search = Search { instance: &instance, nodes, best: 0 };
    let candidates: Vec<usize> = (0..instance.rows.len()).collect();
    let covered = vec![0; instance.words];
    search.most(&covered, 0, budget, &candidates).then_some(search.best)
}

/// The fewest rows that lead to at least `wanted` found pages; `None` if that is impossible, or
/// `nodes` steps were not enough.
pub fn fewest_rows_exactly(leads: &Leads, wanted: usize, nodes: usize) -> Option<usize> {
    if wanted > leads.covered() {
        return None;
    }
    let instance = Instance::from_leads(leads)?;
    let (mut covered, mut forced) = (vec![0; instance.words], 0);
    if wanted == leads.covered() {
        for row in instance.forced() {
            join(&mut covered, &instance.rows[row]);
            forced += 1;
        }
    }
    let found = instance.weight(&covered);
    let mut search = Search { instance: &instance, nodes, best: usize::MAX };
    let candidates: Vec<usize> = (0..instance.rows.len()).collect();
    search.fewest(&covered, found, forced, wanted, &candidates).then_some(search.best)
}

/// The remaining problem: sets of weighted elements as bitsets.
struct Instance {
    rows: Vec<Vec<u64>>,
    weights: Vec<usize>,
    words: usize,
}

impl Instance {
    /// `None` if too many rows are left.
    fn from_leads(leads: &Leads) -> Option<Self> {
        // By found page the rows that lead to it, each distinct set of rows once.
        let mut leading: Vec<Vec<u32>> = vec![vec![]; leads.found()];
        for row in 0..leads.pages().len() {
            for found in leads.reached(row) {
                leading[found as usize].push(row as u32);
            }
        }
        let mut elements: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        for rows in leading.into_iter().filter(|rows| !rows.is_empty()) {
            *elements.entry(rows).or_default() += 1;
        }
        let mut elements: Vec<(Vec<u32>, usize)> = elements.into_iter().collect();
        elements.sort_unstable();
        let words = elements.len().div_ceil(64);
        let mut rows = vec![vec![0_u64; words]; leads.pages().len()];
        for (element, (leading, _)) in elements.iter().enumerate() {
            for &row in leading {
                rows[row as usize][element / 64] |= 1 << (element % 64);
            }
        }
        rows.sort_unstable();
        rows.dedup();
        let weights = elements.into_iter().map(|(_, weight)| weight).collect();
        let mut instance = Self { rows, weights, words };
        (instance.rows.len() <= MOST_ROWS).then(|| {
            instance.drop_dominated();
            instance
        })
    }

    /// Drops rows that are subsets of another.
    fn drop_dominated(&mut self) {
        let inside = |one: &[u64], other: &[u64]| one.iter().zip(other).all(|(a, b)| a & !b == 0);
        let size = |row: &Vec<u64>| row.iter().map(|word| word.count_ones()).sum::<u32>();
        self.rows.sort_by_key(|row| std::cmp::Reverse(size(row)));
        let mut kept: Vec<Vec<u64>> = vec![];
        for row in std::mem::take(&mut self.rows) {
            if !kept.iter().any(|larger| inside(&row, larger)) {
                kept.push(row);
            }
        }
        self.rows = kept;
    }

    /// The rows that alone lead to some element.
    fn forced(&self) -> Vec<usize> {
        let mut only: Vec<Option<usize>> = vec![None; self.weights.len()];
        let mut count = vec![0_u32; self.weights.len()];
        for (row, bits) in self.rows.iter().enumerate() {
            for element in elements(bits) {
                only[element] = Some(row);
                count[element] += 1;
            }
        }
        let alone = only.iter().zip(&count).filter(|(_, count)| **count == 1);
        let mut rows: Vec<usize> = alone.filter_map(|(row, _)| *row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn weight(&self, bits: &[u64]) -> usize {
        elements(bits).map(|element| self.weights[element]).sum()
    }

    /// The weight that a row adds to the covered elements.
    fn gain(&self, row: usize, covered: &[u64]) -> usize {
        let left: Vec<u64> = self.rows[row].iter().zip(covered).map(|(a, b)| a & !b).collect();
        self.weight(&left)
    }

    /// The candidates that still add something, the largest gain first.
    fn gains(&self, candidates: &[usize], covered: &[u64]) -> Vec<(usize, usize)> {
        let gain = |&row: &usize| (self.gain(row, covered), row);
        let mut gains: Vec<(usize, usize)> =
            candidates.iter().map(gain).filter(|gain| gain.0 > 0).collect();
        gains.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        gains
    }
}

fn elements(bits: &[u64]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64).filter(move |bit| bits & (1 << bit) != 0).map(move |bit| word * 64 + bit)
    })
}

fn join(covered: &mut [u64], row: &[u64]) {
    for (covered, row) in covered.iter_mut().zip(row) {
        *covered |= row;
    }
}

/// A running search. Both functions return whether they finished within the remaining nodes.
struct Search<'a> {
    instance: &'a Instance,
    nodes: usize,
    best: usize,
}

impl Search<'_> {
    /// The most weight that `left` more of the candidates can cover.
    fn most(&mut self, covered: &[u64], found: usize, left: usize, candidates: &[usize]) -> bool {
        self.best = self.best.max(found);
        if left == 0 {
            return true;
        }
        let mut gains = self.instance.gains(candidates, covered);
        // Each row in turn: with it, or without it and all before it.
        while let Some(&(gain, row)) = gains.first() {
            if self.nodes == 0 {
                return false;
            }
            self.nodes -= 1;
            let most: usize = gains.iter().take(left).map(|gain| gain.0).sum();
            if found + most <= self.best {
                break;
            }
            gains.remove(0);
            let rest: Vec<usize> = gains.iter().map(|gain| gain.1).collect();
            let mut with = covered.to_vec();
            join(&mut with, &self.instance.rows[row]);
            if !self.most(&with, found + gain, left - 1, &rest) {
                return false;
            }
        }
        true
    }

    /// The fewest rows in all that cover `wanted`, where `taken` have covered `found`.
    fn fewest(
        &mut self,
        covered: &[u64],
        found: usize,
        taken: usize,
        wanted: usize,
        candidates: &[usize],
    ) -> bool {
        if found >= wanted {
            self.best = self.best.min(taken);
            return true;
        }
        let mut gains = self.instance.gains(candidates, covered);
        while let Some(&(gain, row)) = gains.first() {
            if self.nodes == 0 {
                return false;
            }
            self.nodes -= 1;
            let mut sum = found;
            let needed = gains.iter().position(|gain| {
                sum += gain.0;
                sum >= wanted
            });
            // Even all of them are not enough, or more are needed than in the best cover so far.
            if needed.is_none_or(|needed| taken + needed + 1 >= self.best) {
                break;
            }
            gains.remove(0);
            let rest: Vec<usize> = gains.iter().map(|gain| gain.1).collect();
            let mut with = covered.to_vec();
            join(&mut with, &self.instance.rows[row]);
            if !self.fewest(&with, found + gain, taken + 1, wanted, &rest) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Greedy takes row 0 first and then needs both others; rows 1 and 2 alone are enough.
    fn trap() -> Leads {
        let rows = vec![(5, vec![0, 1, 2, 3]), (6, vec![0, 1, 4]), (7, vec![2, 3, 5])];
        Leads::new(6, rows, vec![])
    }

    #[test]
    fn finds_what_greedy_misses() {
        assert_eq!(most_found_exactly(&trap(), 2, 1000), Some(6));
        assert_eq!(fewest_rows_exactly(&trap(), 6, 1000), Some(2));
        assert_eq!(fewest_rows_exactly(&trap(), 4, 1000), Some(1));
        assert_eq!(fewest_rows_exactly(&trap(), 5, 1000), Some(2));
    }

    #[test]
    fn gives_up_rather_than_guess() {
        assert_eq!(most_found_exactly(&trap(), 2, 1), None);
        assert_eq!(fewest_rows_exactly(&trap(), 5, 0), None);
        assert_eq!(fewest_rows_exactly(&trap(), 7, 1000), None);
    }

    #[test]
    fn rows_that_alone_lead_to_something_are_taken_before_the_search() {
        // Four rows with a page of their own each: no node is needed.
        let rows = (0..4).map(|key| (key, vec![key, 4])).collect();
        assert_eq!(fewest_rows_exactly(&Leads::new(5, rows, vec![]), 5, 0), Some(4));
    }

    #[test]
    fn chains_count_for_the_rows_that_lead_to_their_beginning() {
        let leads =
            Leads::new(4, vec![(1, vec![0]), (2, vec![3])], vec![(0, vec![1]), (1, vec![2])]);
        assert_eq!(most_found_exactly(&leads, 1, 100), Some(3));
        assert_eq!(fewest_rows_exactly(&leads, 4, 100), Some(2));
    }

    #[test]
    fn a_graph_without_rows_is_covered_by_nothing() {
        let empty = Leads::new(2, vec![], vec![]);
        assert_eq!(most_found_exactly(&empty, 3, 10), Some(0));
        assert_eq!(fewest_rows_exactly(&empty, 0, 10), Some(0));
    }
}
