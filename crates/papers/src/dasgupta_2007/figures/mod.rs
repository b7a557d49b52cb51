//! The figures and tables of the paper, on sites one by one.
//!
//! Cycles are weeks. Numbers are ratios of sums over sites and weeks, as in the paper, unless a line
//! says otherwise; intervals are by site.
pub(crate) mod algorithms;
pub(crate) mod covers;
pub(crate) mod folders;
pub(crate) mod history;
pub(crate) mod overhead;
pub(crate) mod overlap;
pub(crate) mod sites;

use lab::report::figure::{Point, Series};
use rayon::prelude::*;

use super::site::Site;
use crate::{
    draw::point,
    sample::{Estimate, Sample, combined},
};

/// A value of every site, in parallel.
fn of_each<T: Send>(sites: &[&Site], of: impl Fn(&Site) -> T + Sync) -> Vec<T> {
    sites.par_iter().map(|site| of(site)).collect()
}

/// A ratio of sums over sites.
fn ratio(pairs: impl Iterator<Item = (f64, f64)>) -> Sample {
    let sums: Vec<(f64, f64)> = pairs.collect();
    Sample::Ratios { sites: sums.len(), runs: vec![sums] }
}

fn estimate(sample: &Sample) -> Option<Estimate> {
    combined(&[sample], |values| values[0])
}

/// A line of ratios of sums.
fn line(name: &str, xs: &[f64], of: impl Fn(usize) -> Sample) -> Series {
    let points = xs.iter().enumerate().map(|(place, &x)| point(x, estimate(&of(place)))).collect();
    Series { name: name.to_owned(), points }
}

/// A line with a value for each site, numbered from 1.
fn by_site(name: &str, values: impl Iterator<Item = Option<f64>>) -> Series {
    let point =
        |(place, y): (usize, Option<f64>)| Point { x: place as f64 + 1.0, y, interval: None };
    Series { name: name.to_owned(), points: values.enumerate().map(point).collect() }
}
