//! The part of a score that depends on the page. The other factor is the weight of the word, which is
//! the same for every page.
use text::relevance::{Scoring, bm25_part};

/// The logarithm of the score of a page that is not a result.
pub(super) const NO_SCORE: f64 = f64::NEG_INFINITY;
/// Parts are cached for counts below this.
const CACHED: usize = 64;

/// What a page's parts depend on, besides the counts of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageInputs {
    /// Its number of words.
    pub(super) length: u32,
    /// For [`Scoring::InLinks`] the number of incoming links, for [`Scoring::Blend`] the `PageRank` as
    /// a share of the highest.
    pub(super) link_score: f32,
}

/// The logarithms of a page's parts, by the count of a word.
#[derive(Debug)]
pub(super) struct ScoreParts {
    scoring: Scoring,
    page: PageInputs,
    average_length: f64,
    /// The number of cached parts.
    known: usize,
    cached: [f64; CACHED],
}

impl ScoreParts {
    pub(super) fn new(scoring: Scoring, average_length: f64) -> Self {
        let page = PageInputs { length: 0, link_score: 0.0 };
        Self { scoring, page, average_length, known: 0, cached: [0.0; CACHED] }
    }

    /// Switches to another page.
    pub(super) fn set_page(&mut self, page: PageInputs) {
        (self.page, self.known) = (page, 0);
    }

    /// The logarithm of the page's part for a word with this count. `highest` is the highest TF-IDF part
    /// of any page for that word; only the blend uses it.
    pub(super) fn log_part(&mut self, count: u32, highest: f32) -> f64 {
        let at = count as usize;
        if at >= CACHED {
            return self.compute(count, highest);
        }
        while self.known <= at {
            // The cache of the blend contains the TF-IDF halves, which do not depend on the word.
            self.cached[self.known] = match self.scoring {
                Scoring::Blend => self.tf_idf(self.known as u32),
                _ => self.compute(self.known as u32, highest),
            };
            self.known += 1;
        }
        match self.scoring {
            Scoring::Blend => self.blend(self.cached[at], highest),
            _ => self.cached[at],
        }
    }

    fn compute(&self, count: u32, highest: f32) -> f64 {
        let PageInputs { length, link_score } = self.page;
        match self.scoring {
            _ if count == 0 => NO_SCORE,
            Scoring::TfIdf => self.tf_idf(count).ln(),
            Scoring::Bm25 => bm25_part(count, length, self.average_length).ln(),
            Scoring::InLinks => f64::from(link_score).ln(),
            Scoring::Blend => self.blend(self.tf_idf(count), highest),
        }
    }

    fn tf_idf(&self, count: u32) -> f64 {
        (f64::from(count) / f64::from(self.page.length.max(1))).sqrt()
    }

    fn blend(&self, tf_idf: f64, highest: f32) -> f64 {
        if tf_idf <= 0.0 {
            return NO_SCORE;
        }
        let share = if highest > 0.0 { tf_idf / f64::from(highest) } else { 1.0 };
        (0.5 * share + 0.5 * f64::from(self.page.link_score)).ln()
    }
}

/// The link score of a page for a scoring function.
pub(super) fn link_score(scoring: Scoring, in_links: u32, page_rank_share: f64) -> f32 {
    match scoring {
        Scoring::TfIdf | Scoring::Bm25 => 0.0,
        Scoring::InLinks => in_links as f32,
        Scoring::Blend => page_rank_share as f32,
    }
}
