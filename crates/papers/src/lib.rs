//! Reproductions of papers: their experiments, their figures and a verdict for every claim.
//!
//! Every paper is a folder (`tan_2007/`) with its claims, its analyses and its experiment file, and
//! a line in [`PAPERS`]. An experiment file becomes a [`Plan`]; [`carry_out`] runs it and keeps
//! finished runs as a tournament does; [`judge()`] judges every claim of the [`Paper`] by the
//! [`Evidence`]; [`html`], [`markdown`], [`json`] and [`terminal`] print the result.
mod analysis;
mod budget_needed;
mod by_seed;
mod draw;
mod evidence;
mod file;
mod judge;
mod paper;
mod plan;
mod range;
mod report;
mod repositories;
mod reproduction;
mod rules;
pub mod sample;
pub mod significance;
mod verdict;

mod dasgupta_2007;
mod pandey_2005;
mod radinsky_2013;
mod tan_2007;
mod tan_2010;

pub use lab::report::figure;

pub use crate::{
    analysis::{Analysis, Context, Memo, WebFilter},
    draw::figure,
    evidence::{Evidence, Measured, Query},
    file::{FileError, parse},
    judge::{Judged, Tally, judge, tallies, tallies_of_parts},
    paper::{Claim, PAPERS, Paper, analysis, by_id},
    plan::{Axis, LabelledPolicy, Part, Plan, Repositories, Runs, WebKind, Work, World},
    report::{html, json, markdown, terminal, write},
    reproduction::{Follower, Inputs, ReproduceError, Reproduction, carry_out},
    verdict::{Outcome, RULES, SubClaim, Tests, Verdict},
};
