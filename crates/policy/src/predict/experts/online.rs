//! Weights of experts updated day by day, without choosing again and without the visits.
//!
//! Radinsky and Bennett 2013, section 9: correlations can be updated online. The window slides, so what leaves
//! it must be subtracted: for each followed page the counts of its varying words are kept by day, and for each
//! pair and each word that varies on both sides one sum of products per lag.
//!
//! Memory with the default window: a varying word of a page costs about 200 bytes, a word shared by a pair
//! about 150, and a page has at most 128 words at a time; so a pair costs at most 20 kilobytes, and less than
//! one if five words vary on both sides. A page that replaces all its words every day has 6,400 varying words,
//! which is the maximum.
use std::{collections::BTreeMap, sync::Arc};

use crawl::{Span, Time};
use instruments::features::VisitRecord;
use rayon::prelude::*;
use text::counts::{TermHash, WordCounts};

use super::{
    ExpertSettings, Neighbours, Relation,
    correlation::{best_lag, products},
    courses::Weighed,
    inverted_index::each_shared,
    latest,
    series::each_varying,
    sliding_series::SlidingSeries,
    until,
    vocabulary::{rarity, shares},
    warping::{likeness, scale},
};

/// Experts whose weights follow the pages.
#[derive(Clone, Debug)]
pub struct Online {
    settings: ExpertSettings,
    now: Time,
    words: Vec<Option<Arc<WordCounts>>>,
    /// How many pages have a word now.
    holders: BTreeMap<TermHash, usize>,
    /// The pages that have experts.
    kept: Vec<bool>,
    /// These pages and their experts.
    followed: Vec<bool>,
    /// The words of followed pages that vary within the window.
    varying: Vec<BTreeMap<TermHash, SlidingSeries>>,
    all_neighbours: Vec<Neighbours>,
    /// By page and expert: the words that vary on both sides and that the page has now, with the sum of products
    /// of each lag.
    pairs: Vec<Vec<BTreeMap<TermHash, Box<[u64]>>>>,
}

impl Online {
    /// Follows experts that were chosen `now` from these histories.
    pub fn new(
        settings: &ExpertSettings,
        histories: &[&[VisitRecord]],
        all_neighbours: Vec<Neighbours>,
        now: Time,
    ) -> Self {
        let histories: Vec<&[VisitRecord]> =
            histories.iter().map(|visits| until(visits, now)).collect();
        let words: Vec<Option<Arc<WordCounts>>> = histories
            .iter()
            .map(|visits| visits.last().map(|visit| Arc::clone(&visit.words)))
            .collect();
        let mut holders = BTreeMap::new();
        for words in histories.iter().filter_map(|visits| latest(visits)) {
            for &(term, _) in words.counts() {
                *holders.entry(term).or_default() += 1;
            }
        }
        let kept: Vec<bool> =
            all_neighbours.iter().map(|neighbours| *neighbours != Neighbours::default()).collect();
        let mut followed = kept.clone();
        for expert in all_neighbours.iter().flat_map(|neighbours| &neighbours.experts) {
            followed[expert.page] = true;
        }
        let moving = |page: usize| {
            let mut moving = BTreeMap::new();
            if followed[page] && settings.relation.is_by_day() {
                each_varying(histories[page], now, settings.days(), |term, counts| {
                    moving.insert(term, SlidingSeries::new(counts.to_vec()));
                });
            }
            moving
        };
        let varying = (0..histories.len()).into_par_iter().map(moving).collect();
        let pairs = all_neighbours
            .iter()
            .map(|neighbours| vec![BTreeMap::new(); neighbours.experts.len()])
            .collect();
        let settings = settings.clone();
        let mut online =
            Self { settings, now, words, holders, kept, followed, varying, all_neighbours, pairs };
        online.weigh();
        online
    }

    /// The experts of a page, with current weights. They stay the same and in the order in which they were
    /// chosen, also if one has come to weigh nothing. A page without experts has none until the next choice.
    pub fn neighbours(&self, page: usize) -> &Neighbours {
        &self.all_neighbours[page]
    }

    /// Moves the window to the last whole day until `now`. `words(page)` are those of the page's last visit by
    /// then; `None` means that they are as before. If several days passed, all but the last count as equal to
    /// the day before them.
    pub fn advance(&mut self, now: Time, words: &dyn Fn(usize) -> Option<Arc<WordCounts>>) {
        let day = Span::from_days(1);
        let passed = (now - self.now).millis() / day.millis();
        if passed < 1 {
            return;
        }
        self.now = self.now + day.times(passed);
        // After a whole window nothing varies any more.
        for _ in 1..passed.min(self.settings.days() as i64 + 1) {
            self.slide(&BTreeMap::new());
        }
        let mut before = BTreeMap::new();
        for page in 0..self.words.len() {
            if let Some(new) = words(page) {
                let old = self.words[page].replace(Arc::clone(&new));
                if old.as_ref() != Some(&new) {
                    self.recount(old.as_deref(), &new);
                    before.insert(page, old.unwrap_or_default());
                }
            }
        }
        self.slide(&before);
        self.weigh();
    }

    /// Updates the counts of pages by word.
    fn recount(&mut self, old: Option<&WordCounts>, new: &WordCounts) {
        for &(term, _) in new.counts() {
            *self.holders.entry(term).or_default() += 1;
        }
        for &(term, _) in old.into_iter().flat_map(WordCounts::counts) {
            if let Some(count) = self.holders.get_mut(&term) {
                *count -= 1;
                if *count == 0 {
                    self.holders.remove(&term);
                }
            }
        }
    }

    /// Moves the window by a day; `before` are the previous words of pages whose words changed.
    fn slide(&mut self, before: &BTreeMap<usize, Arc<WordCounts>>) {
        if !self.settings.relation.is_by_day() {
            return;
        }
        let Self { settings, words, followed, varying, all_neighbours, pairs, .. } = self;
        let none = Arc::<WordCounts>::default();
        varying.par_iter_mut().enumerate().filter(|&(page, _)| followed[page]).for_each(
            |(page, varying)| {
                let now = words[page].as_ref().unwrap_or(&none);
                if let Some(before) = before.get(&page) {
                    for &(term, _) in before.counts().iter().chain(now.counts()) {
                        let count = before.count(term);
                        if count != now.count(term) {
                            let new = || SlidingSeries::new(vec![count; settings.days()]);
                            varying.entry(term).or_insert_with(new);
                        }
                    }
                }
                for (&term, moving) in varying {
                    moving.slide(now.count(term));
                }
            },
        );
        let moved: &[BTreeMap<TermHash, SlidingSeries>] = varying;
        pairs.par_iter_mut().enumerate().for_each(|(page, pairs)| {
            for (pair, expert) in pairs.iter_mut().zip(&all_neighbours[page].experts) {
                pair.retain(|term, sums| {
                    let both = (moved[page].get(term), moved[expert.page].get(term));
                    let (Some(mine), Some(theirs)) = both else { return false };
                    for (lag, sum) in sums.iter_mut().enumerate() {
                        let (enters, leaves) = mine.entering_and_leaving(theirs, lag);
                        *sum = *sum + enters - leaves;
                    }
                    !mine.is_constant() && !theirs.is_constant()
                });
            }
        });
        varying.par_iter_mut().for_each(|words| words.retain(|_, moving| !moving.is_constant()));
    }

    /// Computes all weights from the current words and series.
    fn weigh(&mut self) {
        let pages = self.words.iter().flatten().count();
        let Self { settings, words, holders, kept, varying, all_neighbours, pairs, .. } = self;
        let today = Today { settings, words, holders, varying, pages };
        all_neighbours
            .par_iter_mut()
            .zip(pairs)
            .enumerate()
            .filter(|&(page, _)| kept[page])
            .for_each(|(page, (neighbours, pairs))| match today.settings.relation {
                Relation::Links => (),
                Relation::Content => today.compare(page, neighbours),
                Relation::Correlation => today.correlate(page, neighbours, pairs),
                Relation::Warping => today.warp(page, neighbours),
            });
    }
}

/// The inputs of weights.
struct Today<'a> {
    settings: &'a ExpertSettings,
    words: &'a [Option<Arc<WordCounts>>],
    holders: &'a BTreeMap<TermHash, usize>,
    varying: &'a [BTreeMap<TermHash, SlidingSeries>],
    pages: usize,
}

impl Today<'_> {
    /// The words of a page with their shares, in order of hash.
    fn shares(&self, page: usize) -> Vec<(TermHash, f64)> {
        let Some(words) = &self.words[page] else { return vec![] };
        let terms = words.counts().iter().map(|&(term, _)| term);
        let holders = terms.clone().map(|term| self.holders.get(&term).copied().unwrap_or(1));
        let shares = shares(words, holders.map(|holders| rarity(self.pages, holders)));
        terms.zip(shares).collect()
    }

    fn compare(&self, page: usize, neighbours: &mut Neighbours) {
        let length = |shares: &[(TermHash, f64)]| {
            shares.iter().map(|&(_, share)| share * share).sum::<f64>().sqrt()
        };
        let mine = self.shares(page);
        for expert in &mut neighbours.experts {
            let theirs = self.shares(expert.page);
            let mut product = 0.0;
            each_shared(&mine, |word| word.0, &theirs, |word, share| product += word.1 * share);
            let lengths = length(&mine) * length(&theirs);
            expert.weight = if lengths > 0.0 { (product / lengths).min(1.0) } else { 0.0 };
        }
    }

    fn correlate(
        &self,
        page: usize,
        neighbours: &mut Neighbours,
        pairs: &mut [BTreeMap<TermHash, Box<[u64]>>],
    ) {
        let (days, lags) = (self.settings.days(), self.settings.lags());
        let mut mine = self.shares(page);
        mine.retain(|(term, _)| self.varying[page].contains_key(term));
        neighbours.self_weight = mine.iter().map(|&(_, share)| share).sum();
        for (expert, pair) in neighbours.experts.iter_mut().zip(pairs) {
            pair.retain(|term, _| mine.binary_search_by_key(term, |&(term, _)| term).is_ok());
            let mut weighed = Weighed::default();
            for &(term, share) in &mine {
                let both = (&self.varying[page][&term], self.varying[expert.page].get(&term));
                let (own, Some(theirs)) = both else { continue };
                let sums = pair.entry(term).or_insert_with(|| {
                    (0..=lags).map(|lag| products(&own.counts, &theirs.counts, lag)).collect()
                });
                let best = best_lag(days, lags, |lag| (sums[lag], own.tail(lag), theirs.head(lag)));
                weighed.add(share, best);
            }
            (expert.weight, expert.lag) = (weighed.weight, weighed.lag);
        }
    }

    fn warp(&self, page: usize, neighbours: &mut Neighbours) {
        let scaled = |moving: &SlidingSeries| {
            let mut series = moving.counts.clone();
            scale(&mut series);
            series
        };
        let mut mine = self.shares(page);
        mine.retain(|(term, _)| self.varying[page].contains_key(term));
        neighbours.self_weight = mine.iter().map(|&(_, share)| share).sum();
        let mine: Vec<(TermHash, f64, Vec<u16>)> = mine
            .into_iter()
            .map(|(term, share)| (term, share, scaled(&self.varying[page][&term])))
            .collect();
        for expert in &mut neighbours.experts {
            let mut weighed = Weighed::default();
            for (term, share, own) in &mine {
                if let Some(theirs) = self.varying[expert.page].get(term) {
                    let alike = likeness(own, &scaled(theirs), self.settings.band);
                    weighed.add(*share, (alike, 0));
                }
            }
            expert.weight = weighed.weight;
        }
    }
}
