//! Sampling policies: look at a few pages, then spend the rest where change was seen.
//!
//! Tan, Zhuang, Mitra and Giles, "Efficiently detecting webpage updates using samples", ICWE 2007
//! ("Tan 2007"): single pages are drawn as samples, and one that has changed leads to the pages near
//! it. What is near is a [`Neighbourhood`]; the rest is the same for all of them (`algorithm.rs`,
//! `trigger.rs`). `site.rs` is the older way, by whole sites, that they compare themselves with.
mod algorithm;
mod cluster;
mod cluster_2007;
mod directory;
mod enough;
mod link;
mod site;
mod trigger;
mod weights;

pub(crate) use algorithm::Sampling;
pub(crate) use cluster::{ClusterSample, PARAMETERS as CLUSTER_PARAMETERS};
pub(crate) use cluster_2007::{ClustersNear, PARAMETERS as CLUSTER_2007_PARAMETERS};
pub(crate) use directory::{Directories, SIGNS};
use flow::{Budget, Known, PageNo, Plan, Reason, State, Visit};
pub(crate) use link::Hops;
pub(crate) use site::{SIZE, SiteSample};

use crate::{Kind, Parameter};

/// Which pages are near to a sample, and how near.
pub(crate) trait Neighbourhood: Send {
    /// Makes ready for a cycle. Called once when it begins, before [`within`](Self::within); what
    /// takes long is done here, and only where something has changed since the last time.
    fn prepare(&mut self, known: &Known<'_>);

    /// The known pages whose distance to `seed` is selected by the granularity `d` (see
    /// [`is_selected`]), each once with its distance, without the seed itself. In an order that
    /// depends on nothing but what is known. The caller leaves out pages that may not be visited.
    fn within(&mut self, seed: PageNo, d: i32, known: &Known<'_>) -> Vec<(i32, PageNo)>;

    /// Whether it looks at [`Known::features`], which are kept up only then.
    fn needs_features(&self) -> bool {
        false
    }
}

/// Whether a granularity takes in pages at this distance: those from 0 to `d`, on its side of 0.
///
/// In the paper's example the siblings, at distance 0, are downloaded with d = 1.
pub(crate) fn is_selected(distance: i32, d: i32) -> bool {
    (d.min(0)..=d.max(0)).contains(&distance)
}

/// The parameter `d`, in the range that all distances by hops or directories share.
pub(crate) const fn granularity(default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name: "d", meaning, default, kind: Kind::Whole(-20, 20) }
}

/// How many samples are looked at together.
pub(crate) const BATCH: Parameter = Parameter {
    name: "batch",
    meaning: "samples that are drawn before their neighbours are visited",
    default: "1",
    kind: Kind::Whole(1, 1_000_000),
};

/// With which probability a sample leads to its neighbours.
pub(crate) const CHANCE: Parameter = Parameter {
    name: "chance",
    meaning: "what decides whether a sample's neighbours are visited: that it has changed now, how \
              often it did, its PageRank, or nothing",
    default: "change",
    kind: Kind::Word(trigger::WORDS),
};

/// Pages that were never visited, as many as the budget allows, in the order of addresses.
///
/// Every sampling policy begins a cycle with those that are known then. Pages that become known
/// later in the cycle come after all others, as they do where a plan is made at once.
fn first_visits(known: &Known<'_>, budget: Budget) -> Plan {
    let linked = known.due().filter(|&page| known.pages.state(page) == State::Linked);
    let first = |page| Visit { page, score: f64::INFINITY, reason: Reason::First };
    Plan::best(budget, linked.map(first).collect(), known.pages)
}

#[cfg(test)]
mod tests;
