//! Makes a trace from captures: WARC files, and CDXJ indexes of records in them.
//!
//! Captures show the web only at their instants. A row's `at` is the first capture that showed the
//! content, its `after` the last one that showed the previous content: the change happened in
//! between. Captures without evidence (redirects, server errors, truncated bodies) are ignored.
//! Captures of unchanged content narrow the gap.
//!
//! The window begins with the day (in UTC) after the first capture and ends with the day after the
//! last, so that all pages captured on the first day exist at its start.
//!
//! Memory: one record, and about 100 bytes for each capture and each distinct content. Files are
//! read once completely, then only the records whose contents become rows.
mod captures;
mod error;
mod examine;
mod index;
mod inputs;
mod payload;
mod plan;
mod scan;
mod spill;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rustc_hash::FxHashSet;
use warc::{self, Record};

pub use self::error::CaptureError;
pub use self::examine::Reason;
pub(super) use self::examine::is_there;
pub use super::captured::Options;

use self::captures::{Captures, Shown};
use self::inputs::Inputs;
use self::plan::Plan;
use self::spill::Spill;
use super::ImportError;
use super::captured::{source_name, window, written};
use crate::history::Window;
use crate::trace::gaps::Counter;
use crate::trace::{CaptureTraceWriter, Gaps, Row};

/// The largest body that is kept, as in traces made from git repositories.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// The number of damaged records that are described; the others are counted.
pub const MOST_WARNINGS: usize = 10;

/// The progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Bytes of WARC files read, and in all.
    Bytes(u64, u64),
    /// Records named by indexes read, and in all.
    Indexed(usize, usize),
    /// Rows written, and in all.
    Rows(usize, usize),
}

/// The result of an import. Every capture is counted once: in `versions`, `vanished`, `unchanged`
/// or `skipped`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The window of the trace.
    pub window: Window,
    /// Responses, revisits and resources in the files.
    pub captures: usize,
    /// Pages that existed at any time.
    pub pages: usize,
    /// Rows with a body.
    pub versions: usize,
    /// Rows without a body.
    pub vanished: usize,
    /// Captures of the same content as the previous capture.
    pub unchanged: usize,
    /// Captures that add nothing, by reason.
    pub skipped: BTreeMap<Reason, usize>,
    /// Pages left out because a version is larger than [`MAX_BODY_BYTES`].
    pub too_large: usize,
    /// Unreadable sections of WARC files and lines of indexes. A section is one damaged record or
    /// several in a row.
    pub damaged: usize,
    /// Descriptions of the first [`MOST_WARNINGS`] of them, each with its file and offset.
    pub warnings: Vec<String>,
    /// The precision of change times; `None` if there are no changes.
    pub gaps: Option<Gaps>,
    /// Bytes of all bodies together.
    pub bytes: u64,
}

/// Makes the trace. `progress` is called repeatedly from this thread.
///
/// # Errors
/// If an input has the wrong kind, no page exists in the window, or the trace cannot be written. No
/// file is left behind then. Damaged records are not an error.
pub fn import(
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, ImportError> {
    let inputs = Inputs::gather(&options.files)?;
    let mut captures = Captures::new(Spill::beside(&options.output));
    let whole = take_files(&inputs.warcs, &mut captures, progress)?;
    index::take(&inputs.indexes, &whole, &mut captures, &mut |done, of| {
        progress(Progress::Indexed(done, of));
    })?;
    captures.sort();
    let times = || captures.list().iter().map(|capture| capture.at);
    let window = window(times, captures.count, options.from, options.weeks)?;
    let plan = plan::plan(&mut captures, window);
    if plan.rows.is_empty() {
        let (start, end) = (written(window.start), written(window.end));
        return Err(CaptureError::NoPages { start, end, too_large: plan.too_large }.into());
    }
    let metadata = [
        ("trace.captures", captures.count.to_string()),
        ("trace.max_body", MAX_BODY_BYTES.to_string()),
        ("trace.date", "capture".to_owned()),
        (
            "trace.tool",
            concat!("sanderling lab import warc ", env!("CARGO_PKG_VERSION")).to_owned(),
        ),
    ];
    let source = options.source.clone().unwrap_or_else(|| source_name("warc", &options.files));
    let writer = CaptureTraceWriter::create(&options.output, window, &source, &metadata)?;
    write(&plan, captures, writer, window, progress)
}

/// Reads WARC files completely, and returns their paths.
fn take_files(
    paths: &[PathBuf],
    captures: &mut Captures,
    progress: &mut dyn FnMut(Progress),
) -> Result<FxHashSet<PathBuf>, ImportError> {
    let length = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let of: u64 = paths.iter().map(length).sum();
    let mut done = 0;
    let mut whole = FxHashSet::default();
    for path in paths {
        let file = captures.file(path.clone());
        scan::scan(path, &mut Taker { captures, file, done, of, progress })?;
        done += length(path);
        whole.insert(inputs::real(path)?);
    }
    Ok(whole)
}

/// Receives the records of one file.
struct Taker<'a> {
    captures: &'a mut Captures,
    file: u32,
    /// The bytes of the previous files.
    done: u64,
    of: u64,
    progress: &'a mut dyn FnMut(Progress),
}

impl scan::Taker for Taker<'_> {
    fn record(&mut self, record: Record, offset: u64) -> Result<(), ImportError> {
        (self.progress)(Progress::Bytes(self.done + offset, self.of));
        self.captures.take(self.file, &record)
    }

    fn damaged(&mut self, error: &warc::Error) {
        self.captures.damage(error);
    }
}

/// Writes the planned rows, and counts them.
fn write(
    plan: &Plan,
    mut captures: Captures,
    mut writer: CaptureTraceWriter,
    window: Window,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, ImportError> {
    let (mut pages, mut versions, mut vanished, mut bytes) = (0, 0, 0, 0);
    let mut gaps = Counter::new(window);
    let mut before = None;
    let mut mime = String::new();
    for (number, row) in plan.rows.iter().enumerate() {
        pages += usize::from(before.replace(row.page) != Some(row.page));
        let url = captures.url(row.page).to_owned();
        let (status, body) = match row.shown {
            Shown::Content(content) => {
                captures.mime(content).clone_into(&mut mime);
                (captures.content(content).status, Some(captures.body(content)?))
            }
            // A page cannot vanish before it exists, so the media type is its own.
            Shown::Gone(status) => (status, None),
        };
        versions += usize::from(body.is_some());
        vanished += usize::from(body.is_none());
        bytes += body.as_ref().map_or(0, Vec::len) as u64;
        gaps.add(row.at, row.after);
        writer.write(Row { url, at: row.at, status, mime: mime.clone(), body }, row.after)?;
        progress(Progress::Rows(number + 1, plan.rows.len()));
    }
    writer.finish()?;
    Ok(Summary {
        window,
        captures: captures.count,
        pages,
        versions,
        vanished,
        unchanged: plan.unchanged,
        skipped: std::mem::take(&mut captures.skipped),
        too_large: plan.too_large,
        damaged: captures.damaged,
        warnings: std::mem::take(&mut captures.warnings),
        gaps: gaps.gaps(),
        bytes,
    })
}
