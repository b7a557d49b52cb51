//! All records of a WARC file, those behind a damaged one too.
//!
//! The reader of records ends at the first that is damaged, because it cannot tell where the next
//! begins. Here it is looked for: the next mark of a gzip member, or the next line with a version,
//! from which a record can be read.
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use store::warc::{Error, Flaw, Record, WarcReader};

use super::{CaptureError, ImportError};

/// How much of a file is searched at once for the beginning of a record.
const SEARCH_BYTES: usize = 1 << 18;

const GZIP: [u8; 2] = [0x1F, 0x8B];
/// How a gzip member begins, of the only method there is.
const GZIP_MARK: [u8; 3] = [0x1F, 0x8B, 8];
/// How a record begins in a file that is not compressed.
const PLAIN_MARK: [u8; 6] = *b"\nWARC/";

/// Whoever wants the records of a file.
pub(super) trait Taker {
    /// A record, with its true place if it has one, and how far in the file it is.
    fn record(&mut self, record: Record, offset: u64) -> Result<(), ImportError>;
    /// A record that cannot be read, or what stands in the place of one.
    fn damaged(&mut self, error: &Error);
}

/// Reads the file at `path`. Damage is told and passed over; it is an error only if the file is of
/// another kind, or there is nothing else in it.
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
                if let Some(place) = &mut record.place {
                    place.offset += base;
                }
                let offset = record.place.map_or(base, |place| place.offset);
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
        // A few words without an end of line look like a record that was cut off.
        Some(Error::Truncated { .. }) if !may_be_warc(&first_bytes(path)?) => {
            Err(CaptureError::NotWarc { path: path.to_owned() }.into())
        }
        Some(source) => Err(CaptureError::NoRecord { path: path.to_owned(), source }.into()),
        None => Err(CaptureError::Empty { path: path.to_owned(), kind: "WARC file" }.into()),
    }
}

/// The first few bytes of a file.
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

/// Reads on from byte `base`; the reader counts from there.
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

/// The true place of an error that was counted from `base`. What is not about a record is about the
/// machine, and ends the import.
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

/// The first place from byte `from` on where a record can be read: a reader behind it, the place,
/// and the record.
fn search(path: &Path, from: u64) -> Result<Option<(Reader, u64, Record)>, ImportError> {
    let failed = |source| CaptureError::Open { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let mark = if first_bytes(path)?.starts_with(&GZIP) { &GZIP_MARK[..] } else { &PLAIN_MARK[..] };
    let mut window = Vec::new();
    let mut begins = from;
    loop {
        // The last bytes are kept, as a mark may lie across.
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
            // A version is a line of its own; what ends the one before is not part of it.
            let line_end = usize::from(mark == PLAIN_MARK);
            let at = begins + (place + line_end) as u64;
            let mut reader = open(path, at)?;
            if let Some(Ok(record)) = reader.next() {
                return Ok(Some((reader, at, record)));
            }
        }
    }
}
