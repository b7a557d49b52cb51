//! `sanderling lab bench`: the benchmark, a frozen protocol on the recorded sites of the corpus.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use lab::{
    bench::{self, Entrant, Protocol},
    corpus::{self, Corpus, Publication},
    tournament::WebSource,
};
use serde_json::json;

use super::{Cache, settings};
use crate::{
    failure::{Failure, file_error},
    output,
    progress::Bars,
    raw_settings::Words,
};

/// The protocol says which sites, cycles, budgets and detectors count (docs/benchmark.md). It cannot be
/// changed here, so that tables of different people can be compared.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Trace files, or patterns such as 'traces/**/*.parquet'
    #[arg(long, value_name = "FILES", required = true, num_args = 1..)]
    traces: Vec<String>,
    /// Policies by name, with parameters as NAME:KEY=VALUE, separated by commas
    #[arg(long, value_name = "NAMES", default_value = "round-robin,unified")]
    policies: String,
    /// Also write the values of every site to this file (CSV)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print JSON instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cache: Cache,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn bench(arguments: &Arguments) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    let mut entrants = vec![];
    for text in arguments.policies.split(',').map(str::trim) {
        let entrant =
            Entrant::parse(text).map_err(|error| Failure::Input(format!("--policies: {error}")))?;
        if names.insert(entrant.name.clone()) {
            entrants.push(entrant);
        }
    }
    let corpus = Corpus::built_in()?;
    let words = Words { place: "--traces".to_owned(), words: arguments.traces.clone() };
    let traces = settings::trace_files(&words)?;
    // Most pages of a site that does not take part are those of another site.
    let takes_part = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        corpus.site(&name).is_none_or(|site| site.bench)
    };
    let (traces, set_aside): (Vec<PathBuf>, Vec<PathBuf>) =
        traces.into_iter().partition(takes_part);
    if traces.is_empty() {
        return Err(Failure::Input("--traces: none of the files takes part".to_owned()));
    }
    let cache = arguments.cache.folder();
    let bars = Bars::new(arguments.quiet);
    let mut notes = notes(&corpus, &traces, &cache, &bars)?;
    notes.extend(
        set_aside
            .iter()
            .map(|path| format!("not part of the benchmark, left out: {}", path.display())),
    );
    let webs: Vec<WebSource> = traces.into_iter().map(WebSource::Trace).collect();
    let scores = Protocol::V1.run(&webs, &entrants, &cache, &bars)?;
    bars.clear();
    if let Some(path) = &arguments.csv {
        fs::write(path, bench::csv(&scores))
            .map_err(|error| Failure::Input(file_error("written", path, &error)))?;
    }
    if arguments.json {
        let mut scores = bench::json(&scores);
        scores["corpus"] = json!(notes);
        return output::print(&format!("{scores:#}"));
    }
    let notes: Vec<String> = notes.iter().map(|note| format!("\nCorpus: {note}")).collect();
    let notes = notes.concat();
    output::print(&format!("{}\n{notes}", bench::table(&scores)))
}

/// How the traces compare with the corpus: all as published, or which are not, are missing or unknown.
fn notes(
    corpus: &Corpus,
    traces: &[PathBuf],
    cache: &Path,
    bars: &Bars,
) -> Result<Vec<String>, Failure> {
    let mut here = BTreeSet::new();
    let (mut as_published, mut other, mut unknown) = (0, vec![], vec![]);
    for (number, path) in traces.iter().enumerate() {
        bars.bar("checking", "traces", traces.len() as u64).set_position(number as u64);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match corpus::verify(corpus, path, cache)? {
            Publication::AsPublished => as_published += 1,
            Publication::Other { .. } => other.push(name.clone()),
            Publication::NotOfTheCorpus => unknown.push(name.clone()),
        }
        here.insert(name);
    }
    let expected = corpus.sites.iter().filter(|site| site.bench);
    let missing: Vec<String> =
        expected.map(|site| site.name.clone()).filter(|name| !here.contains(name)).collect();
    let mut notes = vec![format!("{as_published} of {} traces are as published", traces.len())];
    for (what, names) in [
        ("not as published", other),
        ("not of the corpus", unknown),
        ("sites of the benchmark that are missing", missing),
    ] {
        if !names.is_empty() {
            notes.push(format!("{} {what}: {}", names.len(), names.join(", ")));
        }
    }
    Ok(notes)
}
