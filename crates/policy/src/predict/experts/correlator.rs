//! Experts by correlation: pages on which the same words come and go, at the same time or earlier.
//!
//! Only words that vary on both pages matter, and only the shape of their series. Posting lists hold for
//! each page the number of the shape, and each pair of shapes is compared once per list.
use crawl::Time;
use instruments::features::VisitRecord;
use rayon::prelude::*;

use super::{
    ChosenExpert, ExpertSettings, WordRelation,
    correlation::{Moment, best_lag, products, small_products},
    inverted_index::{Index, LONG, OwnWord, each_shared},
    keep_heaviest, latest,
    series::{Catalogue, catalogue, reduce},
    vocabulary::Vocabulary,
};

/// The varying words of all pages.
pub(super) struct Correlator {
    days: usize,
    lags: usize,
    /// The varying words that each page has now, with their share and shape.
    own: Vec<Vec<(u32, f64, u32)>>,
    index: Index<u32>,
    shapes: Catalogue,
    profiles: Vec<Profile>,
}

/// The sums of a shape that every comparison needs.
struct Profile {
    most: u16,
    /// Of the days from each lag on: for the page.
    tails: Box<[Moment]>,
    /// Of the days until each lag before the end: for the expert.
    heads: Box<[Moment]>,
}

impl Correlator {
    pub(super) fn new(
        settings: &ExpertSettings,
        vocabulary: &Vocabulary,
        histories: &[&[VisitRecord]],
        now: Time,
    ) -> Self {
        let (days, lags) = (settings.days(), settings.lags());
        let (rows, shapes) = catalogue(histories, now, days, vocabulary, reduce);
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
        let profile = |shape: u32| {
            let series = shapes.series(shape);
            Profile {
                most: series.iter().copied().max().unwrap_or(0),
                tails: (0..=lags).map(|lag| Moment::from_series(&series[lag..])).collect(),
                heads: (0..=lags).map(|lag| Moment::from_series(&series[..days - lag])).collect(),
            }
        };
        let profiles = (0..shapes.len() as u32).into_par_iter().map(profile).collect();
        Self {
            days,
            lags,
            own,
            index: Index::new(vocabulary.len(), rows, u32::cmp),
            shapes,
            profiles,
        }
    }

    /// The best correlation of a page's shape with an expert's, and its lag.
    fn correlation(&self, page: u32, expert: u32) -> (f64, u8) {
        if page == expert {
            return (1.0, 0);
        }
        let series = (self.shapes.series(page), self.shapes.series(expert));
        let profiles = (&self.profiles[page as usize], &self.profiles[expert as usize]);
        let most = u64::from(profiles.0.most) * u64::from(profiles.1.most) * self.days as u64;
        let products = if u32::try_from(most).is_ok() { small_products } else { products };
        best_lag(self.days, self.lags, |lag| {
            let together = products(series.0, series.1, lag);
            (together, profiles.0.tails[lag], profiles.1.heads[lag])
        })
    }
}

impl WordRelation for Correlator {
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
        self.correlation(mine, theirs).0
    }

    /// The correlation of a series with itself is 1 where it is defined.
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
                    weighed.add(share, self.correlation(mine, theirs));
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
    pub(super) fn add(&mut self, share: f64, (correlation, lag): (f64, u8)) {
        let part = share * correlation;
        self.weight += part;
        if part > self.most {
            (self.most, self.lag) = (part, lag);
        }
    }
}
