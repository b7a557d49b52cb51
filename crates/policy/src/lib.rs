//! Every policy of Sanderling, one file each.
//!
//! A policy sees [`flow::Known`] and learns from [`flow::Observation`]s, and nothing else: this
//! crate is forbidden clocks, I/O, hash order and chance without a seed (see its `clippy.toml`).
//! [`ALL`] is the one table of them; the contract tests run over it.

mod allocation;
mod chance;
mod chances;
mod choice;
pub mod discover;
mod estimate;
pub mod features;
pub mod kernel;
mod mix;
mod parameters;
pub mod predict;
mod rate;
mod refresh;
mod sample;
mod score;
mod user;

pub use allocation::Objective;
pub use choice::{Choice, ChoiceError};
use discover::{Bandit, BreadthFirst, History, HubInterval};
pub use estimate::{Freshness, FreshnessEstimate};
use flow::Policy;
use mix::Mix;
pub use mix::Part;
pub use parameters::{Kind, Parameter, Parameters};
pub use refresh::{Allocated, FreshnessIndex, Told};
use refresh::{
    ChangeRatioIndex, Frequency, NutchAdaptive, Predicted, Random, RoundRobin, StormcrawlerAdaptive,
};
use sample::{ClusterSample, ClustersNear, Directories, Hops, Sampling, SiteSample};
pub use user::UserCentric;
use user::UserCentricIndex;

/// A policy that can be chosen by name; with parameters, as a [`Choice`].
pub struct Entry {
    /// The name used in configuration, reports and `docs/policies/`.
    pub name: &'static str,
    /// Its idea in one line.
    pub idea: &'static str,
    /// Whether it looks for new pages, of which there are none where the set of pages is fixed.
    pub discovers: bool,
    /// Whether its plans depend on the seed. Where they do not, one run stands for all seeds. Of a policy
    /// made of others, only its own part.
    pub uses_chance: fn(&Parameters) -> bool,
    /// What can be set about it, in the order in which it is told.
    pub parameters: &'static [Parameter],
    /// Makes the policy from a seed and values for its parameters.
    pub make: fn(seed: u64, parameters: &Parameters) -> Box<dyn Policy>,
}

impl Entry {
    /// The policy with its defaults, from a seed.
    pub fn usual(&self, seed: u64) -> Box<dyn Policy> {
        (self.make)(seed, &Parameters::defaults(self.parameters))
    }
}

/// For policies that draw by lot.
fn always(_: &Parameters) -> bool {
    true
}

/// For policies that do not.
fn never(_: &Parameters) -> bool {
    false
}

/// Every policy.
pub static ALL: &[Entry] = &[
    Entry {
        name: "random",
        idea: "pages drawn by lot",
        discovers: false,
        uses_chance: always,
        parameters: &[],
        make: |seed, _| Box::new(Random::new(seed)),
    },
    Entry {
        name: "round-robin",
        idea: "the page not seen for longest first",
        discovers: false,
        uses_chance: never,
        parameters: &[],
        make: |_, _| Box::new(RoundRobin),
    },
    Entry {
        name: "frequency",
        idea: "the page most often found changed first",
        discovers: false,
        uses_chance: never,
        parameters: &[],
        make: |_, _| Box::new(Frequency),
    },
    Entry {
        name: "nutch-adaptive",
        idea: "Apache Nutch's adaptive intervals, most overdue first",
        discovers: false,
        uses_chance: never,
        parameters: &[],
        make: |_, _| Box::new(NutchAdaptive::default()),
    },
    Entry {
        name: "stormcrawler-adaptive",
        idea: "StormCrawler's adaptive intervals, most overdue first",
        discovers: false,
        uses_chance: never,
        parameters: &[],
        make: |_, _| Box::new(StormcrawlerAdaptive::default()),
    },
    Entry {
        name: "change-ratio-index",
        idea: "change rate times age: the visits most likely to find a change",
        discovers: false,
        uses_chance: never,
        parameters: &[],
        make: |_, _| Box::new(ChangeRatioIndex::default()),
    },
    Entry {
        name: "freshness-index",
        idea: "the visits that buy the most time fresh, with change rates learned as it goes",
        discovers: false,
        uses_chance: never,
        parameters: &[chances::PARAMETER],
        make: |seed, parameters| Box::new(FreshnessIndex::new(seed, parameters)),
    },
    Entry {
        name: "site-sample",
        idea: "a few pages of every site, then whole sites, those first where most had changed",
        discovers: false,
        uses_chance: always,
        parameters: &[sample::SIZE],
        make: |seed, parameters| Box::new(SiteSample::new(seed, parameters)),
    },
    Entry {
        name: "link-sample",
        idea: "single pages by lot, and those within some links of one that has changed",
        discovers: false,
        uses_chance: always,
        parameters: &[
            sample::granularity("3", "how many links away: out-links above 0, in-links below"),
            sample::BATCH,
            sample::CHANCE,
        ],
        make: |seed, parameters| {
            Box::new(Sampling::new("link-sample", seed, parameters, Hops::default()))
        },
    },
    Entry {
        name: "directory-sample",
        idea: "single pages by lot, and those in directories near to one that has changed",
        discovers: false,
        uses_chance: always,
        parameters: &[
            sample::granularity("1", "how many directories away: upper above 0, lower below"),
            sample::BATCH,
            sample::CHANCE,
            sample::SIGNS,
        ],
        make: |seed, parameters| {
            let directories = Directories::new(parameters.word("distance"));
            Box::new(Sampling::new("directory-sample", seed, parameters, directories))
        },
    },
    Entry {
        name: "cluster-sample-2007",
        idea: "pages drawn by lot, and of those that have changed their clusters by features",
        discovers: false,
        uses_chance: always,
        parameters: sample::CLUSTER_2007_PARAMETERS,
        make: |seed, parameters| {
            let near = ClustersNear::new(parameters);
            Box::new(Sampling::new("cluster-sample-2007", seed, parameters, near))
        },
    },
    Entry {
        name: "cluster-sample",
        idea: "a few pages of each cluster by features, then the clusters that change most",
        discovers: false,
        uses_chance: never,
        parameters: sample::CLUSTER_PARAMETERS,
        make: |_, parameters| Box::new(ClusterSample::new(parameters)),
    },
    Entry {
        name: "user-centric",
        idea: "the visits expected to do most for the answers that searchers get",
        discovers: false,
        uses_chance: never,
        parameters: user::CENTRIC_PARAMETERS,
        make: |_, parameters| Box::new(UserCentric::new(parameters)),
    },
    Entry {
        name: "user-centric-index",
        idea: "the visits that end the most loss to searchers, with its growth learned as it goes",
        discovers: false,
        uses_chance: never,
        parameters: user::INDEX_PARAMETERS,
        make: |seed, parameters| Box::new(UserCentricIndex::new(seed, parameters)),
    },
    Entry {
        name: "staleness-based",
        idea: "the frequencies at which most pages are fresh, by learned change rates",
        discovers: false,
        uses_chance: never,
        parameters: &[refresh::LARGER],
        make: |_, parameters| Box::new(Allocated::staleness_based(parameters)),
    },
    Entry {
        name: "embarrassment-based",
        idea: "the frequencies at which fewest searchers are shown pages that are no longer so",
        discovers: false,
        uses_chance: never,
        parameters: refresh::EMBARRASSMENT_PARAMETERS,
        make: |_, parameters| Box::new(Allocated::embarrassment_based(parameters)),
    },
    Entry {
        name: "age-based",
        idea: "the frequencies at which pages are stale for the shortest, by learned change rates",
        discovers: false,
        uses_chance: never,
        parameters: &[refresh::LARGER],
        make: |_, parameters| Box::new(Allocated::age_based(parameters)),
    },
    Entry {
        name: "predicted",
        idea: "the pages most likely to have changed, predicted from their past and that of related pages",
        discovers: false,
        uses_chance: refresh::predicted_uses_chance,
        parameters: predict::PARAMETERS,
        make: |seed, parameters| Box::new(Predicted::new(seed, parameters)),
    },
    Entry {
        name: "od-1",
        idea: "the pages that led to most new ones in the last full recrawl",
        discovers: true,
        uses_chance: never,
        parameters: discover::LAST_PARAMETERS,
        make: |_, parameters| Box::new(History::od_1(parameters)),
    },
    Entry {
        name: "od-win",
        idea: "the pages that led to most new ones in all full recrawls, older ones counting less",
        discovers: true,
        uses_chance: never,
        parameters: discover::WINDOW_PARAMETERS,
        make: |_, parameters| Box::new(History::od_win(parameters)),
    },
    Entry {
        name: "od-all",
        idea: "the pages that led to most new ones in all visits ever made, without full recrawls",
        discovers: true,
        uses_chance: never,
        parameters: discover::ALL_PARAMETERS,
        make: |_, parameters| Box::new(History::od_all(parameters)),
    },
    Entry {
        name: "cliq-1",
        idea: "of pages that led to the same new ones in the last full recrawl, the best",
        discovers: true,
        uses_chance: never,
        parameters: discover::CLIQUE_PARAMETERS,
        make: |_, parameters| Box::new(History::cliq_1(parameters)),
    },
    Entry {
        name: "cliq-win",
        idea: "the groups of the last full recrawl and the pages that ever led to new ones",
        discovers: true,
        uses_chance: never,
        parameters: discover::CLIQUE_WINDOW_PARAMETERS,
        make: |_, parameters| Box::new(History::cliq_win(parameters)),
    },
    Entry {
        name: "cov",
        idea: "the fewest pages that led to all new ones in the last full recrawl",
        discovers: true,
        uses_chance: never,
        parameters: discover::LAST_PARAMETERS,
        make: |_, parameters| Box::new(History::cov(parameters)),
    },
    Entry {
        name: "bandit",
        idea: "the pages expected to show most new ones, by rates drawn from what every visit taught",
        discovers: true,
        uses_chance: always,
        parameters: &[],
        make: |seed, _| Box::new(Bandit::new(seed)),
    },
    Entry {
        name: "breadth-first",
        idea: "what is new in the order it became known, then everything in turn",
        discovers: true,
        uses_chance: never,
        parameters: &[],
        make: |_, _| Box::new(BreadthFirst::default()),
    },
    Entry {
        name: "hub-interval",
        idea: "front pages, sitemaps and feeds at fixed intervals, then what is new, then the rest in turn",
        discovers: true,
        uses_chance: never,
        parameters: discover::HUB_PARAMETERS,
        make: |_, parameters| Box::new(HubInterval::new(parameters)),
    },
    Entry {
        name: "mix",
        idea: "one budget, shared by a policy that refreshes and one that discovers",
        discovers: true,
        uses_chance: never,
        parameters: mix::PARAMETERS,
        make: |seed, parameters| Box::new(Mix::new(seed, parameters)),
    },
];

/// The policy with this name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
