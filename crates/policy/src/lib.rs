//! Every policy of Sanderling, one file each.
//!
//! A policy sees [`flow::Known`] and learns from [`flow::Observation`]s, and nothing else: this
//! crate is forbidden clocks, I/O, hash order and chance without a seed (see its `clippy.toml`).
//! [`ALL`] is the one table of them; the contract tests run over it.

mod chance;
mod estimate;
pub mod kernel;
mod rate;
mod refresh;
mod score;

pub use estimate::{Freshness, FreshnessEstimate};
use flow::Policy;
pub use refresh::FreshnessIndex;
use refresh::{
    ChangeRatioIndex, Frequency, NutchAdaptive, Random, RoundRobin, StormcrawlerAdaptive,
};

/// A policy that can be chosen by name.
pub struct Entry {
    /// The name used in configuration, reports and `docs/policies/`.
    pub name: &'static str,
    /// Its idea in one line.
    pub idea: &'static str,
    /// Whether its plans depend on the seed. Where they do not, one run stands for all seeds.
    pub uses_chance: bool,
    /// Makes the policy from a seed.
    pub make: fn(seed: u64) -> Box<dyn Policy>,
}

/// Every policy.
pub static ALL: &[Entry] = &[
    Entry {
        name: "random",
        idea: "pages drawn by lot",
        uses_chance: true,
        make: |seed| Box::new(Random::new(seed)),
    },
    Entry {
        name: "round-robin",
        idea: "the page not seen for longest first",
        uses_chance: false,
        make: |_| Box::new(RoundRobin),
    },
    Entry {
        name: "frequency",
        idea: "the page most often found changed first",
        uses_chance: false,
        make: |_| Box::new(Frequency),
    },
    Entry {
        name: "nutch-adaptive",
        idea: "Apache Nutch's adaptive intervals, most overdue first",
        uses_chance: false,
        make: |_| Box::new(NutchAdaptive::default()),
    },
    Entry {
        name: "stormcrawler-adaptive",
        idea: "StormCrawler's adaptive intervals, most overdue first",
        uses_chance: false,
        make: |_| Box::new(StormcrawlerAdaptive::default()),
    },
    Entry {
        name: "change-ratio-index",
        idea: "change rate times age: the visits most likely to find a change",
        uses_chance: false,
        make: |_| Box::new(ChangeRatioIndex::default()),
    },
    Entry {
        name: "freshness-index",
        idea: "the visits that buy the most time fresh, with change rates learned as it goes",
        uses_chance: false,
        make: |_| Box::new(FreshnessIndex::default()),
    },
];

/// The policy with this name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
