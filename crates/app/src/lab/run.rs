//! `sanderling lab run`: a tournament.
use std::path::PathBuf;

use clap::Args;
use lab::{report, tournament};

use super::{Cache, settings, without_bodies};
use crate::{failure::Failure, live::stop, output, progress::Bars, raw_settings::RawSettings};

/// The keys of an experiment file. Flags have dashes for underscores.
const KEYS: &[&str; 17] = &[
    "traces",
    "together",
    "synthetic",
    "interval",
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
    "weights",
];
/// The earlier name of a key still works.
const ALIASES: &[(&str, &str)] = &[("cycle", "interval")];

/// Every flag but the last three is also a key of the experiment file, with underscores for
/// dashes. A flag overrides the file. Commas separate the values of a list.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// An experiment file (TOML); flags override it
    experiment: Option<PathBuf>,
    /// Trace files or patterns such as traces/*.parquet
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Option<Vec<String>>,
    /// yes: join all traces into one web of many sites, whose windows start at the same time; no: each
    /// trace is a web [default: no]
    #[arg(long, value_name = "YES|NO")]
    together: Option<String>,
    /// Synthetic webs, each as KIND:PAGES:SEED:WEEKS; only KIND is required (`sanderling lab names` lists
    /// the kinds)
    #[arg(long, value_name = "WEBS")]
    synthetic: Option<String>,
    /// Time from the start of one cycle to the next, such as 12h, 1d, 1w, 2w [default: 1w]
    #[arg(long, visible_alias = "cycle", value_name = "TIME")]
    interval: Option<String>,
    /// Number of cycles [default: up to the end of each web]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cycles: Option<String>,
    /// Cycles at the start from which policies learn but which are not measured [default: 0]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    warm_up: Option<String>,
    /// Budgets: below 1 a share of the pages alive at the start, otherwise visits per cycle
    /// [default: 0.05,0.1,0.2]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    budgets: Option<String>,
    /// Policies and oracles by name, policies also with parameters as NAME:KEY=VALUE:KEY=VALUE
    /// [default: all policies, oracle-changes, oracle-freshness]
    #[arg(long, value_name = "NAMES")]
    policies: Option<String>,
    /// Seeds of policies that choose at random [default: 1]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    seeds: Option<String>,
    /// What counts as a change [default: digest]
    #[arg(long, value_name = "NAME")]
    detector: Option<String>,
    /// fixed: only pages alive at the start; growing: also follow links to new pages, whose first visits
    /// count against the budget [default: fixed]
    #[arg(long, value_name = "WHICH")]
    pages: Option<String>,
    /// synchronised: every page is held at the start; empty: only the `seed_urls` are known
    /// [default: synchronised]
    #[arg(long, value_name = "HOW")]
    start: Option<String>,
    /// URLs to start from if the start is empty
    #[arg(long, value_name = "URLS")]
    seed_urls: Option<String>,
    /// Query workload: a file (TSV: query, count), of which each web uses the queries that its pages
    /// answer; pseudo: made from titles, headings and links of each web; none [default: pseudo]
    #[arg(long, value_name = "FILE")]
    queries: Option<String>,
    /// Most queries per web [default: 2000]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    query_limit: Option<String>,
    /// yes: half of the queries measure search quality, the other half tells policies which words are
    /// popular; no: all queries do both [default: no]
    #[arg(long, value_name = "YES|NO")]
    query_halves: Option<String>,
    /// What pages are worth, for unified:value=weights: the start of URLs or a pattern with * for any text, and
    /// a weight, such as `https://docs.example.org/2.1/=3`
    #[arg(long, value_name = "URL=WEIGHT")]
    weights: Option<String>,
    /// The folder for results; a rerun with the same folder skips finished runs
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    cache: Cache,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Arguments {
    fn raw_settings(&self) -> Result<RawSettings, Failure> {
        let mut raw = match &self.experiment {
            Some(path) => RawSettings::from_file(path, KEYS, ALIASES)?,
            None => RawSettings::default(),
        };
        // A shell that expands a pattern gives several words, which are one list.
        let traces = self.traces.as_ref().map(|files| files.join(","));
        let flags = [
            &traces,
            &self.together,
            &self.synthetic,
            &self.interval,
            &self.cycles,
            &self.warm_up,
            &self.budgets,
            &self.policies,
            &self.seeds,
            &self.detector,
            &self.pages,
            &self.start,
            &self.seed_urls,
            &self.queries,
            &self.query_limit,
            &self.query_halves,
            &self.weights,
        ];
        for (key, value) in KEYS.iter().zip(flags) {
            raw.set_flag(key, value.as_deref());
        }
        Ok(raw)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let experiment = settings::experiment(&arguments.raw_settings()?)?;
    if !arguments.quiet {
        for note in without_bodies::notes(&experiment)? {
            eprintln!("note: {note}");
        }
    }
    let cache = arguments.cache.folder();
    let stop = stop::on_signal(|| {})?;
    let bars = Bars::new(arguments.quiet);
    let results = tournament::hold(&experiment, &arguments.out, &cache, &bars, &stop)?;
    bars.clear();
    let out = arguments.out.display();
    if results.webs.is_empty() {
        return Err(Failure::Interrupted(
            "the traces were not read to the end; repeat the command to continue".to_owned(),
        ));
    }
    if results.runs.len() < results.planned {
        return Err(Failure::Interrupted(format!(
            "{} of {} runs are finished and written to {out}; repeat the command to continue",
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
