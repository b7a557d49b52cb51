//! `sanderling lab clusters`: how well the pages of webs fall into clusters.
use std::{fs, path::PathBuf};

use clap::Args;
use lab::clusters::{self, By, WebClusters};
use learn::cluster::Options;

use super::{Cache, settings};
use crate::{
    failure::{Failure, file_error},
    output,
    progress::Bars,
    raw_settings::RawSettings,
};

/// Up to twice the number that the papers use.
const DEFAULT_COUNTS: &str = "1,2,5,10,25,50,75,100,150,200";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Trace files or patterns such as traces/*.parquet
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Option<Vec<String>>,
    /// Synthetic webs, each as KIND:PAGES:SEED:WEEKS
    #[arg(long, value_name = "WEBS")]
    synthetic: Option<String>,
    /// yes: join all traces into one web of many sites [default: no]
    #[arg(long, value_name = "YES|NO")]
    together: Option<String>,
    /// What to cluster pages by: content (words), url (words), features [default: all three]
    #[arg(long, value_name = "WHAT")]
    by: Option<String>,
    /// Numbers of clusters
    #[arg(long, value_name = "NUMBERS", default_value = DEFAULT_COUNTS)]
    counts: String,
    /// Folds of the cross-validation
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// Number of clusters whose sizes are compared with those of sites
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    clusters: u32,
    /// Restarts per bisection
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100))]
    restarts: u8,
    /// Also write a report with plots (HTML) to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    cache: Cache,
    /// Print JSON, one object for each web
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn clusters(arguments: &Arguments) -> Result<(), Failure> {
    let mut raw = RawSettings::default();
    raw.set_flag("traces", arguments.traces.as_ref().map(|files| files.join(",")).as_deref());
    raw.set_flag("synthetic", arguments.synthetic.as_deref());
    raw.set_flag("together", arguments.together.as_deref());
    let experiment = settings::experiment(&raw)?;
    let options = clusters::ClusterSettings {
        by: by(arguments.by.as_deref())?,
        counts: counts(&arguments.counts)?,
        folds: usize::from(arguments.folds),
        options: Options {
            clusters: arguments.clusters as usize,
            restarts: usize::from(arguments.restarts),
            ..Options::default()
        },
    };
    let cache = arguments.cache.folder();
    let bars = Bars::new(arguments.quiet);
    let mut found = vec![];
    for (number, source) in experiment.webs.iter().enumerate() {
        let web = WebClusters::compute(source, &options, &cache, &bars)?;
        bars.clear();
        if arguments.json {
            output::print(&web.json().to_string())?;
        } else {
            let gap = if number > 0 { "\n" } else { "" };
            output::print(&format!("{gap}{}", web.text()))?;
        }
        found.push(web);
    }
    if let Some(file) = &arguments.out {
        fs::write(file, clusters::html(&found))
            .map_err(|error| Failure::Internal(file_error("written", file, &error)))?;
        if !arguments.json && !arguments.quiet {
            output::print(&format!("\nReport: {}", file.display()))?;
        }
    }
    Ok(())
}

fn by(word: Option<&str>) -> Result<Vec<By>, Failure> {
    let Some(words) = word else { return Ok(By::ALL.to_vec()) };
    let one = |word: &str| {
        let found = By::ALL.into_iter().find(|by| by.name().eq_ignore_ascii_case(word.trim()));
        found.ok_or_else(|| {
            Failure::Input(format!("--by: {word:?} is not one of content, url, features"))
        })
    };
    words.split(',').map(one).collect()
}

fn counts(words: &str) -> Result<Vec<usize>, Failure> {
    let one = |word: &str| {
        let number: Option<usize> = word.trim().parse().ok();
        number.filter(|number| (1..=10_000).contains(number)).ok_or_else(|| {
            Failure::Input(format!("--counts: {word:?} is not a whole number from 1 to 10000"))
        })
    };
    let mut counts: Vec<usize> = words.split(',').map(one).collect::<Result<_, _>>()?;
    counts.sort_unstable();
    counts.dedup();
    Ok(counts)
}
