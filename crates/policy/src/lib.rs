//! Every policy of Sanderling, one file each.
//!
//! A policy sees [`crawl::Known`] and learns from [`crawl::Observation`]s, and nothing else: this crate must
//! not use clocks, I/O, hash order or unseeded random numbers (see its `clippy.toml`). [`ALL`] is the table
//! of policies; the contract tests run over it.
mod allocation;
mod by_page;
mod change_model;
mod claims;
mod cycle_shocks;
pub mod discover;
pub mod features;
mod freshness_estimate;
pub mod kernel;
mod lacks;
mod mix;
mod parameters;
pub mod predict;
mod random;
mod rate_classes;
mod rates;
mod refresh;
mod sample;
mod score;
mod spec;
#[cfg(test)]
mod testing;
pub mod unified;
mod user;

pub use allocation::Objective;
use crawl::Policy;
pub use freshness_estimate::{Freshness, FreshnessEstimate};
pub use lacks::lacks;
pub use mix::Part;
pub use parameters::{Kind, Parameter, Parameters};
pub use refresh::{Allocated, FreshnessIndex, PageDemand};
pub use score::ORDER_ONLY;
pub use spec::{PolicySpec, SpecError};
pub use user::UserCentric;

/// A policy in [`ALL`]; with parameters, a [`PolicySpec`].
pub struct PolicyEntry {
    /// The name used in configuration, reports and `docs/policies/`.
    pub name: &'static str,
    /// Its idea in one line.
    pub idea: &'static str,
    /// Whether it looks for new pages. There are none if the set of pages is fixed.
    pub discovers: bool,
    /// Whether its plans depend on the seed. If not, one run stands for all seeds. A policy made of others
    /// answers for its own part only.
    pub is_random: fn(&Parameters) -> bool,
    /// Its parameters, in the order of the canonical text.
    pub parameters: &'static [Parameter],
    /// Makes the policy from a seed and parameter values.
    pub make: fn(seed: u64, parameters: &Parameters) -> Box<dyn Policy>,
}

impl PolicyEntry {
    /// A refresh policy without parameters whose plans do not depend on the seed. Entries of other policies
    /// override fields: `PolicyEntry { discovers: true, ..PolicyEntry::new(..) }`.
    const fn new(
        name: &'static str,
        idea: &'static str,
        make: fn(u64, &Parameters) -> Box<dyn Policy>,
    ) -> Self {
        Self { name, idea, discovers: false, is_random: |_| false, parameters: &[], make }
    }

    /// The policy with the defaults of its parameters, from a seed.
    pub fn with_defaults(&self, seed: u64) -> Box<dyn Policy> {
        (self.make)(seed, &Parameters::defaults(self.parameters))
    }
}

/// Every policy.
pub static ALL: &[PolicyEntry] = &[
    refresh::random::ENTRY,
    refresh::round_robin::ENTRY,
    refresh::frequency::ENTRY,
    refresh::nutch_adaptive::ENTRY,
    refresh::stormcrawler_adaptive::ENTRY,
    refresh::change_ratio_index::ENTRY,
    refresh::freshness_index::ENTRY,
    sample::site::ENTRY,
    sample::link::ENTRY,
    sample::directory::ENTRY,
    sample::cluster_2007::ENTRY,
    sample::cluster::ENTRY,
    user::centric::ENTRY,
    user::index::ENTRY,
    refresh::allocated::STALENESS_BASED,
    refresh::allocated::EMBARRASSMENT_BASED,
    refresh::allocated::AGE_BASED,
    refresh::predicted::ENTRY,
    discover::history::OD_1,
    discover::history::OD_WIN,
    discover::history::OD_ALL,
    discover::history::CLIQ_1,
    discover::history::CLIQ_WIN,
    discover::history::COV,
    discover::bandit::ENTRY,
    discover::breadth_first::ENTRY,
    discover::hub_interval::ENTRY,
    mix::ENTRY,
    unified::ENTRY,
];

/// The policy with this name.
pub fn by_name(name: &str) -> Option<&'static PolicyEntry> {
    ALL.iter().find(|entry| entry.name == name)
}
