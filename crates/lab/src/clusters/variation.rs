//! Whether the pages of a group change alike (Tan and Mitra 2010, eq. 19 and figure 8).
//!
//! Each page has a true mean interval between changes. Each group has the coefficient of variation
//! of these intervals. The result is the mean over all groups. A page that never changed gets the
//! length of the window, a lower limit of its interval.
use crawl::PageNo;
use learn::cluster::{Clusters, Options, bisect};
use policy::features::{FeatureSettings, Group};

use super::FeaturedWeb;
use crate::truth::GroundTruth;

/// What pages were grouped by.
#[derive(Clone, Debug, PartialEq)]
pub enum Grouped {
    /// Clusters by these groups of features.
    Features(Vec<Group>),
    /// Groups of equal size, by how often a page was found changed in the whole window.
    Frequency,
    /// The same, by the first half of the window only.
    EarlyFrequency,
    /// Their sites.
    Sites,
}

/// The variation of change intervals within groups, by the number of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// What pages were grouped by.
    pub by: Grouped,
    /// Number of groups, and the mean coefficient of variation.
    pub points: Vec<(usize, f64)>,
}

/// The variation within groups of the pages of `web`. `web` is the state of a crawl that saw every
/// change of `truth`.
pub fn variation(
    truth: &GroundTruth,
    web: &FeaturedWeb,
    by: &Grouped,
    counts: &[usize],
    options: &Options,
) -> Variation {
    let interval = |page: PageNo| {
        let number = truth.find(web.pages.address(page))?;
        Some(interval_days(truth, number))
    };
    let pages: Vec<(PageNo, f64)> =
        web.held().filter_map(|page| Some((page, interval(page)?))).collect();
    let intervals: Vec<f64> = pages.iter().map(|&(_, interval)| interval).collect();
    let most = counts.iter().copied().max().unwrap_or(1);
    let points = match by {
        Grouped::Features(groups) => {
            let settings = FeatureSettings { groups: groups.clone(), ..FeatureSettings::default() };
            let table = web.table(&settings);
            let rows_of: Vec<PageNo> = table.pages.clone();
            let all = bisect(table.scaled(), &Options { clusters: most, ..*options });
            let of = |clusters: &Clusters| -> Vec<u32> {
                let row = |page: &PageNo| rows_of.binary_search(page).ok();
                let cluster =
                    |(page, _): &(PageNo, f64)| row(page).map_or(0, |row| clusters.assignment[row]);
                pages.iter().map(cluster).collect()
            };
            let point = |&count: &usize| (count, mean_variation(&of(&all.at(count)), &intervals));
            counts.iter().map(point).collect()
        }
        Grouped::Frequency | Grouped::EarlyFrequency => {
            let window = truth.history().window;
            let until = match by {
                Grouped::Frequency => window.end,
                _ => crawl::Time::from_millis(window.start.millis().midpoint(window.end.millis())),
            };
            let frequency = |page: PageNo| {
                truth.find(web.pages.address(page)).map_or(0, |page| changes(truth, page, until))
            };
            let mut order: Vec<(usize, usize)> =
                pages.iter().enumerate().map(|(row, &(page, _))| (frequency(page), row)).collect();
            order.sort_unstable();
            let point = |&count: &usize| {
                let mut groups = vec![0; order.len()];
                for (place, &(_, row)) in order.iter().enumerate() {
                    groups[row] = (place * count / order.len().max(1)) as u32;
                }
                (count, mean_variation(&groups, &intervals))
            };
            counts.iter().map(point).collect()
        }
        Grouped::Sites => {
            let host = |&(page, _): &(PageNo, f64)| web.pages.host(page).0;
            let groups: Vec<u32> = pages.iter().map(host).collect();
            vec![(web.pages.host_count(), mean_variation(&groups, &intervals))]
        }
    };
    Variation { by: by.clone(), points }
}

/// How often a page of a history changed after the window's start, up to `until`.
fn changes(truth: &GroundTruth, page: usize, until: crawl::Time) -> usize {
    let start = truth.history().window.start;
    let versions = &truth.history().pages[page].versions;
    let pairs = versions.windows(2).filter(|pair| pair[1].at > start && pair[1].at <= until);
    pairs.filter(|pair| !truth.same(pair[0].reading, pair[1].reading)).count()
}

fn interval_days(truth: &GroundTruth, page: usize) -> f64 {
    let window = truth.history().window;
    window.length().days() / changes(truth, page, window.end).max(1) as f64
}

/// The mean over groups of the coefficient of variation of the values in each.
fn mean_variation(groups: &[u32], values: &[f64]) -> f64 {
    let most = groups.iter().copied().max().map_or(0, |most| most as usize + 1);
    let mut members: Vec<Vec<f64>> = vec![vec![]; most];
    for (&group, &value) in groups.iter().zip(values) {
        members[group as usize].push(value);
    }
    members.retain(|members| !members.is_empty());
    let sum: f64 = members.iter().map(|members| variation_of(members.iter().copied())).sum();
    sum / members.len().max(1) as f64
}

/// The standard deviation of some values by their mean.
pub(super) fn variation_of(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    if count == 0.0 || mean == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (squares / count).sqrt() / mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variation_is_the_mean_over_groups() {
        // 10 and 30: deviation 10, mean 20. 5 and 5: none. One alone: none.
        let groups = [0, 1, 0, 1, 3];
        let found = mean_variation(&groups, &[10.0, 5.0, 30.0, 5.0, 7.0]);
        assert!((found - 0.5 / 3.0).abs() < 1e-12);
        assert!(mean_variation(&[], &[]).abs() < 1e-12);
    }
}
