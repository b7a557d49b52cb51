//! Decodes the body of a response: removes chunked transfer and content encodings.
//!
//! Some writers decode the body but keep its headers. A header is ignored if the body plainly
//! contradicts it.
use std::borrow::Cow;

use extract::read::coding::{self, Undecodable};
use warc::HttpResponse;

/// Why a body cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is longer than the limit.
    TooLarge,
    /// It does not match its headers.
    Broken,
}

/// The body of `response`, if it has at most `longest` bytes.
pub(super) fn body<'b>(
    response: &HttpResponse<'b>,
    longest: usize,
) -> Result<Cow<'b, [u8]>, Unreadable> {
    let transfer = codings(response, "Transfer-Encoding");
    let content = codings(response, "Content-Encoding");
    let is_chunked = |name: &&str| name.eq_ignore_ascii_case("chunked");
    let mut body = Cow::Borrowed(response.body);
    if transfer.iter().any(|name| is_chunked(&name.as_str())) {
        body = joined(response.body).ok_or(Unreadable::Broken)?;
    }
    // Transfer encodings were applied last, so they are removed first.
    let transfer = transfer.iter().map(String::as_str).filter(|name| !is_chunked(name));
    let all: Vec<&str> = content.iter().map(String::as_str).chain(transfer).collect();
    let all = if all.iter().all(|name| is_gzip(name)) && !coding::is_gzip(&body) {
        String::new()
    } else {
        all.join(",")
    };
    match body {
        Cow::Borrowed(body) => coding::decode(&all, body, longest),
        Cow::Owned(body) => {
            coding::decode(&all, &body, longest).map(|body| body.into_owned().into())
        }
    }
    .map_err(|error| match error {
        Undecodable::TooLong(_) => Unreadable::TooLarge,
        _ => Unreadable::Broken,
    })
}

/// The values of all headers with this name.
fn codings(response: &HttpResponse<'_>, name: &str) -> Vec<String> {
    let named = response.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
    let values = named.flat_map(|(_, value)| value.split(','));
    values.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
}

fn is_gzip(name: &str) -> bool {
    name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip")
}

/// The concatenated chunks of `body` (RFC 9112, section 7.1), or the body itself if it does not
/// begin with a chunk. `None` if it is truncated or malformed.
fn joined(body: &[u8]) -> Option<Cow<'_, [u8]>> {
    if chunk_size(body).is_none() {
        return Some(Cow::Borrowed(body));
    }
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let (size, after) = chunk_size(rest)?;
        if size == 0 {
            return Some(Cow::Owned(out));
        }
        let (chunk, after) = after.split_at_checked(size)?;
        out.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n")?;
    }
}

/// The size in a chunk's first line, and the rest after that line.
fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let line = bytes[..end].strip_suffix(b"\r")?;
    let digits = line.split(|&byte| byte == b';').next()?.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((size, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(head: &str, stored: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let block = [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n", stored].concat();
        body(&HttpResponse::parse(&block).unwrap(), 20).map(Cow::into_owned)
    }

    const CHUNKED: &str = "Transfer-Encoding: Chunked\r\n";

    #[test]
    fn chunks_are_joined() {
        let stored = b"5\r\nhello\r\nA;name=x\r\n, world...\r\n0\r\nTrailer: x\r\n\r\n";
        assert_eq!(said(CHUNKED, stored).unwrap(), b"hello, world...");
        assert_eq!(said(CHUNKED, b"0\r\n\r\n").unwrap(), b"");
    }

    #[test]
    fn chunks_that_were_joined_already_are_left_alone() {
        assert_eq!(said(CHUNKED, b"<p>hello").unwrap(), b"<p>hello");
        assert_eq!(said(CHUNKED, b"").unwrap(), b"");
        assert_eq!(said(CHUNKED, b"5\n").unwrap(), b"5\n");
    }

    #[test]
    fn chunks_that_break_off_are_no_body() {
        assert_eq!(said(CHUNKED, b"5\r\nhel"), Err(Unreadable::Broken));
        assert_eq!(said(CHUNKED, b"5\r\nhello\r\n"), Err(Unreadable::Broken));
        assert_eq!(said(CHUNKED, b"5\r\nhello, world"), Err(Unreadable::Broken));
        assert_eq!(said(CHUNKED, b"FFFFFFFFFFFFFFFF\r\nhello"), Err(Unreadable::Broken));
    }

    #[test]
    fn a_body_that_was_unpacked_already_is_left_alone() {
        assert_eq!(said("Content-Encoding: gzip\r\n", b"<p>hello").unwrap(), b"<p>hello");
    }

    #[test]
    fn a_body_that_cannot_be_unpacked_is_none() {
        assert_eq!(said("Content-Encoding: gzip\r\n", b"\x1f\x8b\x08?"), Err(Unreadable::Broken));
        assert_eq!(said("Content-Encoding: rot13\r\n", b"<p>"), Err(Unreadable::Broken));
    }

    #[test]
    fn a_body_longer_than_wanted_is_none() {
        assert_eq!(said("", &[b'x'; 20]).unwrap().len(), 20);
        assert_eq!(said("", &[b'x'; 21]), Err(Unreadable::TooLarge));
    }
}
