//! Printing to standard output, where the reader may have left.
use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

/// Prints `text` and ends the line. A reader that has gone, such as `head` when it has had enough, is
/// no failure: it has what it wanted.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Ours(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}
