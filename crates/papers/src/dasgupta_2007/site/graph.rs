//! The new pages of every cycle, and the known pages that lead to them (section 2.1).
//!
//! The old pages of cycle t are all that existed in any cycle before, the new ones those that exist
//! at t for the first time. An old page leads to a new one by a link, or by a link to a new page
//! that leads to it. Unlike in the paper, pages die, and a dead page leads nowhere; a page that
//! comes back is not new. Sitemaps and feeds are pages like others.
use lab::{discovery::links::SiteLinks, truth::GroundTruth};
use policy::discover::Leads;

/// The first cycle of a page that exists in none.
pub(crate) const NEVER: u32 = u32::MAX;

/// The new pages of one cycle. Found page n of `leads` is new page n.
#[derive(Debug)]
pub(crate) struct Births {
    /// The new pages, by their numbers in the history, ascending.
    pub(crate) new: Vec<u32>,
    /// Which old pages lead to them.
    pub(crate) leads: Leads,
}

impl Births {
    /// New pages that some old page leads to. The paper ignores the others, which it calls orphans.
    pub(crate) fn coverable(&self) -> usize {
        self.leads.covered()
    }

    /// New pages that no old page leads to.
    pub(crate) fn orphans(&self) -> usize {
        self.new.len() - self.leads.covered()
    }
}

/// By page, the first cycle in which it exists, or [`NEVER`].
pub(crate) fn first_cycles(truth: &GroundTruth) -> Vec<u32> {
    let cycles = truth.grid().cycles;
    let first = |page| (0..=cycles).find(|&cycle| truth.reading(page, cycle).is_some());
    let pages = 0..truth.history().pages.len();
    pages.map(|page| first(page).map_or(NEVER, |cycle| cycle as u32)).collect()
}

/// The new pages of each cycle, from the first on; `first` comes from [`first_cycles`].
pub(crate) fn births(truth: &GroundTruth, links: &SiteLinks, first: &[u32]) -> Vec<Births> {
    let mut new: Vec<Vec<u32>> = vec![vec![]; truth.grid().cycles + 1];
    // By page, its place among the new pages of its cycle.
    let mut places = vec![0_u32; first.len()];
    for (page, &cycle) in first.iter().enumerate().filter(|(_, cycle)| **cycle != NEVER) {
        let pages = &mut new[cycle as usize];
        places[page] = pages.len() as u32;
        pages.push(page as u32);
    }
    let of_cycle = |(cycle, new): (usize, Vec<u32>)| {
        let (mut rows, mut chains) = (vec![], vec![]);
        if !new.is_empty() {
            for (page, &born) in first.iter().enumerate() {
                let Some(reading) = truth.reading(page, cycle) else { continue };
                let is_new = |to: &&u32| first[**to as usize] as usize == cycle;
                let to = links.targets(reading).iter().filter(is_new);
                let to: Vec<u32> = to.map(|&to| places[to as usize]).collect();
                if to.is_empty() {
                    continue;
                }
                if born as usize == cycle {
                    chains.push((places[page], to));
                } else {
                    rows.push((page as u32, to));
                }
            }
        }
        let leads = Leads::new(new.len(), rows, chains);
        Births { new, leads }
    };
    new.into_iter().enumerate().skip(1).map(of_cycle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::discovery::testing::truth;

    fn reached(births: &Births, page: u32) -> Option<Vec<u32>> {
        let row = births.leads.row(page)?;
        let found = births.leads.reached(row);
        Some(found.into_iter().map(|found| births.new[found as usize]).collect())
    }

    #[test]
    fn the_papers_first_figure() {
        // Pages 1 to 3 are old; 1 shows 4 and 5, 3 shows 5, 4 shows 6 and 7.
        let new = |shown: Vec<&'static str>| vec![None, Some(shown)];
        let truth = truth(&[
            ("http://a/1", vec![Some(vec![]), Some(vec!["http://a/4", "http://a/5"])]),
            ("http://a/2", vec![Some(vec![]), Some(vec!["http://a/1"])]),
            ("http://a/3", vec![Some(vec![]), Some(vec!["http://a/5"])]),
            ("http://a/4", new(vec!["http://a/6", "http://a/7"])),
            ("http://a/5", new(vec![])),
            ("http://a/6", new(vec![])),
            ("http://a/7", new(vec![])),
        ]);
        let first = first_cycles(&truth);
        assert_eq!(first, [0, 0, 0, 1, 1, 1, 1]);
        let births = births(&truth, &SiteLinks::new(&truth), &first);
        assert_eq!(births.len(), 1);
        assert_eq!(births[0].new, [3, 4, 5, 6]);
        assert_eq!(reached(&births[0], 0), Some(vec![3, 4, 5, 6]));
        assert_eq!(reached(&births[0], 1), None);
        assert_eq!(reached(&births[0], 2), Some(vec![4]));
        assert_eq!((births[0].coverable(), births[0].orphans()), (4, 0));
    }

    #[test]
    fn dead_pages_lead_nowhere_and_pages_that_come_back_are_not_new() {
        let truth = truth(&[
            // Shows 3 only while 3 is not new any more, then dies.
            ("http://a/1", vec![Some(vec![]), Some(vec![]), Some(vec!["http://a/3"]), None]),
            // Is away for one cycle.
            ("http://a/2", vec![Some(vec![]), None, Some(vec!["http://a/4"]), Some(vec![])]),
            ("http://a/3", vec![None, Some(vec![]), Some(vec![]), Some(vec![])]),
            ("http://a/4", vec![None, None, Some(vec![]), Some(vec![])]),
            // Shows a page that is never there at any cycle.
            ("http://a/5", vec![Some(vec!["http://a/6"]); 4]),
            ("http://a/6", vec![None; 4]),
        ]);
        let first = first_cycles(&truth);
        assert_eq!(first, [0, 0, 1, 2, 0, NEVER]);
        let births = births(&truth, &SiteLinks::new(&truth), &first);
        let new: Vec<&[u32]> = births.iter().map(|births| births.new.as_slice()).collect();
        assert_eq!(new, [&[2][..], &[3][..], &[][..]]);
        // In the first cycle nothing shows page 3: an orphan.
        assert_eq!((births[0].coverable(), births[0].orphans()), (0, 1));
        assert_eq!(reached(&births[1], 1), Some(vec![3]));
        assert_eq!(births[1].leads.pages(), [1]);
        assert_eq!((births[2].coverable(), births[2].orphans()), (0, 0));
    }
}
