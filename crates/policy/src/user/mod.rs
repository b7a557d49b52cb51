//! User-centric policies: the visits that improve search results most.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005. Both learn from the measured impact of past
//! visits ([`instruments::impact`]): `centric.rs` is the paper's priority, `index.rs` puts the same value
//! under the optimal index.
pub(crate) mod centric;
pub(crate) mod change_cost;
pub(crate) mod index;
#[cfg(test)]
mod tests;

pub use centric::UserCentric;
use instruments::impact::Measure;
use text::relevance::Scoring;

use crate::{Kind, Parameter, Parameters};

/// The scoring function of the search results whose change is measured.
pub(crate) const SCORING: Parameter = Parameter {
    name: "scoring",
    meaning: "scoring function of search results, for measuring impact and exposure",
    default: "bm25",
    kind: Kind::Word(&["tf-idf", "in-links", "blend", "bm25"]),
};

/// The resolution of the function from score to rank.
pub(crate) const PIECES: Parameter = Parameter {
    name: "pieces",
    meaning: "pieces of the function from score to rank, for measuring impact",
    default: "3",
    kind: Kind::Whole(1, Measure::MOST_PIECES as i64),
};

/// The scoring function set.
pub(crate) fn scoring(parameters: &Parameters) -> Scoring {
    let name = parameters.word(SCORING.name);
    Scoring::by_name(name).expect("the parameter takes only names of scoring functions")
}

/// How to measure impact.
pub(crate) fn measure(parameters: &Parameters) -> Measure {
    Measure { scoring: scoring(parameters), pieces: parameters.whole(PIECES.name) as usize }
}
