//! Experts by the course of words: pages on which the same words come and go alike.
//!
//! Only words that vary on both pages matter, and only the shape of their series. Posting lists hold for
//! each page the number of the shape, and each pair of shapes is compared once per list. How alike two shapes
//! are is a number from 0 to 1, by correlation or by warping; the weight of an expert is the sum of it over the
//! words of the page, each with its share of the page, and the weight of the page itself is the same sum with
//! all shapes alike: the share of its words that vary. So the two are on one scale.
use crawl::Time;
use instruments::features::VisitRecord;
use rayon::prelude::*;

use super::{
    ChosenExpert, WordRelation,
    inverted_index::{Index, LONG, OwnWord, each_shared},
    keep_heaviest, latest,
    series::{Catalogue, catalogue},
    vocabulary::Vocabulary,
};

/// How alike two series are.
pub(super) trait Likeness: Sync {
    /// Normalises a series, so that only its shape is left.
    fn normalise(series: &mut [u16]);

    /// How alike a page's shape and an expert's are, from 0 to 1, and by how many days the expert leads.
    fn of(&self, shapes: &Catalogue, page: u32, expert: u32) -> (f64, u8);
}

/// The varying words of all pages.
pub(super) struct Courses<L> {
    /// The varying words that each page has now, with their share and shape.
    own: Vec<Vec<(u32, f64, u32)>>,
    index: Index<u32>,
    shapes: Catalogue,
    likeness: L,
}

impl<L: Likeness> Courses<L> {
    /// The courses of the last `days` days; `likeness` compares the shapes that are found.
    pub(super) fn new(
        vocabulary: &Vocabulary,
        histories: &[&[VisitRecord]],
        now: Time,
        days: usize,
        likeness: impl FnOnce(&Catalogue) -> L,
    ) -> Self {
        let (rows, shapes) = catalogue(histories, now, days, vocabulary, L::normalise);
        let own = histories
            .par_iter()
            .zip(&rows)
            .map(|(visits, row)| {
                let words = latest(visits).map(|words| vocabulary.words(words)).unwrap_or_default();
                let mut own = vec![];
                each_shared(
                    &words,
                    |word| word.number,
                    row,
                    |word, shape| {
                        own.push((word.number, word.share, shape));
                    },
                );
                own
            })
            .collect();
        let likeness = likeness(&shapes);
        Self { own, index: Index::new(vocabulary.len(), rows, u32::cmp), shapes, likeness }
    }

    fn likeness(&self, page: u32, expert: u32) -> (f64, u8) {
        if page == expert {
            return (1.0, 0);
        }
        self.likeness.of(&self.shapes, page, expert)
    }
}

impl<L: Likeness> WordRelation for Courses<L> {
    type Value = u32;

    fn index(&self) -> &Index<u32> {
        &self.index
    }

    fn mine(&self, page: usize) -> Vec<OwnWord<u32>> {
        let own = self.own[page].iter();
        own.map(|&(word, weight, value)| OwnWord { word, weight, value }).collect()
    }

    /// Lists are in order of shape: the head of a long one has the pages with the same shape.
    fn head<'a>(&self, mine: u32, list: &'a [(u32, u32)]) -> &'a [(u32, u32)] {
        let start = list.partition_point(|posting| posting.0 < mine);
        let end = list.partition_point(|posting| posting.0 <= mine);
        &list[start..end.min(start + LONG)]
    }

    fn gain(&self, mine: u32, theirs: u32) -> f64 {
        self.likeness(mine, theirs).0
    }

    /// A series is entirely like itself.
    fn self_weight(&self, page: usize) -> f64 {
        self.own[page].iter().map(|&(_, share, _)| share).sum()
    }

    fn best(&self, page: usize, among: &[u32], most: usize) -> Vec<ChosenExpert> {
        let weigh = |&other: &u32| {
            let mut weighed = Weighed::default();
            let theirs = self.index.row(other as usize);
            each_shared(
                &self.own[page],
                |word| word.0,
                theirs,
                |&(_, share, mine), theirs| {
                    weighed.add(share, self.likeness(mine, theirs));
                },
            );
            ChosenExpert { page: other as usize, weight: weighed.weight, lag: weighed.lag }
        };
        let chosen = among.iter().map(weigh).filter(|chosen| chosen.weight > 0.0);
        keep_heaviest(chosen.collect(), most)
    }
}

/// The weight of an expert, summed over words, and the lag of the word that contributes most.
#[derive(Default)]
pub(super) struct Weighed {
    pub weight: f64,
    pub lag: u8,
    most: f64,
}

impl Weighed {
    pub(super) fn add(&mut self, share: f64, (likeness, lag): (f64, u8)) {
        let part = share * likeness;
        self.weight += part;
        if part > self.most {
            (self.most, self.lag) = (part, lag);
        }
    }
}
