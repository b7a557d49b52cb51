//! Decompresses a file member by member and keeps track of where each gzip member begins and ends.
use std::io::{self, BufRead, Read};
use std::mem;

use flate2::bufread::GzDecoder;

const BUFFER_BYTES: usize = 32 * 1024;
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The members of a file. An uncompressed file counts as one member.
pub(super) struct Members<R> {
    input: Input<R>,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Where the current member begins in the file.
    member: u64,
    /// How many of its uncompressed bytes were consumed.
    taken: u64,
}

enum Input<R> {
    Plain(Counted<R>),
    Member(Box<GzDecoder<Counted<R>>>),
    Between(Counted<R>),
    /// Only during a transition between the others.
    Moving,
}

impl<R: BufRead> Members<R> {
    /// Reads from `input`, which begins at byte `position` of its file.
    pub(super) fn new(input: R, position: u64) -> io::Result<Self> {
        let mut input = Counted { inner: input, position };
        let is_gzip = input.fill_buf()?.starts_with(&GZIP);
        let (input, buffer) = if is_gzip {
            (Input::Between(input), vec![0; BUFFER_BYTES])
        } else {
            (Input::Plain(input), Vec::new())
        };
        let buffer = buffer.into_boxed_slice();
        Ok(Self { input, buffer, start: 0, end: 0, member: position, taken: 0 })
    }

    /// Whether the file is compressed.
    pub(super) fn is_gzip(&self) -> bool {
        !matches!(self.input, Input::Plain(_))
    }

    /// Where the current member begins in the file.
    pub(super) fn member(&self) -> u64 {
        self.member
    }

    /// How many uncompressed bytes of the current member were consumed.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The end of the current member, if it was read completely.
    pub(super) fn member_end(&self) -> Option<u64> {
        match &self.input {
            Input::Between(input) if self.start == self.end => Some(input.position),
            _ => None,
        }
    }

    /// The next bytes of the current member; none at its end.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        if let Input::Member(decoder) = &mut self.input
            && self.start == self.end
        {
            (self.start, self.end) = (0, 0);
            self.end = read(decoder, &mut self.buffer)?;
            if self.end == 0 {
                self.leave();
            }
        }
        match &mut self.input {
            Input::Plain(input) => input.fill_buf(),
            _ => Ok(&self.buffer[self.start..self.end]),
        }
    }

    /// Consumes `count` of the bytes that [`Self::fill`] returned.
    pub(super) fn consume(&mut self, count: usize) {
        self.taken += count as u64;
        match &mut self.input {
            Input::Plain(input) => input.consume(count),
            _ => self.start = (self.start + count).min(self.end),
        }
    }

    /// Starts the next member after the end of the current one; `false` at the end of the file.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        let Input::Between(input) = &mut self.input else { return Ok(false) };
        self.member = input.position;
        self.taken = 0;
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        // The buffer may end inside the magic number; the decoder checks all of it.
        let seen = bytes.len().min(GZIP.len());
        if bytes[..seen] != GZIP[..seen] {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no gzip member starts here"));
        }
        if let Input::Between(input) = mem::replace(&mut self.input, Input::Moving) {
            self.input = Input::Member(Box::new(GzDecoder::new(input)));
        }
        Ok(true)
    }

    /// The next bytes of this or a later member; none at the end of the file.
    pub(super) fn fill_across(&mut self) -> io::Result<&[u8]> {
        // `fill` is called twice because its borrow would otherwise outlive the loop.
        while self.fill()?.is_empty() {
            if !self.next_member()? {
                return Ok(&[]);
            }
        }
        self.fill()
    }

    /// Ends the current member.
    fn leave(&mut self) {
        if let Input::Member(decoder) = mem::replace(&mut self.input, Input::Moving) {
            self.input = Input::Between(decoder.into_inner());
        }
    }
}

fn read(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Counts the bytes read.
struct Counted<R> {
    inner: R,
    position: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
        self.position += count as u64;
    }
}
