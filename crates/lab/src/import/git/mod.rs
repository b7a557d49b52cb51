//! Makes a trace from the git repository of a published website: each commit is a publication.
//!
//! The first-parent history of one branch gives the successive states of the site. The committer
//! time is the time of change (the delay until the host publishes it is unknown). Commits whose
//! times run backwards are dropped, as few as possible; their changes appear with the next commit
//! that is kept. Changes after the last kept commit are not in the trace. If several commits have
//! the same time, only the last counts.
//!
//! The trace is exact: a page with a version above 1 MiB is left out completely, since skipping the
//! version would show old content as the live one.
//!
//! Memory: the states of all files without contents (about 100 bytes each), one body, and what the
//! [`TraceWriter`] holds. Contents are read in the order of the trace, so only ids need sorting.
mod address;
mod bodies;
mod changes;
mod log;
mod program;
mod rules;

use std::path::PathBuf;

use crawl::{Span, Time};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use self::address::Kind;
use self::changes::{Blob, Change, Changes};
use self::program::Git;
pub use self::rules::{PageList, Rules};
use super::ImportError;
use super::captured::written;
use crate::history::Window;
use crate::trace::{Row, TraceWriter};

/// The largest body that is kept, as in the project's own traces.
pub const MAX_BODY_BYTES: u64 = 1 << 20;

/// The default window: a year of weekly cycles.
pub const DEFAULT_WEEKS: u32 = 52;

/// The status of a page whose file was deleted.
const GONE: u16 = 404;

/// The place of a file that the rules leave out.
const LEFT_OUT: usize = usize::MAX;

/// What to import, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The repository, bare or not.
    pub repository: PathBuf,
    /// The branch that holds the published site; `None` for the one checked out.
    pub branch: Option<String>,
    /// The folder in the repository that is the site's top; empty for the whole.
    pub root: String,
    /// The address of the site's top.
    pub base: String,
    /// The window's start; `None` for `weeks` before the last commit.
    pub from: Option<Time>,
    /// The window's length.
    pub weeks: u32,
    /// A description of the origin; `None` for the repository's name.
    pub source: Option<String>,
    /// What to leave out.
    pub rules: Rules,
    /// The file to write.
    pub output: PathBuf,
}

/// The progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Commits of the window compared so far, and in all.
    Commits(usize, usize),
    /// Contents written so far, and in all.
    Bodies(usize, usize),
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The window of the trace.
    pub window: Window,
    /// Commits kept inside the window.
    pub commits: usize,
    /// Commits of the whole history dropped because their times run backwards.
    pub dropped: usize,
    /// The last commit kept. If it is long before the window's end, the history may continue
    /// elsewhere.
    pub last_commit: Time,
    /// Pages that existed at any time.
    pub pages: usize,
    /// Rows with a body.
    pub versions: usize,
    /// Rows without a body.
    pub vanished: usize,
    /// Pages left out because a version is larger than [`Rules::max_body`].
    pub too_large: usize,
    /// Bytes of all bodies together.
    pub bytes: u64,
}

/// Parses the value of `--from`: a date (midnight UTC) or RFC 3339.
///
/// # Errors
/// If it is neither.
pub fn instant(text: &str) -> Result<Time, ImportError> {
    let instant = text.parse::<Timestamp>().or_else(|_| {
        let midnight = text.parse::<Date>()?.to_zoned(TimeZone::UTC)?;
        Ok(midnight.timestamp())
    });
    match instant {
        Ok(instant) => Ok(Time::from_millis(instant.as_millisecond())),
        Err(source) => Err(ImportError::Date { text: text.to_owned(), source }),
    }
}

/// Makes the trace. `progress` is called repeatedly from this thread.
///
/// # Errors
///
/// If the repository cannot be read, has no pages in the window, or the trace cannot be written. No
/// file is left behind then.
pub fn import(
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, ImportError> {
    let base = address::base(&options.base)?;
    let root = address::root(&options.root)?;
    let git = Git::open(&options.repository)?;
    let rules = &options.rules;
    let tip = match &rules.commit {
        Some(commit) => log::commit(&git, commit)?,
        None => log::tip(&git, options.branch.as_deref())?,
    };
    let all = log::commits(&git, &tip)?;
    let length = all.len();
    let commits = log::in_order(all);
    let dropped = length - commits.len();
    let window = window(&git, options, &commits)?;
    let needed = log::within(&commits, window);
    let last_commit = needed.last().map_or(window.start, |commit| commit.at);
    let mut shown = needed.to_vec();
    for commit in &mut shown {
        commit.at = rules.published(commit.at, window);
    }
    shown.dedup_by(|later, earlier| {
        let same = later.at == earlier.at;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });

    let total = shown.len();
    let changes = Changes::collect(&git, &root, &shown, window.start, &mut |done| {
        progress(Progress::Commits(done, total));
    })?;
    if !changes.root_seen && !root.is_empty() {
        let top = git.text(&["ls-tree", "--name-only", "--full-tree", &tip])?;
        let known = log::listed(top.lines());
        return Err(ImportError::NoRoot { path: git.path().to_owned(), root, known });
    }
    let (plan, too_large) = plan(&git, &base, changes, rules)?;

    let metadata = [
        ("trace.weeks", options.weeks.to_string()),
        ("trace.branch", options.branch.clone().unwrap_or_else(|| "HEAD".to_owned())),
        ("trace.commit", tip),
        ("trace.root", root.clone()),
        ("trace.base", base),
        ("trace.max_body", rules.max_body.to_string()),
        ("trace.coalesce_s", (rules.coalesce.unwrap_or_default().millis() / 1000).to_string()),
        ("trace.date", "committer".to_owned()),
        ("trace.tool", concat!("sanderling lab import git ", env!("CARGO_PKG_VERSION")).to_owned()),
    ];
    let source = options.source.clone().unwrap_or_else(|| name(&git));
    let writer = TraceWriter::create(&options.output, window, &source, &metadata)?;
    let empty = Summary {
        window,
        commits: needed.len() - 1,
        dropped,
        last_commit,
        pages: 0,
        versions: 0,
        vanished: 0,
        too_large,
        bytes: 0,
    };
    let (writer, summary) = write(&git, &plan, writer, empty, progress)?;
    if summary.pages == 0 {
        return Err(ImportError::NoPages { path: git.path().to_owned(), root });
    }
    writer.finish()?;
    Ok(summary)
}

/// The requested window, checked against the history.
fn window(git: &Git, options: &Options, commits: &[log::Commit]) -> Result<Window, ImportError> {
    let path = || git.path().to_owned();
    let (Some(first), Some(last)) = (commits.first(), commits.last()) else {
        return Err(ImportError::NoCommits { path: path() });
    };
    let length = Span::from_days(7).times(i64::from(options.weeks));
    let start = options
        .from
        .unwrap_or_else(|| Time::from_millis(last.at.millis().saturating_sub(length.millis())));
    let end = Time::from_millis(start.millis().saturating_add(length.millis()));
    let possible = [start, end].map(|time| Timestamp::from_millisecond(time.millis()).is_ok());
    if options.weeks == 0 || possible != [true, true] {
        return Err(ImportError::Weeks { weeks: options.weeks });
    }
    if first.at > start {
        let weeks = (last.at - first.at).millis() / Span::from_days(7).millis();
        let (first, start) = (written(first.at), written(start));
        return Err(ImportError::TooEarly { path: path(), first, start, weeks });
    }
    if !commits.iter().any(|commit| start < commit.at && commit.at <= end) {
        return Err(ImportError::NoChanges {
            path: path(),
            start: written(start),
            end: written(end),
            first: written(first.at),
            last: written(last.at),
        });
    }
    Ok(Window { start, end })
}

/// A planned row, with its page; `blob` is `None` if the page vanished.
struct Planned {
    page: usize,
    at: Time,
    blob: Option<Blob>,
}

/// The planned rows, in the order of the trace.
struct Plan {
    /// Address and kind of each page, sorted.
    pages: Vec<(String, Kind)>,
    rows: Vec<Planned>,
}

/// Sorts the changes into the order of the trace. Drops changes without effect, and pages that are
/// too large, whose number is returned.
fn plan(
    git: &Git,
    base: &str,
    changes: Changes,
    rules: &Rules,
) -> Result<(Plan, usize), ImportError> {
    let Changes { paths, states: mut changes, .. } = changes;
    let mut sorted: Vec<&[u8]> = paths.iter().map(Vec::as_slice).collect();
    sorted.sort_unstable();
    // If a folder has both index files, `index.htm` keeps its file address.
    let has_rival = |path: &[u8]| {
        address::rival_index(path).is_some_and(|rival| sorted.binary_search(&&*rival).is_ok())
    };
    let mut files: Vec<(String, usize)> = paths
        .iter()
        .enumerate()
        .map(|(file, path)| {
            let as_folder = address::is_index(path) && !has_rival(path);
            (address::address(base, path, as_folder), file)
        })
        .collect();
    files.retain(|(url, file)| rules.admits(&paths[*file], url));
    files.sort_unstable();
    let mut rank = vec![LEFT_OUT; paths.len()];
    for (place, &(_, file)) in files.iter().enumerate() {
        rank[file] = place;
    }
    let kinds = files.iter().map(|&(_, file)| address::kind(&paths[file])).collect::<Vec<_>>();
    let pages: Vec<_> = files.into_iter().map(|(url, _)| url).zip(kinds).collect();

    changes.retain(|change| rank[change.file as usize] != LEFT_OUT);
    changes.sort_by_key(|change| (rank[change.file as usize], change.at));
    // A change of the mode only, or there and back at one instant, has no effect on readers.
    let same_page = |one: &Change, other: &Change| one.file == other.file;
    let mut rows: Vec<Planned> = Vec::with_capacity(changes.len());
    for (number, change) in changes.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &changes[before]);
        let before = before.filter(|before| same_page(before, change)).and_then(|b| b.blob);
        if before != change.blob {
            let page = rank[change.file as usize];
            rows.push(Planned { page, at: change.at, blob: change.blob });
        }
    }
    drop(changes);

    let mut blobs: Vec<Blob> = rows.iter().filter_map(|row| row.blob).collect();
    blobs.sort_unstable();
    blobs.dedup();
    let sizes = bodies::sizes(git, &blobs)?;
    let is_large =
        |blob: &Blob| blobs.binary_search(blob).is_ok_and(|place| sizes[place] > rules.max_body);
    let mut left_out = vec![false; pages.len()];
    for row in &rows {
        left_out[row.page] |= row.blob.as_ref().is_some_and(is_large);
    }
    rows.retain(|row| !left_out[row.page]);
    let known = |&(page, left_out): &(&(String, Kind), bool)| left_out && page.1 != Kind::Perhaps;
    let too_large = pages.iter().zip(left_out).filter(known).count();
    Ok((Plan { pages, rows }, too_large))
}

/// Writes the planned rows. A file without an extension is a page if its first version is.
fn write(
    git: &Git,
    plan: &Plan,
    mut writer: TraceWriter,
    mut summary: Summary,
    progress: &mut dyn FnMut(Progress),
) -> Result<(TraceWriter, Summary), ImportError> {
    let blobs: Vec<Blob> = plan.rows.iter().filter_map(|row| row.blob).collect();
    let mut rows = plan.rows.iter().peekable();
    // The page that rows are written for, and its media type if it is a page.
    let mut current: Option<(usize, Option<&'static str>)> = None;
    bodies::bodies(git, &blobs, |done, body| {
        if let Some(row) = rows.next() {
            let (url, kind) = &plan.pages[row.page];
            let mime = match current {
                Some((page, mime)) if page == row.page => mime,
                _ => {
                    let mime = match kind {
                        Kind::Page(mime) => Some(*mime),
                        Kind::Perhaps => address::sniffed(&body),
                        Kind::Other => None,
                    };
                    summary.pages += usize::from(mime.is_some());
                    mime
                }
            };
            current = Some((row.page, mime));
            if let Some(mime) = mime {
                summary.versions += 1;
                summary.bytes += body.len() as u64;
                writer.write(new_row(url, row.at, mime, Some(body)))?;
            }
            // A page cannot vanish before it exists, so every vanishing follows a body.
            while let Some(row) = rows.next_if(|row| row.blob.is_none()) {
                if let Some(mime) = mime {
                    summary.vanished += 1;
                    writer.write(new_row(url, row.at, mime, None))?;
                }
            }
        }
        progress(Progress::Bodies(done + 1, blobs.len()));
        Ok(())
    })?;
    Ok((writer, summary))
}

fn new_row(url: &str, at: Time, mime: &str, body: Option<Vec<u8>>) -> Row {
    let status = if body.is_some() { 200 } else { GONE };
    Row { url: url.to_owned(), at, status, mime: mime.to_owned(), body }
}

/// The name of the repository's folder. The remote's address is not used: it may contain a
/// password.
fn name(git: &Git) -> String {
    let name = git.path().file_name().unwrap_or_default().to_string_lossy();
    format!("git:{}", name.strip_suffix(".git").unwrap_or(&name))
}
