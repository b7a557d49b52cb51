//! Index files, read line by line.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{Entry, Error, Flaw};
use crate::warc;

/// A line holds two copies of an address. No server takes one near this long.
const LINE_LIMIT: usize = 1 << 20;

pub(super) fn error(action: &'static str, path: &Path, source: io::Error) -> Error {
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
