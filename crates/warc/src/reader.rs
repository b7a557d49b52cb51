//! Reads WARC files of any writer: compressed per record, as a whole, or not at all.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use super::members::Members;
use super::{Error, Flaw, Record, RecordLocation};

/// The default limit of a block: 256 MiB, well above what a crawler takes of a page.
pub const DEFAULT_BLOCK_LIMIT: u64 = 256 << 20;
/// The head of a record holds a few addresses. This is far above the longest that servers accept.
const HEAD_LIMIT: usize = 1 << 20;
/// `WARC/1.1` and its line break, with room for later versions. A longer first line belongs to another
/// kind of file.
const VERSION_LIMIT: usize = 64;
/// The first allocation for a block. It grows as bytes arrive, so that a wrong length costs nothing.
const FIRST_RESERVE: u64 = 1 << 16;
const BUFFER_BYTES: usize = 64 * 1024;

/// Reads the records of a file one after the other. It ends after an error, because nothing marks where
/// the next record would begin.
pub struct WarcReader<R> {
    path: PathBuf,
    input: Members<R>,
    limit: u64,
    /// Where the current record begins, for errors.
    offset: u64,
    is_over: bool,
}

impl WarcReader<BufReader<File>> {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened or read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| Error::file("open", path, e))?;
        Self::new(path, BufReader::with_capacity(BUFFER_BYTES, file))
    }

    /// Reads the file at `path` from the record that begins at byte `offset`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened or read.
    pub fn open_at(path: &Path, offset: u64) -> Result<Self, Error> {
        let open = || -> io::Result<BufReader<File>> {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(offset))?;
            Ok(BufReader::with_capacity(BUFFER_BYTES, file))
        };
        Self::at(path, open().map_err(|e| Error::file("open", path, e))?, offset)
    }
}

/// Reads the record at `location`, as a [`super::Position`] or an index gives it.
///
/// # Errors
///
/// As those of a [`WarcReader`]. A location after the end of the file is a truncated record.
pub fn read_at(path: &Path, location: RecordLocation) -> Result<Record, Error> {
    let open = || -> io::Result<BufReader<Take<File>>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(location.offset))?;
        Ok(BufReader::with_capacity(BUFFER_BYTES, file.take(location.length)))
    };
    let input = open().map_err(|e| Error::file("open", path, e))?;
    let mut reader = WarcReader::at(path, input, location.offset)?;
    let truncated = || Error::Truncated { path: path.to_owned(), offset: location.offset };
    reader.next().unwrap_or_else(|| Err(truncated()))
}

impl<R: BufRead> WarcReader<R> {
    /// Reads `input`; errors name `path`.
    ///
    /// # Errors
    ///
    /// If its first bytes cannot be read.
    pub fn new(path: &Path, input: R) -> Result<Self, Error> {
        Self::at(path, input, 0)
    }

    fn at(path: &Path, input: R, offset: u64) -> Result<Self, Error> {
        let input = Members::new(input, offset).map_err(|e| Error::file("read", path, e))?;
        let limit = DEFAULT_BLOCK_LIMIT;
        Ok(Self { path: path.to_owned(), input, limit, offset, is_over: false })
    }

    /// Sets the limit of a block in bytes.
    #[must_use]
    pub fn with_block_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// The next record; `None` at the end of the file.
    fn record(&mut self) -> Result<Option<Record>, Failure> {
        if !self.find_start()? {
            return Ok(None);
        }
        let member = self.input.member();
        let begins_member = self.input.taken() == 0;
        let fields = self.head()?;
        let block = self.block(&fields)?;
        self.skip_end()?;

        let location = if !self.input.is_gzip() {
            let end = self.input.member() + self.input.taken();
            Some(RecordLocation { offset: self.offset, length: end - self.offset })
        } else if begins_member && self.input.member() == member {
            let end = self.input.member_end();
            end.map(|end| RecordLocation { offset: member, length: end - member })
        } else {
            None
        };
        Ok(Some(Record { fields, block, location }))
    }

    /// Skips empty lines and empty members up to the first byte of a record.
    fn find_start(&mut self) -> Result<bool, Failure> {
        loop {
            let seen = self.input.fill().map(|bytes| {
                (bytes.len(), bytes.iter().take_while(|byte| b"\r\n".contains(byte)).count())
            });
            // Before anything can fail, so that an error names this offset and not the last.
            self.offset = self.start();
            let (available, ends) = seen?;
            self.input.consume(ends);
            if available > ends {
                self.offset = self.start();
                return Ok(true);
            }
            if available == 0 {
                let is_there = self.input.next_member();
                self.offset = self.start();
                if !is_there? {
                    return Ok(false);
                }
            }
        }
    }

    /// The offset of a record that begins now; in a gzip file, that of its member.
    fn start(&self) -> u64 {
        let member = self.input.member();
        if self.input.is_gzip() { member } else { member + self.input.taken() }
    }

    fn head(&mut self) -> Result<Vec<(String, String)>, Failure> {
        let version = self.line(&mut VERSION_LIMIT.clone()).map_err(|failure| match failure {
            Failure::Flaw(_) => Flaw::Version.into(),
            other => other,
        })?;
        let mut left = HEAD_LIMIT;
        if !version.starts_with(b"WARC/") {
            return Err(Flaw::Version.into());
        }
        let mut fields: Vec<(String, String)> = Vec::new();
        loop {
            let line = self.line(&mut left)?;
            if line.is_empty() {
                return Ok(fields);
            }
            if line.starts_with(b" ") || line.starts_with(b"\t") {
                let (_, value) = fields.last_mut().ok_or(Flaw::Field)?;
                value.push(' ');
                value.push_str(&String::from_utf8_lossy(line.trim_ascii()));
                continue;
            }
            let colon = line.iter().position(|&byte| byte == b':').ok_or(Flaw::Field)?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
            fields.push((text(&line[..colon]), text(&line[colon + 1..])));
        }
    }

    /// One line without its line break, which is CR LF or, from careless writers, LF.
    fn line(&mut self, left: &mut usize) -> Result<Vec<u8>, Failure> {
        let mut line = Vec::new();
        loop {
            let bytes = self.input.fill_across()?;
            if bytes.is_empty() {
                return Err(Failure::Ends);
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let count = end.map_or(bytes.len(), |end| end + 1);
            if count > *left {
                return Err(Flaw::HeadLength(HEAD_LIMIT).into());
            }
            *left -= count;
            line.extend_from_slice(&bytes[..count]);
            self.input.consume(count);
            if end.is_some() {
                line.pop();
                line.pop_if(|byte| *byte == b'\r');
                return Ok(line);
            }
        }
    }

    fn block(&mut self, fields: &[(String, String)]) -> Result<Vec<u8>, Failure> {
        let length = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("Content-Length"));
        let length: u64 = length.and_then(|(_, text)| text.parse().ok()).ok_or(Flaw::NoLength)?;
        if length > self.limit {
            return Err(Flaw::BlockLength { length, limit: self.limit }.into());
        }
        let mut block = Vec::with_capacity(length.min(FIRST_RESERVE) as usize);
        while (block.len() as u64) < length {
            let bytes = self.input.fill_across()?;
            if bytes.is_empty() {
                return Err(Failure::Ends);
            }
            let count = bytes.len().min(length as usize - block.len());
            block.extend_from_slice(&bytes[..count]);
            self.input.consume(count);
        }
        Ok(block)
    }

    /// Skips the two empty lines that end a record. At the end of a gzip member this also checks its
    /// checksum, so that no damaged record is returned.
    fn skip_end(&mut self) -> Result<(), Failure> {
        let mut lines = 0;
        loop {
            let bytes = self.input.fill()?;
            match bytes.first() {
                Some(b'\r') => {}
                Some(b'\n') if lines < 2 => lines += 1,
                _ => return Ok(()),
            }
            self.input.consume(1);
        }
    }

    fn error(&self, failure: Failure) -> Error {
        let (path, offset) = (self.path.clone(), self.offset);
        match failure {
            Failure::Ends => Error::Truncated { path, offset },
            Failure::Flaw(flaw) => Error::Malformed { path, offset, flaw },
            Failure::Read(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                Error::Truncated { path, offset }
            }
            Failure::Read(source) if is_damage(&source) => Error::Damaged { path, offset, source },
            Failure::Read(source) => Error::file("read", &path, source),
        }
    }
}

impl<R: BufRead> Iterator for WarcReader<R> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let record = self.record();
        self.is_over = !matches!(record, Ok(Some(_)));
        record.map_err(|failure| self.error(failure)).transpose()
    }
}

/// Why a record could not be read, without its position.
enum Failure {
    Ends,
    Flaw(Flaw),
    Read(io::Error),
}

impl From<Flaw> for Failure {
    fn from(flaw: Flaw) -> Self {
        Self::Flaw(flaw)
    }
}

impl From<io::Error> for Failure {
    fn from(source: io::Error) -> Self {
        Self::Read(source)
    }
}

/// Whether the decompressor failed, not the disk.
fn is_damage(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
        || (source.kind() == io::ErrorKind::Other && source.raw_os_error().is_none())
}
