//! `sanderling export corpus`: what changed since a cursor, for a search engine or vector store elsewhere.
pub(crate) mod cursor;
pub(crate) mod documents;
pub(crate) mod json;
mod markdown_folder;
mod parquet_file;

use std::{
    fs,
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use store::{StoreError, View};

use self::{
    documents::{ContentForm, Corpus, Item},
    markdown_folder::MarkdownFolder,
    parquet_file::ParquetFile,
};
use super::{FolderFlags, tally::counted};
use crate::{
    failure::{Failure, file_error},
    output,
    partial_file::PartialFile,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only what changed after this cursor, which an earlier export printed [default: everything]
    #[arg(long, value_name = "CURSOR")]
    since: Option<String>,
    /// Read the cursor from this file if it exists, and write the next one there after everything is
    /// written
    #[arg(long, value_name = "FILE", conflicts_with = "since")]
    cursor_file: Option<PathBuf>,
    /// jsonl: one object per line. parquet: one file. markdown: a folder with one file per page, brought up
    /// to date
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Jsonl)]
    format: Format,
    /// What jsonl and parquet have of a page: its main text, or Markdown with headings, lists, tables,
    /// code and links
    #[arg(long, value_enum, value_name = "FORM", default_value_t = ContentForm::Text)]
    content: ContentForm,
    /// The file to write, or the folder of markdown [default: standard output, for jsonl only]
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Print nothing but the cursor
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Jsonl,
    Parquet,
    Markdown,
}

/// Why an export ended early.
#[derive(Debug)]
pub(crate) enum Ended {
    Store(StoreError),
    Write(io::Error),
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// What was written.
#[derive(Debug, Default)]
struct Written {
    pages: u64,
    deletions: u64,
}

impl Written {
    fn count(&mut self, item: &Item) {
        match item {
            Item::Page(_) => self.pages += 1,
            Item::Deleted(_) => self.deletions += 1,
        }
    }
}

pub(crate) fn corpus(arguments: &Arguments) -> Result<(), Failure> {
    let (_, view) = arguments.folder.open()?;
    let since = match &arguments.cursor_file {
        Some(path) => read_cursor(path)?,
        None => arguments.since.clone(),
    };
    let since = since.map_or(Ok(0), |text| {
        cursor::parse(&view, text.trim())?.map_err(|why| {
            let place = arguments.cursor_file.as_ref();
            let place = place.map_or("--since".to_owned(), |path| path.display().to_string());
            Failure::Input(format!("{place}: {why}"))
        })
    })?;
    let end = view.position()?.max(since);
    let next = cursor::at(&view, end)?;
    let content = match arguments.format {
        Format::Markdown => ContentForm::Markdown,
        _ => arguments.content,
    };
    let corpus = Corpus::new(&view, content)?;
    let mut written = Written::default();
    let outcome = match (arguments.format, &arguments.output) {
        (Format::Jsonl, None) => {
            let mut out = BufWriter::new(io::stdout().lock());
            let outcome = write_lines(&corpus, since, end, &mut out, &mut written);
            if matches!(&outcome, Err(Ended::Write(error)) if error.kind() == ErrorKind::BrokenPipe)
            {
                // A closed pipe, as by `head`, is not an error. The reader has no end and no new cursor.
                return Ok(());
            }
            outcome
        }
        (Format::Jsonl, Some(path)) => {
            let mut file = PartialFile::create(path)?;
            write_lines(&corpus, since, end, file.writer(), &mut written)
                .and_then(|()| file.finish().map_err(Ended::Write))
        }
        (format, None) => {
            let format =
                format.to_possible_value().map_or(String::new(), |it| it.get_name().to_owned());
            return Err(Failure::Input(format!("{format} needs --output PATH")));
        }
        (Format::Parquet, Some(path)) => {
            let mut file = ParquetFile::create(path, &next)?;
            each(&corpus, since, end, &mut written, |item| file.write(item))
                .and_then(|()| file.finish().map_err(Ended::Write))
        }
        (Format::Markdown, Some(path)) => {
            let folder = MarkdownFolder::create(path)?;
            each(&corpus, since, end, &mut written, |item| folder.write(&item))
        }
    };
    outcome.map_err(|ended| match ended {
        Ended::Store(error) => error.into(),
        Ended::Write(error) => write_failure(arguments.output.as_deref(), &error),
    })?;
    if let Some(path) = &arguments.cursor_file {
        let mut file = PartialFile::create(path)?;
        writeln!(file.writer(), "{next}")
            .and_then(|()| file.finish())
            .map_err(|error| write_failure(Some(path), &error))?;
    }
    if !arguments.quiet {
        let pages = counted(written.pages, "page", "pages");
        eprintln!("{pages}, {}", counted(written.deletions, "deletion", "deletions"));
    }
    // JSON Lines on standard output end with the cursor.
    if arguments.output.is_some() { output::print(&next) } else { Ok(()) }
}

fn each(
    corpus: &Corpus<'_>,
    since: u64,
    end: u64,
    written: &mut Written,
    mut write: impl FnMut(Item) -> io::Result<()>,
) -> Result<(), Ended> {
    corpus.each(since, end, |item| {
        written.count(&item);
        write(item).map_err(Ended::Write)
    })
}

fn write_lines(
    corpus: &Corpus<'_>,
    since: u64,
    end: u64,
    out: &mut dyn Write,
    written: &mut Written,
) -> Result<(), Ended> {
    json::lines(corpus, since, end, &mut |item, line| {
        if let Some(item) = item {
            written.count(item);
        }
        out.write_all(line.as_bytes()).map_err(Ended::Write)
    })?;
    Ok(out.flush()?)
}

/// The cursor in a file; `None` if there is no file yet.
fn read_cursor(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Input(file_error("read", path, &error))),
    }
}

fn write_failure(path: Option<&Path>, error: &io::Error) -> Failure {
    let line = match path {
        Some(path) => file_error("written", path, error),
        None => format!("cannot write the corpus: {error}"),
    };
    match error.kind() {
        ErrorKind::StorageFull => Failure::DiskFull(line),
        _ => Failure::Internal(line),
    }
}

/// The last observation and its cursor, for an export that begins now.
pub(crate) fn end(view: &View) -> Result<(u64, String), StoreError> {
    let end = view.position()?;
    Ok((end, cursor::at(view, end)?))
}
