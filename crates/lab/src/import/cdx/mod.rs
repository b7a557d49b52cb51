//! Makes a trace without bodies from the lists of captures that web archives publish: CDX and CDXJ.
//!
//! A list says of each capture the address, the time, the status and the digest of the payload. So a change
//! is another digest, whatever changed. As with WARC files, a row's `at` is the first capture that showed
//! the content and its `after` the last one that showed the previous one; what happened between two captures
//! was not seen.
//!
//! In place of a body, a row has the digest as text, and its media type is [`DIGEST_TYPE`]: pages have no
//! text and no links, and every detector finds a change where the digest differs. The metadata says so
//! (`trace.bodies` is `digests`).
//!
//! Memory: about 24 bytes for each capture, and each distinct address, digest and media type once.
mod listed;

use std::collections::BTreeMap;

use crawl::Time;

pub use super::captured::Options;

use self::listed::{Listed, Shown};
use super::ImportError;
use super::captured::{Change, Changes, source_name, window, written};
use super::warc::{CaptureError, Reason};
use crate::history::Window;
use crate::trace::gaps::Counter;
use crate::trace::{BODIES, CaptureTraceWriter, DIGEST_TYPE, DIGESTS, Gaps, Row};

/// The result of an import. Every capture is counted once: in `versions`, `vanished`, `unchanged` or
/// `skipped`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The window of the trace.
    pub window: Window,
    /// Lines that name a capture.
    pub captures: usize,
    /// Pages that existed at any time.
    pub pages: usize,
    /// Of these, the pages that existed at the window's start.
    pub pages_at_start: usize,
    /// Rows with a digest.
    pub versions: usize,
    /// Rows of pages that are gone.
    pub vanished: usize,
    /// Captures of the same digest as the previous capture.
    pub unchanged: usize,
    /// Captures that add nothing, by reason.
    pub skipped: BTreeMap<Reason, usize>,
    /// Lines that could not be read.
    pub malformed: usize,
    /// Descriptions of the first of them, each with its file and line.
    pub warnings: Vec<String>,
    /// The precision of change times; `None` if there are no changes.
    pub gaps: Option<Gaps>,
}

/// Makes the trace.
///
/// # Errors
/// If a file cannot be opened, nothing in the files can be read, no page exists in the window, or the trace
/// cannot be written. No file is left behind then. Malformed lines are not an error.
pub fn import(options: &Options) -> Result<Summary, ImportError> {
    let mut listed = Listed::default();
    for path in &options.files {
        listed.take(path)?;
    }
    listed.check(&options.files)?;
    listed.sort();
    let times = || listed.captures().iter().map(|capture| capture.at);
    let window = window(times, listed.count, options.from, options.weeks)?;
    let rows = plan(&mut listed, window);
    if rows.is_empty() {
        let (start, end) = (written(window.start), written(window.end));
        return Err(CaptureError::NoPages { start, end, too_large: 0 }.into());
    }
    let metadata = [
        ("trace.captures", listed.count.to_string()),
        (BODIES, DIGESTS.to_owned()),
        ("trace.date", "capture".to_owned()),
        ("trace.tool", concat!("sanderling lab import cdx ", env!("CARGO_PKG_VERSION")).to_owned()),
    ];
    let source = options.source.clone().unwrap_or_else(|| source_name("cdx", &options.files));
    let writer = CaptureTraceWriter::create(&options.output, window, &source, &metadata)?;
    write(&rows, listed, writer, window)
}

/// A row of a page.
type Planned = (u32, Change<Shown>);

/// The rows of all pages. Counts the captures that make none.
fn plan(listed: &mut Listed, window: Window) -> Vec<Planned> {
    let mut planned = vec![];
    let mut skipped: BTreeMap<Reason, usize> = BTreeMap::new();
    let mut unchanged = 0;
    for page in listed.captures().chunk_by(|one, other| one.page == other.page) {
        let mut skip = |reason, count| *skipped.entry(reason).or_default() += count;
        let mut seen: Vec<(Time, Shown)> = vec![];
        let mut before = None;
        for capture in page {
            let Some(shown) = capture.shown.or(before) else {
                skip(Reason::NoOriginal, 1);
                continue;
            };
            // A revisit without a digest shows the content that the page had before.
            if !shown.is_gone() {
                before = Some(shown);
            }
            if capture.at > window.end {
                skip(Reason::OutsideWindow, 1);
                continue;
            }
            // A page cannot show two contents at once: the last one read counts.
            if seen.pop_if(|(at, _)| *at == capture.at).is_some() {
                skip(Reason::SameInstant, 1);
            }
            seen.push((capture.at, shown));
        }
        let changes = Changes::new(&seen, window, Shown::is_gone, Shown::is_same);
        skip(Reason::NeverThere, changes.never_there);
        skip(Reason::OutsideWindow, changes.outside);
        unchanged += changes.unchanged;
        planned.extend(changes.rows.into_iter().map(|change| (page[0].page, change)));
    }
    for (reason, count) in skipped {
        listed.skip(reason, count);
    }
    listed.unchanged = unchanged;
    planned
}

/// Writes the rows, and counts them.
fn write(
    rows: &[Planned],
    listed: Listed,
    mut writer: CaptureTraceWriter,
    window: Window,
) -> Result<Summary, ImportError> {
    let (mut pages, mut pages_at_start, mut versions, mut vanished) = (0, 0, 0, 0);
    let mut gaps = Counter::new(window);
    let mut mime = String::new();
    let mut before = None;
    for &(page, Change { at, after, shown }) in rows {
        if before.replace(page) != Some(page) {
            pages += 1;
            pages_at_start += usize::from(at <= window.start);
        }
        let (status, body) = match shown {
            Shown::Content { digest, mime: kind, status } => {
                versions += 1;
                mime = typed(listed.mime(kind));
                (status, Some(listed.digest(digest).as_bytes().to_vec()))
            }
            // A page cannot vanish before it exists, so the media type is its own.
            Shown::Gone(status) => {
                vanished += 1;
                (status, None)
            }
        };
        gaps.add(at, after);
        let url = listed.url(page).to_owned();
        writer.write(Row { url, at, status, mime: mime.clone(), body }, after)?;
    }
    writer.finish()?;
    Ok(Summary {
        window,
        captures: listed.count,
        pages,
        pages_at_start,
        versions,
        vanished,
        unchanged: listed.unchanged,
        skipped: listed.skipped,
        malformed: listed.malformed,
        warnings: listed.warnings,
        gaps: gaps.gaps(),
    })
}

/// The media type of a digest that stands for a content of type `mime`.
fn typed(mime: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/+.-_".contains(&byte);
    if mime.is_empty() || !mime.bytes().all(plain) {
        return DIGEST_TYPE.to_owned();
    }
    format!("{DIGEST_TYPE}; of=\"{mime}\"")
}
