//! The lab: recorded and made-up webs, the truth about them, metrics and tournaments.
//!
//! Everything that knows the truth lives here. `lab` depends on `policy`, so Cargo itself forbids a
//! policy to name anything of this crate: no policy can peek.
pub mod history;
pub mod metric;
pub mod results;
