//! Records the head of a response as received, before it is parsed.
//!
//! The archive keeps the spelling and order of headers, which the parsed form
//! loses.
use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes received since the last request.
#[derive(Debug, Default)]
pub(crate) struct HeadRecorder(Mutex<Heard>);

#[derive(Debug, Default)]
struct Heard {
    /// The head, as far as received.
    head: Vec<u8>,
    is_whole: bool,
    /// Bytes in the current line.
    line: usize,
    /// Bytes of the head and of informational (1xx) heads before it.
    head_bytes: u64,
    bytes: u64,
}

impl HeadRecorder {
    /// Starts again for the next request.
    pub(crate) fn rewind(&self) {
        *self.lock() = Heard::default();
    }

    /// Whether nothing was received.
    pub(crate) fn is_blank(&self) -> bool {
        self.lock().bytes == 0
    }

    /// Takes the head.
    pub(crate) fn take_head(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock().head)
    }

    /// The number of bytes after the head.
    pub(crate) fn body_bytes(&self) -> u64 {
        let heard = self.lock();
        heard.bytes - heard.head_bytes
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Heard {
    fn hear(&mut self, mut bytes: &[u8], longest: usize) {
        self.bytes += bytes.len() as u64;
        while !self.is_whole && !bytes.is_empty() && self.head.len() <= longest {
            let end = self.end_of_head(bytes);
            let (head, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.head.extend_from_slice(head);
            self.head_bytes += head.len() as u64;
            bytes = rest;
            if end.is_some() {
                // Informational (1xx) responses come before the response and are not part of it.
                let says_continue =
                    self.head.get(9) == Some(&b'1') && !self.head[9..].starts_with(b"101");
                if says_continue {
                    self.head.clear();
                } else {
                    self.is_whole = true;
                }
            }
        }
    }

    /// The end of the empty line in `bytes` that ends a head.
    fn end_of_head(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' if self.line == 0 && self.head.len() + at > 2 => return Some(at + 1),
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
        }
        None
    }
}

/// A stream that records what it reads.
pub(crate) struct Recording<S> {
    pub(crate) stream: S,
    pub(crate) recorder: Arc<HeadRecorder>,
    /// The most bytes of a head to keep.
    pub(crate) longest: usize,
}

impl<S: AsyncRead + Unpin> AsyncRead for Recording<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.recorder.lock().hear(&buffer.filled()[before..], self.longest);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recording<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(pieces: &[&[u8]]) -> (String, u64) {
        let recorder = HeadRecorder::default();
        for piece in pieces {
            recorder.lock().hear(piece, 1_000);
        }
        (String::from_utf8(recorder.take_head()).unwrap(), recorder.body_bytes())
    }

    #[test]
    fn the_head_is_told_from_the_body_however_it_is_cut() {
        let answer = b"HTTP/1.1 200 OK\r\nX-Odd: y\r\n\r\nbody\r\n\r\n";
        let head = "HTTP/1.1 200 OK\r\nX-Odd: y\r\n\r\n";
        for cut in 0..answer.len() {
            let (one, two) = answer.split_at(cut);
            assert_eq!(heard(&[one, two]), (head.to_owned(), 8), "cut at {cut}");
        }
        assert_eq!(heard(&[b"HTTP/1.0 200 OK\n\nbody"]), ("HTTP/1.0 200 OK\n\n".to_owned(), 4));
    }

    #[test]
    fn what_only_says_continue_is_passed_over() {
        let answer = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 None\r\n\r\n";
        assert_eq!(heard(&[answer]), ("HTTP/1.1 204 None\r\n\r\n".to_owned(), 0));
    }
}
