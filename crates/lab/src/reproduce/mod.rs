//! Papers reproduced: their experiments run, their figures drawn, a verdict for every claim.
//!
//! An experiment file (`lab/experiments/tan-2007.toml`) becomes a [`Plan`]; [`carry_out`] runs it and
//! keeps finished runs as a tournament does; [`judge()`] asks the [`Evidence`] for every claim of the
//! [`Paper`]; `html`, `markdown`, `json` and `terminal` print what came out.
mod claims;
mod discovery;
mod draw;
mod evidence;
mod examples;
mod excerpt;
pub mod figure;
mod file;
pub mod html;
pub mod json;
mod judge;
pub mod markdown;
mod needed;
mod neighbourhood;
mod paper;
mod plan;
mod predict;
mod prediction;
mod range;
mod rules;
pub mod sample;
mod searched;
pub mod significance;
mod survey;
pub mod terminal;
mod verdict;
mod work;

use std::{io::Write, path::Path};

use crate::report::{ReportError, write_whole};

pub use self::{
    draw::figure,
    evidence::{Evidence, Measured, Pick},
    file::{FileError, parse},
    judge::{Judged, judge, tally},
    paper::{Claim, PAPERS, Paper, by_id},
    plan::{Axis, Clustered, Entry, Part, Plan, Runs, SURVEYS, Survey, Surveyed, WebKind, Work},
    verdict::{Outcome, Piece, RULES, Tests, Verdict},
    work::{Follower, Inputs, ReproduceError, Reproduction, carry_out},
};

/// Writes `report.html` and `reproduce.json` into `folder`, which is made where it is missing. Each
/// file appears whole or not at all.
///
/// # Errors
/// If the folder or a file cannot be written.
pub fn write(
    reproduction: &Reproduction,
    judged: &[Judged],
    date: &str,
    folder: &Path,
) -> Result<(), ReportError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| ReportError::Write { path: folder.to_owned(), source })?;
    write_whole(folder, "report.html", |mut file| {
        file.write_all(html::html(reproduction, judged, date).as_bytes())
    })?;
    let document = json::document(reproduction, judged, date);
    write_whole(folder, "reproduce.json", |mut file| writeln!(file, "{document:#}"))
}
