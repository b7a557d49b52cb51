//! The command line: one variant for each command.
use clap::{Parser, Subcommand};

use crate::{demo, failure::Failure, lab, live, logging::Logging, serve};

/// An incremental web crawler. Give it a fetch budget; it decides which pages to recrawl and where to
/// look for new ones.
///
/// `crawl` fetches a site into a data folder. `refresh` and `run` keep it fresh within the budget. `lab`
/// replays recorded websites to compare policies.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    logging: Logging,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 internal or I/O error; 2 bad input (flags, files, settings); 3 the data folder \
is in use; 4 not a Sanderling data folder, written by a newer version, or damaged; 5 the disk is full; 6 no \
page could be fetched; 7 done, but a seed gave nothing; 8 a part of the budget is left, but every host \
that it could be spent on must be left alone for now; 130 interrupted, finished work is kept.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Show everything on a changing web that this program serves itself
    Demo(demo::Arguments),
    /// Write a commented settings file
    Init(live::init::Arguments),
    /// Fetch pages into the data folder, following links from the seeds
    Crawl(Box<live::crawl::Arguments>),
    /// Recrawl once: spend one budget of visits as the policy decides
    Refresh(Box<live::refresh::Arguments>),
    /// Refresh at an interval until stopped
    Run(Box<live::run::Arguments>),
    /// Search the held pages
    Search(Box<live::search::Arguments>),
    /// Update the search index
    Index(live::index::Arguments),
    /// Serve a search page and an API
    Serve(Box<serve::Arguments>),
    /// Show what is held, its estimated freshness and the last cycles
    Status(live::status::Arguments),
    /// Explain one page: its changes, its impact, its next visit
    Why(live::why::Arguments),
    /// Export the log for other programs
    #[command(subcommand)]
    Export(Export),
    /// Check the whole data folder for consistency
    Verify(live::verify::Arguments),
    /// Replay recorded and synthetic webs to compare policies
    #[command(subcommand)]
    Lab(Lab),
}

#[derive(Debug, Subcommand)]
enum Export {
    /// Every observed change as a line of JSON, with digests and WARC positions
    Changes(live::export::Changes),
    /// The history of the crawl as a trace for the lab
    Trace(live::export::Trace),
    /// The query workload, limited to queries that held pages answer (TSV: query, frequency)
    Queries(live::queries::Queries),
}

#[derive(Debug, Subcommand)]
enum Lab {
    /// Run a tournament: policies x webs x budgets x seeds, as a table, CSV, JSON and HTML
    Run(Box<lab::run::Arguments>),
    /// Run the experiments of a paper, draw its figures and test its claims
    Reproduce(Box<lab::reproduce::Arguments>),
    /// Measure how well pages fall into clusters, with plots
    Clusters(lab::clusters::Arguments),
    /// Describe trace files
    List(lab::list::Arguments),
    /// Import a history recorded elsewhere as a trace
    #[command(subcommand)]
    Import(Import),
    /// List policies, oracles, metrics, detectors and kinds of synthetic webs
    Names(lab::names::Arguments),
}

#[derive(Debug, Subcommand)]
enum Import {
    /// From a git repository with a published website; each commit is one state of it
    Git(lab::import::Arguments),
    /// From captures in WARC files, found directly or by CDXJ indexes
    Warc(lab::import::warc::Arguments),
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.logging.start();
        match self.command {
            Command::Demo(arguments) => demo::demo(&arguments),
            Command::Init(arguments) => live::init::init(&arguments),
            Command::Crawl(arguments) => live::crawl::crawl(&arguments),
            Command::Refresh(arguments) => live::refresh::refresh(&arguments),
            Command::Run(arguments) => live::run::run(&arguments),
            Command::Search(arguments) => live::search::search(&arguments),
            Command::Index(arguments) => live::index::index(&arguments),
            Command::Serve(arguments) => serve::serve(&arguments),
            Command::Status(arguments) => live::status::status(&arguments),
            Command::Why(arguments) => live::why::why(&arguments),
            Command::Export(Export::Changes(arguments)) => live::export::changes(&arguments),
            Command::Export(Export::Trace(arguments)) => live::export::trace(&arguments),
            Command::Export(Export::Queries(arguments)) => live::queries::queries(&arguments),
            Command::Verify(arguments) => live::verify::verify(&arguments),
            Command::Lab(Lab::Run(arguments)) => lab::run::run(&arguments),
            Command::Lab(Lab::Reproduce(arguments)) => lab::reproduce::reproduce(&arguments),
            Command::Lab(Lab::Clusters(arguments)) => lab::clusters::clusters(&arguments),
            Command::Lab(Lab::List(arguments)) => lab::list::list(&arguments),
            Command::Lab(Lab::Import(Import::Git(arguments))) => lab::import::git(&arguments),
            Command::Lab(Lab::Import(Import::Warc(arguments))) => lab::import::warc(&arguments),
            Command::Lab(Lab::Names(arguments)) => lab::names::print(&arguments),
        }
    }
}
