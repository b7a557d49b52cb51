//! Refresh policies: which held pages to visit again.
//!
//! First visits of linked pages come out of the same budget. Each file says where its policy puts them.
pub(crate) mod allocated;
pub(crate) mod change_ratio_index;
pub(crate) mod frequency;
pub(crate) mod freshness_index;
mod interval;
pub(crate) mod nutch_adaptive;
pub(crate) mod predicted;
pub(crate) mod random;
pub(crate) mod round_robin;
mod severity;
pub(crate) mod stormcrawler_adaptive;

pub use allocated::{Allocated, PageDemand};
pub use freshness_index::FreshnessIndex;
