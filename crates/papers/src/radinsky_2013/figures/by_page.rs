//! Values of pages by site, and the lines and tables that are made of them.
use lab::report::figure::{Cell, Figure, Point, Series};

use crate::{
    draw::{add, cell, plot, point, table},
    sample::{Estimate, Sample, combined},
};

/// The ending of the name of a line with a value for every site.
pub(crate) const BY_SITE: &str = "by site";

/// Smaller values are 0: accuracies are shares of tens of tests.
const NONE: f64 = 1e-9;

/// A value of every page, by site.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ByPage(pub(crate) Vec<Vec<f64>>);

impl ByPage {
    /// The difference of two, page by page.
    pub(crate) fn less(&self, other: &Self) -> Self {
        let site = |(one, other): (&Vec<f64>, &Vec<f64>)| {
            one.iter().zip(other).map(|(one, other)| one - other).collect()
        };
        Self(self.0.iter().zip(&other.0).map(site).collect())
    }

    /// The mean over pages, with an interval by site: a site that is drawn twice or left out is so with all
    /// of its pages.
    pub(crate) fn mean(&self) -> Option<Estimate> {
        let sums = |values: &Vec<f64>| (values.iter().sum::<f64>(), values.len() as f64);
        let run: Vec<(f64, f64)> = self.0.iter().map(sums).collect();
        if run.is_empty() {
            return None;
        }
        let sample = Sample::Ratios { sites: run.len(), runs: vec![run] };
        // Differences that cancel out do not sum to 0 in their last bits.
        combined(&[&sample], |values| if values[0].abs() < NONE { 0.0 } else { values[0] })
    }

    /// A line of the means of sites, numbered from 1.
    fn of_sites(&self, name: &str) -> Series {
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let point = |(place, values): (usize, &Vec<f64>)| Point {
            x: place as f64 + 1.0,
            y: (!values.is_empty()).then(|| mean(values)),
            interval: None,
        };
        Series { name: name.to_owned(), points: self.0.iter().enumerate().map(point).collect() }
    }

    /// The number of sites with a page.
    pub(crate) fn sites(&self) -> usize {
        self.0.iter().filter(|pages| !pages.is_empty()).count()
    }

    /// The number of pages.
    pub(crate) fn pages(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// A line of means.
pub(crate) fn line(name: &str, points: impl IntoIterator<Item = (f64, ByPage)>) -> Series {
    let points = points.into_iter().map(|(x, values)| point(x, values.mean())).collect();
    Series { name: name.to_owned(), points }
}

/// The name of a difference.
pub(crate) fn less(one: &str, other: &str) -> String {
    format!("{one} less {other}")
}

/// Adds the differences of named values: their means, and the means of each site.
pub(crate) fn add_differences(
    figure: &mut Figure,
    named: &[(&str, ByPage)],
    pairs: &[(&str, &str)],
) {
    let find =
        |name: &str| named.iter().find(|(other, _)| *other == name).map(|(_, values)| values);
    let (mut means, mut sites, mut rows) = (vec![], vec![], vec![]);
    for (one, other) in pairs {
        let (Some(ours), Some(theirs)) = (find(one), find(other)) else { continue };
        let (name, difference) = (less(one, other), ours.less(theirs));
        rows.push(vec![Cell::text(&name), cell(difference.mean())]);
        sites.push(difference.of_sites(&format!("{name}, {BY_SITE}")));
        means.push(line(&name, [(1.0, difference)]));
    }
    let head = ["difference of accuracies", "mean over pages"];
    figure.tables.push(table("differences", head, rows));
    figure.plots.push(plot(["differences of accuracies", "mean over pages", ""], false, means));
    add(
        figure,
        plot(
            [
                "differences of accuracies by site",
                "mean over its pages",
                "site, of those with pages",
            ],
            false,
            sites,
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_pages_and_its_interval_by_site() {
        // Three pages of one site and one of another.
        let values = ByPage(vec![vec![0.5, 0.5, 0.5], vec![0.9]]);
        let mean = values.mean().unwrap();
        assert!((mean.value - 0.6).abs() < 1e-12);
        // Without one site it is 0.9, without the other 0.5: a standard error of 0.2, one degree of freedom.
        let interval = mean.interval.unwrap();
        assert!((interval.low - (0.6 - 2.5412)).abs() < 1e-9, "{interval:?}");
        assert!((interval.high - (0.6 + 2.5412)).abs() < 1e-9, "{interval:?}");
        assert_eq!((values.sites(), values.pages()), (2, 4));
    }

    #[test]
    fn differences_that_cancel_out_are_none() {
        let values = ByPage(vec![vec![0.1 + 0.2, -0.3], vec![0.7, -0.7]]);
        let mean = values.mean().unwrap();
        assert_eq!(mean.value.to_bits(), 0.0_f64.to_bits());
        assert_eq!(mean.interval.unwrap().high.to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn differences_are_page_by_page() {
        let one = ByPage(vec![vec![0.5, 1.0], vec![]]);
        let other = ByPage(vec![vec![0.25, 0.25], vec![]]);
        assert_eq!(one.less(&other), ByPage(vec![vec![0.25, 0.75], vec![]]));
        let sites = one.less(&other).of_sites("x");
        assert_eq!((sites.points[0].y, sites.points[1].y), (Some(0.5), None));
    }
}
