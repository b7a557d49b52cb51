//! Figures of several made-up webs as one: means over seeds, with intervals by seed.
//!
//! The world of a paper is many sites. A figure of one seed is made as that of recorded sites is, from
//! all sites of that seed; here the figures of all seeds are put together. Sites of one seed are never
//! drawn apart.
use lab::report::{
    figure::{Figure, Plot, Point, Series},
    stats::mean,
};

use crate::{
    draw::over_x,
    sample::{Sample, combined},
};

/// The mean of several figures that have the same plots and lines.
pub(crate) fn together(figures: &[Figure]) -> Figure {
    let Some(first) = figures.first() else { return Figure::default() };
    let plot = |place: usize| {
        let plots: Vec<&Plot> =
            figures.iter().filter_map(|figure| figure.plots.get(place)).collect();
        mean_plot(&plots)
    };
    let plots: Vec<Plot> = (0..first.plots.len()).map(plot).collect();
    let tables = plots.iter().map(|plot| over_x(plot, &plot.x_title)).collect();
    Figure { plots, tables, ..Figure::default() }
}

fn mean_plot(plots: &[&Plot]) -> Plot {
    let first = plots[0];
    let is_by_site = first.x_title.starts_with("site");
    let line = |line: &Series| {
        let found =
            plots.iter().filter_map(|plot| plot.lines.iter().find(|other| other.name == line.name));
        let lines: Vec<&Series> = found.collect();
        let points = if is_by_site { by_seed(&lines) } else { means(&lines) };
        Series { name: line.name.clone(), points }
    };
    let x_title = if is_by_site { "site, all of a seed".to_owned() } else { first.x_title.clone() };
    Plot { x_title, lines: first.lines.iter().map(line).collect(), ..first.clone() }
}

/// Of a line with a value for each site, one for each seed: the largest of what is a largest, else the
/// mean.
fn by_seed(lines: &[&Series]) -> Vec<Point> {
    let value = |line: &&Series| {
        let values: Vec<f64> = line.points.iter().filter_map(|point| point.y).collect();
        if line.name.starts_with("largest") {
            return values.into_iter().reduce(f64::max);
        }
        mean(&values)
    };
    let point = |(seed, line): (usize, &&Series)| Point {
        x: seed as f64 + 1.0,
        y: value(line),
        interval: None,
    };
    lines.iter().enumerate().map(point).collect()
}

/// The means of points at the same place, over the seeds that have one.
fn means(lines: &[&Series]) -> Vec<Point> {
    let longest = lines.iter().map(|line| line.points.len()).max().unwrap_or_default();
    let point = |place: usize| {
        let points: Vec<&Point> = lines.iter().filter_map(|line| line.points.get(place)).collect();
        let xs: Vec<f64> = points.iter().map(|point| point.x).collect();
        let values: Vec<f64> = points.iter().filter_map(|point| point.y).collect();
        // A place that all seeds share stays exact, so that claims find it.
        let is_shared = xs.iter().all(|x| x.total_cmp(&xs[0]).is_eq());
        let x = if is_shared { xs[0] } else { mean(&xs).unwrap_or_default() };
        let by_seed = Sample::Values(values.iter().copied().map(Some).collect());
        let estimate = combined(&[&by_seed], |values| values[0]);
        Point { x, y: mean(&values), interval: estimate.and_then(|found| found.interval) }
    };
    (0..longest).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::plot;

    fn figure(x_title: &str, name: &str, values: &[Option<f64>]) -> Figure {
        let point =
            |(place, &y): (usize, &Option<f64>)| Point { x: place as f64, y, interval: None };
        let points = values.iter().enumerate().map(point).collect();
        let lines = vec![Series { name: name.to_owned(), points }];
        Figure { plots: vec![plot(["y", "", x_title], true, lines)], ..Figure::default() }
    }

    #[test]
    fn a_point_is_the_mean_over_seeds_with_an_interval_by_seed() {
        let made = together(&[
            figure("visits", "a", &[Some(0.2), None]),
            figure("visits", "a", &[Some(0.4), Some(0.5)]),
        ]);
        let points = &made.plots[0].lines[0].points;
        assert!((points[0].y.unwrap() - 0.3).abs() < 1e-12);
        // Student's with one degree of freedom: 12.7 standard errors of 0.1.
        let interval = points[0].interval.unwrap();
        assert!((interval.low + 0.9706).abs() < 1e-9 && (interval.high - 1.5706).abs() < 1e-9);
        assert_eq!((points[1].y, points[1].interval), (Some(0.5), None));
        assert_eq!(made.tables.len(), 1);
    }

    #[test]
    fn values_by_site_become_values_by_seed() {
        let made = together(&[
            figure("site", "share", &[Some(0.2), Some(0.4)]),
            figure("site", "share", &[Some(0.9), None]),
        ]);
        let values = made.plots[0].lines[0].values();
        assert_eq!(values.len(), 2);
        assert!((values[0].1 - 0.3).abs() < 1e-12 && (values[1].1 - 0.9).abs() < 1e-12);
        let made = together(&[figure("site", "largest cover", &[Some(2.0), Some(7.0)])]);
        assert!((made.plots[0].lines[0].values()[0].1 - 7.0).abs() < 1e-12);
    }
}
