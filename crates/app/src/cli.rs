//! The command line: one variant for each command.
use clap::{Parser, Subcommand};

use crate::{failure::Failure, lab};

/// An incremental web crawler that spends a budget where it keeps search results freshest.
///
/// So far: the lab, which replays recorded websites under a budget and says how well each policy
/// would have kept them fresh.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 something of ours or of the machine failed; 2 bad input (flags, files, \
settings); 130 interrupted, what was finished is kept.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Replay recorded and made-up webs to compare policies
    #[command(subcommand)]
    Lab(Lab),
}

#[derive(Debug, Subcommand)]
enum Lab {
    /// Hold a tournament: policies x webs x budgets x seeds, as a table, CSV, JSON and HTML
    Run(Box<lab::run::Arguments>),
    /// Say what is in trace files
    List(lab::list::Arguments),
    /// Make a trace from history recorded elsewhere
    #[command(subcommand)]
    Import(Import),
    /// Name the policies, oracles, detectors, metrics and kinds of synthetic web there are
    Names,
}

#[derive(Debug, Subcommand)]
enum Import {
    /// From a git repository that holds a published website, each commit a publication
    Git(lab::import::Arguments),
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Lab(Lab::Run(arguments)) => lab::run::run(&arguments),
            Command::Lab(Lab::List(arguments)) => lab::list::list(&arguments),
            Command::Lab(Lab::Import(Import::Git(arguments))) => lab::import::git(&arguments),
            Command::Lab(Lab::Names) => lab::names::print(),
        }
    }
}
