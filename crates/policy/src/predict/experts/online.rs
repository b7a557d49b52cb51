//! Weights of experts kept up to date day by day, without choosing anew and without looks.
//!
//! Radinsky and Bennett 2013, section 9: correlations can be kept online. The window slides: what leaves it
//! has to be subtracted, so that of each page in a company the counts of its varying words are kept by day,
//! and for each pair and each word that varies on both sides one sum of products per lag.
//!
//! Memory, with the default window: a word that varies on a page costs about 200 bytes, a word shared by a
//! pair about 150, and a page has at most 128 words now; so a pair costs at most 20 kilobytes, where five
//! words vary on both sides less than one. A page whose words are all others every day has 6,400 words
//! that vary, which is the most.
use std::{collections::BTreeMap, sync::Arc};

use flow::{
    Span, Time,
    features::{Look, TermHash, WordCounts},
};
use rayon::prelude::*;

use super::{
    Choosing, Company, Relation,
    correlation::{best_lag, products},
    correlator::Weighed,
    index::each_shared,
    latest,
    moving::Moving,
    series::each_varying,
    until,
    vocabulary::{rarity, shares},
    warping::{Course, cost, weight},
};

/// Companies whose weights follow the pages.
#[derive(Clone, Debug)]
pub struct Online {
    choosing: Choosing,
    now: Time,
    words: Vec<Option<Arc<WordCounts>>>,
    /// How many pages have a word now.
    holders: BTreeMap<TermHash, usize>,
    /// The pages that have a company.
    kept: Vec<bool>,
    /// These and their experts.
    followed: Vec<bool>,
    /// The words of pages followed that vary within the window.
    varying: Vec<BTreeMap<TermHash, Moving>>,
    companies: Vec<Company>,
    /// By page and expert: the words that vary on both sides and that the page has now, with the sum of
    /// products of each lag.
    pairs: Vec<Vec<BTreeMap<TermHash, Box<[u64]>>>>,
}

impl Online {
    /// Follows companies that were chosen `now` from these pasts.
    pub fn new(choosing: &Choosing, pasts: &[&[Look]], companies: Vec<Company>, now: Time) -> Self {
        let pasts: Vec<&[Look]> = pasts.iter().map(|looks| until(looks, now)).collect();
        let words: Vec<Option<Arc<WordCounts>>> =
            pasts.iter().map(|looks| looks.last().map(|look| Arc::clone(&look.words))).collect();
        let mut holders = BTreeMap::new();
        for words in pasts.iter().filter_map(|looks| latest(looks)) {
            for &(term, _) in words.counts() {
                *holders.entry(term).or_default() += 1;
            }
        }
        let kept: Vec<bool> =
            companies.iter().map(|company| *company != Company::default()).collect();
        let mut followed = kept.clone();
        for expert in companies.iter().flat_map(|company| &company.experts) {
            followed[expert.page] = true;
        }
        let moving = |page: usize| {
            let mut moving = BTreeMap::new();
            if followed[page] && choosing.relation.is_by_day() {
                each_varying(pasts[page], now, choosing.days(), |term, counts| {
                    moving.insert(term, Moving::new(counts.to_vec()));
                });
            }
            moving
        };
        let varying = (0..pasts.len()).into_par_iter().map(moving).collect();
        let pairs =
            companies.iter().map(|company| vec![BTreeMap::new(); company.experts.len()]).collect();
        let choosing = choosing.clone();
        let mut online =
            Self { choosing, now, words, holders, kept, followed, varying, companies, pairs };
        online.weigh();
        online
    }

    /// The company of a page, with the weights of today. Its experts stay the same and in the order in
    /// which they were chosen, also where one has come to weigh nothing. A company that was empty stays
    /// empty until it is chosen anew.
    pub fn company(&self, page: usize) -> &Company {
        &self.companies[page]
    }

    /// Days have passed until `now`: weights become those of the window that ends with the last whole day
    /// since the companies were chosen. `words(page)` are those of the page's last look until then; none
    /// means that they are as before. Where several days passed, all but the last are taken to have been
    /// like the day before them.
    pub fn advance(&mut self, now: Time, words: &dyn Fn(usize) -> Option<Arc<WordCounts>>) {
        let day = Span::from_days(1);
        let passed = (now - self.now).millis() / day.millis();
        if passed < 1 {
            return;
        }
        self.now = self.now + day.times(passed);
        // After a whole window nothing varies any more.
        for _ in 1..passed.min(self.choosing.days() as i64 + 1) {
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

    /// A page has other words than before.
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

    /// A day passes; `before` are the words of pages that had others the day before.
    fn slide(&mut self, before: &BTreeMap<usize, Arc<WordCounts>>) {
        if !self.choosing.relation.is_by_day() {
            return;
        }
        let Self { choosing, words, followed, varying, companies, pairs, .. } = self;
        let none = Arc::<WordCounts>::default();
        varying.par_iter_mut().enumerate().filter(|&(page, _)| followed[page]).for_each(
            |(page, varying)| {
                let now = words[page].as_ref().unwrap_or(&none);
                if let Some(before) = before.get(&page) {
                    for &(term, _) in before.counts().iter().chain(now.counts()) {
                        let count = before.count(term);
                        if count != now.count(term) {
                            let new = || Moving::new(vec![count; choosing.days()]);
                            varying.entry(term).or_insert_with(new);
                        }
                    }
                }
                for (&term, moving) in varying {
                    moving.slide(now.count(term));
                }
            },
        );
        let moved: &[BTreeMap<TermHash, Moving>] = varying;
        pairs.par_iter_mut().enumerate().for_each(|(page, pairs)| {
            for (pair, expert) in pairs.iter_mut().zip(&companies[page].experts) {
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

    /// Works out all weights from the words and series of today.
    fn weigh(&mut self) {
        let pages = self.words.iter().flatten().count();
        let Self { choosing, words, holders, kept, varying, companies, pairs, .. } = self;
        let today = Today { choosing, words, holders, varying, pages };
        companies.par_iter_mut().zip(pairs).enumerate().filter(|&(page, _)| kept[page]).for_each(
            |(page, (company, pairs))| match today.choosing.relation {
                Relation::Links => (),
                Relation::Content => today.compare(page, company),
                Relation::Correlation => today.correlate(page, company, pairs),
                Relation::Warping => today.warp(page, company),
            },
        );
    }
}

/// What weights are made from.
struct Today<'a> {
    choosing: &'a Choosing,
    words: &'a [Option<Arc<WordCounts>>],
    holders: &'a BTreeMap<TermHash, usize>,
    varying: &'a [BTreeMap<TermHash, Moving>],
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

    fn compare(&self, page: usize, company: &mut Company) {
        let length = |shares: &[(TermHash, f64)]| {
            shares.iter().map(|&(_, share)| share * share).sum::<f64>().sqrt()
        };
        let mine = self.shares(page);
        for expert in &mut company.experts {
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
        company: &mut Company,
        pairs: &mut [BTreeMap<TermHash, Box<[u64]>>],
    ) {
        let (days, lags) = (self.choosing.days(), self.choosing.lags());
        let mut mine = self.shares(page);
        mine.retain(|(term, _)| self.varying[page].contains_key(term));
        company.itself = mine.iter().map(|&(_, share)| share).sum();
        for (expert, pair) in company.experts.iter_mut().zip(pairs) {
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

    fn warp(&self, page: usize, company: &mut Company) {
        let mine = self.shares(page);
        for expert in &mut company.experts {
            let distance: f64 = mine
                .iter()
                .map(|&(term, share)| share * self.cost(page, expert.page, term) as f64)
                .sum();
            expert.weight = if mine.is_empty() { 0.0 } else { weight(distance) };
        }
    }

    fn cost(&self, page: usize, expert: usize, term: TermHash) -> u64 {
        let course = |page: usize| match self.varying[page].get(&term) {
            Some(moving) => Course::Varying(&moving.counts),
            None => Course::Constant(self.words[page].as_ref().map_or(0, |it| it.count(term))),
        };
        cost(course(page), course(expert), self.choosing.days(), self.choosing.band)
    }
}
