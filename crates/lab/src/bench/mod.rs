//! The benchmark: a frozen protocol by which policies are compared on recorded sites.
//!
//! [`Protocol::V1`] says which sites, cycles, budgets, detectors and metrics count, so that numbers of
//! different people can stand in one table. [`Protocol::run`] takes any [`Policy`](crawl::Policy), also
//! one that is not part of this project. `docs/benchmark.md` describes it for its users.
mod gap;
mod outcome;
mod protocol;
mod report;

pub use self::{
    gap::{Gap, GapClosed, MARGIN},
    outcome::{Judged, SiteOutcome, play},
    protocol::{Entrant, Protocol, Scores, Table},
    report::{csv, json, table},
};
