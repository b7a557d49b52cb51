//! How well pages fall into clusters: tau by number of clusters, sizes, and whether clusters gather
//! pages that change alike (Tan and Mitra 2010, figures 1, 2 and 8, table II).
pub mod figures;
mod sizes;
mod variation;
mod web;

use cluster::{Dense, Options, Validation, cross_validate, elbow};
use flow::{
    Known, Links, PageNo, Pages,
    features::{Features, WordCounts, address_words, tf_idf_rows},
};
use policy::features::{FeatureSettings, FeatureTable};

pub use self::{
    sizes::{Sizes, cluster_sizes, site_sizes},
    variation::{Grouped, Variation, variation},
    web::{Asked, WebClusters, featured, html, surveyed},
};

/// The pages of a web and what is known of them at one instant.
#[derive(Debug)]
pub struct FeaturedWeb {
    /// The pages.
    pub pages: Pages,
    /// Who links to whom.
    pub links: Links,
    /// What features are made from, with all that depends on more than one page up to date.
    pub features: Features,
}

/// What pages are clustered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The TF-IDF of the words of their contents.
    Content,
    /// The same of their addresses.
    Address,
    /// Their features, scaled.
    Features,
}

/// How good clusters are, by their number.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// What pages were clustered by.
    pub by: By,
    /// How many pages took part.
    pub pages: usize,
    /// By number of clusters.
    pub points: Vec<Validation>,
    /// Where tau goes over from rising to levelling off.
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
    /// What a policy may see.
    fn known(&self) -> Known<'_> {
        let now = flow::Time::from_millis(0);
        Known { features: &self.features, ..Known::new(now, &self.pages, &self.links) }
    }

    /// The features of the held pages.
    pub fn table(&self, settings: &FeatureSettings) -> FeatureTable {
        FeatureTable::of(&self.known(), settings)
    }

    fn held(&self) -> impl Iterator<Item = PageNo> + Clone {
        let pages: Vec<PageNo> =
            self.pages.numbers().filter(|&page| self.features.facts(page).is_some()).collect();
        pages.into_iter()
    }

    /// Tau by number of clusters, on pages the clusters were not made from (v-fold cross-validation).
    pub fn quality(&self, by: By, counts: &[usize], folds: usize, options: &Options) -> Quality {
        let (pages, points) = match by {
            By::Features => {
                let rows: Dense = self.table(&FeatureSettings::default()).scaled();
                (rows.rows(), cross_validate(&rows, counts, folds, options))
            }
            By::Content => {
                let facts = self.held().filter_map(|page| self.features.facts(page));
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
