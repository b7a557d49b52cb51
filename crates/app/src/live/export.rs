//! `sanderling export`: the log, for other programs.
use std::{
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use crawl::{Outcome, Time};
use extract::read::coding;
use lab::{
    history::Window,
    trace::{CaptureTraceWriter, Row},
};
use serde_json::{Value, json};
use store::{CaptureRow, ChangeRow, Version};
use warc::Position;

use super::{
    FolderFlags,
    corpus::Ended,
    csv,
    tally::{grouped, stamp},
};
use crate::{
    failure::{Failure, with_causes},
    output,
    partial_file::PartialFile,
};

/// The longest decoded body in a trace; `lab import git` has the same limit.
const LONGEST_BODY: usize = 1 << 20;

#[derive(Debug, Args)]
pub(crate) struct Changes {
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format of the lines
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Table::Jsonl)]
    format: Table,
    /// Only changes after the one with this number
    #[arg(long, value_name = "NUMBER")]
    after: Option<u64>,
    #[command(flatten)]
    folder: FolderFlags,
}

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The trace file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// A description of the source [default: the data folder]
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Table {
    /// One object of JSON per line.
    Jsonl,
    /// CSV with a line of names.
    Csv,
}

impl Table {
    /// Writes the lines that `fill` makes, after those of `columns` for CSV, to a file or to standard
    /// output. The file appears when it is complete.
    pub(super) fn write(
        self,
        path: Option<&Path>,
        columns: &[&str],
        fill: impl FnOnce(&mut dyn FnMut(&str) -> Result<(), Ended>) -> Result<(), Ended>,
    ) -> Result<(), Failure> {
        let mut partial = path.map(PartialFile::create).transpose()?;
        let mut stdout = BufWriter::new(io::stdout().lock());
        let out: &mut dyn Write = match &mut partial {
            Some(partial) => partial.writer(),
            None => &mut stdout,
        };
        let mut write = |line: &str| out.write_all(line.as_bytes()).map_err(Ended::from);
        let head = if self == Self::Csv { write(&csv::line(columns)) } else { Ok(()) };
        let written = head
            .and_then(|()| fill(&mut write))
            .and_then(|()| out.flush().map_err(Ended::from))
            .and_then(|()| partial.map_or(Ok(()), PartialFile::finish).map_err(Ended::from));
        match written {
            // A closed pipe, as by `head`, is not an error.
            Err(Ended::Write(error)) if error.kind() == ErrorKind::BrokenPipe && path.is_none() => {
                Ok(())
            }
            Err(Ended::Write(error)) => Err(Failure::Internal(format!("cannot write: {error}"))),
            Err(Ended::Store(error)) => Err(error.into()),
            Ok(()) => Ok(()),
        }
    }
}

/// Writes one line for every observed change, in the order of the log.
pub(crate) fn changes(arguments: &Changes) -> Result<(), Failure> {
    let (_, view) = arguments.folder.open()?;
    let columns =
        ["number", "url", "at", "not_before", "outcome", "change", "status", "text_digest"];
    arguments.format.write(arguments.output.as_deref(), &columns, |write| {
        view.changes(arguments.after, |row| match arguments.format {
            Table::Jsonl => write(&format!("{}\n", change_json(&row))),
            Table::Csv => write(&change_csv(&row)),
        })
    })
}

fn change_csv(row: &ChangeRow) -> String {
    let change = match row.outcome {
        Outcome::Changed(change) => change.to_string(),
        _ => String::new(),
    };
    let new = row.new.as_ref();
    let status = new.and_then(|new| new.status).map_or(String::new(), |status| status.to_string());
    let digest = new.and_then(|new| new.text).map(|digest| format!("xxh3:{:032x}", digest.0));
    csv::line(&[
        &row.no.to_string(),
        &row.address,
        &stamp(row.at),
        &row.before.map(stamp).unwrap_or_default(),
        store::outcome_name(row.outcome),
        &change,
        &status,
        &digest.unwrap_or_default(),
    ])
}

/// An observed change, as in `export changes` and the API.
pub(crate) fn change_json(row: &ChangeRow) -> Value {
    let change = match row.outcome {
        Outcome::Changed(change) => Some(change),
        _ => None,
    };
    json!({
        "number": row.no,
        "url": row.address,
        "at": stamp(row.at),
        "not_before": row.before.map(stamp),
        "outcome": store::outcome_name(row.outcome),
        "change": change,
        "old": row.old.as_ref().map(version_json),
        "new": row.new.as_ref().map(version_json),
    })
}

fn version_json(version: &Version) -> Value {
    json!({
        "at": stamp(version.at),
        "status": version.status,
        "text_digest": version.text.map(|digest| format!("xxh3:{:032x}", digest.0)),
        "payload_digest": version.payload.as_ref().map(ToString::to_string),
        "warc": version.position.as_ref().map(position_json),
    })
}

pub(super) fn position_json(position: &Position) -> Value {
    json!({ "file": &*position.file, "offset": position.offset, "length": position.length })
}

/// Writes the history of the crawl as a trace for the lab.
pub(crate) fn trace(arguments: &Trace) -> Result<(), Failure> {
    let (settings, view) = arguments.folder.open()?;
    let Some((first, end)) = view.window()? else {
        return Err(Failure::Input(format!(
            "{} has no answered visit yet, so there is no history to export",
            settings.data.display()
        )));
    };
    // The window starts with what the first crawl found.
    let crawled = view.cycles(usize::MAX)?.first().and_then(|cycle| cycle.ended);
    let start = crawled.filter(|&crawled| crawled < end).unwrap_or(first);
    let source = arguments
        .source
        .clone()
        .unwrap_or_else(|| format!("crawled by Sanderling into {}", settings.data.display()));
    let window = Window { start, end };
    let mut history =
        Exported { start, writer: None, last: None, rows: 0, pages: 0, vanished: 0, left_out: 0 };
    let writer = CaptureTraceWriter::create(&arguments.output, window, &source, &[])
        .map_err(|error| Failure::Input(with_causes(&error)))?;
    history.writer = Some(writer);
    view.captures(|row| history.add(row))?;
    let writer = history.writer.take().expect("set just above");
    writer.finish().map_err(|error| Failure::Internal(with_causes(&error)))?;
    if arguments.quiet {
        return Ok(());
    }
    output::print(&history.summary(arguments))
}

/// A trace that is being written.
struct Exported {
    /// The window's start.
    start: Time,
    writer: Option<CaptureTraceWriter>,
    /// The page of the last row, its time, and its body if it had one.
    last: Option<(String, Time, Option<Vec<u8>>)>,
    rows: u64,
    pages: u64,
    vanished: u64,
    left_out: u64,
}

impl Exported {
    fn add(&mut self, row: CaptureRow) -> Result<(), Failure> {
        let CaptureRow { address, at, before, status, mime, body, .. } = row;
        // A redirect is not content: in a trace such a page does not exist.
        let body = body.filter(|_| (200..300).contains(&status));
        let body = body.map(|body| {
            let decoded = coding::decode(&body.encoding, &body.bytes, LONGEST_BODY);
            decoded.map(std::borrow::Cow::into_owned)
        });
        let Ok(body) = body.transpose() else {
            self.left_out += 1;
            return Ok(());
        };
        let same_page = self.last.as_ref().filter(|(last, _, _)| *last == address);
        match same_page {
            // A page that never existed cannot disappear; an unchanged page needs no row.
            None if body.is_none() => return Ok(()),
            Some((_, then, last)) if *last == body || *then >= at => return Ok(()),
            Some(_) => {}
            None => self.pages += 1,
        }
        let after = match same_page {
            Some(_) => before,
            // A first capture does not tell when the page was created, only that it exists by then.
            None => Some(self.start).filter(|&start| start < at),
        };
        let status = if body.is_some() {
            status
        } else if status == 410 {
            410
        } else {
            404
        };
        self.vanished += u64::from(body.is_none());
        self.rows += 1;
        self.last = Some((address.clone(), at, body.clone()));
        let writer = self.writer.as_mut().expect("rows come before the end");
        writer
            .write(Row { url: address, at, status, mime, body }, after)
            .map_err(|error| Failure::Internal(with_causes(&error)))
    }

    fn summary(&self, arguments: &Trace) -> String {
        let mut lines = vec![format!(
            "{} pages, {} versions, {} disappearances",
            grouped(self.pages),
            grouped(self.rows - self.vanished),
            grouped(self.vanished)
        )];
        if self.left_out > 0 {
            lines.push(format!(
                "{} captures were skipped: their bodies cannot be decoded, or are above 1 MiB",
                grouped(self.left_out)
            ));
        }
        lines.push(format!("Trace: {}", arguments.output.display()));
        lines.join("\n")
    }
}
