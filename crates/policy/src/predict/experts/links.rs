//! Experts by links: the pages that a page links to, and those that link to it.
use instruments::features::VisitRecord;
use rayon::prelude::*;

use super::{ChosenExpert, ExpertSettings, Neighbours};

/// All neighbours weigh the same. If there are too many, those with links both ways come first, then those with
/// the fewest links in all (a page that links to everything says little), then the lower row.
pub(super) fn choose(
    settings: &ExpertSettings,
    histories: &[&[VisitRecord]],
    links: &(dyn Fn(usize) -> Vec<usize> + Sync),
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<Neighbours> {
    let count = histories.len();
    let to: Vec<Vec<usize>> = (0..count)
        .into_par_iter()
        .map(|page| {
            let mut rows = links(page);
            rows.retain(|&other| other < count && other != page);
            rows.sort_unstable();
            rows.dedup();
            rows
        })
        .collect();
    let mut from: Vec<Vec<usize>> = vec![vec![]; count];
    for (page, rows) in to.iter().enumerate() {
        for &other in rows {
            from[other].push(page);
        }
    }
    let neighbours = |page: usize| {
        if histories[page].is_empty() || !wanted(page) {
            return Neighbours::default();
        }
        let (to_it, from_it) = (&from[page], &to[page]);
        let mut near: Vec<usize> = to_it.iter().chain(from_it).copied().collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&other| !histories[other].is_empty());
        near.sort_by_key(|&other| {
            let mutual =
                to_it.binary_search(&other).is_ok() && from_it.binary_search(&other).is_ok();
            (!mutual, to[other].len() + from[other].len(), other)
        });
        near.truncate(settings.experts);
        let experts =
            near.into_iter().map(|page| ChosenExpert { page, weight: 1.0, lag: 0 }).collect();
        Neighbours { self_weight: 1.0, experts }
    };
    (0..count).into_par_iter().map(neighbours).collect()
}
