//! `sanderling lab list`.
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Trace files
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn list(arguments: &Arguments) -> Result<(), Failure> {
    let _ = &arguments.files;
    Err(Failure::Ours("not yet".into()))
}
