//! Groups of pages that lead to much the same found pages: single linkage by the Jaccard coefficient, which
//! is what CLIQ of Dasgupta et al. 2007, section 5.2, amounts to where its Lemma 2 does not hold.
//!
//! Departure: the Jaccard coefficients of all pairs are computed only if that is affordable. Otherwise they
//! are estimated from [`HASHES`] minima of hashes (Broder 1997), for pairs that share a minimum and are near
//! each other in the order of rows. The minima of closed sets need no search: those of an SCC are the least
//! of its own and of those it leads to.
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    Leads,
    disjoint_sets::DisjointSets,
    leads::{Search, Seen},
};

/// More distinct rows are not compared pair by pair.
const MOST_PAIRED: usize = 4096;
/// Upper limit on the steps of an exact comparison: some seconds.
const MOST_STEPS: usize = 1 << 31;
/// Minima of an estimate: the standard error of the coefficient is at most 1/16.
const HASHES: usize = 64;
/// Minima for finding pairs: of those with a coefficient of 0.2 one in a thousand is missed.
const BANDS: usize = 32;
/// A row is compared with this many others that share a minimum.
const NEAR: usize = 8;

/// Groups of rows, each with a Jaccard coefficient of at least 1 - `eps` to another of its group; each
/// ascending, in order of the first. The order of comparisons does not affect the groups.
///
/// With an `eps` of 1 or more all rows are one group. Above 1/3, as with the paper's own 0.8, Lemma 2
/// guarantees nothing about pairs inside a group.
pub fn cliques(leads: &Leads, eps: f64) -> Vec<Vec<usize>> {
    let alike = leads.alike();
    let mut groups = DisjointSets::new(alike.len());
    if eps >= 1.0 {
        (1..alike.len() as u32).for_each(|row| groups.union(0, row));
    } else if let Some(sets) = sets(leads, &alike) {
        pair(&sets, 1.0 - eps, &mut groups);
    } else {
        estimate(leads, &alike, 1.0 - eps, &mut groups);
    }
    let mut cliques: Vec<Vec<usize>> = vec![vec![]; alike.len()];
    for (number, rows) in alike.iter().enumerate() {
        let clique = &mut cliques[groups.find(number as u32) as usize];
        clique.extend(rows.iter().map(|&row| row as usize));
    }
    cliques.retain(|clique| !clique.is_empty());
    for clique in &mut cliques {
        clique.sort_unstable();
    }
    cliques
}

/// The pages that a distinct row reaches.
struct Set {
    /// Ascending.
    pages: Vec<u32>,
    number: u32,
}

/// The pages that each distinct row reaches, the smallest set first; `None` if comparing them all would
/// take too long.
fn sets(leads: &Leads, alike: &[Vec<u32>]) -> Option<Vec<Set>> {
    if alike.len() > MOST_PAIRED {
        return None;
    }
    let (mut sets, mut search, mut pages_left) =
        (vec![], Search::new(leads), MOST_STEPS / alike.len().max(1));
    for (number, rows) in (0..).zip(alike) {
        let mut pages = vec![];
        search.run(leads, rows[0] as usize, Seen::Forgotten, |scc| {
            pages.extend_from_slice(leads.members(scc));
            0
        });
        pages_left = pages_left.checked_sub(pages.len())?;
        pages.sort_unstable();
        sets.push(Set { pages, number });
    }
    sets.sort_by_key(|set| set.pages.len());
    Some(sets)
}

/// Joins all pairs with a coefficient of at least `least`.
fn pair(sets: &[Set], least: f64, groups: &mut DisjointSets) {
    for (place, one) in sets.iter().enumerate() {
        for other in &sets[place + 1..] {
            // The coefficient is at most the ratio of sizes, which falls from here on.
            if (one.pages.len() as f64) < least * other.pages.len() as f64 {
                break;
            }
            if groups.find(one.number) != groups.find(other.number) {
                let common = common(&one.pages, &other.pages);
                let all = one.pages.len() + other.pages.len() - common;
                if common as f64 >= least * all as f64 {
                    groups.union(one.number, other.number);
                }
            }
        }
    }
}

/// How many numbers two ascending lists have in common.
fn common(one: &[u32], other: &[u32]) -> usize {
    let (mut one, mut other, mut count) = (one.iter().peekable(), other.iter().peekable(), 0);
    while let (Some(a), Some(b)) = (one.peek(), other.peek()) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => drop(one.next()),
            std::cmp::Ordering::Greater => drop(other.next()),
            std::cmp::Ordering::Equal => {
                count += 1;
                one.next();
                other.next();
            }
        }
    }
    count
}

/// Joins pairs whose estimated coefficient is at least `least`.
fn estimate(leads: &Leads, alike: &[Vec<u32>], least: f64, groups: &mut DisjointSets) {
    let minima = minima(leads, alike);
    let mut order: Vec<u32> = (0..alike.len() as u32).collect();
    for hash in 0..BANDS {
        order.par_sort_unstable_by_key(|&row| (minima[row as usize][hash], row));
        for bucket in order.chunk_by(|&a, &b| minima[a as usize][hash] == minima[b as usize][hash])
        {
            for (place, &one) in bucket.iter().enumerate() {
                for &other in bucket[place + 1..].iter().take(NEAR) {
                    if groups.find(one) == groups.find(other) {
                        continue;
                    }
                    let pairs = minima[one as usize].iter().zip(&minima[other as usize]);
                    let equal = pairs.filter(|(a, b)| a == b).count();
                    if equal as f64 >= least * HASHES as f64 {
                        groups.union(one, other);
                    }
                }
            }
        }
    }
}

/// The minima of the hashes of all found pages that each distinct row reaches.
fn minima(leads: &Leads, alike: &[Vec<u32>]) -> Vec<[u32; HASHES]> {
    let mut of_sccs: Vec<[u32; HASHES]> = vec![];
    let lower = |minima: &mut [u32; HASHES], others: &[u32; HASHES]| {
        minima
            .iter_mut()
            .zip(others)
            .for_each(|(minimum, &other)| *minimum = (*minimum).min(other));
    };
    for scc in 0..leads.sccs() as u32 {
        let mut minima = [u32::MAX; HASHES];
        for page in leads.members(scc) {
            let hash = |seed| xxh3_64_with_seed(&page.to_le_bytes(), seed) as u32;
            lower(&mut minima, &std::array::from_fn(|seed| hash(seed as u64)));
        }
        for &to in leads.chains(scc) {
            lower(&mut minima, &of_sccs[to as usize]);
        }
        of_sccs.push(minima);
    }
    let for_row = |rows: &Vec<u32>| {
        let mut minima = [u32::MAX; HASHES];
        for &scc in leads.entries(rows[0] as usize) {
            lower(&mut minima, &of_sccs[scc as usize]);
        }
        minima
    };
    alike.iter().map(for_row).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::discover::tests::{Given, closed, given};

    fn jaccard(one: &BTreeSet<u32>, other: &BTreeSet<u32>) -> f64 {
        one.intersection(other).count() as f64 / one.union(other).count() as f64
    }

    #[test]
    fn mirrors_are_one_group_and_a_page_near_to_one_of_it_joins() {
        // 0 and 1 have 4 of 4 in common; 2 has 3 of 5 with them; 3 has 1 of 4 with 2; 4 nothing.
        let rows = vec![
            (0, vec![0, 1, 2, 3]),
            (1, vec![0, 1, 2, 3]),
            (2, vec![1, 2, 3, 4]),
            (3, vec![4]),
            (4, vec![5, 6]),
        ];
        let leads = Leads::new(7, rows, vec![]);
        let groups = |eps| cliques(&leads, eps);
        assert_eq!(groups(0.0), [vec![0, 1], vec![2], vec![3], vec![4]]);
        assert_eq!(groups(0.39), [vec![0, 1], vec![2], vec![3], vec![4]]);
        assert_eq!(groups(0.4), [vec![0, 1, 2], vec![3], vec![4]]);
        assert_eq!(groups(0.75), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(groups(0.99), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(groups(1.0), [vec![0, 1, 2, 3, 4]]);
    }

    #[test]
    fn chains_count_as_if_they_were_shown() {
        let leads = Leads::new(3, vec![(0, vec![0]), (1, vec![0, 1, 2])], vec![(0, vec![1, 2])]);
        assert_eq!(cliques(&leads, 0.0), [vec![0, 1]]);
    }

    #[test]
    fn estimated_groups_are_those_of_far_apart_sets() {
        // Five thousand pages; each hundred link to the same twenty found pages except one each.
        let rows = (0..5_000_u32).map(|key| {
            let (group, left_out) = (key / 100, key % 20);
            (key, (0..20).filter(|&n| n != left_out).map(|n| group * 20 + n).collect())
        });
        let mut unlike: Vec<(u32, Vec<u32>)> = rows.collect();
        // Distinct, so that there are too many to compare all pairs.
        for (key, shown) in &mut unlike {
            shown.push(1_000 + *key);
        }
        let leads = Leads::new(6_000, unlike, vec![]);
        assert!(sets(&leads, &leads.alike()).is_none());
        let groups = cliques(&leads, 0.5);
        assert_eq!(groups.len(), 50);
        assert!(groups.iter().all(|group| group.len() == 100));
    }

    proptest! {
        #[test]
        fn groups_are_single_linked(given in given(), eps in 0.0..1.0_f64) {
            let Given { found, rows, chains } = given;
            let leads = Leads::new(found, rows.clone(), chains.clone());
            let sets: Vec<_> = closed(&rows, &chains).into_values().collect();
            let mut groups = DisjointSets::new(sets.len());
            for one in 0..sets.len() {
                for other in 0..one {
                    let all = sets[one].union(&sets[other]).count() as f64;
                    let common = sets[one].intersection(&sets[other]).count() as f64;
                    if common >= (1.0 - eps) * all {
                        groups.union(one as u32, other as u32);
                    }
                }
            }
            let found = cliques(&leads, eps);
            for group in &found {
                prop_assert!(group.iter().all(|&row| groups.find(row as u32) == group[0] as u32));
            }
            let mut rows: Vec<usize> = found.concat();
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..sets.len()).collect::<Vec<_>>());
        }

        /// Lemma 2: where every pair has a coefficient of at least 1 - eps_b or at most eps_s, both
        /// up to 1/3, the groups are classes, and every pair inside one has at least 1 - eps_b. A
        /// class here is a core of twelve found pages, of which each page leaves out one at most, and
        /// two pages that all classes may show: inside at least 10 / 14 > 2/3, between at most 2 / 24.
        #[test]
        fn lemma_2_gives_classes(
            pages in prop::collection::vec((0_u32..4, 0_u32..14, any::<bool>()), 1..20),
        ) {
            let rows: Vec<(u32, Vec<u32>)> = (0..)
                .zip(&pages)
                .map(|(key, &(class, left_out, is_common))| {
                    let core = (0..12).filter(|&n| n != left_out).map(|n| 2 + class * 12 + n);
                    let common = is_common.then_some([0, 1]).into_iter().flatten();
                    (key, core.chain(common).collect())
                })
                .collect();
            let sets: Vec<BTreeSet<u32>> =
                rows.iter().map(|(_, shown)| shown.iter().copied().collect()).collect();
            let pairs = (0..sets.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
            let third = 1.0 / 3.0;
            for coefficient in pairs.map(|(a, b)| jaccard(&sets[a], &sets[b])) {
                prop_assert!(coefficient >= 1.0 - third || coefficient <= third);
            }
            let groups = cliques(&Leads::new(50, rows, vec![]), third);
            for group in &groups {
                for &a in group {
                    prop_assert_eq!(pages[a].0, pages[group[0]].0);
                    for &b in group {
                        prop_assert!(jaccard(&sets[a], &sets[b]) >= 1.0 - third);
                    }
                }
            }
            let classes: BTreeSet<u32> = pages.iter().map(|page| page.0).collect();
            prop_assert_eq!(groups.len(), classes.len());
        }
    }
}
