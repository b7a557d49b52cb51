//! `sanderling lab import git`.
use clap::Args;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {}

pub(crate) fn git(_arguments: &Arguments) -> Result<(), Failure> {
    Err(Failure::Ours("not yet".into()))
}
