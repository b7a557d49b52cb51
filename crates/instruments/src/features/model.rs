//! Clusters of pages by their words, and the distances between clusters.
//!
//! Tan and Mitra 2010, section 3.1: all pages are clustered by TF-IDF. The largest clusters are the
//! dimensions, and a page's value in one is the rank of its own cluster by centroid distance. The paper
//! clusters by all words and measures distances with the 1000 most frequent; here both use the 1000 most
//! frequent. Stop words are the words on more than half of the pages, in any language.
use learn::cluster::{Options, Sparse, bisect};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use text::counts::{TermHash, WordCounts};

/// The number of words used for clustering.
const VOCABULARY: usize = 1_000;
/// The number of clusters (k in the paper).
const CLUSTERS: usize = 100;
/// With fewer pages than this there are no stop words: half of a few pages means little.
const FEWEST_FOR_STOP_WORDS: u32 = 10;

/// Clusters of pages by words. Pages seen after fitting join the nearest cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordModel {
    /// The words in order of hash, each with its column and idf.
    vocabulary: Vec<(TermHash, u16, f32)>,
    /// By cluster, its centroid of unit length, with a value per column.
    centroids: Vec<Vec<f32>>,
    /// The clusters, the largest first.
    largest: Vec<u16>,
    /// By cluster and other cluster, the rank by distance: 0 for itself, 1 for the nearest.
    ranks: Vec<Vec<u16>>,
}

/// The word cluster of a page; `None` for pages without a word of the vocabulary.
pub type WordCluster = Option<u16>;

impl WordModel {
    /// Fits the clusters to these pages.
    pub(super) fn fit<'w>(pages: impl Iterator<Item = &'w WordCounts> + Clone) -> Self {
        let mut model = Self { vocabulary: vocabulary(pages.clone()), ..Self::default() };
        let rows = model.rows(pages);
        let clusters = bisect(rows, &Options { clusters: CLUSTERS, ..Options::default() });
        let count = clusters.sizes.len();
        model.centroids =
            (0..count).map(|number| clusters.centroids.row(number).to_vec()).collect();
        model.largest = (0..count as u16).collect();
        model.largest.sort_by_key(|&number| std::cmp::Reverse(clusters.sizes[usize::from(number)]));
        model.ranks = ranks(&model.centroids);
        model
    }

    /// Whether there are no clusters.
    pub fn is_empty(&self) -> bool {
        self.centroids.is_empty()
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.centroids.len()
    }

    /// The cluster of a page with these words: the one with the nearest centroid.
    pub(super) fn cluster_of(&self, page: &WordCounts) -> WordCluster {
        let row = self.row(page);
        let product = |centroid: &Vec<f32>| -> f32 {
            row.iter().map(|&(column, value)| value * centroid[column as usize]).sum()
        };
        let mut nearest: Option<(f32, u16)> = None;
        if !row.is_empty() {
            for (centroid, number) in self.centroids.iter().zip(0..) {
                let product = product(centroid);
                if nearest.is_none_or(|(best, _)| product > best) {
                    nearest = Some((product, number));
                }
            }
        }
        nearest.map(|(_, number)| number)
    }

    /// The value of a dimension for a page of `cluster`: the rank of its cluster by distance to the
    /// cluster of the dimension. Where there are fewer clusters than dimensions, all pages have the same
    /// value. A page without a cluster is farther than all others.
    pub fn dimension(&self, dimension: usize, cluster: WordCluster) -> f32 {
        match (self.largest.get(dimension), cluster) {
            (None, _) => 0.0,
            (Some(_), None) => self.clusters() as f32,
            (Some(&of), Some(cluster)) => {
                f32::from(self.ranks[usize::from(of)][usize::from(cluster)])
            }
        }
    }

    fn rows<'w>(&self, pages: impl Iterator<Item = &'w WordCounts>) -> Sparse {
        let mut rows = Sparse::new(self.vocabulary.len());
        let known = pages.map(|page| self.row(page)).filter(|row| !row.is_empty());
        known.for_each(|row| rows.push(&row));
        rows
    }

    /// The TF-IDF of the words of the vocabulary, by column.
    fn row(&self, page: &WordCounts) -> Vec<(u32, f32)> {
        let (counts, words) = (page.counts(), &self.vocabulary);
        let mut row = vec![];
        let mut from = 0;
        for &(term, count) in counts {
            from += words[from..].partition_point(|&(word, ..)| word < term);
            match words.get(from) {
                Some(&(word, column, idf)) if word == term => {
                    row.push((u32::from(column), f32::from(count) * idf));
                }
                Some(_) => {}
                None => break,
            }
        }
        row.sort_unstable_by_key(|&(column, _)| column);
        row
    }
}

/// The TF-IDF rows that pages are clustered by, for pages with at least one word of the vocabulary.
pub fn tf_idf_rows<'w>(pages: impl Iterator<Item = &'w WordCounts> + Clone) -> Sparse {
    WordModel { vocabulary: vocabulary(pages.clone()), ..WordModel::default() }.rows(pages)
}

/// The most frequent words that are neither stop words nor on a single page, in order of hash.
fn vocabulary<'w>(pages: impl Iterator<Item = &'w WordCounts>) -> Vec<(TermHash, u16, f32)> {
    let mut found: FxHashMap<TermHash, (u64, u32)> = FxHashMap::default();
    let mut pages_in_all = 0_u32;
    for page in pages {
        pages_in_all += 1;
        for &(term, count) in page.counts() {
            let (times, on) = found.entry(term).or_default();
            *times += u64::from(count);
            *on += 1;
        }
    }
    let is_stop_word = |on: u32| {
        pages_in_all >= FEWEST_FOR_STOP_WORDS && u64::from(on) * 2 > u64::from(pages_in_all)
    };
    let mut words: Vec<(u64, TermHash, u32)> = found
        .into_iter()
        .filter(|&(_, (_, on))| on > 1 && !is_stop_word(on))
        .map(|(term, (times, on))| (times, term, on))
        .collect();
    words.sort_unstable_by_key(|&(times, term, _)| (std::cmp::Reverse(times), term));
    words.truncate(VOCABULARY);
    words.sort_unstable_by_key(|&(_, term, _)| term);
    let idf = |on: u32| (f64::from(pages_in_all) / f64::from(on)).ln() as f32;
    (0..).zip(words).map(|(column, (_, term, on))| (term, column, idf(on))).collect()
}

/// By cluster, the rank of every cluster by centroid distance.
fn ranks(centroids: &[Vec<f32>]) -> Vec<Vec<u16>> {
    let closeness = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let of = |number: usize| {
        let mut others: Vec<(f32, usize)> = (0..centroids.len())
            .filter(|&other| other != number)
            .map(|other| (closeness(&centroids[number], &centroids[other]), other))
            .collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut ranks = vec![0; centroids.len()];
        for (rank, (_, other)) in (1..).zip(others) {
            ranks[other] = rank;
        }
        ranks
    };
    (0..centroids.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve pages: six about 1, 2 and 3, four about 4 and 5, two about 6, 7 and also 4.
    fn pages() -> Vec<WordCounts> {
        let about =
            |words: &[u32], count: usize| vec![WordCounts::from_terms(words.to_vec()); count];
        [about(&[1, 2, 3], 6), about(&[4, 5], 4), about(&[4, 6, 7], 2)].concat()
    }

    #[test]
    fn pages_about_the_same_are_in_one_cluster() {
        let pages = pages();
        let model = WordModel::fit(pages.iter());
        let clusters: Vec<WordCluster> = pages.iter().map(|page| model.cluster_of(page)).collect();
        assert_eq!(model.clusters(), 3);
        assert!(clusters[..6].iter().all(|&cluster| cluster == clusters[0]));
        assert!(clusters[6..10].iter().all(|&cluster| cluster == clusters[6]));
        assert!(clusters[10] != clusters[6] && clusters[10] != clusters[0]);
    }

    #[test]
    fn a_dimension_is_the_rank_by_distance_to_a_large_cluster() {
        let pages = pages();
        let model = WordModel::fit(pages.iter());
        let values = |page: usize| {
            let cluster = model.cluster_of(&pages[page]);
            // Ranks are whole numbers.
            [0, 1, 2, 3].map(|place| model.dimension(place, cluster) as u16)
        };
        // The largest cluster is as far from both others (a tie, by number), the two that share a
        // word are nearest to each other. There is no fourth cluster.
        let (first, second, third) = (values(0), values(6), values(10));
        assert_eq!([first[0], second[1], third[2]], [0; 3]);
        assert_eq!([second[2], third[1]], [1; 2]);
        assert_eq!([first[1], first[2]], [2; 2]);
        assert_eq!([first[3], second[3], third[3]], [0; 3]);
    }

    #[test]
    fn a_page_without_known_words_is_farther_than_all() {
        let model = WordModel::fit(pages().iter());
        assert_eq!(model.cluster_of(&WordCounts::from_terms(vec![99])), None);
        assert_eq!(model.dimension(0, None) as u16, 3);
    }

    #[test]
    fn a_page_seen_later_joins_the_nearest() {
        let pages = pages();
        let model = WordModel::fit(pages.iter());
        let late = WordCounts::from_terms(vec![1, 3, 99]);
        assert_eq!(model.cluster_of(&late), model.cluster_of(&pages[0]));
    }

    #[test]
    fn words_of_more_than_half_of_the_pages_do_not_count() {
        let with_menu = |page: &WordCounts| {
            let words = page.counts().iter().map(|&(term, _)| term);
            WordCounts::from_terms(words.chain([500; 40]).collect())
        };
        let pages: Vec<WordCounts> = pages().iter().map(with_menu).collect();
        let model = WordModel::fit(pages.iter());
        assert_eq!(model.clusters(), 3);
        assert_eq!(model.cluster_of(&WordCounts::from_terms(vec![500])), None);
    }

    #[test]
    fn nothing_makes_an_empty_model() {
        let model = WordModel::fit([].iter());
        assert!(model.is_empty());
        assert_eq!(
            (model.cluster_of(&WordCounts::from_terms(vec![1])), model.dimension(0, None)),
            (None, 0.0)
        );
    }
}
