//! The contribution of one query to the metrics, by scoring function.
use text::relevance::ViewProbabilities;

use super::{
    SHOWN,
    answers::{Answers, Hit},
    link_scores::{LinkScores, RANK_PARTS},
};

/// The first results of a query, best first.
pub(super) type Top = Vec<u32>;

/// The contribution of one query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    /// The sum over its results of view probability times true score, by scoring function as in
    /// [`Scoring::ALL`](text::relevance::Scoring::ALL).
    pub(super) worth: [f64; 3],
    /// The sum of view probabilities over the TF-IDF results that no longer answer it.
    pub(super) lost: f64,
    /// The sum over all results by TF-IDF.
    pub(super) viewed: f64,
    /// The first results by the blend.
    pub(super) top: Top,
}

/// The inputs of true scores at a cycle.
pub(super) struct Live<'l> {
    /// The link scores of live pages.
    pub(super) link_scores: &'l LinkScores,
    /// By query, the highest TF-IDF of a live page.
    pub(super) highest: &'l [f64],
}

/// The sums of every query from one collection, updated incrementally.
pub(super) struct Measured<'m> {
    pub(super) answers: Answers<'m>,
    pub(super) sums: Vec<Sums>,
    held: LinkScores,
    live: LinkScores,
    highest: Vec<f64>,
    chances: ViewProbabilities,
    /// Whether results by the blend are wanted.
    is_blended: bool,
}

impl<'m> Measured<'m> {
    pub(super) fn new(
        answers: Answers<'m>,
        pages: usize,
        queries: usize,
        is_blended: bool,
    ) -> Self {
        let nowhere = || LinkScores { in_links: vec![0; pages], ranks: vec![0; pages] };
        Self {
            answers,
            sums: vec![Sums::default(); queries],
            held: nowhere(),
            live: nowhere(),
            highest: vec![0.0; queries],
            chances: ViewProbabilities::new(pages),
            is_blended,
        }
    }

    /// Applies the current held and live readings (by page) and the link scores of held pages.
    /// `live` is computed after the results, since on the live web it depends on them.
    ///
    /// A query is summed again for a scoring function only if its results changed or one of them
    /// got another score by that function.
    pub(super) fn update<'l>(
        &mut self,
        held_readings: &[u32],
        live_readings: &[u32],
        link_scores: &LinkScores,
        live: impl FnOnce(&Answers<'m>) -> Live<'l>,
    ) {
        let touched = self.answers.update(held_readings, live_readings);
        let live = live(&self.answers);
        let mut stale = vec![[false; 3]; self.sums.len()];
        for query in touched {
            stale[query as usize] = [true; 3];
        }
        for page in 0..held_readings.len() {
            let in_links = link_scores.in_links[page] != self.held.in_links[page]
                || live.link_scores.in_links[page] != self.live.in_links[page];
            let ranks = link_scores.ranks[page] != self.held.ranks[page]
                || live.link_scores.ranks[page] != self.live.ranks[page];
            if in_links || ranks {
                for query in self.answers.queries_of(page) {
                    let stale = &mut stale[query as usize];
                    *stale = [stale[0], stale[1] || in_links, stale[2] || ranks];
                }
            }
        }
        let mut scratch = Scratch::default();
        for (query, [by_tf_idf, by_in_links, by_blend]) in stale.into_iter().enumerate() {
            let (results, sums) = (self.answers.results(query), &mut self.sums[query]);
            if by_tf_idf {
                sums.tf_idf(results, &self.chances);
            }
            if by_in_links {
                sums.in_links(results, link_scores, live.link_scores, &self.chances, &mut scratch);
            }
            let highest = live.highest[query];
            // Exact comparison is intended: the number is either identical or different.
            let is_other = by_blend || highest.to_bits() != self.highest[query].to_bits();
            if self.is_blended && is_other {
                let live = (live.link_scores, highest);
                sums.blend(results, link_scores, live, &self.chances, &mut scratch);
            }
        }
        self.held.in_links.copy_from_slice(&link_scores.in_links);
        self.held.ranks.copy_from_slice(&link_scores.ranks);
        self.live.in_links.copy_from_slice(&live.link_scores.in_links);
        self.live.ranks.copy_from_slice(&live.link_scores.ranks);
        self.highest.copy_from_slice(live.highest);
    }
}

/// Reused sort buffers.
#[derive(Default)]
struct Scratch {
    by_in_links: Vec<(u64, u32)>,
    by_blend: Vec<(u64, u32, f64)>,
}

impl Sums {
    /// Results are kept in the order of their TF-IDF.
    fn tf_idf(&mut self, results: &[Hit], chances: &ViewProbabilities) {
        (self.worth[0], self.lost) = (0.0, 0.0);
        for (rank, entry) in (1..).zip(results) {
            self.worth[0] += chances.at(rank) * entry.truth;
            if entry.truth <= 0.0 {
                self.lost += chances.at(rank);
            }
        }
        self.viewed = chances.sum(results.len());
    }

    fn in_links(
        &mut self,
        results: &[Hit],
        held: &LinkScores,
        live: &LinkScores,
        chances: &ViewProbabilities,
        scratch: &mut Scratch,
    ) {
        let order = &mut scratch.by_in_links;
        order.clear();
        order.extend(results.iter().map(|entry| {
            let page = entry.page as usize;
            let key = u64::from(u32::MAX - held.in_links[page]) << 32 | u64::from(entry.page);
            (key, if entry.truth > 0.0 { live.in_links[page] } else { 0 })
        }));
        order.sort_unstable_by_key(|&(key, _)| key);
        let worth = (1..).zip(order.iter());
        self.worth[1] =
            worth.fold(0.0, |sum, (rank, &(_, worth))| sum + chances.at(rank) * f64::from(worth));
    }

    fn blend(
        &mut self,
        results: &[Hit],
        held: &LinkScores,
        (live, highest_live): (&LinkScores, f64),
        chances: &ViewProbabilities,
        scratch: &mut Scratch,
    ) {
        let highest = results.first().map_or(0.0, |first| first.score);
        let order = &mut scratch.by_blend;
        order.clear();
        order.extend(results.iter().map(|entry| {
            let page = entry.page as usize;
            let score = blend(entry.score, highest, held.ranks[page]);
            let is_answer = entry.truth > 0.0;
            let worth =
                if is_answer { blend(entry.truth, highest_live, live.ranks[page]) } else { 0.0 };
            // The bit patterns of non-negative floats have the order of the numbers.
            (!score.to_bits(), entry.page, worth)
        }));
        order.sort_unstable_by_key(|&(key, page, _)| (key, page));
        let worth = (1..).zip(order.iter());
        self.worth[2] =
            worth.fold(0.0, |sum, (rank, &(_, _, worth))| sum + chances.at(rank) * worth);
        self.top.clear();
        self.top.extend(order.iter().take(SHOWN).map(|&(_, page, _)| page));
    }
}

/// Half TF-IDF, half `PageRank`, each divided by the highest (Tan and Mitra 2010, eq. 14).
fn blend(tf_idf: f64, highest: f64, rank: u32) -> f64 {
    0.5 * (tf_idf / highest) + 0.5 * (f64::from(rank) / f64::from(RANK_PARTS))
}
