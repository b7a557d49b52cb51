//! The algorithms of the paper: from what full recrawls showed to the pages worth a visit (Dasgupta et al.
//! 2007, sections 5.1 to 5.4).
//!
//! p of a page is the share of found pages that it reaches, of those that any page reaches: orphans are
//! left out, as in the paper. A page that a recrawl did not visit counts as 0 in it, and the recrawl stays
//! in the mean. Departure: pages that are gone are forgotten, which the paper leaves open.
use std::collections::{BTreeMap, BTreeSet};

use super::{Leads, Until, cliques, greedy};

/// How pages are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Algorithm {
    /// OD: the pages with the highest p.
    OutDegree {
        /// The recrawls that count.
        memory: Memory,
    },
    /// CLIQ: the page with the highest p of each group that overlaps.
    Cliques {
        /// The recrawls that count.
        memory: Memory,
        /// Pages with a Jaccard coefficient of at least 1 - eps are in one group.
        eps: f64,
    },
    /// COV: the greedy cover of the last recrawl.
    Cover,
}

/// Which recrawls count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// Only the latest: OD-1, CLIQ-1.
    Last,
    /// All, each weighted by this to the power of its age in cycles: OD-WIN, CLIQ-WIN.
    Faded(f64),
}

/// Chooses pages by the results of recrawls.
#[derive(Clone, Debug)]
pub struct Chooser {
    algorithm: Algorithm,
    /// By key, p of the last recrawl, or weighted sums of p.
    sums: BTreeMap<u32, f64>,
    /// The sum of weights.
    weight: f64,
    last: Option<u32>,
    /// Groups of the last recrawl: keys and their p, best first. COV has one page per group.
    groups: Vec<Vec<(u32, f64)>>,
    /// Group members that are gone.
    gone: BTreeSet<u32>,
}

impl Chooser {
    /// Before any recrawl.
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            sums: BTreeMap::new(),
            weight: 0.0,
            last: None,
            groups: vec![],
            gone: BTreeSet::new(),
        }
    }

    /// Whether there was a recrawl.
    pub(super) fn has_learned(&self) -> bool {
        self.last.is_some()
    }

    /// Learns from a full recrawl that was complete in this cycle.
    pub fn recrawled(&mut self, cycle: u32, leads: &Leads) {
        let all = leads.covered().max(1) as f64;
        let keys = leads.pages();
        self.gone.clear();
        match self.algorithm {
            Algorithm::Cover => {
                let page = |step: super::Step| (keys[step.row], f64::from(step.gained) / all);
                let steps = greedy(leads, Until::Everything);
                self.groups = steps.into_iter().map(|step| vec![page(step)]).collect();
            }
            Algorithm::OutDegree { memory } => {
                let shares = leads.degrees().into_iter().map(|degree| f64::from(degree) / all);
                self.add(cycle, memory, keys.iter().copied().zip(shares));
            }
            Algorithm::Cliques { memory, eps } => {
                let degrees = leads.degrees();
                let page = |row: &usize| (keys[*row], f64::from(degrees[*row]) / all);
                let group = |rows: Vec<usize>| {
                    let mut pages: Vec<(u32, f64)> = rows.iter().map(page).collect();
                    pages.sort_unstable_by(better);
                    pages
                };
                self.groups = cliques(leads, eps).into_iter().map(group).collect();
                if memory != Memory::Last {
                    let rows: Vec<usize> = (0..keys.len()).collect();
                    self.add(cycle, memory, rows.iter().map(page));
                }
            }
        }
        self.last = Some(cycle);
    }

    /// Adds the p of a recrawl to the sums.
    fn add(&mut self, cycle: u32, memory: Memory, shares: impl Iterator<Item = (u32, f64)>) {
        let passed = self.last.map_or(0, |last| cycle.saturating_sub(last));
        match memory {
            Memory::Last => {
                self.sums.clear();
                self.weight = 0.0;
            }
            Memory::Faded(decay) => {
                let kept = decay.powi(passed.min(i32::MAX as u32) as i32);
                if kept < 1.0 {
                    self.sums.values_mut().for_each(|sum| *sum *= kept);
                    // Drops what has faded to 0.
                    self.sums.retain(|_, sum| *sum > f64::MIN_POSITIVE);
                    self.weight *= kept;
                }
            }
        }
        self.weight += 1.0;
        for (key, share) in shares {
            *self.sums.entry(key).or_default() += share;
        }
    }

    /// Forgets a page that is gone.
    pub fn forget(&mut self, key: u32) {
        self.sums.remove(&key);
        if !self.groups.is_empty() {
            self.gone.insert(key);
        }
    }

    /// At most `k` of the pages that are a `candidate`, best first, each with its p, which is above 0; for
    /// COV the share that it adds to the cover. Only the best candidate of a group is chosen.
    pub fn choose(&self, k: usize, candidate: &dyn Fn(u32) -> bool) -> Vec<(u32, f64)> {
        let is_there = |key: u32| !self.gone.contains(&key) && candidate(key);
        let best = |group: &Vec<(u32, f64)>| group.iter().copied().find(|page| is_there(page.0));
        if self.algorithm == Algorithm::Cover {
            return self.groups.iter().filter_map(best).take(k).collect();
        }
        let mut pages: Vec<(u32, f64)> = self.groups.iter().filter_map(best).collect();
        let singles = self.sums.iter().filter(|(key, _)| candidate(**key));
        pages.extend(singles.map(|(&key, sum)| (key, sum / self.weight)));
        if !self.groups.is_empty() && !self.sums.is_empty() {
            // CLIQ-WIN: a page stands for its group, or for itself if that is worth more.
            pages.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
            pages.dedup_by_key(|page| page.0);
        }
        if k < pages.len() {
            pages.select_nth_unstable_by(k, better);
            pages.truncate(k);
        }
        pages.sort_unstable_by(better);
        pages
    }
}

/// The higher p first, then the lower key.
fn better(a: &(u32, f64), b: &(u32, f64)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::discover::tests::{Given, closed, given, most};

    /// Pages and the found pages that they link to.
    fn leads(found: usize, rows: &[(u32, &[u32])]) -> Leads {
        Leads::new(found, rows.iter().map(|(key, shown)| (*key, shown.to_vec())).collect(), vec![])
    }

    fn all(_: u32) -> bool {
        true
    }

    fn keys(chosen: &[(u32, f64)]) -> Vec<u32> {
        chosen.iter().map(|page| page.0).collect()
    }

    fn assert_near(chosen: &[(u32, f64)], expected: &[(u32, f64)]) {
        assert_eq!(keys(chosen), keys(expected));
        for (one, other) in chosen.iter().zip(expected) {
            assert!((one.1 - other.1).abs() < 1e-12, "{chosen:?} {expected:?}");
        }
    }

    #[test]
    fn od_win_is_the_weighted_mean_and_a_page_not_met_counts_as_nothing() {
        let faded = |decay| {
            let memory = Memory::Faded(decay);
            let mut chooser = Chooser::new(Algorithm::OutDegree { memory });
            chooser.recrawled(4, &leads(4, &[(1, &[0, 1, 2]), (2, &[3])]));
            chooser.recrawled(8, &leads(2, &[(2, &[0]), (3, &[1])]));
            chooser.choose(9, &all)
        };
        // Weights 0.5^4 = 1/16 and 1, sum 17/16. Page 1: 3/4 * 1/16 / (17/16) = 3/68; page 2:
        // (1/4 * 1/16 + 1/2) / (17/16) = 33/68; page 3, not there in cycle 4: 1/2 / (17/16) = 32/68.
        assert_near(&faded(0.5), &[(2, 33.0 / 68.0), (3, 32.0 / 68.0), (1, 3.0 / 68.0)]);
        // Without decay: 3/8, (1/4 + 1/2) / 2 and 1/4. Of equal ones the lower key would be first.
        assert_near(&faded(1.0), &[(1, 3.0 / 8.0), (2, 3.0 / 8.0), (3, 1.0 / 4.0)]);
    }

    #[test]
    fn a_recrawl_that_found_nothing_stays_in_the_mean() {
        let mut chooser = Chooser::new(Algorithm::OutDegree { memory: Memory::Faded(1.0) });
        chooser.recrawled(0, &leads(2, &[(1, &[0, 1])]));
        chooser.recrawled(1, &leads(0, &[]));
        assert_near(&chooser.choose(9, &all), &[(1, 0.5)]);
    }

    #[test]
    fn od_1_knows_the_last_recrawl_only_and_leaves_orphans_out() {
        let mut chooser = Chooser::new(Algorithm::OutDegree { memory: Memory::Last });
        chooser.recrawled(0, &leads(2, &[(1, &[0, 1])]));
        chooser.recrawled(4, &leads(9, &[(2, &[0, 1]), (3, &[1, 2, 3])]));
        assert_near(&chooser.choose(9, &all), &[(3, 0.75), (2, 0.5)]);
        assert_eq!(keys(&chooser.choose(1, &all)), [3]);
        assert_eq!(keys(&chooser.choose(9, &|key| key != 3)), [2]);
        chooser.forget(3);
        assert_eq!(keys(&chooser.choose(9, &all)), [2]);
    }

    /// Two mirrors of three pages, a page of two others, and one of the last of these.
    fn mirrors() -> Leads {
        leads(5, &[(1, &[0, 1, 2]), (2, &[0, 1, 2]), (3, &[3, 4]), (4, &[4])])
    }

    #[test]
    fn cliq_takes_the_best_candidate_of_each_group() {
        let algorithm = Algorithm::Cliques { memory: Memory::Last, eps: 0.3 };
        let mut chooser = Chooser::new(algorithm);
        chooser.recrawled(0, &mirrors());
        assert_near(&chooser.choose(9, &all), &[(1, 0.6), (3, 0.4), (4, 0.2)]);
        assert_eq!(keys(&chooser.choose(9, &|key| key != 1)), [2, 3, 4]);
        chooser.forget(1);
        assert_eq!(keys(&chooser.choose(2, &all)), [2, 3]);
        chooser.recrawled(4, &mirrors());
        assert_eq!(keys(&chooser.choose(1, &all)), [1]);
    }

    #[test]
    fn cliq_win_adds_every_page_that_ever_led_to_one() {
        let algorithm = Algorithm::Cliques { memory: Memory::Faded(1.0), eps: 0.3 };
        let mut chooser = Chooser::new(algorithm);
        chooser.recrawled(0, &leads(1, &[(7, &[0])]));
        chooser.recrawled(4, &mirrors());
        // Groups: 1 with 0.6, 3 with 0.4, 4 with 0.2. Singles: 7 with (1 + 0) / 2, 1 and 2 with 0.3, 3
        // with 0.2, 4 with 0.1; a page is there once, for the higher of its two.
        let expected = [(1, 0.6), (7, 0.5), (3, 0.4), (2, 0.3), (4, 0.2)];
        assert_near(&chooser.choose(9, &all), &expected);
        assert_near(&chooser.choose(3, &all), &expected[..3]);
    }

    #[test]
    fn cov_takes_the_cover_in_order_and_then_no_more() {
        let mut chooser = Chooser::new(Algorithm::Cover);
        assert_eq!(chooser.choose(9, &all), []);
        chooser.recrawled(0, &mirrors());
        for k in 2..9 {
            assert_near(&chooser.choose(k, &all), &[(1, 0.6), (3, 0.4)]);
        }
        assert_eq!(keys(&chooser.choose(1, &all)), [1]);
        assert_eq!(keys(&chooser.choose(9, &|key| key != 1)), [3]);
    }

    proptest! {
        /// Lemma 1 with the sum up to 2k - 1, as it is stated and as its proof ends: p_1 / (p_1 + the sum
        /// of p_{k+1} to p_{2k-1}). Where the best k pages are all others than OD's, they cover at most
        /// p_{k+1} + ... + p_{2k}, the last of which is at most p_1; else at most k - 1 of them are.
        #[test]
        fn od_keeps_the_bound_of_lemma_1(given in given(), k in 1_usize..6) {
            let Given { found, rows, chains } = given;
            let leads = Leads::new(found, rows.clone(), chains.clone());
            let sets: Vec<_> = closed(&rows, &chains).into_values().collect();
            prop_assume!(!sets.is_empty());
            let mut chooser = Chooser::new(Algorithm::OutDegree { memory: Memory::Last });
            chooser.recrawled(0, &leads);
            let chosen = chooser.choose(k, &all);
            let taken = chosen.iter().flat_map(|page| &sets[leads.row(page.0).unwrap()]);
            let covered = taken.collect::<BTreeSet<_>>().len() as f64;
            let mut degrees: Vec<f64> = sets.iter().map(|set| set.len() as f64).collect();
            degrees.sort_unstable_by(|a, b| b.total_cmp(a));
            let next: f64 = degrees.iter().skip(k).take(k - 1).sum();
            let bound = degrees[0] / (degrees[0] + next);
            prop_assert!(covered / most(&sets, k) as f64 >= bound - 1e-12);
        }
    }
}
