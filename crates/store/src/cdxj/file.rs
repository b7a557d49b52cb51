//! Index files: written whole or not at all, read line by line.
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::{Entry, Error, Flaw};
use crate::warc;

/// A line holds two copies of an address. No server takes one near this long.
const LINE_LIMIT: usize = 1 << 20;

/// Writes an index of `entries` to `path`, sorted by the bytes of its lines as tools expect. A file
/// that was there is replaced, in one step: whoever reads meanwhile has the old or the new one.
///
/// # Errors
///
/// Where the file system refuses; the index is then as it was before.
pub fn write(path: &Path, entries: impl IntoIterator<Item = Entry>) -> Result<(), Error> {
    let mut lines: Vec<String> = entries.into_iter().map(|entry| entry.to_string()).collect();
    lines.sort_unstable();
    let part = part_of(path);
    let written = write_lines(&part, &lines).map_err(|e| error("write", &part, e)).and_then(|()| {
        let renamed = fs::rename(&part, path).and_then(|()| sync_folder_of(path));
        renamed.map_err(|e| error("replace", path, e))
    });
    if written.is_err() {
        // Of no use to anyone. That the index was not written is what matters.
        let _ = fs::remove_file(&part);
    }
    written
}

fn write_lines(part: &Path, lines: &[String]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(part)?);
    for line in lines {
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn error(action: &'static str, path: &Path, source: io::Error) -> Error {
    let path = path.to_owned();
    if warc::is_full(&source) {
        Error::Full { action, path, source }
    } else {
        Error::File { action, path, source }
    }
}

/// Reads the entries of an index, ours or another's. After an error that is not a line's there are
/// no more.
pub struct CdxjReader<R> {
    path: PathBuf,
    input: R,
    line: u64,
    is_over: bool,
}

impl CdxjReader<BufReader<File>> {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| error("open", path, e))?;
        Ok(Self::new(path, BufReader::new(file)))
    }
}

impl<R: BufRead> CdxjReader<R> {
    /// Reads `input`; `path` is what errors call it.
    pub fn new(path: &Path, input: R) -> Self {
        Self { path: path.to_owned(), input, line: 0, is_over: false }
    }

    /// The next line that is an entry, or should be; `None` at the end.
    fn next_line(&mut self) -> Result<Option<String>, Error> {
        loop {
            let mut bytes = Vec::new();
            let mut limited = (&mut self.input).take(LINE_LIMIT as u64 + 1);
            limited.read_until(b'\n', &mut bytes).map_err(|e| error("read", &self.path, e))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            self.line += 1;
            if bytes.len() > LINE_LIMIT {
                // Where the next line begins is not known.
                self.is_over = true;
                return Err(self.flaw(Flaw::Length(LINE_LIMIT)));
            }
            let line = String::from_utf8(bytes).map_err(|_| self.flaw(Flaw::Encoding))?;
            // Lines with `!` tell of the file, as `!meta` does.
            if !line.trim().is_empty() && !line.starts_with('!') {
                return Ok(Some(line));
            }
        }
    }

    fn flaw(&self, flaw: Flaw) -> Error {
        Error::Line { path: self.path.clone(), line: self.line, flaw }
    }
}

impl<R: BufRead> Iterator for CdxjReader<R> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let line = self.next_line();
        self.is_over |= matches!(line, Ok(None) | Err(Error::File { .. } | Error::Full { .. }));
        let line = line.transpose()?;
        Some(line.and_then(|line| Entry::read(&line).map_err(|flaw| self.flaw(flaw))))
    }
}
