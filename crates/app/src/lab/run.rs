//! `sanderling lab run`: a tournament.
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::Args;
use lab::{report, tournament};

use super::settings;
use crate::{failure::Failure, output, progress::Bars, written::Written};

/// Every key there is, as it is written in an experiment file; a flag has dashes for underscores.
const KEYS: &[&str] = &[
    "traces",
    "together",
    "synthetic",
    "cycle",
    "cycles",
    "warm_up",
    "budgets",
    "policies",
    "seeds",
    "detector",
    "pages",
    "start",
    "seed_urls",
    "queries",
    "query_limit",
    "query_halves",
];

/// Every flag but the last three is also a key of the experiment file, with underscores for
/// dashes; a flag overrules the file. Lists are separated by commas.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// An experiment file (TOML); what it does not say is as the flags say, or the default
    experiment: Option<PathBuf>,
    /// Trace files or patterns, such as traces/*.parquet, from the current folder
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Option<Vec<String>>,
    /// yes: all traces are one web of many sites, whose windows all begin at one instant; no: each
    /// is a web of its own [default: no]
    #[arg(long, value_name = "YES|NO")]
    together: Option<String>,
    /// Made-up webs, each as KIND:PAGES:SEED:WEEKS, of which only KIND is needed (kinds: see
    /// `sanderling lab names`)
    #[arg(long, value_name = "WEBS")]
    synthetic: Option<String>,
    /// Time from one cycle to the next, such as 12h, 1d, 1w, 2w [default: 1w]
    #[arg(long, value_name = "TIME")]
    cycle: Option<String>,
    /// Number of cycles [default: to the end of each web]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cycles: Option<String>,
    /// Cycles at the beginning that are learned from but not measured [default: 0]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    warm_up: Option<String>,
    /// Budgets: below 1 a share of the pages alive at the start, else visits per cycle
    /// [default: 0.05,0.1,0.2]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    budgets: Option<String>,
    /// Policies and oracles by name, policies also with parameters as NAME:KEY=VALUE:KEY=VALUE
    /// [default: all policies, oracle-changes, oracle-freshness]
    #[arg(long, value_name = "NAMES")]
    policies: Option<String>,
    /// Seeds of the policies that use chance [default: 1]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    seeds: Option<String>,
    /// What counts as a change [default: digest]
    #[arg(long, value_name = "NAME")]
    detector: Option<String>,
    /// fixed: only pages alive at the start; growing: links are followed, first visits are paid
    /// for [default: fixed]
    #[arg(long, value_name = "WHICH")]
    pages: Option<String>,
    /// synchronised: every page is held at the start; empty: only the `seed_urls` are known
    /// [default: synchronised]
    #[arg(long, value_name = "HOW")]
    start: Option<String>,
    /// Addresses to begin with when the start is empty
    #[arg(long, value_name = "URLS")]
    seed_urls: Option<String>,
    /// What is asked of the repository: a file of queries, each with a tab and its count, of which
    /// those are used that a web has answers to; pseudo: made from titles, headings and links of
    /// each web; none [default: pseudo]
    #[arg(long, value_name = "FILE")]
    queries: Option<String>,
    /// The most queries that are asked of a web [default: 2000]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    query_limit: Option<String>,
    /// yes: every other query is not asked and only tells policies which words are asked for most;
    /// no: all queries do both [default: no]
    #[arg(long, value_name = "YES|NO")]
    query_halves: Option<String>,
    /// The folder for results; a rerun with the same folder skips runs that are finished
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The folder where readings of traces are kept [default: `$SANDERLING_CACHE`, else
    /// ~/.cache/sanderling]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Arguments {
    fn written(&self) -> Result<Written, Failure> {
        let mut written = match &self.experiment {
            Some(path) => Written::in_file(path, KEYS)?,
            None => Written::default(),
        };
        // A shell that expands a pattern makes several words of it, which are one list.
        written.flag("traces", self.traces.as_ref().map(|files| files.join(",")).as_deref());
        written.flag("together", self.together.as_deref());
        written.flag("synthetic", self.synthetic.as_deref());
        written.flag("cycle", self.cycle.as_deref());
        written.flag("cycles", self.cycles.as_deref());
        written.flag("warm_up", self.warm_up.as_deref());
        written.flag("budgets", self.budgets.as_deref());
        written.flag("policies", self.policies.as_deref());
        written.flag("seeds", self.seeds.as_deref());
        written.flag("detector", self.detector.as_deref());
        written.flag("pages", self.pages.as_deref());
        written.flag("start", self.start.as_deref());
        written.flag("seed_urls", self.seed_urls.as_deref());
        written.flag("queries", self.queries.as_deref());
        written.flag("query_limit", self.query_limit.as_deref());
        written.flag("query_halves", self.query_halves.as_deref());
        Ok(written)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let experiment = settings::experiment(&arguments.written()?)?;
    let cache = super::cache_folder(arguments.cache.as_ref());
    let stop = stop_on_interrupt()?;
    let bars = Bars::new(arguments.quiet);
    let results = tournament::hold(&experiment, &arguments.out, &cache, &bars, &stop)?;
    bars.clear();
    let out = arguments.out.display();
    if results.webs.is_empty() {
        return Err(Failure::Interrupted(
            "while the traces were read; what was read is kept, and the same command goes on"
                .to_owned(),
        ));
    }
    if results.runs.len() < results.planned {
        return Err(Failure::Interrupted(format!(
            "{} of {} runs are finished and written to {out}; the same command goes on from there",
            results.runs.len(),
            results.planned
        )));
    }
    if !arguments.quiet {
        let (table, report) =
            (report::terminal::table(&results), arguments.out.join("report.html"));
        output::print(&format!(
            "{table}\nReport: {}\nTables: results.csv, cycles.csv, webs.csv and results.json in {out}",
            report.display()
        ))?;
    }
    Ok(())
}

/// A flag that is raised by the first interrupt; the second ends the process at once.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::Ours(format!("cannot listen for interrupts: {error}")))?;
    Ok(stop)
}
