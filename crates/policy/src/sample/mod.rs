//! Sampling policies: visit a few pages, then spend the rest where change was seen.
//!
//! Tan, Zhuang, Mitra and Giles, "Efficiently detecting webpage updates using samples", ICWE 2007 ("Tan
//! 2007"): single pages are drawn as samples, and one that has changed leads to the pages near it. What is
//! near is a [`Neighbourhood`]; the rest is the same for all (`sampling.rs`, `trigger.rs`). `site.rs` is the
//! older method by whole sites, their baseline.
mod change_frequency;
pub(crate) mod cluster;
pub(crate) mod cluster_2007;
pub(crate) mod directory;
pub(crate) mod link;
mod sampling;
pub(crate) mod site;
mod stopping;
mod trigger;

use crawl::{Budget, Known, Needs, PageNo, Plan, Reason, State, Visit};
use sampling::Sampling;

use crate::{Kind, Parameter};

/// The pages near a sample, with distances.
trait Neighbourhood: Clone + Send + 'static {
    /// Prepares for a cycle. Called once at its start, before [`within`](Self::within). Expensive work belongs
    /// here, and only if something has changed since the last time.
    fn prepare(&mut self, known: &Known<'_>);

    /// The known pages whose distance to `seed` is selected by the granularity `d` (see [`is_selected`]), each
    /// once with its distance, without the seed itself. The order depends only on `known`. The caller leaves
    /// out pages that may not be visited.
    fn within(&mut self, seed: PageNo, d: i32, known: &Known<'_>) -> Vec<(i32, PageNo)>;

    /// The instruments it needs.
    fn needs(&self) -> Needs {
        Needs::none()
    }
}

/// Whether a granularity selects pages at this distance: those from 0 to `d`, on its side of 0.
///
/// In the paper's example the siblings, at distance 0, are downloaded with d = 1.
fn is_selected(distance: i32, d: i32) -> bool {
    (d.min(0)..=d.max(0)).contains(&distance)
}

/// The parameter `d`, with the range that all distances by hops or directories share.
const fn granularity(default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name: "d", meaning, default, kind: Kind::Whole(-20, 20) }
}

/// How many samples are drawn together.
const BATCH: Parameter = Parameter {
    name: "batch",
    meaning: "samples that are drawn before their neighbours are visited",
    default: "1",
    kind: Kind::Whole(1, 1_000_000),
};

/// The rule for the probability that a sample leads to its neighbours.
const CHANCE: Parameter = Parameter {
    name: "chance",
    meaning: "what decides whether a sample's neighbours are visited: that it has changed now, how \
              often it did, its PageRank, or nothing",
    default: "change",
    kind: Kind::Word(trigger::WORDS),
};

/// What n counts in the change frequency of a page.
const COUNT: Parameter = Parameter {
    name: "count",
    meaning: "what a page's history counts: cycles as in the papers, where one without a visit found no \
              change, or visits",
    default: "cycles",
    kind: Kind::Word(change_frequency::Count::WORDS),
};

/// Pages that were never visited, within the budget, in the order of addresses.
///
/// Every sampling policy begins a cycle with those known then. Pages that become known later in the cycle
/// come after all others.
fn first_visits(known: &Known<'_>, budget: Budget) -> Plan {
    let linked = known.due().filter(|&page| known.pages.state(page) == State::Linked);
    let first = |page| Visit { page, score: f64::INFINITY, reason: Reason::First };
    Plan::best(budget, linked.map(first).collect(), known.pages)
}

#[cfg(test)]
mod tests;
