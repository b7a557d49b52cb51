//! The lab: recorded and synthetic webs, their ground truth, metrics and tournaments.
//!
//! All ground truth is in this crate. `lab` depends on `policy`, so Cargo prevents policies from
//! using anything of this crate: no policy can see the future.
pub mod advice;
pub mod bench;
pub mod clusters;
pub mod compare;
pub mod corpus;
pub mod discovery;
pub mod grid;
pub mod hindsight;
pub mod history;
pub mod import;
pub mod inspect;
pub mod metric;
pub mod new_pages;
pub mod notices;
pub mod oracle;
mod profiles;
pub mod quality;
pub mod readings;
pub mod recorded;
pub mod replay;
pub mod report;
pub mod results;
pub mod rng;
pub mod summary;
pub mod synthetic;
pub mod tournament;
pub mod trace;
pub mod truth;
pub mod word_counts;
