//! What the papers claim, claim by claim.
pub(super) mod dasgupta_2007;
mod dasgupta_2007_algorithms;
pub(super) mod pandey_2005;
pub(super) mod radinsky_2013;
pub(super) mod tan_2007;
pub(super) mod tan_2010;
mod tan_2010_clusters;

use super::{
    evidence::{Evidence, Pick},
    rules::{Pair, Says},
    verdict::Piece,
};

/// What the paper gives where its text has no number.
const FIGURE_ONLY: &str = "figure only";

/// One policy against another, both by a label and a quantity.
fn against(on: &Evidence<'_>, one: (&str, Pick), other: (&str, Pick)) -> Pair {
    Pair::of(on, (one.0, &[one.1]), (other.0, &[other.1]))
}

/// A part that a rule judges on two policies.
fn compare(
    rule: fn(&Says<'_>, &Pair) -> Piece,
    on: &Evidence<'_>,
    what: &str,
    one: (&str, Pick),
    other: (&str, Pick),
) -> Piece {
    rule(&Says { what, paper: FIGURE_ONLY }, &against(on, one, other))
}
