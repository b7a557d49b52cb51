//! `sanderling export queries`: the query workload, limited to queries that held pages answer.
use std::{
    collections::BTreeSet,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use clap::Args;
use crawl::{Content, PageNo};
use store::{QueryLog, View};
use text::{
    relevance::{Profile, Statistics},
    words::Language,
    workload::{Filter, PreparedWorkload, PseudoQueries, Source, Workload},
};
use web::Clock;

use super::{
    FolderFlags,
    tally::{counted, grouped},
};
use crate::{failure::Failure, output, progress::Bars, settings::Settings};

/// A query counts half after this time.
const HALF_LIFE_DAYS: f64 = 30.0;
/// A log with fewer different queries is too small to be a workload.
const LEAST_LOGGED: usize = 50;
const DAY_MILLIS: i64 = 86_400_000;

#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "fields are named as their flags")]
pub(crate) struct Queries {
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Query workload (TSV: query, count) [default: the query log of the search page once it has 50
    /// different queries, otherwise pseudo-queries made from titles, headings and links]
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Keep at most this many, the most frequent ones
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    limit: usize,
    /// Print only the queries and errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

/// Writes the workload as TSV. Every command with `--queries` can read it.
pub(crate) fn queries(arguments: &Queries) -> Result<(), Failure> {
    let (mut settings, view) = arguments.folder.open()?;
    settings.queries = arguments.queries.clone().or(settings.queries);
    let held = HeldPages::new(&settings.data, &view, arguments.quiet)?;
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

/// The workload of a data folder, limited to queries that held pages answer.
fn workload(
    settings: &Settings,
    held: &HeldPages<'_>,
    limit: usize,
) -> Result<(PreparedWorkload, Filter), Failure> {
    let known = match &settings.queries {
        Some(path) => Some(read_file(path)?),
        None => read_log(&settings.data)?,
    };
    let languages = held.languages()?;
    let workload = match known {
        Some(workload) => workload,
        None => held.pseudo_queries(limit)?,
    };
    let prepared = workload.prepare(&languages);
    let profiles = held.profiles(&prepared)?;
    let statistics = Statistics::from_profiles(prepared.vocabulary.len(), profiles.iter());
    let relevance = prepared.relevance(profiles.iter(), &statistics);
    Ok(prepared.filtered(&relevance, limit))
}

/// Reads a workload from a file.
pub(super) fn read_file(path: &Path) -> Result<Workload, Failure> {
    let name = path.display().to_string();
    let bytes = fs::read(path)
        .map_err(|error| Failure::Input(format!("{name}: cannot be read: {error}")))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| Failure::Input(format!("{name}: invalid UTF-8: {error}")))?;
    Workload::from_tsv(&name, &text).map_err(|error| Failure::Input(error.to_string()))
}

/// Reads the workload from the query log; `None` if the log is too small.
pub(super) fn read_log(folder: &Path) -> Result<Option<Workload>, Failure> {
    let Some(log) = QueryLog::open_to_read(folder)? else { return Ok(None) };
    let today = Clock::real().now().millis().div_euclid(DAY_MILLIS);
    let days = log.days(today)?.into_iter();
    let days = days.map(|(age, query, count)| (f64::from(age), query, count as f64));
    let workload = Workload::from_days(days, HALF_LIFE_DAYS);
    Ok((workload.queries.len() >= LEAST_LOGGED).then_some(workload))
}

/// The held pages that can be found. Each pass reads them again from the archive.
struct HeldPages<'a> {
    folder: &'a Path,
    pages: Vec<PageNo>,
    bars: Bars,
}

impl<'a> HeldPages<'a> {
    fn new(folder: &'a Path, view: &View, quiet: bool) -> Result<Self, Failure> {
        let found = view.held_digests()?.into_iter().filter(index::is_digest_indexable);
        Ok(Self { folder, pages: found.map(|held| held.page).collect(), bars: Bars::new(quiet) })
    }

    fn languages(&self) -> Result<Vec<Language>, Failure> {
        let found: BTreeSet<Language> =
            self.each("detecting languages", Language::detect)?.into_iter().collect();
        Ok(found.into_iter().collect())
    }

    fn profiles(&self, prepared: &PreparedWorkload) -> Result<Vec<Profile>, Failure> {
        self.each("counting words", |content| Profile::from_content(content, &prepared.vocabulary))
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

    /// Maps every page, in order.
    fn each<T: Send>(
        &self,
        what: &str,
        map: impl Fn(&Content) -> T + Sync,
    ) -> Result<Vec<T>, Failure> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let share = self.pages.len().div_ceil(threads).max(1);
        let (map, done) = (&map, AtomicU64::new(0));
        let bar = self.bars.bar(what, "pages", self.pages.len() as u64);
        let mapped = thread::scope(|scope| {
            let workers: Vec<_> = self
                .pages
                .chunks(share)
                .map(|pages| {
                    let (bar, done) = (&bar, &done);
                    scope.spawn(move || -> Result<Vec<T>, Failure> {
                        let view = View::open(self.folder)?;
                        let mut found = Vec::with_capacity(pages.len());
                        for &page in pages {
                            found.extend(content(&view, page)?.as_deref().map(map));
                            bar.set_position(done.fetch_add(1, Ordering::Relaxed) + 1);
                        }
                        Ok(found)
                    })
                })
                .collect();
            let mut all = vec![];
            for worker in workers {
                all.extend(
                    worker.join().map_err(|_| Failure::Internal("a thread panicked".into()))??,
                );
            }
            Ok(all)
        });
        self.bars.clear();
        mapped
    }
}

/// Title and text of a page, if it is still held.
fn content(view: &View, page: PageNo) -> Result<Option<std::sync::Arc<Content>>, Failure> {
    Ok(view.held(page)?.and_then(|held| held.snapshot.content))
}

/// The source of the queries, and how many were dropped.
fn words(source: &Source, filter: &Filter) -> String {
    format!(
        "{}: {}, {} of them answered by a held page, {} relevant enough (sum of TF-IDF at least {:.3}), {} kept",
        source,
        counted(filter.queries as u64, "query", "queries"),
        grouped(filter.answered as u64),
        grouped(filter.above_knee as u64),
        filter.threshold,
        grouped(filter.kept as u64),
    )
}
