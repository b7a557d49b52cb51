//! `sanderling lab clusters`: how well the pages of webs fall into clusters.
use std::{fs, path::PathBuf};

use clap::Args;
use cluster::Options;
use lab::clusters::{self, By, WebClusters};

use super::settings;
use crate::{failure::Failure, output, progress::Bars, written::Written};

/// As many as the papers settle on, and twice as many.
const DEFAULT_COUNTS: &str = "1,2,5,10,25,50,75,100,150,200";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Trace files or patterns, such as traces/*.parquet
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Option<Vec<String>>,
    /// Made-up webs, each as KIND:PAGES:SEED:WEEKS
    #[arg(long, value_name = "WEBS")]
    synthetic: Option<String>,
    /// yes: all traces are one web of many sites [default: no]
    #[arg(long, value_name = "YES|NO")]
    together: Option<String>,
    /// What pages are clustered by: content (words), url (words), features [default: all three]
    #[arg(long, value_name = "WHAT")]
    by: Option<String>,
    /// Numbers of clusters
    #[arg(long, value_name = "NUMBERS", default_value = DEFAULT_COUNTS)]
    counts: String,
    /// Parts of the pages, each of which is left out once and put into the clusters of the others
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// Clusters whose sizes are compared with those of sites
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    clusters: u32,
    /// Beginnings from which each bisection is tried
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100))]
    restarts: u8,
    /// Also write a report with plots (HTML) to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The folder where readings of traces are kept [default: `$SANDERLING_CACHE`, else
    /// ~/.cache/sanderling]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Print JSON, one object for each web
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn clusters(arguments: &Arguments) -> Result<(), Failure> {
    let mut written = Written::default();
    written.flag("traces", arguments.traces.as_ref().map(|files| files.join(",")).as_deref());
    written.flag("synthetic", arguments.synthetic.as_deref());
    written.flag("together", arguments.together.as_deref());
    let experiment = settings::experiment(&written)?;
    let asked = clusters::Asked {
        by: by(arguments.by.as_deref())?,
        counts: counts(&arguments.counts)?,
        folds: usize::from(arguments.folds),
        options: Options {
            clusters: arguments.clusters as usize,
            restarts: usize::from(arguments.restarts),
            ..Options::default()
        },
    };
    let cache = super::cache_folder(arguments.cache.as_ref());
    let bars = Bars::new(arguments.quiet);
    let mut found = vec![];
    for (number, source) in experiment.webs.iter().enumerate() {
        let web = WebClusters::of(source, &asked, &cache, &bars)?;
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
        fs::write(file, clusters::html(&found)).map_err(|error| {
            Failure::Ours(format!("{}: cannot be written: {error}", file.display()))
        })?;
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
            Failure::Input(format!("--by: {word:?} is none of content, url, features"))
        })
    };
    words.split(',').map(one).collect()
}

fn counts(words: &str) -> Result<Vec<usize>, Failure> {
    let one = |word: &str| {
        let number: Option<usize> = word.trim().parse().ok();
        number.filter(|number| (1..=10_000).contains(number)).ok_or_else(|| {
            Failure::Input(format!("--counts: {word:?} is no whole number from 1 to 10000"))
        })
    };
    let mut counts: Vec<usize> = words.split(',').map(one).collect::<Result<_, _>>()?;
    counts.sort_unstable();
    counts.dedup();
    Ok(counts)
}
