//! User-centric policies: which visits do most for the answers that searchers get.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005. Both learn from the measured impact of
//! past visits ([`flow::impact`]): `centric.rs` is the paper's priority, `index.rs` puts the same value
//! under the optimal index.
mod centric;
mod index;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use centric::PARAMETERS as CENTRIC_PARAMETERS;
pub use centric::UserCentric;
use flow::{impact::Measure, relevance::Scoring};
pub(crate) use index::{PARAMETERS as INDEX_PARAMETERS, UserCentricIndex};

use crate::{Kind, Parameter, Parameters};

/// By which score results are ranked where impact is measured.
pub(crate) const SCORING: Parameter = Parameter {
    name: "scoring",
    meaning: "what results are ranked by where impact and looks at pages are measured",
    default: "bm25",
    kind: Kind::Word(&["tf-idf", "in-links", "blend", "bm25"]),
};

/// How finely ranks are told from scores.
pub(crate) const PIECES: Parameter = Parameter {
    name: "pieces",
    meaning: "pieces of the function from score to rank by which impact is measured",
    default: "3",
    kind: Kind::Whole(1, Measure::MOST_PIECES as i64),
};

/// The scoring function that is set.
pub(crate) fn scoring(parameters: &Parameters) -> Scoring {
    let name = parameters.word(SCORING.name);
    Scoring::by_name(name).expect("the parameter takes names of scoring functions only")
}

/// How impact is to be measured.
pub(crate) fn measure(parameters: &Parameters) -> Measure {
    Measure { scoring: scoring(parameters), pieces: parameters.whole(PIECES.name) as usize }
}
