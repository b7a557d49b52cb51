//! Values of pages by site, and the lines and tables that are made of them.
use super::super::{
    draw::{cell, over_x},
    figure::{Cell, Figure, Plot, Point, Series, Table},
    sample::{Estimate, Sample, combined},
};

/// What the line of a difference is called that has a value for every site.
pub(in super::super) const BY_SITE: &str = "by site";

/// Less than this is nothing: accuracies are shares of tens of tests.
const NONE: f64 = 1e-9;

/// A value of every page, by site.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ByPage(pub(super) Vec<Vec<f64>>);

impl ByPage {
    /// What one has more than another, page by page.
    pub(super) fn less(&self, other: &Self) -> Self {
        let site = |(one, other): (&Vec<f64>, &Vec<f64>)| {
            one.iter().zip(other).map(|(one, other)| one - other).collect()
        };
        Self(self.0.iter().zip(&other.0).map(site).collect())
    }

    /// The mean over pages, with an interval by site: a site that is drawn twice counts with all its pages
    /// twice.
    pub(super) fn mean(&self) -> Option<Estimate> {
        let sums = |values: &Vec<f64>| (values.iter().sum::<f64>(), values.len() as f64);
        let run: Vec<(f64, f64)> = self.0.iter().map(sums).collect();
        if run.is_empty() {
            return None;
        }
        let sample = Sample::Ratios { sites: run.len(), runs: vec![run] };
        // Sums of differences that cancel out are not 0 in their last bits, and would be above it or below.
        combined(&[&sample], |values| if values[0].abs() < NONE { 0.0 } else { values[0] })
    }

    /// The mean of each site, in their order, from 1 on.
    fn of_sites(&self, name: &str) -> Series {
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let point = |(place, values): (usize, &Vec<f64>)| Point {
            x: place as f64 + 1.0,
            y: (!values.is_empty()).then(|| mean(values)),
            interval: None,
        };
        Series { name: name.to_owned(), points: self.0.iter().enumerate().map(point).collect() }
    }

    /// How many sites have a page.
    pub(super) fn sites(&self) -> usize {
        self.0.iter().filter(|pages| !pages.is_empty()).count()
    }

    /// How many pages there are.
    pub(super) fn pages(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// A point of a line.
pub(super) fn point(x: f64, values: &ByPage) -> Point {
    let estimate = values.mean();
    let interval = estimate.and_then(|estimate| estimate.interval);
    Point { x, y: estimate.map(|estimate| estimate.value), interval }
}

/// A line of means.
pub(super) fn line(name: &str, points: impl IntoIterator<Item = (f64, ByPage)>) -> Series {
    let points = points.into_iter().map(|(x, values)| point(x, &values)).collect();
    Series { name: name.to_owned(), points }
}

/// What a difference is called.
pub(in super::super) fn less(one: &str, other: &str) -> String {
    format!("{one} less {other}")
}

/// Adds the differences of named values: their means, and the means of each site.
pub(super) fn add_differences(
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
    let head = ["difference of accuracies", "mean over pages"].map(str::to_owned).into();
    figure.tables.push(Table { title: "differences".to_owned(), head, rows });
    figure.plots.push(Plot {
        title: "differences of accuracies".to_owned(),
        caption: "mean over pages".to_owned(),
        x_title: String::new(),
        is_share: false,
        lines: means,
    });
    add(
        figure,
        Plot {
            title: "differences of accuracies by site".to_owned(),
            caption: "mean over its pages".to_owned(),
            x_title: "site, of those with pages".to_owned(),
            is_share: false,
            lines: sites,
        },
    );
}

/// Adds a plot and its numbers.
pub(super) fn add(figure: &mut Figure, plot: Plot) {
    figure.tables.push(over_x(&plot, &plot.x_title));
    figure.plots.push(plot);
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
        let interval = mean.interval.unwrap();
        assert!((interval.low - 0.5).abs() < 1e-12 && (interval.high - 0.9).abs() < 1e-12);
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
