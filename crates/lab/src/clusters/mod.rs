//! How well pages form clusters: tau by number of clusters, cluster sizes, and whether the pages of
//! a cluster change alike (Tan and Mitra 2010, figures 1, 2 and 8, table II).
pub mod figures;
mod sizes;
mod variation;
mod web;

use crawl::{Instruments, Known, Links, PageNo, Pages};
use instruments::features::{Features, address_words, tf_idf_rows};
use learn::cluster::{Dense, Options, Validation, cross_validate, elbow};
use policy::features::{FeatureSettings, FeatureTable};
use text::counts::WordCounts;

pub use self::{
    sizes::{Sizes, cluster_sizes, site_sizes},
    variation::{Grouped, Variation, variation},
    web::{ClusterSettings, WebClusters, html, load_with_features},
};

/// The pages of a web and what is known about them at one instant.
#[derive(Debug)]
pub struct FeaturedWeb {
    /// The pages.
    pub pages: Pages,
    /// The links between them.
    pub links: Links,
    /// The features of the pages; features that depend on several pages are up to date.
    instruments: Instruments,
}

/// What pages are clustered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The TF-IDF of the words of their contents.
    Content,
    /// The TF-IDF of the words of their addresses.
    Address,
    /// Their features, scaled.
    Features,
}

/// Cluster quality by number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// What pages were clustered by.
    pub by: By,
    /// The number of clustered pages.
    pub pages: usize,
    /// By number of clusters.
    pub points: Vec<Validation>,
    /// The number of clusters from which tau levels off.
    pub elbow: Option<usize>,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Content, Self::Address, Self::Features];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Address => "URL",
            Self::Features => "features",
        }
    }
}

impl FeaturedWeb {
    /// Pages with their features.
    pub fn new(pages: Pages, links: Links, features: Features) -> Self {
        Self { pages, links, instruments: Instruments::default().with(features) }
    }

    fn features(&self) -> &Features {
        self.instruments.find().expect("it was made with features")
    }

    /// What a policy may see.
    fn known(&self) -> Known<'_> {
        let now = crawl::Time::from_millis(0);
        Known { instruments: &self.instruments, ..Known::new(now, &self.pages, &self.links) }
    }

    /// The features of the held pages.
    pub fn table(&self, settings: &FeatureSettings) -> FeatureTable {
        FeatureTable::new(&self.known(), settings)
    }

    fn held(&self) -> impl Iterator<Item = PageNo> + Clone {
        let pages: Vec<PageNo> =
            self.pages.numbers().filter(|&page| self.features().page(page).is_some()).collect();
        pages.into_iter()
    }

    /// Tau by number of clusters on held-out pages (v-fold cross-validation).
    pub fn quality(&self, by: By, counts: &[usize], folds: usize, options: &Options) -> Quality {
        let (pages, points) = match by {
            By::Features => {
                let rows: Dense = self.table(&FeatureSettings::default()).scaled();
                (rows.rows(), cross_validate(&rows, counts, folds, options))
            }
            By::Content => {
                let facts = self.held().filter_map(|page| self.features().page(page));
                let words: Vec<&WordCounts> = facts.map(|facts| &*facts.words).collect();
                let rows = tf_idf_rows(words.into_iter());
                (rows.rows(), cross_validate(&rows, counts, folds, options))
            }
            By::Address => {
                let words: Vec<WordCounts> =
                    self.held().map(|page| address_words(self.pages.address(page))).collect();
                let rows = tf_idf_rows(words.iter());
                (rows.rows(), cross_validate(&rows, counts, folds, options))
            }
        };
        let curve: Vec<(usize, f64)> =
            points.iter().map(|point| (point.clusters, point.held_out)).collect();
        Quality { by, pages, elbow: elbow(&curve), points }
    }
}
