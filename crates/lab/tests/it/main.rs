//! The lab from trace files to reports: importers, replay, metrics, oracles, tournaments.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod advice;
mod bench;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod dataset;
mod detectors;
mod discovery;
mod golden;
mod hindsight;
mod import_cdx;
mod import_git;
mod import_warc;
mod main_text;
mod measured;
mod no_peek;
mod notices;
mod old_files;
mod oracles;
mod paper_setting;
mod quality;
mod report;
mod report_queries;
mod summary;
mod synthetic;
mod together;
mod tournament;
mod trace;
mod trace_foreign;
mod worlds;
