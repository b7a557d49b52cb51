//! How many experts are lost by not comparing all pairs.
use crawl::Time;
use instruments::features::VisitRecord;

use super::{ExpertSettings, Neighbours, choose};

/// The share of the experts chosen from all pairs that are also chosen with `candidates`: the mean over the
/// wanted pages that have any; 1 if none has.
///
/// Many pages can weigh the same (mirrors, or pages of a template): an expert as heavy as the lightest that
/// comparing all pairs chooses counts as found.
pub fn recall(
    settings: &ExpertSettings,
    histories: &[&[VisitRecord]],
    links: &(dyn Fn(usize) -> Vec<usize> + Sync),
    now: Time,
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> f64 {
    let everyone = ExpertSettings { candidates: 0, ..settings.clone() };
    let all = choose(&everyone, histories, links, now, wanted);
    let some = choose(settings, histories, links, now, wanted);
    let shares: Vec<f64> =
        all.iter().zip(&some).filter_map(|(all, some)| found(all, some)).collect();
    if shares.is_empty() { 1.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

/// The share for one page; `None` if it has no experts.
fn found(all: &Neighbours, some: &Neighbours) -> Option<f64> {
    let lightest = all.experts.last()?.weight;
    let found = some.experts.iter().filter(|expert| expert.weight >= lightest).count();
    Some(found as f64 / all.experts.len() as f64)
}
