//! What is measured on the webs themselves, beside runs.
use std::{path::Path, sync::Arc};

use cluster::Options;
use policy::features::{FeatureSettings, Group};

use super::{
    discovery::{self, Sites},
    draw::over_x,
    evidence::Measured,
    examples,
    figure::{Figure, Plot, Point, Series},
    neighbourhood,
    plan::Survey,
    predict, prediction,
    sample::{Sample, combined},
    searched::SearchedWeb,
};
use crate::{
    clusters::{By, Grouped, cluster_sizes, featured, figures, site_sizes, surveyed, variation},
    quality::Queries,
    tournament::{PageSet, PreparedWeb, Setup, Start, TournamentError, Watcher, WebSource},
};

/// What surveys keep for each other: reading webs takes longer than most of what is asked of them.
#[derive(Default)]
pub(super) struct Known {
    /// Of discovery by links.
    pub(super) sites: Sites,
    /// Of forecasts.
    pub(super) daily: prediction::Daily,
}

/// Surveys the webs, most at their start. What this program does not measure is said, not made up.
/// `queries` are asked where the survey asks any; what is `known` of webs is kept for other surveys.
///
/// # Errors
/// When a web cannot be read.
pub(super) fn survey(
    what: Survey,
    webs: &[WebSource],
    queries: &Queries,
    detector: &str,
    cache: &Path,
    watcher: &dyn Watcher,
    known: &mut Known,
) -> Result<Measured, TournamentError> {
    let opened = |source: &WebSource| SearchedWeb::open(source, queries, detector, cache, watcher);
    match what {
        Survey::Predictability => predict::predictability(webs, &opened),
        Survey::Examples => examples::examples(webs, &opened),
        Survey::Neighbourhoods => neighbourhoods(webs, detector, cache, watcher),
        Survey::Tau | Survey::Sizes | Survey::Variation => {
            clusters(what, webs, detector, cache, watcher)
        }
        Survey::Labels
        | Survey::Forecasts
        | Survey::Combinations
        | Survey::Relations
        | Survey::WindowSizes
        | Survey::ExpertCounts
        | Survey::Scores
        | Survey::Experts
        | Survey::Pruning => prediction::survey(what, webs, cache, watcher, &mut known.daily),
        _ => {
            let sites = known.sites.of(webs, detector, cache, watcher)?;
            Ok(discovery::survey(what, &sites))
        }
    }
}

/// Clusters of each web; where there are several webs, lines are means over them.
fn clusters(
    what: Survey,
    webs: &[WebSource],
    detector: &str,
    cache: &Path,
    watcher: &dyn Watcher,
) -> Result<Measured, TournamentError> {
    let options = Options { restarts: RESTARTS, ..Options::default() };
    let mut found = vec![];
    for source in webs {
        let (web, setup) = featured(source, detector, cache, watcher)?;
        let figure = match what {
            Survey::Sizes => {
                let start = setup.at_start();
                let by_features = cluster_sizes(&start, &FeatureSettings::default(), &options);
                figures::sizes(&[("clusters", by_features), ("sites", site_sizes(&start))])
            }
            Survey::Variation => {
                let end = setup.at_end()?;
                let all = GROUPINGS.map(|by| variation(&web.truth, &end, &by(), COUNTS, &options));
                figures::variation(&all)
            }
            _ => {
                let start = setup.at_start();
                let by = [By::Address, By::Content, By::Features];
                figures::tau(&by.map(|by| start.quality(by, COUNTS, FOLDS, &options)))
            }
        };
        found.push(figure);
    }
    match (what, webs) {
        (Survey::Sizes, [_, _, ..]) => {
            Ok(Measured::Nothing("sizes are compared on one web of many sites".to_owned()))
        }
        _ => Ok(Measured::Survey(mean_of(found))),
    }
}

/// One figure of several webs, whose lines are means of those with the same name, point by point.
fn mean_of(mut found: Vec<Figure>) -> Figure {
    if found.len() < 2 {
        return found.pop().unwrap_or_default();
    }
    let lines = |name: &str| -> Vec<&Series> {
        let all = found.iter().flat_map(|figure| &figure.plots).flat_map(|plot| &plot.lines);
        all.filter(|line| line.name == name).collect()
    };
    let mean = |line: &Series| {
        let same = lines(&line.name);
        let at = |x: f64| {
            let values: Vec<f64> = same.iter().filter_map(|line| line.at(x)).collect();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        Series::plain(&line.name, line.points.iter().map(|point| (point.x, at(point.x))))
    };
    let plot = |plot: &Plot| Plot {
        caption: format!("{}; mean over {} webs", plot.caption, found.len()),
        lines: plot.lines.iter().map(mean).collect(),
        ..plot.clone()
    };
    let plots: Vec<Plot> = found[0].plots.iter().map(plot).collect();
    let tables = plots.iter().map(|plot| over_x(plot, &plot.x_title)).collect();
    Figure { plots, tables, ..Figure::default() }
}

/// Numbers of clusters, to twice what the paper settles on.
const COUNTS: &[usize] = &[1, 2, 5, 10, 25, 50, 75, 100, 150, 200];
/// As in the paper.
const FOLDS: usize = 10;
/// Beginnings of each bisection: fewer than usual, since there are thousands of them.
const RESTARTS: usize = 3;

/// What pages are grouped by in figure 8.
const GROUPINGS: [fn() -> Grouped; 6] = [
    || {
        let ranking = |group: &Group| *group != Group::Ranking;
        Grouped::Features(Group::ALL.into_iter().filter(ranking).collect())
    },
    || {
        Grouped::Features(vec![
            Group::DynamicContent,
            Group::DynamicLinkage,
            Group::ChangeFrequency,
        ])
    },
    || {
        Grouped::Features(vec![
            Group::ContentWords,
            Group::Content,
            Group::UrlWords,
            Group::Url,
            Group::Linkage,
        ])
    },
    || Grouped::Sites,
    || Grouped::Frequency,
    || Grouped::EarlyFrequency,
];

fn neighbourhoods(
    webs: &[WebSource],
    detector: &str,
    cache: &Path,
    watcher: &dyn Watcher,
) -> Result<Measured, TournamentError> {
    let mut hosts = vec![];
    for source in webs {
        let setup = at_start(source, detector, cache, watcher)?;
        hosts.extend(neighbourhood::by_host(setup.pages(), setup.links()));
    }
    let line = |name: &str, of: fn(&neighbourhood::OfHost) -> &neighbourhood::Shares| {
        let point = |(place, d): (usize, i64)| {
            let values = hosts.iter().map(|host| Some(of(host)[place])).collect();
            let estimate = combined(&[&Sample::Values(values)], |values| values[0]);
            Point {
                x: d as f64,
                y: estimate.map(|estimate| estimate.value),
                interval: estimate.and_then(|estimate| estimate.interval),
            }
        };
        let points = neighbourhood::DISTANCES.enumerate().map(point).collect();
        Series { name: name.to_owned(), points }
    };
    let plot = Plot {
        title: "share of the site within d of a page".to_owned(),
        caption: format!("mean over {} hosts", hosts.len()),
        x_title: "d".to_owned(),
        is_share: true,
        lines: vec![line("DB", |host| &host.1), line("LB", |host| &host.2)],
    };
    let table = over_x(&plot, "d");
    Ok(Measured::Survey(Figure { plots: vec![plot], tables: vec![table], ..Figure::default() }))
}

/// A web as it is at its start.
fn at_start(
    source: &WebSource,
    detector: &str,
    cache: &Path,
    watcher: &dyn Watcher,
) -> Result<Setup, TournamentError> {
    let experiment = surveyed(source, detector);
    let web = PreparedWeb::open(source, cache)?;
    web.read(&|rows, of| watcher.reading(&web.name, rows, of))?;
    Setup::new(Arc::clone(&web.load(&experiment)?.truth), PageSet::Fixed, &Start::Synchronised)
}
