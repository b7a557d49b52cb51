//! Table 2 on one site: algorithms that know only the past.
//!
//! Every cycle is independent of the visits before it, as in the paper: all old pages are known,
//! and a visit shows what is new in its cycle. A full recrawl every few cycles trains the
//! algorithms; cycles with a recrawl are not evaluated, as a recrawl finds everything. With a
//! recrawl in every cycle (OD-ALL) it follows the visits, which are evaluated. A dead page costs
//! one visit and is not visited again; recrawls see all deaths.
use lab::oracle::most_found;
use policy::discover::{Algorithm, Arm, ArmVisit, Arms, Chooser, Cover, Until, greedy};

use crate::dasgupta_2007::site::{Site, graph::Births};

/// Visits per site and cycle.
pub(crate) const BUDGETS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

/// The sums of one algorithm on one site with one budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    /// Cycles that were evaluated.
    pub(crate) cycles: usize,
    /// Visits in them.
    pub(crate) visits: usize,
    /// New pages that the visits led to.
    pub(crate) covered: usize,
    /// New pages that some old page led to.
    pub(crate) new: usize,
    /// Visits divided by covered new pages, summed over the cycles in which any was covered.
    pub(crate) ratios: f64,
    /// Cycles in which any was covered.
    pub(crate) fruitful: usize,
    /// Visits of full recrawls after the first.
    pub(crate) recrawl_visits: usize,
    /// New pages that they led to, beyond those of the visits in the same cycle.
    pub(crate) recrawl_covered: usize,
    /// New pages of their cycles that some old page led to, where the cycle is not evaluated.
    pub(crate) recrawl_new: usize,
}

impl Sums {
    fn add(&mut self, births: &Births, visits: usize, covered: usize) {
        self.cycles += 1;
        self.visits += visits;
        self.covered += covered;
        self.new += births.coverable();
        if covered > 0 {
            self.ratios += visits as f64 / covered as f64;
            self.fruitful += 1;
        }
    }
}

/// Runs an algorithm that learns from a full recrawl every `interval` cycles, with each budget.
pub(crate) fn historical(site: &Site, algorithm: Algorithm, interval: usize) -> [Sums; 5] {
    let mut chooser = Chooser::new(algorithm);
    let mut sums = [Sums::default(); 5];
    let mut dead: Vec<Vec<bool>> = vec![vec![false; site.first.len()]; BUDGETS.len()];
    for cycle in 1..=site.cycles() {
        let births = site.births(cycle);
        let is_recrawled = cycle % interval == 0;
        let is_evaluated = cycle > interval && (interval == 1 || !is_recrawled);
        for ((sums, dead), budget) in sums.iter_mut().zip(&mut dead).zip(BUDGETS) {
            let mut covered = 0;
            if is_evaluated {
                let chosen = chooser.choose(budget, &|page| !dead[page as usize]);
                covered = cover(births, chosen.iter().map(|chosen| chosen.0));
                sums.add(births, chosen.len(), covered);
                for &(page, _) in &chosen {
                    dead[page as usize] = !site.alive[cycle][page as usize];
                }
            }
            if is_recrawled {
                if cycle > interval {
                    sums.recrawl_visits += recrawl(site, cycle, dead);
                    sums.recrawl_covered += births.coverable() - covered;
                    sums.recrawl_new += if is_evaluated { 0 } else { births.coverable() };
                }
                for (page, dead) in dead.iter_mut().enumerate() {
                    *dead = site.is_old(page, cycle) && !site.alive[cycle][page];
                }
            }
        }
        if is_recrawled {
            chooser.recrawled(cycle as u32, &births.leads);
        }
    }
    sums
}

/// Visits of a full recrawl: every old page that is alive or not known to be dead.
fn recrawl(site: &Site, cycle: usize, dead: &[bool]) -> usize {
    let visited =
        |&page: &usize| site.is_old(page, cycle) && (site.alive[cycle][page] || !dead[page]);
    (0..dead.len()).filter(visited).count()
}

/// The number of new pages that some old ones lead to.
fn cover(births: &Births, pages: impl Iterator<Item = u32>) -> usize {
    let mut cover = Cover::new(&births.leads);
    for row in pages.filter_map(|page| births.leads.row(page)) {
        cover.take(row);
    }
    cover.covered()
}

/// The greedy cover that knows the links of each cycle, from the second cycle on as OD-ALL. The
/// paper calls it optimal.
pub(crate) fn greedily(site: &Site) -> [Sums; 5] {
    let mut sums = [Sums::default(); 5];
    for cycle in 2..=site.cycles() {
        let births = site.births(cycle);
        let steps = greedy(&births.leads, Until::Everything);
        for (sums, budget) in sums.iter_mut().zip(BUDGETS) {
            let taken = &steps[..steps.len().min(budget)];
            let covered = taken.iter().map(|step| step.gained as usize).sum();
            sums.add(births, taken.len(), covered);
        }
    }
    sums
}

/// An upper bound on any choice of pages, in the same cycles. It has no visits.
pub(crate) fn bounded(site: &Site) -> [Sums; 5] {
    let mut sums = [Sums::default(); 5];
    for cycle in 2..=site.cycles() {
        let births = site.births(cycle);
        for (sums, bound) in sums.iter_mut().zip(most_found(&births.leads, &BUDGETS)) {
            sums.cycles += 1;
            sums.new += births.coverable();
            sums.covered += bound;
        }
    }
    sums
}

/// A bandit that learns only from the pages it visits, evaluated in the same cycles; it starts with
/// the first.
///
/// A visit shows the new pages of one cycle only, however long ago the last visit was, so every arm
/// has waited one cycle.
pub(crate) fn bandit(site: &Site, seed: u64) -> [Sums; 5] {
    let mut all = [Sums::default(); 5];
    for (sums, budget) in all.iter_mut().zip(BUDGETS) {
        let mut bandit = Arms::new(seed);
        let mut dead = vec![false; site.first.len()];
        let mut found_before = 0;
        for cycle in 1..=site.cycles() {
            let births = site.births(cycle);
            let (waited, at_days) = (site.cycle_days, cycle as f64 * site.cycle_days);
            let arm = |page: usize| {
                let (key, host, prior) = (page as u32, site.hosts[page], site.priors[page]);
                Arm { key, host, kind: prior, waited, exposure: 1.0 }
            };
            let candidate = |page: &usize| site.is_old(*page, cycle) && !dead[*page];
            let arms: Vec<Arm> = (0..dead.len()).filter(candidate).map(arm).collect();
            let chosen = bandit.choose(at_days, cycle as u64, &arms, &[], budget);
            let covered = cover(births, chosen.iter().map(|chosen| chosen.0));
            if cycle > 1 {
                sums.add(births, chosen.len(), covered);
            }
            let visit = |&(key, _): &(u32, f64)| {
                let row = births.leads.row(key);
                let found = row.map_or_else(Vec::new, |row| births.leads.reached(row));
                let found = found.into_iter().map(|found| found_before + found).collect();
                ArmVisit { key, waited, found }
            };
            let is_alive = |page: u32| site.alive[cycle][page as usize];
            let visits: Vec<ArmVisit> =
                chosen.iter().filter(|chosen| is_alive(chosen.0)).map(visit).collect();
            bandit.learn(at_days, &visits);
            for &(page, _) in &chosen {
                dead[page as usize] = !is_alive(page);
            }
            found_before += births.new.len() as u32;
        }
    }
    all
}

/// The upper bound on algorithms that learn from recrawls every `interval` cycles (section 5.5): a
/// visit to every page that led to a new one in any recrawl so far and is still alive. `counts`
/// selects the cycles that are evaluated, of those without a recrawl; with a recrawl in every
/// cycle, it follows the visits.
pub(crate) fn history_bound(site: &Site, interval: usize, counts: impl Fn(usize) -> bool) -> Sums {
    let mut sums = Sums::default();
    let mut ever = vec![false; site.first.len()];
    for cycle in 1..=site.cycles() {
        let births = site.births(cycle);
        let is_recrawled = cycle % interval == 0;
        if cycle > interval && (interval == 1 || !is_recrawled) && counts(cycle) {
            let page = |page: &u32| ever[*page as usize] && site.alive[cycle][*page as usize];
            let pages: Vec<u32> = (0..ever.len() as u32).filter(page).collect();
            let visits = pages.len();
            sums.add(births, visits, cover(births, pages.into_iter()));
        }
        if is_recrawled {
            births.leads.pages().iter().for_each(|&page| ever[page as usize] = true);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use policy::discover::Memory;

    use super::*;
    use lab::discovery::testing::truth;

    /// Page "hub" shows page n of day n from then on; "lucky" shows it on day 2 and dies on day 4.
    fn site() -> Site {
        let day = |first: usize| -> Vec<Option<Vec<&'static str>>> {
            (0..5).map(|day| (day >= first).then(Vec::new)).collect()
        };
        let new = ["http://a/1", "http://a/2", "http://a/3", "http://a/4"];
        let hub = (0..5).map(|day| Some(new[..day].to_vec())).collect();
        let lucky = vec![Some(vec![]), Some(vec![]), Some(vec!["http://a/2"]), Some(vec![]), None];
        let mut pages = vec![("http://a/hub", hub), ("http://a/lucky", lucky)];
        pages.extend(new.iter().zip(1..).map(|(&address, first)| (address, day(first))));
        Site::new(&truth(&pages))
    }

    #[test]
    fn the_last_recrawl_is_all_that_od_1_knows() {
        let algorithm = Algorithm::OutDegree { memory: Memory::Last };
        let sums = historical(&site(), algorithm, 1);
        // Cycles 2 to 4, each with one new page; the hub is known from cycle 1 on.
        assert_eq!((sums[0].cycles, sums[0].visits, sums[0].covered, sums[0].new), (3, 3, 3, 3));
        // In cycle 3 both led to page 2 before: two visits where there is room.
        assert_eq!((sums[1].visits, sums[1].covered), (4, 3));
        assert!((sums[1].ratios - 4.0).abs() < 1e-12 && sums[1].fruitful == 3);
        // Recrawls of cycles 2 to 4 come after them: they find nothing more. Old pages are the hub, lucky
        // and 1, 2, 3 new ones; in cycle 4 lucky is dead, but nobody knows.
        assert_eq!((sums[0].recrawl_visits, sums[0].recrawl_covered), (3 + 4 + 5, 0));
        assert_eq!(sums[0].recrawl_new, 0);
    }

    #[test]
    fn cycles_of_recrawls_are_not_evaluated_and_a_death_is_paid_once() {
        let algorithm = Algorithm::OutDegree { memory: Memory::Faded(1.0) };
        let sums = historical(&site(), algorithm, 2);
        // Recrawls in 2 and 4: only cycle 3 is evaluated, with both pages.
        assert_eq!((sums[0].cycles, sums[1].visits, sums[1].covered), (1, 2, 1));
        assert_eq!(
            (sums[1].recrawl_visits, sums[1].recrawl_covered, sums[1].recrawl_new),
            (5, 1, 1)
        );
        let sums = historical(&site(), algorithm, 3);
        assert_eq!((sums[1].cycles, sums[1].visits, sums[1].covered), (1, 1, 1));
        let all = historical(&site(), algorithm, 1);
        // Hub in 2; hub and lucky in 3; and in 4, where lucky is dead.
        assert_eq!((all[1].visits, all[1].covered), (5, 3));
    }

    #[test]
    fn the_greedy_cover_and_its_bound_find_everything_here() {
        let (greedy, bound) = (greedily(&site()), bounded(&site()));
        assert_eq!((greedy[0].visits, greedy[0].covered, greedy[0].new), (3, 3, 3));
        assert_eq!((bound[0].visits, bound[0].covered, bound[4].covered), (0, 3, 3));
    }

    #[test]
    fn history_knows_who_led_anywhere_in_a_recrawl() {
        let full = history_bound(&site(), 1, |_| true);
        assert_eq!((full.cycles, full.visits, full.covered, full.new), (3, 4, 3, 3));
        let rare = history_bound(&site(), 3, |_| true);
        // Of recrawls in cycle 3: in cycle 4 the hub alone.
        assert_eq!((rare.cycles, rare.visits, rare.covered, rare.new), (1, 1, 1, 1));
        let some = history_bound(&site(), 1, |cycle| cycle == 3);
        assert_eq!((some.cycles, some.visits, some.covered), (1, 2, 1));
    }

    #[test]
    fn a_bandit_with_room_for_all_pages_visits_them_all_and_a_dead_one_once() {
        let sums = bandit(&site(), 1);
        // Old pages of cycles 2 to 4 are 3, 4 and 5, lucky among them.
        assert_eq!((sums[1].cycles, sums[1].visits, sums[1].covered), (3, 12, 3));
        assert!(sums[0].visits == 3 && sums[0].covered <= 3);
        assert_eq!(bandit(&site(), 1), sums);
    }
}
