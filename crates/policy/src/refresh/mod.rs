//! Refresh policies: which held pages to look at again.
//!
//! Pages only seen as links are first visits. Every policy here plans those too, because one budget
//! pays for both; its file says where they come in.
mod allocated;
mod change_ratio_index;
mod frequency;
mod freshness_index;
mod interval;
mod nutch_adaptive;
mod predicted;
mod random;
mod round_robin;
mod severity;
mod stormcrawler_adaptive;

pub use allocated::{Allocated, Told};
pub(crate) use allocated::{EMBARRASSMENT_PARAMETERS, LARGER};
pub(crate) use change_ratio_index::ChangeRatioIndex;
pub(crate) use frequency::Frequency;
pub use freshness_index::FreshnessIndex;
pub(crate) use freshness_index::{expected_worth, most_worth, unit_days};
pub(crate) use nutch_adaptive::NutchAdaptive;
pub(crate) use predicted::{Predicted, predicted_uses_chance, predicted_worth};
pub(crate) use random::Random;
pub(crate) use round_robin::RoundRobin;
pub(crate) use stormcrawler_adaptive::StormcrawlerAdaptive;
