//! The command line: one variant for each command.
use clap::{Parser, Subcommand};

use crate::{demo, describe, failure::Failure, lab, live, logging::Logging, serve};

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
    /// Serve a search page, a dashboard and an API
    Serve(Box<serve::Arguments>),
    /// Show what is held, its estimated freshness and the last cycles
    Status(live::status::Arguments),
    /// Explain one page: its changes, its impact, its next visit
    Why(live::why::Arguments),
    /// Advise: which policy fits this repository, and what a budget buys
    Advise(live::advise::Arguments),
    /// Export pages and the log for other programs
    #[command(subcommand)]
    Export(Export),
    /// Check the whole data folder for consistency
    Verify(live::verify::Arguments),
    /// Go on without what is damaged: note lost records, mend indexes, take back records after the log's end
    Repair(Box<live::repair::Arguments>),
    /// Print completions for a shell
    Completions(describe::Completions),
    /// Write manual pages
    Man(describe::Man),
    /// Replay recorded and synthetic webs to compare policies
    #[command(subcommand)]
    Lab(Lab),
}

#[derive(Debug, Subcommand)]
enum Export {
    /// What changed since a cursor: pages with their main text or Markdown, and deletions
    Corpus(live::corpus::Arguments),
    /// Every known page with its state and the counts of its visits, as JSON Lines or CSV
    Pages(live::pages::Arguments),
    /// Every observed change, with digests and WARC positions, as JSON Lines or CSV
    Changes(live::export::Changes),
    /// The history of the crawl as a trace for the lab
    Trace(live::export::Trace),
    /// The archive as one WACZ file, which ReplayWeb.page opens
    Wacz(live::wacz::Arguments),
    /// A copy of the data folder, also while a crawl runs
    Folder(live::copy::Arguments),
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
    /// Compare policies by the benchmark, a frozen protocol on the recorded sites of the corpus
    Bench(lab::bench::Arguments),
    /// Make the traces of the corpus from local git clones, and check whether they are as published
    Corpus(lab::corpus::Arguments),
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
    /// From the lists of captures that web archives publish (CDX, CDXJ); a trace without bodies
    Cdx(lab::import::cdx::Arguments),
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
            Command::Advise(arguments) => live::advise::advise(&arguments),
            Command::Export(Export::Corpus(arguments)) => live::corpus::corpus(&arguments),
            Command::Export(Export::Changes(arguments)) => live::export::changes(&arguments),
            Command::Export(Export::Pages(arguments)) => live::pages::pages(&arguments),
            Command::Export(Export::Trace(arguments)) => live::export::trace(&arguments),
            Command::Export(Export::Wacz(arguments)) => live::wacz::wacz(&arguments),
            Command::Export(Export::Folder(arguments)) => live::copy::folder(&arguments),
            Command::Export(Export::Queries(arguments)) => live::queries::queries(&arguments),
            Command::Verify(arguments) => live::verify::verify(&arguments),
            Command::Repair(arguments) => live::repair::repair(&arguments),
            Command::Completions(arguments) => describe::completions(&arguments),
            Command::Man(arguments) => describe::man(&arguments),
            Command::Lab(Lab::Run(arguments)) => lab::run::run(&arguments),
            Command::Lab(Lab::Reproduce(arguments)) => lab::reproduce::reproduce(&arguments),
            Command::Lab(Lab::Clusters(arguments)) => lab::clusters::clusters(&arguments),
            Command::Lab(Lab::Bench(arguments)) => lab::bench::bench(&arguments),
            Command::Lab(Lab::Corpus(arguments)) => lab::corpus::corpus(&arguments),
            Command::Lab(Lab::List(arguments)) => lab::list::list(&arguments),
            Command::Lab(Lab::Import(Import::Git(arguments))) => lab::import::git(&arguments),
            Command::Lab(Lab::Import(Import::Warc(arguments))) => lab::import::warc(&arguments),
            Command::Lab(Lab::Import(Import::Cdx(arguments))) => lab::import::cdx(&arguments),
            Command::Lab(Lab::Names(arguments)) => lab::names::print(&arguments),
        }
    }
}
