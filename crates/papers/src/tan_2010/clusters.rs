//! Clusters of pages and of sites: figures 1, 2 and 8. Lines of figures 1 and 8 are means over the first
//! [`MOST_WEBS`] webs, as there are hundreds of clusterings of each.
use lab::{
    clusters::{By, Grouped, cluster_sizes, figures, load_with_features, site_sizes, variation},
    report::figure::{Figure, Plot, Series},
    tournament::{Dataset, LoadedWeb, TournamentError},
};
use learn::cluster::Options;
use policy::features::{FeatureSettings, Group};

use crate::{
    analysis::Context,
    draw::{add, over_x, plot},
    evidence::Measured,
};

/// Numbers of clusters, up to twice what the paper settles on.
const COUNTS: &[usize] = &[1, 10, 25, 50, 100, 150, 200];
/// Folds of the cross-validation; the paper has ten.
const FOLDS: usize = 3;
/// Fewer restarts per bisection than usual, since there are thousands of bisections.
const RESTARTS: usize = 1;
/// The webs of figures 1 and 8.
const MOST_WEBS: usize = 2;

/// Ends the names of lines with the coefficient of variation of the sizes, by web.
pub(crate) const VARIATION: &str = ", deviation / mean by web";

/// What pages are grouped by in figure 8.
const GROUPINGS: [fn() -> Grouped; 6] = [
    || {
        let ranking = |group: &Group| *group != Group::Ranking;
        Grouped::Features(Group::ALL.into_iter().filter(ranking).collect())
    },
    || {
        let dynamic = [Group::DynamicContent, Group::DynamicLinkage, Group::ChangeFrequency];
        Grouped::Features(dynamic.into())
    },
    || {
        let words = [Group::ContentWords, Group::Content, Group::UrlWords, Group::Url];
        Grouped::Features(words.into_iter().chain([Group::Linkage]).collect())
    },
    || Grouped::Sites,
    || Grouped::Frequency,
    || Grouped::EarlyFrequency,
];

fn options() -> Options {
    Options { restarts: RESTARTS, ..Options::default() }
}

/// How good k clusters are.
pub(crate) fn tau(context: &Context<'_>) -> Result<Measured, TournamentError> {
    mean_over_webs(context, |_, dataset| {
        let start = dataset.at_start();
        let by = [By::Address, By::Content, By::Features];
        Ok(figures::tau(&by.map(|by| start.quality(by, COUNTS, FOLDS, &options()))))
    })
}

/// How large clusters and sites are.
pub(crate) fn sizes(context: &Context<'_>) -> Result<Measured, TournamentError> {
    let mut figure = Figure::default();
    let mut variations = [vec![], vec![]];
    for source in context.webs {
        let (_, dataset) =
            load_with_features(source, context.detector, context.cache, context.watcher)?;
        let start = dataset.at_start();
        let by_features = cluster_sizes(&start, &FeatureSettings::default(), &options());
        let groups = [("clusters", by_features), ("sites", site_sizes(&start))];
        for ((_, sizes), variations) in groups.iter().zip(&mut variations) {
            variations.push((variations.len() as f64 + 1.0, sizes.variation()));
        }
        if figure.tables.is_empty() {
            figure = figures::sizes(&groups);
        }
    }
    let [clusters, sites] = variations;
    let lines = [("clusters", clusters), ("sites", sites)]
        .map(|(name, values)| Series::plain(&format!("{name}{VARIATION}"), values));
    add(&mut figure, plot(["sizes by web", "", "web"], false, lines.into()));
    Ok(Measured::Analysis(figure))
}

/// How alike the pages of a group change.
pub(crate) fn variations(context: &Context<'_>) -> Result<Measured, TournamentError> {
    mean_over_webs(context, |web, dataset| {
        let end = dataset.at_end()?;
        let all = GROUPINGS.map(|by| variation(&web.truth, &end, &by(), COUNTS, &options()));
        Ok(figures::variation(&all))
    })
}

fn mean_over_webs(
    context: &Context<'_>,
    figure: impl Fn(&LoadedWeb, &Dataset) -> Result<Figure, TournamentError>,
) -> Result<Measured, TournamentError> {
    let mut all = vec![];
    for source in context.webs.iter().take(MOST_WEBS) {
        let (web, dataset) =
            load_with_features(source, context.detector, context.cache, context.watcher)?;
        all.push(figure(&web, &dataset)?);
    }
    Ok(Measured::Analysis(mean(all)))
}

/// One figure of several webs, whose lines are means of the lines with the same name, point by point.
fn mean(mut all: Vec<Figure>) -> Figure {
    if all.len() < 2 {
        return all.pop().unwrap_or_default();
    }
    let lines = |name: &str| -> Vec<&Series> {
        let lines = all.iter().flat_map(|figure| &figure.plots).flat_map(|plot| &plot.lines);
        lines.filter(|line| line.name == name).collect()
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
        caption: format!("{}; mean over {} webs", plot.caption, all.len()),
        lines: plot.lines.iter().map(mean).collect(),
        ..plot.clone()
    };
    let plots: Vec<Plot> = all[0].plots.iter().map(plot).collect();
    let tables = plots.iter().map(|plot| over_x(plot, &plot.x_title)).collect();
    Figure { plots, tables, ..Figure::default() }
}
