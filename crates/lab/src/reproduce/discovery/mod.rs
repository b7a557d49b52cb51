//! Surveys of discovery by links: the figures and tables of Dasgupta et al. 2007 on sites one by one.
//!
//! Cycles are weeks. Numbers are ratios of sums over sites and weeks, as in the paper, unless a line says
//! otherwise; intervals are by site.
mod algorithms;
mod covers;
mod folders;
mod history;
mod overhead;
mod overlap;
mod sites;

use std::{path::Path, sync::Arc};

use flow::Span;
use rayon::prelude::*;

pub(super) use self::{
    algorithms::{BUDGETS_AT, MEAN_OVERHEAD, OVERHEAD, SHARE},
    covers::{LARGEST, MOST},
    history::FALL,
    overhead::{ALL_AT_ONCE, EACH_ALONE},
    overlap::{ALL_PAIRS, SHARING_PAIRS},
};
use super::{
    draw::over_x,
    evidence::Measured,
    figure::{Figure, Plot, Point, Series},
    plan::Survey,
    sample::{Estimate, Sample, combined},
};
use crate::{
    clusters::surveyed,
    discovery::site::Site,
    tournament::{Experiment, PreparedWeb, TournamentError, Watcher, WebSource},
};

/// What is known of sites, kept for all parts of a reproduction: reading them takes longer than all that is
/// asked of them.
#[derive(Default)]
pub(super) struct Sites(Vec<(WebSource, Arc<Site>)>);

impl Sites {
    /// The sites, read where they have not been.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(super) fn of(
        &mut self,
        webs: &[WebSource],
        detector: &str,
        cache: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Vec<Arc<Site>>, TournamentError> {
        let mut sites = vec![];
        for source in webs {
            let known = self.0.iter().find(|(known, _)| known == source);
            if let Some((_, site)) = known {
                sites.push(Arc::clone(site));
                continue;
            }
            let experiment = Experiment { cycle: Span::from_days(7), ..surveyed(source, detector) };
            let web = PreparedWeb::open(source, cache)?;
            web.read(&|rows, of| watcher.reading(&web.name, rows, of))?;
            let site = Arc::new(Site::new(&web.load(&experiment)?.truth));
            self.0.push((source.clone(), Arc::clone(&site)));
            sites.push(site);
        }
        Ok(sites)
    }

    /// The webs that say something about discovery by links.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(super) fn telling(
        &mut self,
        webs: &[WebSource],
        detector: &str,
        cache: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Vec<WebSource>, TournamentError> {
        let sites = self.of(webs, detector, cache, watcher)?;
        let telling = webs.iter().zip(sites).filter(|(_, site)| site.tells());
        Ok(telling.map(|(web, _)| web.clone()).collect())
    }
}

/// Surveys the sites that say something about discovery by links; the list of sites has them all.
pub(super) fn survey(what: Survey, all: &[Arc<Site>]) -> Measured {
    let sites: Vec<&Site> = all.iter().map(Arc::as_ref).filter(|site| site.tells()).collect();
    let figure = match what {
        Survey::Sites => sites::figure(all),
        _ if sites.is_empty() => return Measured::Nothing(NOTHING.to_owned()),
        Survey::Covers => covers::figure(&sites),
        Survey::CoverSizes => covers::sizes(&sites),
        Survey::Overlap => overlap::figure(&sites),
        Survey::Overhead => overhead::figure(&sites),
        Survey::Folders => folders::figure(&sites),
        Survey::History => history::figure(&sites),
        Survey::Algorithms => algorithms::figure(&sites),
        Survey::Recrawls => algorithms::recrawls(&sites),
        Survey::Parameters => algorithms::parameters(&sites),
        _ => return Measured::Nothing("it is about something else".to_owned()),
    };
    Measured::Survey(figure)
}

/// Why nothing was measured.
pub(super) const NOTHING: &str =
    "on none of the sites do old pages lead to most new ones in their first week";

/// Something of every site, worked out side by side.
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

fn point(x: f64, estimate: Option<Estimate>) -> Point {
    let interval = estimate.and_then(|estimate| estimate.interval);
    Point { x, y: estimate.map(|estimate| estimate.value), interval }
}

/// A line of ratios of sums.
fn line(name: &str, xs: &[f64], of: impl Fn(usize) -> Sample) -> Series {
    let points = xs.iter().enumerate().map(|(place, &x)| point(x, estimate(&of(place)))).collect();
    Series { name: name.to_owned(), points }
}

/// A line with a value of each site, in their order, from 1 on.
fn by_site(name: &str, values: impl Iterator<Item = Option<f64>>) -> Series {
    let point =
        |(place, y): (usize, Option<f64>)| Point { x: place as f64 + 1.0, y, interval: None };
    Series { name: name.to_owned(), points: values.enumerate().map(point).collect() }
}

/// Adds a plot and its numbers.
fn add(figure: &mut Figure, plot: Plot) {
    figure.tables.push(over_x(&plot, &plot.x_title));
    figure.plots.push(plot);
}
