//! The cluster analysis of one web.
use std::{fmt::Write, path::Path, sync::Arc};

use crawl::Span;
use learn::cluster::Options;
use policy::features::FeatureSettings;
use serde_json::{Value, json};

use super::{By, Quality, Sizes, cluster_sizes, figures, site_sizes};
use crate::{
    report::html::{ReportPage, each, escape, render_page},
    report::{figure::Figure, html::drawn},
    tournament::{
        Dataset, Experiment, LoadedWeb, PageSet, PreparedWeb, TournamentError, Watcher, WebSource,
    },
};

/// The width of the longest bar in a printed table.
const BAR: f64 = 30.0;

/// The settings of a cluster analysis.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// What pages are clustered by.
    pub by: Vec<By>,
    /// Numbers of clusters, ascending.
    pub counts: Vec<usize>,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// The clustering options; their number of clusters is used for the sizes.
    pub options: Options,
}

/// The clusters of one web.
#[derive(Clone, Debug)]
pub struct WebClusters {
    name: String,
    qualities: Vec<Quality>,
    clusters: Sizes,
    sites: Sizes,
}

/// Loads a web with the inputs for features, in cycles of four weeks to its end.
///
/// # Errors
/// If it cannot be read.
pub fn load_with_features(
    source: &WebSource,
    detector: &str,
    cache: &Path,
    watcher: &dyn Watcher,
) -> Result<(LoadedWeb, Dataset), TournamentError> {
    let experiment = Experiment {
        detector: detector.to_owned(),
        ..Experiment::new(source.clone(), Span::from_days(28))
    };
    let web = PreparedWeb::open(source, cache)?;
    web.read(&|rows, of| watcher.reading(&web.name, rows, of))?;
    let loaded = web.load(&experiment)?;
    let features = loaded.all_features()?;
    let (truth, start) = (Arc::clone(&loaded.truth), &experiment.start);
    let dataset = Dataset::with_features(truth, PageSet::Fixed, start, Some(features))?;
    Ok((loaded, dataset))
}

impl WebClusters {
    /// Clusters the pages of a web as they are at its start.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn compute(
        source: &WebSource,
        settings: &ClusterSettings,
        cache: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Self, TournamentError> {
        let (loaded, dataset) = load_with_features(source, "digest", cache, watcher)?;
        let web = dataset.at_start();
        let ClusterSettings { by, counts, folds, options } = settings;
        Ok(Self {
            name: loaded.truth.history().name.clone(),
            qualities: by.iter().map(|&by| web.quality(by, counts, *folds, options)).collect(),
            clusters: cluster_sizes(&web, &FeatureSettings::default(), options),
            sites: site_sizes(&web),
        })
    }

    fn figures(&self) -> [Figure; 2] {
        let sizes = [("clusters", self.clusters.clone()), ("sites", self.sites.clone())];
        [figures::tau(&self.qualities), figures::sizes(&sizes)]
    }

    /// The text for the terminal, with a bar for each tau.
    pub fn text(&self) -> String {
        let mut text = self.name.clone();
        for quality in &self.qualities {
            let _ = write!(text, "\n  {}, {} pages\n", quality.by.name(), quality.pages);
            let _ = writeln!(text, "  clusters   tau/page   held out");
            for point in &quality.points {
                let bar = "█".repeat((point.held_out.max(0.0) * BAR).round() as usize);
                let mark = if quality.elbow == Some(point.clusters) { "  levels off" } else { "" };
                let _ = writeln!(
                    text,
                    "  {:>8} {:>10.4} {:>10.4}  {bar}{mark}",
                    point.clusters, point.trained, point.held_out
                );
            }
        }
        let _ =
            write!(text, "\n  pages in each   number     min     max     mean   deviation/mean");
        for (name, sizes) in [("cluster", &self.clusters), ("site", &self.sites)] {
            let _ = write!(
                text,
                "\n  {name:<14} {:>7} {:>7} {:>7} {:>8.1} {:>16.3}",
                sizes.groups(),
                sizes.least(),
                sizes.most(),
                sizes.mean(),
                sizes.variation()
            );
        }
        text
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let sizes = |sizes: &Sizes| {
            json!({
                "number": sizes.groups(), "min": sizes.least(), "max": sizes.most(),
                "mean": sizes.mean(), "variation": sizes.variation(), "sizes": sizes.sizes,
            })
        };
        let quality = |quality: &Quality| {
            let point = |point: &learn::cluster::Validation| {
                json!({
                    "clusters": point.clusters, "trained": point.trained,
                    "held_out": point.held_out, "spread": point.spread,
                })
            };
            json!({
                "by": quality.by.name(), "pages": quality.pages, "elbow": quality.elbow,
                "tau": quality.points.iter().map(point).collect::<Vec<_>>(),
            })
        };
        json!({
            "web": self.name,
            "quality": self.qualities.iter().map(quality).collect::<Vec<_>>(),
            "clusters": sizes(&self.clusters),
            "sites": sizes(&self.sites),
        })
    }
}

/// A report on some webs as one HTML file.
pub fn html(webs: &[WebClusters]) -> String {
    let section = |(number, web): (usize, &WebClusters)| {
        let figures = each(web.figures().iter().enumerate(), |(place, figure)| {
            drawn(figure, &format!("web-{number}-{place}"))
        });
        format!("<section><h2>{}</h2>{figures}</section>", escape(&web.name))
    };
    render_page(&ReportPage {
        over: "Sanderling lab",
        title: "Clusters of pages",
        style: "",
        lead: "<p class=lead>How well pages fall into clusters, by the words of their contents, by the \
               words of their addresses and by their features, as they are at the start of each web.</p>",
        body: &each(webs.iter().enumerate(), section),
    })
}
