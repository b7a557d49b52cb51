//! Printing to standard output, whose reader may have closed it.
use std::io::{self, ErrorKind, Write};

use crate::{failure::Failure, visible::visible};

/// Prints what is meant for people: on standard error, if standard output has events for programs.
pub(crate) fn tell(has_events: bool, text: &str) -> Result<(), Failure> {
    if has_events {
        eprintln!("{}", visible(text));
        return Ok(());
    }
    print(text)
}

/// Prints `text` and a line end. A closed pipe is not an error: the reader, such as `head`, has what it
/// wanted.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", visible(text)).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Internal(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}
