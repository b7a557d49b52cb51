//! Reads index files line by line.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{CdxjEntry, Error, Flaw};

/// A line holds an address twice. No server accepts one near this long.
const LINE_LIMIT: usize = 1 << 20;

pub(super) fn error(action: &'static str, path: &Path, source: io::Error) -> Error {
    let path = path.to_owned();
    if crate::is_full(&source) {
        Error::Full { action, path, source }
    } else {
        Error::File { action, path, source }
    }
}

/// Reads the entries of an index of any writer. It continues after an invalid line, and ends after an I/O
/// error.
pub struct CdxjReader<R>(Lines<R>);

impl CdxjReader<BufReader<File>> {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| error("open", path, e))?;
        Ok(Self::new(path, BufReader::new(file)))
    }
}

impl<R: BufRead> CdxjReader<R> {
    /// Reads `input`; errors name `path`.
    pub fn new(path: &Path, input: R) -> Self {
        Self(Lines::new(path, input))
    }
}

impl<R: BufRead> Iterator for CdxjReader<R> {
    type Item = Result<CdxjEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.0.next()?;
        Some(line.and_then(|line| CdxjEntry::parse(&line).map_err(|flaw| self.0.flaw(flaw))))
    }
}

/// The lines of an index file that should be entries.
pub(super) struct Lines<R> {
    path: PathBuf,
    input: R,
    line: u64,
    is_over: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(path: &Path, input: R) -> Self {
        Self { path: path.to_owned(), input, line: 0, is_over: false }
    }

    /// The next line; `None` at the end.
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
                // The start of the next line is unknown.
                self.is_over = true;
                return Err(self.flaw(Flaw::Length(LINE_LIMIT)));
            }
            let line = String::from_utf8(bytes).map_err(|_| self.flaw(Flaw::Encoding))?;
            // Lines with `!`, such as `!meta`, describe the file.
            if !line.trim().is_empty() && !line.starts_with('!') {
                return Ok(Some(line));
            }
        }
    }

    /// The error for the line that was read last.
    pub(super) fn flaw(&self, flaw: Flaw) -> Error {
        Error::Line { path: self.path.clone(), line: self.line, flaw }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<String, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let line = self.next_line();
        self.is_over |= matches!(line, Ok(None) | Err(Error::File { .. } | Error::Full { .. }));
        line.transpose()
    }
}
