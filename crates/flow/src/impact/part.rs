//! A page's part of its score for one word: all of it but what the word weighs, which is the same
//! for every page.
use crate::relevance::{Scoring, bm25_part};

/// The logarithm of the score of a page that has none: it is no result.
pub(super) const NO_SCORE: f64 = f64::NEG_INFINITY;
/// Parts are looked up for words that a page holds up to so many times.
const LOOKED_UP: usize = 64;

/// What the parts of one page follow from, apart from how often it holds each word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    /// How many words it has.
    pub(super) length: u32,
    /// How it stands among others, by links: with [`Scoring::InLinks`] how many pages link to it, with
    /// [`Scoring::Blend`] its `PageRank` as a share of the highest.
    pub(super) standing: f32,
}

/// By how often a page holds a word, the logarithm of its part.
#[derive(Debug)]
pub(super) struct Parts {
    scoring: Scoring,
    page: Page,
    average_length: f64,
    /// How many of the looked-up ones are there.
    known: usize,
    looked_up: [f64; LOOKED_UP],
}

impl Parts {
    pub(super) fn new(scoring: Scoring, average_length: f64) -> Self {
        let page = Page { length: 0, standing: 0.0 };
        Self { scoring, page, average_length, known: 0, looked_up: [0.0; LOOKED_UP] }
    }

    /// Begins another page.
    pub(super) fn turn_to(&mut self, page: Page) {
        (self.page, self.known) = (page, 0);
    }

    /// The logarithm of the page's part for a word that it holds `count` times. `highest` is the highest
    /// part by TF-IDF of any page for that word; only the blend asks for it.
    pub(super) fn of(&mut self, count: u32, highest: f32) -> f64 {
        let place = count as usize;
        if place >= LOOKED_UP {
            return self.log_part(count, highest);
        }
        while self.known <= place {
            // The blend's are its halves by text, which do not depend on the word.
            self.looked_up[self.known] = match self.scoring {
                Scoring::Blend => self.tf_idf(self.known as u32),
                _ => self.log_part(self.known as u32, highest),
            };
            self.known += 1;
        }
        match self.scoring {
            Scoring::Blend => self.blend(self.looked_up[place], highest),
            _ => self.looked_up[place],
        }
    }

    fn log_part(&self, count: u32, highest: f32) -> f64 {
        let Page { length, standing } = self.page;
        match self.scoring {
            _ if count == 0 => NO_SCORE,
            Scoring::TfIdf => self.tf_idf(count).ln(),
            Scoring::Bm25 => bm25_part(count, length, self.average_length).ln(),
            Scoring::InLinks => f64::from(standing).ln(),
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
        (0.5 * share + 0.5 * f64::from(self.page.standing)).ln()
    }
}

/// What a page's standing is made from, by scoring function.
pub(super) fn standing(scoring: Scoring, in_links: u32, page_rank_share: f64) -> f32 {
    match scoring {
        Scoring::TfIdf | Scoring::Bm25 => 0.0,
        Scoring::InLinks => in_links as f32,
        Scoring::Blend => page_rank_share as f32,
    }
}
