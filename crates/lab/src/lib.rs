//! The lab: recorded and made-up webs, the truth about them, metrics and tournaments.
//!
//! Everything that knows the truth lives here. `lab` depends on `policy`, so Cargo itself forbids a
//! policy to name anything of this crate: no policy can peek.
pub mod clusters;
pub mod compare;
mod discovery;
pub mod grid;
pub mod hindsight;
pub mod history;
pub mod import;
pub mod inspect;
pub mod library;
mod measured;
pub mod metric;
pub mod news;
pub mod oracle;
mod prediction;
pub mod quality;
pub mod readings;
pub mod recorded;
pub mod replay;
pub mod report;
pub mod reproduce;
pub mod results;
mod rng;
pub mod summary;
pub mod synthetic;
pub mod tournament;
pub mod trace;
pub mod truth;
