//! New pages in old and in new folders, in place of table 1 and figure 7, which are about sites.
//!
//! Traces are single sites, so new sites do not appear. First-level folders do.
use std::collections::{BTreeMap, BTreeSet};

use lab::report::figure::{Cell, Figure};
use policy::discover::{Leads, Until, greedy};

use crate::{
    dasgupta_2007::{
        figures::{estimate, of_each, ratio},
        site::Site,
    },
    draw::{cell, of_tables, table},
};

/// New pages and folders of one site, over all weeks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    new_pages: usize,
    /// New pages in folders that had no page before.
    in_new: usize,
    new_folders: usize,
    /// New folders that old pages lead to, and the size of a cover of all of them.
    led_to: usize,
    cover: usize,
}

pub(crate) fn figure(sites: &[&Site]) -> Figure {
    let all = of_each(sites, sums);
    let ratio_cell = |of: fn(&Sums) -> (usize, usize)| {
        let pairs = all.iter().map(of).map(|(part, whole)| (part as f64, whole as f64));
        cell(estimate(&ratio(pairs)))
    };
    let sum = |of: fn(&Sums) -> usize| Cell::text(all.iter().map(of).sum::<usize>().to_string());
    let cells = [
        sum(|sums| sums.new_pages),
        ratio_cell(|sums| (sums.in_new, sums.new_pages)),
        sum(|sums| sums.new_folders),
        ratio_cell(|sums| (sums.in_new, sums.new_folders)),
        ratio_cell(|sums| (sums.led_to, sums.cover)),
    ];
    let head = [
        "new pages",
        "share of them in new folders",
        "new folders",
        "new pages for each",
        "new folders for each visit of a cover of all",
    ];
    let title = "first-level folders of sites, in place of sites of the web";
    of_tables(vec![table(title, head, vec![cells.into()])])
}

fn sums(site: &Site) -> Sums {
    let mut known: BTreeSet<u32> = (0..site.first.len())
        .filter(|&page| site.first[page] == 0)
        .map(|page| site.folders[page])
        .collect();
    let mut sums = Sums::default();
    for births in &site.births {
        // New folders by number, and for each new page the number of its folder where that is new.
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut folder_of = vec![];
        for &page in &births.new {
            let folder = site.folders[page as usize];
            let next = numbers.len() as u32;
            let is_new = !known.contains(&folder);
            folder_of.push(is_new.then(|| *numbers.entry(folder).or_insert(next)));
        }
        sums.new_pages += births.new.len();
        sums.in_new += folder_of.iter().flatten().count();
        sums.new_folders += numbers.len();
        if !numbers.is_empty() {
            let row = |row: usize| {
                let found = births.leads.reached(row).into_iter();
                let folders = found.filter_map(|found| folder_of[found as usize]);
                (births.leads.pages()[row], folders.collect::<BTreeSet<_>>().into_iter().collect())
            };
            let rows = (0..births.leads.pages().len()).map(row).collect();
            let folders = Leads::new(numbers.len(), rows, vec![]);
            sums.led_to += folders.covered();
            sums.cover += greedy(&folders, Until::Everything).len();
        }
        known.extend(numbers.into_keys());
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::discovery::testing::truth;

    #[test]
    fn a_folder_is_new_once() {
        let new = |day: usize| (0..3).map(|now| (now >= day).then(Vec::new)).collect();
        let shown = vec!["http://a/x/1", "http://a/y/2", "http://a/z/3", "http://a/z/4"];
        let site = Site::new(&truth(&[
            ("http://a/", vec![Some(shown); 3]),
            ("http://a/x/0", new(0)),
            ("http://a/x/1", new(1)),
            ("http://a/y/2", new(1)),
            ("http://a/z/3", new(1)),
            ("http://a/z/4", new(2)),
        ]));
        let expected = Sums { new_pages: 4, in_new: 2, new_folders: 2, led_to: 2, cover: 1 };
        assert_eq!(sums(&site), expected);
    }
}
