//! `sanderling lab reproduce`: the experiments of a paper, its figures, and a verdict for each claim.
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use clap::Args;
use indicatif::ProgressBar;
use lab::{quality::Queries, tournament::Watcher};
use papers::{
    self, Follower, Inputs, PAPERS, Part, Plan, WebKind, by_id, carry_out, judge, markdown, parse,
    terminal,
};

use super::{Cache, settings};
use crate::{
    failure::{Failure, file_error},
    live::stop,
    output,
    progress::Bars,
    raw_settings::Words,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A paper (dasgupta-2007, pandey-2005, radinsky-2013, tan-2007, tan-2010), or your own experiment
    /// file in the same format
    #[arg(value_name = "PAPER|FILE")]
    paper: String,
    /// Trace files or patterns such as traces/*.parquet [default: only synthetic webs]
    #[arg(long, value_name = "FILES", num_args = 1..)]
    traces: Option<Vec<String>>,
    /// The folder for runs and the report; a rerun skips finished runs [default: out/PAPER]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    cache: Cache,
    /// Run only this part, such as figure-5
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
    /// One seed on a few small webs: a smoke test, not evidence
    #[arg(long)]
    quick: bool,
    /// Query workload (TSV: query, count) for parts that need one [default: queries made from the titles,
    /// headings and links of each web]
    #[arg(long, value_name = "FILE")]
    queries: Option<String>,
    /// Also write the results as Markdown
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
        cache: arguments.cache.folder(),
        queries: arguments.queries.as_deref().map(queries).transpose()?,
        is_quick: arguments.quick,
        part: arguments.part.clone(),
    };
    let stop = stop::on_signal(|| {})?;
    let progress = Progress::new(arguments.quiet);
    let done = carry_out(&plan, &inputs, &progress, &stop)?;
    progress.bars.clear();
    let Some(done) = done else {
        return Err(Failure::Interrupted(format!(
            "finished runs are kept in {}; repeat the command to continue",
            out.display()
        )));
    };
    let judged = judge(&done);
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    papers::write(&done, &judged, &date, &out)
        .map_err(|error| Failure::Internal(crate::failure::with_causes(&error)))?;
    if let Some(file) = &arguments.markdown {
        let page = markdown::page(&done, &judged, &date);
        fs::write(file, page)
            .map_err(|error| Failure::Internal(file_error("written", file, &error)))?;
    }
    if !arguments.quiet {
        let report = out.join("report.html");
        let table = terminal::table(&done, &judged);
        output::print(&format!("{table}\nReport: {}", report.display()))?;
    }
    Ok(())
}

/// The plan of a paper or a file, and the name of its results.
fn plan(word: &str) -> Result<(String, Plan), Failure> {
    if let Some(paper) = by_id(word) {
        let plan = parse(paper.experiment)
            .map_err(|error| Failure::Internal(format!("the experiments of {word}, {error}")))?;
        return Ok((word.to_owned(), plan));
    }
    let path = Path::new(word);
    if !path.exists() {
        let papers: Vec<&str> = PAPERS.iter().map(|paper| paper.id).collect();
        return Err(Failure::Input(format!(
            "{word}: not a paper and not a file; the papers are {}",
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
    // Each part has its own limit.
    settings::queries(word, usize::MAX).map_err(|why| Failure::Input(format!("--queries: {why}")))
}

/// Progress bars that name the part.
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
        // A part may hold several tournaments, one per interval.
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
