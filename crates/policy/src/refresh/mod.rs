//! Refresh policies: which held pages to look at again.
//!
//! Pages only seen as links are first visits. Every policy here plans those too, because one budget
//! pays for both; its file says where they come in.
mod change_ratio_index;
mod frequency;
mod freshness_index;
mod interval;
mod nutch_adaptive;
mod random;
mod round_robin;
mod stormcrawler_adaptive;

pub(crate) use change_ratio_index::ChangeRatioIndex;
pub(crate) use frequency::Frequency;
pub use freshness_index::FreshnessIndex;
pub(crate) use nutch_adaptive::NutchAdaptive;
pub(crate) use random::Random;
pub(crate) use round_robin::RoundRobin;
pub(crate) use stormcrawler_adaptive::StormcrawlerAdaptive;
