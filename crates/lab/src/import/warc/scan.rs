//! Reads all records of a WARC file, including those after a damaged one.
//!
//! The record reader stops at the first damaged record, because it does not know where the next
//! begins. This module searches for it: the next gzip member or the next version line from which a
//! record can be read.
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use warc::{Error, Flaw, Record, WarcReader};

use super::{CaptureError, ImportError};

/// The size of the buffer in which the beginning of a record is searched.
const SEARCH_BYTES: usize = 1 << 18;

const GZIP: [u8; 2] = [0x1F, 0x8B];
/// The first bytes of a gzip member with deflate.
const GZIP_MARK: [u8; 3] = [0x1F, 0x8B, 8];
/// The first bytes of an uncompressed record.
const PLAIN_MARK: [u8; 6] = *b"\nWARC/";

/// Receives the records of a file.
pub(super) trait Taker {
    /// A record, with its offset if it has one, and the number of bytes read so far.
    fn record(&mut self, record: Record, offset: u64) -> Result<(), ImportError>;
    /// A damaged section.
    fn damaged(&mut self, error: &Error);
}

/// Reads the file at `path`. Damage is reported and skipped. It is an error only if the file has
/// another kind, or nothing in it can be read.
pub(super) fn scan(path: &Path, taker: &mut dyn Taker) -> Result<(), ImportError> {
    let mut records = 0_u64;
    let mut first_error = None;
    let mut base = 0;
    let mut reader = open(path, base)?;
    let mut next = reader.next();
    loop {
        match next {
            None => break,
            Some(Ok(mut record)) => {
                records += 1;
                if let Some(place) = &mut record.location {
                    place.offset += base;
                }
                let offset = record.location.map_or(base, |place| place.offset);
                taker.record(record, offset)?;
                next = reader.next();
            }
            Some(Err(error)) => {
                let (offset, error) = at_base(error, base)?;
                if matches!(&error, Error::Malformed { offset: 0, flaw: Flaw::Version, .. }) {
                    return Err(CaptureError::NotWarc { path: path.to_owned() }.into());
                }
                taker.damaged(&error);
                first_error.get_or_insert(error);
                let Some((found, at, record)) = search(path, offset + 1)? else { break };
                (reader, base, next) = (found, at, Some(Ok(record)));
            }
        }
    }
    match first_error {
        _ if records > 0 => Ok(()),
        // A few words without a line end look like a truncated record.
        Some(Error::Truncated { .. }) if !may_be_warc(&first_bytes(path)?) => {
            Err(CaptureError::NotWarc { path: path.to_owned() }.into())
        }
        Some(source) => Err(CaptureError::NoRecord { path: path.to_owned(), source }.into()),
        None => Err(CaptureError::Empty { path: path.to_owned(), kind: "WARC file" }.into()),
    }
}

/// The first bytes of a file.
fn first_bytes(path: &Path) -> Result<Vec<u8>, CaptureError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(PLAIN_MARK.len() as u64).read_to_end(&mut bytes))
        .map_err(|source| CaptureError::Open { path: path.to_owned(), source })?;
    Ok(bytes)
}

fn may_be_warc(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    bytes.starts_with(&GZIP) || text.starts_with(b"WARC") || b"WARC".starts_with(text)
}

type Reader = WarcReader<BufReader<File>>;

/// Continues reading at byte `base`; the reader counts offsets from there.
fn open(path: &Path, base: u64) -> Result<Reader, ImportError> {
    let seek = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(base))?;
        Ok(file)
    };
    let file = seek().map_err(|source| CaptureError::Open { path: path.to_owned(), source })?;
    Ok(WarcReader::new(path, BufReader::with_capacity(1 << 16, file))
        .map_err(CaptureError::Read)?)
}

/// Adds `base` to the offset of an error. An error that is not about a record is an I/O error and
/// ends the import.
fn at_base(error: Error, base: u64) -> Result<(u64, Error), CaptureError> {
    Ok(match error {
        Error::Truncated { path, offset } => {
            (offset + base, Error::Truncated { path, offset: offset + base })
        }
        Error::Damaged { path, offset, source } => {
            (offset + base, Error::Damaged { path, offset: offset + base, source })
        }
        Error::Malformed { path, offset, flaw } => {
            (offset + base, Error::Malformed { path, offset: offset + base, flaw })
        }
        other => return Err(CaptureError::Read(other)),
    })
}

/// The first offset from byte `from` on at which a record can be read: a reader after it, the
/// offset, and the record.
fn search(path: &Path, from: u64) -> Result<Option<(Reader, u64, Record)>, ImportError> {
    let failed = |source| CaptureError::Open { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let mark = if first_bytes(path)?.starts_with(&GZIP) { &GZIP_MARK[..] } else { &PLAIN_MARK[..] };
    let mut window = Vec::new();
    let mut begins = from;
    loop {
        // The last bytes are kept, since a marker may cross the buffer's end.
        let kept = window.len().min(mark.len() - 1);
        begins += (window.len() - kept) as u64;
        window.drain(..window.len() - kept);
        file.seek(SeekFrom::Start(begins + kept as u64)).map_err(failed)?;
        let read =
            (&mut file).take(SEARCH_BYTES as u64).read_to_end(&mut window).map_err(failed)?;
        if read == 0 {
            return Ok(None);
        }
        for (place, bytes) in window.windows(mark.len()).enumerate() {
            if bytes != mark {
                continue;
            }
            // A version is a line of its own; the previous line's end is not part of it.
            let line_end = usize::from(mark == PLAIN_MARK);
            let at = begins + (place + line_end) as u64;
            let mut reader = open(path, at)?;
            if let Some(Ok(record)) = reader.next() {
                return Ok(Some((reader, at, record)));
            }
        }
    }
}
