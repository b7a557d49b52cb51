//! The program as a user meets it: every test runs the binary.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod browser;
mod budgets;
mod command_line;
mod common;
mod crash;
mod demo;
mod discovery;
mod import_warc;
mod lab_clusters;
mod lab_reproduce;
mod lab_run;
mod live;
mod main_text;
mod old_files;
mod sampling;
mod search;
mod serve;
mod weights;
mod why;
