//! New pages: those that a run does not know at its start. Which of them it holds, and which it
//! could find.
use crawl::{Observation, Outcome, PageNo, Pages, State};

use crate::{
    discovery::links::SiteLinks,
    truth::{GroundTruth, HistoryNumbers},
};

/// The pages of a web that runs do not know at their start.
#[derive(Debug)]
pub(crate) struct NewPages {
    /// By number in the history.
    is_new: Vec<bool>,
    links: SiteLinks,
}

/// The discovery of new pages in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiscoveryMetrics {
    /// New pages that are alive.
    pub alive: usize,
    /// Those of them that are held.
    pub held: usize,
    /// New pages that are not held and cannot be reached by links from any held page.
    pub undiscoverable: usize,
    /// New pages held for the first time.
    pub found: usize,
    /// Days from birth to these visits, summed.
    pub waited_days: f64,
    /// All other visits.
    pub searching_visits: usize,
}

impl NewPages {
    /// The pages of a web that are not known at the start.
    pub(crate) fn new(truth: &GroundTruth, known: &Pages) -> Self {
        let is_new = |page: &crate::history::PageHistory| known.find(&page.address).is_none();
        let is_new = truth.history().pages.iter().map(is_new).collect();
        Self { is_new, links: SiteLinks::new(truth) }
    }

    /// The number of new pages alive at `cycle` that cannot be reached. Held pages have the links
    /// that they show now, and links of pages that are not held are followed as a crawl would.
    fn undiscoverable(
        &self,
        truth: &GroundTruth,
        cycle: usize,
        is_held: &[bool],
        alive: usize,
    ) -> usize {
        let mut reached = is_held.to_vec();
        let mut open: Vec<u32> =
            (0_u32..).zip(is_held).filter_map(|(page, held)| held.then_some(page)).collect();
        let mut found = 0;
        while let Some(page) = open.pop() {
            let Some(reading) = truth.reading(page as usize, cycle) else { continue };
            if !is_held[page as usize] {
                found += usize::from(self.is_new[page as usize]);
            }
            for &to in self.links.targets(reading) {
                if !std::mem::replace(&mut reached[to as usize], true) {
                    open.push(to);
                }
            }
        }
        alive - found
    }
}

/// Tracks which new pages a run holds.
#[derive(Debug)]
pub(crate) struct DiscoveryTracker<'w> {
    truth: &'w GroundTruth,
    pages: &'w NewPages,
    /// By number in the history, whether it was ever held: no page is found twice.
    was_held: Vec<bool>,
}

impl<'w> DiscoveryTracker<'w> {
    /// The state before the first cycle.
    pub(crate) fn new(truth: &'w GroundTruth, pages: &'w NewPages) -> Self {
        Self { truth, pages, was_held: vec![false; pages.is_new.len()] }
    }

    /// Inspects a run after the visits of `cycle`.
    pub(crate) fn measure(
        &mut self,
        cycle: usize,
        pages: &Pages,
        numbers: &HistoryNumbers,
        log: &[Observation],
    ) -> DiscoveryMetrics {
        let Self { truth, pages: new, was_held } = self;
        let mut metrics = DiscoveryMetrics::default();
        let mut is_held = vec![false; new.is_new.len()];
        let held = |page: &PageNo| pages.state(*page) == State::Held;
        for number in pages.numbers().filter(held).filter_map(|page| numbers.get(page)) {
            is_held[number] = true;
        }
        for seen in log.iter().filter(|seen| seen.was_requested()) {
            let number = numbers.get(seen.page).filter(|&number| new.is_new[number]);
            let found = number.filter(|_| seen.outcome == Outcome::First);
            match found.filter(|&number| !std::mem::replace(&mut was_held[number], true)) {
                Some(number) => {
                    metrics.found += 1;
                    let first = truth.history().pages[number].versions.first();
                    let born = first.map_or(seen.at, |version| version.at);
                    metrics.waited_days += (seen.at - born.max(truth.grid().start)).days().max(0.0);
                }
                None => metrics.searching_visits += 1,
            }
        }
        let alive = |page: &usize| new.is_new[*page] && truth.reading(*page, cycle).is_some();
        let (held, missing): (Vec<usize>, Vec<usize>) =
            (0..new.is_new.len()).filter(alive).partition(|&page| is_held[page]);
        metrics.alive = held.len() + missing.len();
        metrics.held = held.len();
        if !missing.is_empty() {
            metrics.undiscoverable = new.undiscoverable(truth, cycle, &is_held, missing.len());
        }
        metrics
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crawl::Budget;

    use crate::{
        discovery::testing::truth,
        metric::{by_name, over_cycles},
        tournament::{Dataset, PageSet, Run, Start},
    };

    /// Five days of a site. From day 1 on the front page links to a new page, which links to a
    /// second; a third has no links to it; on day 3 the first is gone, on day 4 it is back.
    fn cycles(policy: &str, budget: u32) -> Vec<Vec<Option<f64>>> {
        let (first, second) = ("http://a/first", "http://a/second");
        let shows = |links: &[&'static str]| Some(links.to_vec());
        let after = |none: Option<Vec<&'static str>>, links: &[&'static str]| {
            [none, shows(links), shows(links), shows(links), shows(links)].to_vec()
        };
        let mut comes_and_goes = after(None, &[second]);
        comes_and_goes[3] = None;
        let web = truth(&[
            ("http://a/", after(shows(&[]), &[first])),
            (first, comes_and_goes),
            (second, after(None, &[])),
            ("http://a/third", after(None, &[])),
        ]);
        let dataset = Dataset::new(Arc::new(web), PageSet::Growing, &Start::Synchronised).unwrap();
        let policy = policy::by_name(policy).unwrap().with_defaults(1);
        Run::new(&dataset, policy, Budget(budget)).play().unwrap().cycles
    }

    fn in_cycles(cycles: &[Vec<Option<f64>>], metric: &str) -> Vec<Option<f64>> {
        let metric = by_name(metric).unwrap();
        cycles.iter().map(|cycle| cycle[metric]).collect()
    }

    fn of_run(cycles: &[Vec<Option<f64>>], metric: &str) -> f64 {
        over_cycles(by_name(metric).unwrap(), cycles).unwrap()
    }

    #[test]
    fn new_pages_are_counted_once_with_what_they_cost_and_how_long_they_waited() {
        // One visit a day: the front page, the first, the second, and the front page again. On day
        // 4 the first page is live again.
        let cycles = cycles("round-robin", 1);
        let third = Some(1.0 / 3.0);
        assert_eq!(in_cycles(&cycles, "new_pages"), [0.0, 1.0, 1.0, 0.0].map(Some));
        assert_eq!(in_cycles(&cycles, "searching_visits"), [1.0, 0.0, 0.0, 1.0].map(Some));
        assert_eq!(
            in_cycles(&cycles, "new_coverage"),
            [Some(0.0), third, Some(0.5), Some(2.0 / 3.0)]
        );
        assert_eq!(in_cycles(&cycles, "overhead"), [None, Some(0.0), Some(0.0), None]);
        // Born on day 1, visited on days 2 and 3.
        assert!((of_run(&cycles, "delay") - 1.5).abs() < 1e-12);
        assert!((of_run(&cycles, "overhead_of_sums") - 1.0).abs() < 1e-12);
        assert!((of_run(&cycles, "new_per_visit") - 0.5).abs() < 1e-12);
    }

    #[test]
    fn pages_without_links_are_undiscoverable_and_others_are_not() {
        // On day 1 the front page shows the first, which shows the second: only the third cannot be
        // found.
        let cycles = cycles("round-robin", 1);
        let third = Some(1.0 / 3.0);
        assert_eq!(in_cycles(&cycles, "undiscoverable"), [third, third, Some(0.5), third]);
    }

    #[test]
    fn what_is_found_in_a_cycle_can_be_visited_in_it() {
        let cycles = cycles("round-robin", 9);
        assert_eq!(in_cycles(&cycles, "new_pages"), [2.0, 0.0, 0.0, 0.0].map(Some));
        assert!(of_run(&cycles, "delay").abs() < 1e-12);
    }

    #[test]
    fn where_no_page_can_become_known_there_is_nothing_to_tell() {
        let web = truth(&[("http://a/", vec![Some(vec![]), Some(vec![])])]);
        let dataset = Dataset::new(Arc::new(web), PageSet::Fixed, &Start::Synchronised).unwrap();
        let policy = policy::by_name("round-robin").unwrap().with_defaults(1);
        let run = Run::new(&dataset, policy, Budget(1)).play().unwrap();
        assert_eq!(in_cycles(&run.cycles, "new_coverage"), [None]);
    }
}
