//! Impact: what a visit does to the answers that searchers get.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 5 (`docs/papers.md` A3.2). Queries
//! are broken into words, each asked for as often as the queries that hold it. For each word a curve
//! tells which score has which rank among its results. When a page is put into the repository again,
//! its old and new scores give its old and new ranks, and these what the move is worth to those
//! who look at the results from the top.
//!
//! Three things are ours. Impact is a share of what all answers of the repository are worth, so that it
//! has the same unit for every scoring function and workload, and can be told to people. A page's score is
//! the word's weight times the page's own part, and curves are kept of the parts, as logarithms: then
//! nothing about a word has to be worked out but where the page moves. And [`Meter::exposures`] tells how
//! much searchers look at every page as it is, for pages whose visits have not been measured.
mod curve;
mod meter;
mod part;
mod shift;

pub use self::meter::{Meter, Moved, Standings};
use crate::relevance::Scoring;

/// How impact is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// What results are ranked by.
    pub scoring: Scoring,
    /// Of how many pieces the function from score to rank is.
    pub pieces: usize,
}

impl Measure {
    /// As many pieces as a curve may have.
    pub const MOST_PIECES: usize = 16;

    /// By this scoring function, with the three pieces of the paper.
    pub fn by(scoring: Scoring) -> Self {
        Self { scoring, pieces: 3 }
    }
}
