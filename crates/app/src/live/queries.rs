//! `sanderling export queries`: what people ask for, as far as what is held can answer it.
use std::{
    collections::BTreeSet,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use clap::Args;
use flow::{
    Content, PageNo,
    relevance::{Profile, Statistics},
    words::Language,
    workload::{Filter, PreparedWorkload, PseudoQueries, Source, Workload},
};
use store::{QueryLog, View};
use web::Clock;

use super::{
    Reading,
    tally::{counted, grouped},
};
use crate::{failure::Failure, output, progress::Bars, settings::Settings};

/// What was asked this long ago counts half.
const HALF_LIFE_DAYS: f64 = 30.0;
/// With fewer different queries than this in it, a log does not tell yet what people look for.
const LEAST_LOGGED: usize = 50;
const DAY_MILLIS: i64 = 86_400_000;

#[derive(Debug, Args)]
pub(crate) struct Queries {
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Queries and how often each is asked [default: the search page's log, or pseudo-queries]
    #[arg(long = "queries", value_name = "FILE")]
    asked: Option<PathBuf>,
    /// Keep at most so many, the most frequent
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    limit: usize,
    /// Print nothing but errors beside the queries
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Writes the workload as lines of query, tab and frequency, which every command reads that takes a
/// file of queries.
pub(crate) fn queries(arguments: &Queries) -> Result<(), Failure> {
    let (mut settings, view) = arguments.reading.open()?;
    settings.queries = arguments.asked.clone().or(settings.queries);
    let held = Held::of(&settings.data, &view, arguments.quiet)?;
    let (workload, filter) = workload(&settings, &held, arguments.limit)?;
    let queries = workload.queries.iter().map(|query| (query.text.as_str(), query.frequency));
    let lines = Workload::to_tsv(&workload.source, queries);
    match &arguments.output {
        Some(path) => fs::write(path, &lines).map_err(|error| {
            Failure::Input(format!("{}: cannot be written: {error}", path.display()))
        })?,
        None => output::print(lines.trim_end())?,
    }
    if !arguments.quiet {
        eprintln!("{}", words(&workload.source, &filter));
    }
    Ok(())
}

/// The workload that holds for a data folder, filtered to what is held.
fn workload(
    settings: &Settings,
    held: &Held,
    limit: usize,
) -> Result<(PreparedWorkload, Filter), Failure> {
    let asked = match &settings.queries {
        Some(path) => Some(in_file(path)?),
        None => logged(&settings.data)?,
    };
    let languages = held.languages()?;
    let asked = match asked {
        Some(asked) => asked,
        None => held.pseudo_queries(limit)?,
    };
    let prepared = asked.prepare(&languages);
    let profiles = held.profiles(&prepared)?;
    let statistics = Statistics::of(prepared.vocabulary.len(), profiles.iter());
    let relevance = prepared.relevance(profiles.iter(), &statistics);
    Ok(prepared.filtered(&relevance, limit))
}

/// The queries in a file.
pub(super) fn in_file(path: &Path) -> Result<Workload, Failure> {
    let name = path.display().to_string();
    let bytes = fs::read(path)
        .map_err(|error| Failure::Input(format!("{name}: cannot be read: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| Failure::Input(format!("{name}: is not UTF-8: {error}")))?;
    Workload::from_tsv(&name, &text).map_err(|error| Failure::Input(error.to_string()))
}

/// What was asked on the search page, where that is enough to go by.
pub(super) fn logged(folder: &Path) -> Result<Option<Workload>, Failure> {
    let Some(log) = QueryLog::open_to_read(folder)? else { return Ok(None) };
    let today = Clock::real().now().millis().div_euclid(DAY_MILLIS);
    let days = log.days(today)?.into_iter();
    let days = days.map(|(age, query, count)| (f64::from(age), query, count as f64));
    let workload = Workload::from_days(days, HALF_LIFE_DAYS);
    Ok((workload.queries.len() >= LEAST_LOGGED).then_some(workload))
}

/// The held pages that can be found, read again from the archive as often as they are looked at.
struct Held<'a> {
    folder: &'a Path,
    pages: Vec<PageNo>,
    bars: Bars,
}

impl<'a> Held<'a> {
    fn of(folder: &'a Path, view: &View, quiet: bool) -> Result<Self, Failure> {
        let marks = view.marks()?.into_iter().filter(index::is_mark_findable);
        Ok(Self { folder, pages: marks.map(|mark| mark.page).collect(), bars: Bars::new(quiet) })
    }

    fn languages(&self) -> Result<Vec<Language>, Failure> {
        let found: BTreeSet<Language> =
            self.each("telling languages", Language::of)?.into_iter().collect();
        Ok(found.into_iter().collect())
    }

    fn profiles(&self, prepared: &PreparedWorkload) -> Result<Vec<Profile>, Failure> {
        self.each("looking for the words", |content| Profile::of(content, &prepared.vocabulary))
    }

    fn pseudo_queries(&self, limit: usize) -> Result<Workload, Failure> {
        let view = View::open(self.folder)?;
        let mut pseudo = PseudoQueries::default();
        let bar = self.bars.bar("collecting titles", "pages", self.pages.len() as u64);
        for &page in &self.pages {
            if let Some(content) = content(&view, page)? {
                pseudo.add(&content);
            }
            bar.inc(1);
        }
        self.bars.clear();
        Ok(pseudo.finish(limit, None))
    }

    /// What `look` sees of every page, in order.
    fn each<T: Send>(
        &self,
        what: &str,
        look: impl Fn(&Content) -> T + Sync,
    ) -> Result<Vec<T>, Failure> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let share = self.pages.len().div_ceil(threads).max(1);
        let (look, done) = (&look, AtomicU64::new(0));
        let bar = self.bars.bar(what, "pages", self.pages.len() as u64);
        let looked = thread::scope(|scope| {
            let workers: Vec<_> = self
                .pages
                .chunks(share)
                .map(|pages| {
                    let (bar, done) = (&bar, &done);
                    scope.spawn(move || -> Result<Vec<T>, Failure> {
                        let view = View::open(self.folder)?;
                        let mut seen = Vec::with_capacity(pages.len());
                        for &page in pages {
                            seen.extend(content(&view, page)?.as_deref().map(look));
                            bar.set_position(done.fetch_add(1, Ordering::Relaxed) + 1);
                        }
                        Ok(seen)
                    })
                })
                .collect();
            let mut all = vec![];
            for worker in workers {
                all.extend(worker.join().map_err(|_| Failure::Ours("a thread panicked".into()))??);
            }
            Ok(all)
        });
        self.bars.clear();
        looked
    }
}

/// Title and text of a page, as long as it is held.
fn content(view: &View, page: PageNo) -> Result<Option<std::sync::Arc<Content>>, Failure> {
    Ok(view.held(page)?.and_then(|held| held.snapshot.content))
}

/// Where the queries come from, and what was left out.
fn words(source: &Source, filter: &Filter) -> String {
    format!(
        "{}: {} asked, {} of them answered by a held page, {} relevant enough (the sum of TF-IDF is {:.3} or \
         more), {} kept",
        source,
        counted(filter.asked as u64, "query", "queries"),
        grouped(filter.answered as u64),
        grouped(filter.above_knee as u64),
        filter.threshold,
        grouped(filter.kept as u64),
    )
}
