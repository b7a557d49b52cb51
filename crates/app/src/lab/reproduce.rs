//! `sanderling lab reproduce`: the experiments of a paper, its figures, and a verdict for each claim.
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use clap::Args;
use indicatif::ProgressBar;
use lab::{
    quality::Queries,
    reproduce::{
        self, Follower, Inputs, PAPERS, Part, Plan, WebKind, by_id, carry_out, judge, markdown,
        parse, terminal,
    },
    tournament::Watcher,
};

use super::{run::stop_on_interrupt, settings};
use crate::{failure::Failure, output, progress::Bars, written::Words};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A paper (dasgupta-2007, pandey-2005, radinsky-2013, tan-2007, tan-2010), or an experiment file of
    /// your own in the form of theirs
    #[arg(value_name = "PAPER|FILE")]
    paper: String,
    /// Trace files or patterns, such as traces/*.parquet; without any, only made-up webs are used
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Option<Vec<String>>,
    /// The folder for runs and the report; a rerun skips runs that are finished [default:
    /// out/PAPER]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder where readings of traces are kept [default: `$SANDERLING_CACHE`, else
    /// ~/.cache/sanderling]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Do only this part, such as figure-5
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
    /// One seed on few and small webs: shows how it works, not what holds
    #[arg(long)]
    quick: bool,
    /// A file of queries, each with a tab and its count, for parts that ask any [default: queries
    /// made from the titles, headings and links of each web]
    #[arg(long, value_name = "FILE")]
    queries: Option<String>,
    /// Also write the results as a page of Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn reproduce(arguments: &Arguments) -> Result<(), Failure> {
    let (name, plan) = plan(&arguments.paper)?;
    let out = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(name));
    let inputs = Inputs {
        traces: traces(arguments.traces.as_deref())?,
        out: out.clone(),
        cache: super::cache_folder(arguments.cache.as_ref()),
        queries: arguments.queries.as_deref().map(queries).transpose()?,
        is_quick: arguments.quick,
        part: arguments.part.clone(),
    };
    let stop = stop_on_interrupt()?;
    let progress = Progress::new(arguments.quiet);
    let done = carry_out(&plan, &inputs, &progress, &stop)?;
    progress.bars.clear();
    let Some(done) = done else {
        return Err(Failure::Interrupted(format!(
            "finished runs are kept in {}; the same command goes on from there",
            out.display()
        )));
    };
    let judged = judge(&done);
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    reproduce::write(&done, &judged, &date, &out)
        .map_err(|error| Failure::Ours(crate::failure::with_causes(&error)))?;
    if let Some(file) = &arguments.markdown {
        let page = markdown::page(&done, &judged, &date);
        fs::write(file, page).map_err(|error| {
            Failure::Ours(format!("{}: cannot be written: {error}", file.display()))
        })?;
    }
    if !arguments.quiet {
        let report = out.join("report.html");
        let table = terminal::table(&done, &judged);
        output::print(&format!("{table}\nReport: {}", report.display()))?;
    }
    Ok(())
}

/// The plan of a paper, or of a file; and what its results are called.
fn plan(word: &str) -> Result<(String, Plan), Failure> {
    if let Some(paper) = by_id(word) {
        let plan = parse(paper.experiment)
            .map_err(|error| Failure::Ours(format!("the experiments of {word}, {error}")))?;
        return Ok((word.to_owned(), plan));
    }
    let path = Path::new(word);
    if !path.exists() {
        let papers: Vec<&str> = PAPERS.iter().map(|paper| paper.id).collect();
        return Err(Failure::Input(format!(
            "{word}: neither a paper nor a file; papers are {}",
            papers.join(", ")
        )));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("{word}: cannot be read: {error}")))?;
    let plan = parse(&text).map_err(|error| Failure::Input(format!("{word}, {error}")))?;
    Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), plan))
}

fn traces(given: Option<&[String]>) -> Result<Vec<PathBuf>, Failure> {
    let words = given.unwrap_or_default().iter().flat_map(|word| word.split(','));
    let words = words.map(|word| word.trim().to_owned()).collect();
    settings::trace_files(&Words { place: "--traces".to_owned(), words })
}

fn queries(word: &str) -> Result<Queries, Failure> {
    // How many of them are asked is up to each part.
    settings::queries(word, usize::MAX).map_err(|why| Failure::Input(format!("--queries: {why}")))
}

/// Bars that say which part they are about.
struct Progress {
    bars: Bars,
    part: Mutex<String>,
    runs: Mutex<Option<ProgressBar>>,
}

impl Progress {
    fn new(quiet: bool) -> Self {
        Self { bars: Bars::new(quiet), part: Mutex::default(), runs: Mutex::default() }
    }
}

impl Follower for Progress {
    fn part(&self, part: &Part, kind: WebKind) {
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) =
            format!("{}, {kind}", part.name);
    }
}

impl Watcher for Progress {
    fn reading(&self, web: &str, rows: u64, of: u64) {
        self.bars.reading(web, rows, of);
    }

    fn begin(&self, runs: usize, finished_before: usize) {
        let part = self.part.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A part may hold several tournaments, one for each length of its cycles.
        self.bars.clear();
        let bar = self.bars.bar(&part, "runs", runs as u64);
        bar.set_length(runs as u64);
        bar.set_position(finished_before as u64);
        bar.reset_eta();
        *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn finished(&self, _web: &str) {
        if let Some(bar) = self.runs.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            bar.inc(1);
        }
    }
}
