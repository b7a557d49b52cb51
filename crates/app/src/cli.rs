//! The command line: one variant for each command.
use clap::{Parser, Subcommand};

use crate::{demo, failure::Failure, lab, live, serve};

/// An incremental web crawler that spends a budget where it keeps search results freshest.
///
/// `crawl` fetches a site into a data folder, `refresh` and `run` keep it fresh under a budget, `lab`
/// replays recorded websites and says which policy does that best.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 something of ours or of the machine failed; 2 bad input (flags, files, \
settings); 3 the data folder is in use; 4 the data folder is not ours, newer or damaged; 5 the disk is \
full; 6 not one page could be fetched; 130 interrupted, what was finished is kept.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Show everything on a changing web that lives inside this program
    Demo(demo::Arguments),
    /// Write a commented settings file
    Init(live::init::Arguments),
    /// Fetch pages into the data folder, following links from the seeds
    Crawl(Box<live::crawl::Arguments>),
    /// Spend one budget of visits where the policy says
    Refresh(Box<live::refresh::Arguments>),
    /// Refresh again and again, until a signal
    Run(Box<live::run::Arguments>),
    /// Find held pages by their text
    Search(Box<live::search::Arguments>),
    /// Bring the search index up to what is held
    Index(live::index::Arguments),
    /// Open a search page and an API over what is held
    Serve(Box<serve::Arguments>),
    /// Say what is held, how fresh it is believed to be, and what the budget bought
    Status(live::status::Arguments),
    /// Say what is believed of a page, and when and why it would be visited
    Why(live::why::Arguments),
    /// Write what was observed for other programs
    #[command(subcommand)]
    Export(Export),
    /// Read everything in the data folder and check that it agrees
    Verify(live::verify::Arguments),
    /// Replay recorded and made-up webs to compare policies
    #[command(subcommand)]
    Lab(Lab),
}

#[derive(Debug, Subcommand)]
enum Export {
    /// Every observed change as a line of JSON, with digests and places in the WARC files
    Changes(live::export::Changes),
    /// The crawl's own history as a trace for the lab
    Trace(live::export::Trace),
    /// What people ask for, as far as what is held can answer it: lines of query, tab, frequency
    Queries(live::queries::Queries),
}

#[derive(Debug, Subcommand)]
enum Lab {
    /// Hold a tournament: policies x webs x budgets x seeds, as a table, CSV, JSON and HTML
    Run(Box<lab::run::Arguments>),
    /// Run the experiments of a paper, draw its figures and judge its claims
    Reproduce(Box<lab::reproduce::Arguments>),
    /// Say how well the pages of webs fall into clusters, with plots
    Clusters(lab::clusters::Arguments),
    /// Say what is in trace files
    List(lab::list::Arguments),
    /// Make a trace from history recorded elsewhere
    #[command(subcommand)]
    Import(Import),
    /// Name the policies, oracles, detectors, metrics and kinds of synthetic web there are
    Names(lab::names::Arguments),
}

#[derive(Debug, Subcommand)]
enum Import {
    /// From a git repository that holds a published website, each commit a publication
    Git(lab::import::Arguments),
    /// From captures in WARC files, or named by CDXJ indexes
    Warc(lab::import::warc::Arguments),
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
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
