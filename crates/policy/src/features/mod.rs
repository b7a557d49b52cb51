//! The features by which pages are clustered: a table of numbers, one row for each held page.
//!
//! Tan and Mitra, "Clustering-based incremental web crawling", TOIS 28(4), 2010, section 3 (`docs/papers.md`
//! A1.2): 68 columns in nine groups with the paper's settings. The crawl maintains the inputs
//! ([`instruments::features`]). Columns are scaled so that units do not matter (A1.7-12): every column to
//! mean 0 and deviation 1, every group divided by the square root of its size.
mod columns;
mod page_clusters;
pub(crate) mod parameters;

use crawl::{Known, PageNo, State};
use instruments::{Measured as _, features::ranking_feature};
use learn::cluster::Dense;
use rayon::prelude::*;

use self::columns::{Column, Reader};
pub use self::page_clusters::PageClusters;

/// A group of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The rank of the page's cluster by content words, seen from the largest clusters.
    ContentWords,
    /// Images, tables, words, bytes, and the media type.
    Content,
    /// The same by the words of the address.
    UrlWords,
    /// Depth of the address, and its top-level domain.
    Url,
    /// `PageRank`, links to and from it, e-mail addresses.
    Linkage,
    /// How its content differed from the visit before.
    DynamicContent,
    /// How its linkage differed from the visit before.
    DynamicLinkage,
    /// The share of visits that found a change.
    ChangeFrequency,
    /// Its ranks for the most frequent query words.
    Ranking,
}

impl Group {
    /// Every group, in the order of columns.
    pub const ALL: [Self; 9] = [
        Self::ContentWords,
        Self::Content,
        Self::UrlWords,
        Self::Url,
        Self::Linkage,
        Self::DynamicContent,
        Self::DynamicLinkage,
        Self::ChangeFrequency,
        Self::Ranking,
    ];

    /// Its name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ContentWords => "content-words",
            Self::Content => "content",
            Self::UrlWords => "url-words",
            Self::Url => "url",
            Self::Linkage => "linkage",
            Self::DynamicContent => "dynamic-content",
            Self::DynamicLinkage => "dynamic-linkage",
            Self::ChangeFrequency => "change-frequency",
            Self::Ranking => "ranking",
        }
    }

    /// The group with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// Which features to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureSettings {
    /// The selected groups, each once.
    pub groups: Vec<Group>,
    /// Dimensions of content words and of address words each.
    pub dimensions: usize,
    /// The top-level domains that have a column.
    pub domains: Vec<String>,
    /// The number of the most frequent query words.
    pub keywords: usize,
}

impl Default for FeatureSettings {
    /// As in the paper, with all 68 features.
    fn default() -> Self {
        Self {
            groups: Group::ALL.to_vec(),
            dimensions: 10,
            domains: ["com", "edu", "gov", "org", "net", "mil"].map(str::to_owned).to_vec(),
            keywords: 20,
        }
    }
}

/// The features of every held page, unscaled.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTable {
    /// The page of each row, in order of page number.
    pub pages: Vec<PageNo>,
    columns: Vec<(Group, Column)>,
    /// Row by row.
    values: Vec<f32>,
}

impl FeatureTable {
    /// The features of the pages that are held.
    pub fn new(known: &Known<'_>, settings: &FeatureSettings) -> Self {
        let columns = columns::columns(settings);
        let is_held = |&page: &PageNo| {
            known.pages.state(page) == State::Held && known.features().page(page).is_some()
        };
        let pages: Vec<PageNo> = known.pages.numbers().filter(is_held).collect();
        let mut values = vec![0.0; pages.len() * columns.len()];
        let reader = Reader::new(known, settings);
        if !columns.is_empty() {
            values.par_chunks_mut(columns.len()).zip(&pages).for_each(|(row, &page)| {
                let Some(page_features) = known.features().page(page) else { return };
                for (value, (_, column)) in row.iter_mut().zip(&columns) {
                    *value = reader.value(*column, page, page_features);
                }
            });
        }
        let mut table = Self { pages, columns, values };
        table.rank(known);
        table
    }

    /// Fills in the ranking features, almost all of which are 0.
    fn rank(&mut self, known: &Known<'_>) {
        let width = self.columns.len();
        let ranked = self.columns.iter().enumerate();
        let ranked = ranked.filter_map(|(place, &(_, column))| match column {
            Column::Ranking(keyword) => Some((place, keyword)),
            _ => None,
        });
        for (place, keyword) in ranked.collect::<Vec<_>>() {
            let Some(best) = known.features().best_for_keywords().get(keyword) else { continue };
            for (rank, page) in (1..).zip(best) {
                if let Ok(row) = self.pages.binary_search(page) {
                    self.values[row * width + place] = ranking_feature(rank);
                }
            }
        }
    }

    /// The group of each column.
    pub fn groups(&self) -> impl Iterator<Item = Group> {
        self.columns.iter().map(|&(group, _)| group)
    }

    /// The values of a page's row.
    pub fn row(&self, row: usize) -> &[f32] {
        let width = self.columns.len();
        &self.values[row * width..(row + 1) * width]
    }

    /// The scaled features: every column to mean 0 and deviation 1 over the pages, then every group divided by
    /// the square root of its size, so that ten columns weigh no more than one. A constant column becomes 0.
    pub fn scaled(self) -> Dense {
        let Self { pages, columns, mut values } = self;
        let (width, count) = (columns.len(), pages.len() as f64);
        if width == 0 {
            return Dense::new(0, vec![]);
        }
        let mut means = vec![0.0_f64; width];
        for row in values.chunks_exact(width) {
            means.iter_mut().zip(row).for_each(|(mean, &value)| *mean += f64::from(value) / count);
        }
        let mut squares = vec![0.0_f64; width];
        for row in values.chunks_exact(width) {
            for ((square, mean), &value) in squares.iter_mut().zip(&means).zip(row) {
                *square += (f64::from(value) - mean).powi(2);
            }
        }
        let size = |group| columns.iter().filter(|&&(other, _)| other == group).count() as f64;
        let scales: Vec<f64> = columns
            .iter()
            .zip(&squares)
            .zip(&means)
            .map(|((&(group, _), square), mean)| {
                let deviation = (square / count).sqrt();
                // Rounding errors in a constant column are not a difference.
                if deviation <= 1e-6 * mean.abs() {
                    0.0
                } else {
                    1.0 / (deviation * size(group).sqrt())
                }
            })
            .collect();
        values.par_chunks_mut(width).for_each(|row| {
            for ((value, mean), scale) in row.iter_mut().zip(&means).zip(&scales) {
                *value = ((f64::from(*value) - mean) * scale) as f32;
            }
        });
        Dense::new(width, values)
    }
}

#[cfg(test)]
mod tests;
