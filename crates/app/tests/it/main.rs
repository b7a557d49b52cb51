//! The program as a user meets it: every test runs the binary.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod advise;
mod bad_input;
mod browser;
mod budgets;
#[path = "../../../web/tests/it/certificates.rs"]
#[expect(dead_code, reason = "the tests of the web use more of it")]
mod certificates;
mod command_line;
mod common;
mod corpus;
mod crash;
mod demo;
mod discovery;
mod faults;
mod import_cdx;
mod import_warc;
mod lab_clusters;
mod lab_corpus;
mod lab_reproduce;
mod lab_run;
mod lacks;
mod limits;
mod live;
mod main_text;
mod nothing_silent;
mod old_files;
mod repair;
mod sampling;
mod search;
mod serve;
mod ways_in;
mod webhook;
mod weights;
mod what_is_visited;
mod why;
