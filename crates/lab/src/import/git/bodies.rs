//! The sizes and bytes of file contents.
use std::io::{BufRead, Read};

use super::super::ImportError;
use super::changes::Blob;
use super::program::{Git, Output};

/// The longest first line of an answer: an id, a word and a number.
const LINE_BYTES: u64 = 256;

/// The sizes of `blobs` in bytes, in their order.
pub(super) fn sizes(git: &Git, blobs: &[Blob]) -> Result<Vec<u64>, ImportError> {
    let arguments = ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"];
    let lines = blobs.iter().map(|blob| format!("{blob}\n"));
    git.pipe(&arguments, lines, |output| {
        blobs.iter().map(|&blob| answered_size(git, &arguments, output, blob)).collect()
    })
}

/// Passes the content of each of `blobs` to `each`, in order. Only one is in memory at a time.
pub(super) fn bodies(
    git: &Git,
    blobs: &[Blob],
    mut each: impl FnMut(usize, Vec<u8>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let arguments = ["cat-file", "--batch", "--buffer"];
    let lines = blobs.iter().map(|blob| format!("{blob}\n"));
    git.pipe(&arguments, lines, |output| {
        for (number, &blob) in blobs.iter().enumerate() {
            let size = answered_size(git, &arguments, output, blob)?;
            let mut body = Vec::new();
            let read = output.take(size).read_to_end(&mut body);
            read.map_err(|error| git.broken(&arguments, error))?;
            let mut end = [0];
            output.read_exact(&mut end).map_err(|error| git.broken(&arguments, error))?;
            if end != *b"\n" {
                return Err(git.odd(&arguments, &end));
            }
            each(number, body)?;
        }
        Ok(())
    })
}

/// The size in an answer's first line, `ID blob SIZE`.
fn answered_size(
    git: &Git,
    arguments: &[&str],
    output: &mut Output,
    blob: Blob,
) -> Result<u64, ImportError> {
    let mut line = Vec::new();
    let read = output.take(LINE_BYTES).read_until(b'\n', &mut line);
    read.map_err(|error| git.broken(arguments, error))?;
    let text = String::from_utf8_lossy(&line);
    let mut parts = text.split_whitespace();
    match (parts.next(), parts.next(), parts.next().and_then(|size| size.parse().ok())) {
        (Some(_), Some("blob"), Some(size)) => Ok(size),
        (Some(_), Some("missing"), None) => {
            Err(ImportError::NoObject { path: git.path().to_owned(), object: blob.to_string() })
        }
        _ => Err(git.odd(arguments, &line)),
    }
}
