//! Experts by content: pages with the same words, by the cosine of their tf-idf vectors.
use instruments::features::VisitRecord;
use rayon::prelude::*;

use super::{
    ChosenExpert, WordRelation,
    inverted_index::{Index, LONG, OwnWord, each_shared},
    keep_heaviest, latest,
    vocabulary::Vocabulary,
};

/// The current words of all pages; a value is a component of the page's unit vector.
pub(super) struct Content(Index<f64>);

impl Content {
    pub(super) fn new(vocabulary: &Vocabulary, histories: &[&[VisitRecord]]) -> Self {
        let row = |visits: &&[VisitRecord]| {
            latest(visits).map(|words| vocabulary.direction(words)).unwrap_or_default()
        };
        let rows = histories.par_iter().map(row).collect();
        Self(Index::new(vocabulary.len(), rows, |one, other| other.total_cmp(one)))
    }
}

impl WordRelation for Content {
    type Value = f64;

    fn index(&self) -> &Index<f64> {
        &self.0
    }

    fn mine(&self, page: usize) -> Vec<OwnWord<f64>> {
        let row = self.0.row(page).iter();
        row.map(|&(word, value)| OwnWord { word, weight: value, value }).collect()
    }

    /// Lists begin with the pages in which the word weighs most.
    fn head<'a>(&self, _: f64, list: &'a [(f64, u32)]) -> &'a [(f64, u32)] {
        &list[..list.len().min(LONG)]
    }

    fn gain(&self, _: f64, theirs: f64) -> f64 {
        theirs
    }

    fn self_weight(&self, _: usize) -> f64 {
        1.0
    }

    fn best(&self, page: usize, among: &[u32], most: usize) -> Vec<ChosenExpert> {
        let mine = self.0.row(page);
        let weigh = |&other: &u32| {
            let mut cosine = 0.0;
            each_shared(
                mine,
                |word| word.0,
                self.0.row(other as usize),
                |word, theirs| {
                    cosine += word.1 * theirs;
                },
            );
            ChosenExpert { page: other as usize, weight: cosine.min(1.0), lag: 0 }
        };
        let chosen = among.iter().map(weigh).filter(|chosen| chosen.weight > 0.0);
        keep_heaviest(chosen.collect(), most)
    }
}
