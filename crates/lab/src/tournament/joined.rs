//! Joins several traces to one web of many sites.
//!
//! The papers crawl one repository of many sites; our traces are of single sites in different
//! years. Times are shifted so that all windows begin at the same instant, and cut to the shortest
//! window. Addresses do not change. A repository has only some pages of each site.
use std::{path::PathBuf, sync::Arc};

use crawl::{Content, Link, LinkList, Snapshot, Span, Time};
use rustc_hash::FxHashMap;

use super::{Repository, TournamentError};
use crate::{
    compare::{Texts, TextsError},
    history::{History, PageHistory, Version, Window},
    readings::{CachedTrace, Progress, ReadingsError},
    trace::TraceReader,
};

/// The name of a web of all pages of all traces in results.
const NAME: &str = "together";

/// The traces of a joined web.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    /// Sorted by name, so that results do not depend on the order of the arguments.
    traces: Vec<CachedTrace>,
    left_out: Vec<LeftOut>,
    /// The name used in results.
    pub(super) name: String,
    /// The most pages of a trace; `None` for all.
    limit: Option<usize>,
}

/// A trace that was left out because another one has most of its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file.
    pub path: PathBuf,
    /// The name of the trace.
    pub name: String,
    /// The name of the trace that has most of its addresses.
    pub inside: String,
}

impl Joined {
    /// Opens the traces at `paths`, without those mostly contained in another.
    pub(super) fn open(
        paths: &[PathBuf],
        cache: &std::path::Path,
    ) -> Result<Self, TournamentError> {
        let (kept, left_out) = distinct_traces(paths)?;
        let mut traces: Vec<CachedTrace> = kept
            .iter()
            .map(|(path, _)| CachedTrace::open(path, cache))
            .collect::<Result<_, _>>()?;
        traces.sort_by_key(|trace| (trace.name(), trace.fingerprint));
        let mut first: FxHashMap<&str, &PathBuf> = FxHashMap::default();
        for (path, addresses) in &kept {
            for address in addresses {
                if let Some(other) = first.insert(address, path) {
                    return Err(TournamentError::SharedAddress {
                        address: address.clone(),
                        one: name_of(other),
                        other: name_of(path),
                    });
                }
            }
        }
        Ok(Self { traces, left_out, name: NAME.to_owned(), limit: None })
    }

    /// Opens the traces of a repository.
    pub(super) fn open_repository(
        repository: &Repository,
        cache: &std::path::Path,
    ) -> Result<Self, TournamentError> {
        let Repository { name, traces, pages } = repository;
        let open = |path: &PathBuf| CachedTrace::open(path, cache);
        let mut traces: Vec<CachedTrace> = traces.iter().map(open).collect::<Result<_, _>>()?;
        traces.sort_by_key(|trace| (trace.name(), trace.fingerprint));
        Ok(Self { traces, left_out: vec![], name: name.clone(), limit: Some(*pages) })
    }

    /// Identifies the web by the bytes of its traces.
    pub(super) fn fingerprint(&self) -> String {
        let each = self.traces.iter().map(|trace| format!("{:032x}", trace.fingerprint));
        let limit = self.limit.map_or_else(String::new, |limit| format!("{limit} pages "));
        format!("together {limit}{}", each.collect::<Vec<_>>().join(" "))
    }

    /// The common window: from the latest start, with the length of the shortest window.
    pub(super) fn window(&self) -> Window {
        let windows = || self.traces.iter().map(|trace| trace.window);
        let start = windows().map(|window| window.start).max().unwrap_or(Time::from_millis(0));
        let length = windows().map(|window| window.length().millis()).min().unwrap_or_default();
        Window { start, end: start + Span::from_millis(length) }
    }

    /// Reads the traces that are not in the cache.
    pub(super) fn read(&self, progress: &Progress<'_>) -> Result<(), TournamentError> {
        self.traces.iter().try_for_each(|trace| Ok(trace.read(progress)?))
    }

    /// Whether any page is alive at the start.
    pub(super) fn has_pages_at_start(&self) -> Result<bool, TournamentError> {
        for trace in &self.traces {
            if trace.has_pages_at_start()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The joined history, and the texts of its pages.
    pub(super) fn load(&self) -> Result<(History, Arc<dyn Texts>), TournamentError> {
        let window = self.window();
        let mut readings = vec![];
        let mut pages: Vec<(PageHistory, Place)> = vec![];
        let mut texts = vec![];
        for (number, trace) in self.traces.iter().enumerate() {
            let (history, of_trace) = trace.load()?;
            let (later, base) = (window.start - history.window.start, readings.len() as u32);
            texts.push((of_trace, base));
            let chosen = self.limit.map(|limit| chosen(&history, limit));
            readings.extend(shifted_readings(history.readings, later));
            for (page, found) in history.pages.into_iter().enumerate() {
                if chosen.as_ref().is_some_and(|chosen| !chosen[page]) {
                    continue;
                }
                let shifted = |version: Version| Version {
                    at: version.at + later,
                    reading: version.reading.map(|reading| reading + base),
                };
                let versions: Vec<Version> = found
                    .versions
                    .into_iter()
                    .map(shifted)
                    .take_while(|version| version.at <= window.end)
                    .collect();
                if !versions.is_empty() {
                    let address = found.address;
                    pages.push((PageHistory { address, versions }, Place { trace: number, page }));
                }
            }
        }
        // Stable, so that of a page of two traces the first is kept.
        pages.sort_by(|one, other| one.0.address.cmp(&other.0.address));
        pages.dedup_by(|later, first| later.0.address == first.0.address);
        let (pages, places) = pages.into_iter().unzip();
        let (name, source) = (self.name.clone(), self.describe());
        let history = History { name, source, window, pages, readings };
        Ok((history, Arc::new(JoinedTexts { texts, places })))
    }

    fn describe(&self) -> String {
        let names: Vec<String> = self.traces.iter().map(CachedTrace::name).collect();
        let limit =
            self.limit.map_or_else(String::new, |limit| format!(", at most {limit} pages of each"));
        let mut text = format!("{} traces as one web{limit}: {}", names.len(), names.join(", "));
        for LeftOut { name, inside, .. } in &self.left_out {
            text.push_str("; without ");
            text.push_str(name);
            text.push_str(", most of whose pages are in ");
            text.push_str(inside);
        }
        text
    }
}

/// By page, whether it is among the `limit` pages of a repository: of those alive at the start the
/// front page, then others in the order of a hash of their addresses.
fn chosen(history: &History, limit: usize) -> Vec<bool> {
    let is_alive = |page: &usize| history.pages[*page].reading(history.window.start).is_some();
    let mut alive: Vec<usize> = (0..history.pages.len()).filter(is_alive).collect();
    let address = |page: usize| history.pages[page].address.as_str();
    let front = alive.iter().copied().min_by_key(|&page| (address(page).len(), address(page)));
    let order = |page: usize| xxhash_rust::xxh3::xxh3_64(address(page).as_bytes());
    alive.sort_by_key(|&page| (Some(page) != front, order(page)));
    alive.truncate(limit);
    let mut chosen = vec![false; history.pages.len()];
    for page in alive {
        chosen[page] = true;
    }
    chosen
}

/// A trace file and its addresses, sorted.
type Addressed = (PathBuf, Vec<String>);

/// The trace files at `paths` with their addresses, without those that share more than half of
/// their addresses with a larger one: they record the same site, perhaps in another year. Of equal
/// traces the first is kept.
///
/// # Errors
/// If a trace cannot be read.
pub fn distinct_traces(paths: &[PathBuf]) -> Result<(Vec<Addressed>, Vec<LeftOut>), ReadingsError> {
    let mut all: Vec<Addressed> = vec![];
    for path in paths {
        all.push((path.clone(), addresses(path)?));
    }
    let holds = |outer: &[String], inner: &[String]| {
        let common = inner.iter().filter(|address| outer.binary_search(address).is_ok()).count();
        2 * common > inner.len()
    };
    let inside = |number: usize| {
        let inner = &all[number].1;
        let larger = |&(other, (_, outer)): &(usize, &Addressed)| {
            let may = outer.len() > inner.len() || (outer.len() == inner.len() && other < number);
            may && holds(outer, inner)
        };
        all.iter().enumerate().find(larger).map(|(_, (path, _))| name_of(path))
    };
    let outer: Vec<Option<String>> = (0..all.len()).map(inside).collect();
    let (mut kept, mut left_out) = (vec![], vec![]);
    for (one, inside) in all.into_iter().zip(outer) {
        match inside {
            None => kept.push(one),
            Some(inside) => left_out.push(LeftOut { name: name_of(&one.0), path: one.0, inside }),
        }
    }
    Ok((kept, left_out))
}

/// The addresses of a trace, in byte order.
fn addresses(path: &std::path::Path) -> Result<Vec<String>, ReadingsError> {
    let mut addresses: Vec<String> = vec![];
    for batch in TraceReader::open(path)?.heads()? {
        for head in batch? {
            // Rows are sorted by address.
            if addresses.last() != Some(&head.url) {
                addresses.push(head.url);
            }
        }
    }
    Ok(addresses)
}

fn name_of(path: &std::path::Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Shifts the dates of links by the same time as versions. Lists without dates stay shared.
fn shifted_readings(readings: Vec<Arc<Snapshot>>, later: Span) -> Vec<Arc<Snapshot>> {
    let mut lists: FxHashMap<u64, Arc<LinkList>> = FxHashMap::default();
    let mut shifted = |reading: Arc<Snapshot>| {
        if reading.links.links().iter().all(|link| link.date.is_none()) {
            return reading;
        }
        let list = lists.entry(reading.links.digest()).or_insert_with(|| {
            let later = |link: &Link| Link { date: link.date.map(|at| at + later), ..link.clone() };
            Arc::new(LinkList::new(reading.links.links().iter().map(later).collect()))
        });
        Arc::new(Snapshot { links: Arc::clone(list), ..reading.as_ref().clone() })
    };
    readings.into_iter().map(&mut shifted).collect()
}

/// The origin of a page of the joined history.
struct Place {
    trace: usize,
    page: usize,
}

/// The texts of all traces, by the page numbers of the joined history.
struct JoinedTexts {
    /// By trace: its texts, and the offset of its readings.
    texts: Vec<(Arc<dyn Texts>, u32)>,
    places: Vec<Place>,
}

impl Texts for JoinedTexts {
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        let Place { trace, page } = self.places[page];
        let (texts, base) = &self.texts[trace];
        let contents = texts.contents(page)?;
        Ok(contents.into_iter().map(|(reading, content)| (reading + base, content)).collect())
    }
}
