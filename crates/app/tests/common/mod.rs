//! Runs the program as a user would.
#![allow(dead_code, reason = "each test file uses its own part of it")]

pub(crate) mod accessible;
pub(crate) mod chromium;
pub(crate) mod site;
pub(crate) mod tiny;

use std::{
    path::Path,
    process::{Command, Output},
};

/// The program, with its cache in a folder of its own.
pub(crate) fn sanderling(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sanderling"));
    command.current_dir(folder).env("SANDERLING_CACHE", folder.join("cache"));
    command
}

/// Runs it with these arguments, separated by blanks.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    sanderling(folder).args(arguments.split_whitespace()).output().expect("the program starts")
}

/// What it wrote to standard error.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
