//! The HTTP response in the block of a record.
use std::borrow::Cow;

/// A parsed response. The body is as stored: still compressed if it was sent so, and with its chunks
/// if the writer of the file kept them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse<'a> {
    /// The status.
    pub status: u16,
    /// The headers in their order. Invalid UTF-8 is replaced.
    pub headers: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Everything after the empty line.
    pub body: &'a [u8],
}

impl<'a> HttpResponse<'a> {
    /// Parses a block. `None` if it does not begin with a status line. If the block ends inside the
    /// head, the response has the headers up to there and no body.
    pub fn parse(block: &'a [u8]) -> Option<Self> {
        let (line, mut rest) = line(block);
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        words.next().filter(|version| version.starts_with("HTTP/"))?;
        let status = words.next()?.parse().ok()?;

        let mut headers: Vec<(Cow<'a, str>, Cow<'a, str>)> = Vec::new();
        while !rest.is_empty() {
            let (text, after) = self::line(rest);
            rest = after;
            if text.is_empty() {
                break;
            }
            if text.starts_with(b" ") || text.starts_with(b"\t") {
                // A header that continues in the next line, as old servers write them.
                if let Some((_, value)) = headers.last_mut() {
                    value.to_mut().push(' ');
                    value.to_mut().push_str(&String::from_utf8_lossy(text.trim_ascii()));
                }
            } else if let Some(colon) = text.iter().position(|&byte| byte == b':') {
                let (name, value) = (&text[..colon], &text[colon + 1..]);
                headers.push((
                    String::from_utf8_lossy(name.trim_ascii()),
                    String::from_utf8_lossy(value.trim_ascii()),
                ));
            }
        }
        Some(Self { status, headers, body: rest })
    }

    /// The first header of this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }

    /// The media type without its parameters; empty if there is none.
    pub fn media_type(&self) -> &str {
        let value = self.header("Content-Type").unwrap_or_default();
        value.split([';', ' ', '\t', ',']).next().unwrap_or_default()
    }
}

/// The first line without its line break, and the rest.
fn line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(end) => {
            let line = &text[..end];
            (line.strip_suffix(b"\r").unwrap_or(line), &text[end + 1..])
        }
        None => (text, b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_taken_apart() {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX: a\r\n b\r\n\r\nbody\n\n";
        let response = HttpResponse::parse(block).unwrap();
        assert_eq!(response.status, 200);
        assert_eq!(response.media_type(), "text/html");
        assert_eq!(response.header("x"), Some("a b"));
        assert_eq!(response.body, b"body\n\n");
    }

    #[test]
    fn what_is_no_response_is_none() {
        assert_eq!(HttpResponse::parse(b""), None);
        assert_eq!(HttpResponse::parse(b"GET / HTTP/1.1\r\n\r\n"), None);
        assert_eq!(HttpResponse::parse(b"HTTP/1.1 many\r\n\r\n"), None);
    }

    #[test]
    fn a_head_alone_has_no_body() {
        let response = HttpResponse::parse(b"HTTP/1.1 304\r\nETag: x\r\n").unwrap();
        assert_eq!((response.status, response.body), (304, &b""[..]));
        assert_eq!(response.media_type(), "");
    }
}
