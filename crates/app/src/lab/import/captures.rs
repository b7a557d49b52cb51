//! The flags that importers of captures share.
use std::path::PathBuf;

use clap::Args;
use lab::import::{git::instant, warc::Options};

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Start of the window: a date or an RFC 3339 time [default: the end of the first capture's day, in
    /// UTC]
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Length of the window [default: up to the end of the last capture's day]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=5_200))]
    weeks: Option<u32>,
    /// A description of the source [default: the names of the files]
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// The trace file to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl Flags {
    /// What to import from these files.
    pub(super) fn options(&self, files: &[PathBuf]) -> Result<Options, Failure> {
        Ok(Options {
            files: files.to_vec(),
            from: self.from.as_deref().map(instant).transpose()?,
            weeks: self.weeks,
            source: self.source.clone(),
            output: self.output.clone(),
        })
    }
}
