//! How many experts are lost by not comparing all pairs.
use flow::{Time, features::Look};

use super::{Choosing, Company, choose};

/// The share of the experts that comparing all pairs chooses which are also chosen with `candidates`, the
/// mean over the wanted pages that have any; 1 where there are none.
///
/// Many pages can weigh the same (mirrors, or pages of a template): an expert as heavy as the lightest that
/// comparing all pairs chooses counts as found, whichever of its equals it is.
pub fn recall(
    choosing: &Choosing,
    pasts: &[&[Look]],
    links: &(dyn Fn(usize) -> Vec<usize> + Sync),
    now: Time,
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> f64 {
    let everyone = Choosing { candidates: 0, ..choosing.clone() };
    let all = choose(&everyone, pasts, links, now, wanted);
    let some = choose(choosing, pasts, links, now, wanted);
    let shares: Vec<f64> =
        all.iter().zip(&some).filter_map(|(all, some)| found(all, some)).collect();
    if shares.is_empty() { 1.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

/// The share for one page; none where it has no experts.
fn found(all: &Company, some: &Company) -> Option<f64> {
    let lightest = all.experts.last()?.weight;
    let found = some.experts.iter().filter(|expert| expert.weight >= lightest).count();
    Some(found as f64 / all.experts.len() as f64)
}
