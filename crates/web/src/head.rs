//! Heads of requests and responses, for the wire and for the archive.
use crawl::Validators;
use extract::read::{coding, response::Headers};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};

use crate::{OriginHeaders, Settings, WebError, rules::VisitRules, target::Scheme};

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// The headers of every request.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    headers: Vec<(HeaderName, HeaderValue)>,
    of_origins: OriginHeaders,
}

impl Agent {
    pub(crate) fn new(settings: &Settings) -> Result<Self, WebError> {
        let value =
            |text: &str| HeaderValue::from_str(text).map_err(|_| WebError::Agent(text.to_owned()));
        let mut headers = vec![
            (header::USER_AGENT, value(&settings.user_agent()?)?),
            (header::ACCEPT, HeaderValue::from_static(ACCEPT)),
            (header::ACCEPT_ENCODING, HeaderValue::from_static(coding::ACCEPTED)),
        ];
        if let Some(contact) = settings.contact.as_deref().filter(|text| !text.contains("://")) {
            headers.push((header::FROM, value(contact)?));
        }
        Ok(Self { headers, of_origins: settings.origin_headers.clone() })
    }

    /// Adds the headers of the origin of a request. Returns whether the archive may have them.
    pub(crate) fn extend(&self, headers: &mut HeaderMap, request: &HttpRequest<'_>) -> bool {
        self.of_origins.extend(headers, request.scheme, request.authority);
        self.of_origins.are_archived
    }
}

/// One request, independent of the version of HTTP.
pub(crate) struct HttpRequest<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) authority: &'a str,
    /// Path and query.
    pub(crate) path: &'a str,
    pub(crate) validators: Option<&'a Validators>,
    /// The most bytes to receive of the body.
    pub(crate) most: usize,
    /// Whether the start of a longer body is useful.
    pub(crate) takes_start: bool,
    /// Which types of content are read; `None` for all.
    pub(crate) rules: Option<&'a VisitRules>,
}

impl HttpRequest<'_> {
    /// The headers, in the order in which they are sent; `None` if the host is not a valid header value.
    pub(crate) fn headers(&self, agent: &Agent) -> Option<HeaderMap> {
        let mut headers = HeaderMap::with_capacity(8);
        headers.append(header::HOST, HeaderValue::from_str(self.authority).ok()?);
        for (name, value) in &agent.headers {
            headers.append(name.clone(), value.clone());
        }
        let sent = self.validators.into_iter().flat_map(|validators| {
            [
                (header::IF_NONE_MATCH, &validators.entity_tag),
                (header::IF_MODIFIED_SINCE, &validators.last_modified),
            ]
        });
        for (name, value) in sent {
            let value = value.as_ref().and_then(|value| HeaderValue::from_str(value).ok());
            if let Some(value) = value {
                headers.append(name, value);
            }
        }
        Some(headers)
    }

    /// The request target: the path in HTTP/1.1, the whole address in HTTP/2.
    pub(crate) fn uri(&self, is_whole: bool) -> Option<Uri> {
        if !is_whole {
            return self.path.parse().ok();
        }
        Uri::builder()
            .scheme(self.scheme.name())
            .authority(self.authority)
            .path_and_query(self.path)
            .build()
            .ok()
    }

    /// The head of the request as HTTP/1.1 writes it.
    pub(crate) fn head(&self, headers: &HeaderMap) -> Vec<u8> {
        let mut out = Vec::with_capacity(320 + self.path.len());
        out.extend_from_slice(b"GET ");
        out.extend_from_slice(self.path.as_bytes());
        out.extend_from_slice(b" HTTP/1.1\r\n");
        for (name, value) in headers {
            let start = out.len();
            out.extend_from_slice(name.as_str().as_bytes());
            capitalise(&mut out[start..]);
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out
    }
}

impl std::fmt::Display for HttpRequest<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}://{}{}", self.scheme.name(), self.authority, self.path)
    }
}

/// `if-none-match` to `If-None-Match`, as sent.
fn capitalise(name: &mut [u8]) {
    let mut is_start = true;
    for byte in name {
        if is_start {
            byte.make_ascii_uppercase();
        }
        is_start = *byte == b'-';
    }
}

/// The head of an HTTP/1 response for the archive, as received except for `Transfer-Encoding`, because
/// chunks are joined. A `Content-Length` beside it does not count (RFC 9112, section 6.3) and is left out,
/// too: readers would take it for the length of the joined body.
pub(crate) fn http1_head(raw: &[u8]) -> Vec<u8> {
    let lines =
        || raw.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let is_named = |line: &[u8], name: &str| {
        let found = line.split(|&byte| byte == b':').next().unwrap_or_default();
        found.trim_ascii().eq_ignore_ascii_case(name.as_bytes())
    };
    let is_chunked = lines().skip(1).any(|line| is_named(line, "transfer-encoding"));
    let mut out = Vec::with_capacity(raw.len() + 2);
    let mut is_left_out = false;
    for line in lines() {
        let continues = matches!(line.first(), Some(b' ' | b'\t'));
        if !continues {
            is_left_out = is_named(line, "transfer-encoding")
                || (is_chunked && is_named(line, "content-length"));
        }
        if !is_left_out && !line.is_empty() {
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
        }
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// The head of an HTTP/2 response, as HTTP/1.1 writes it.
pub(crate) fn http2_head(status: StatusCode, headers: &HeaderMap) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {}", status.as_str()).into_bytes();
    out.push(b' ');
    out.extend_from_slice(status.canonical_reason().unwrap_or_default().as_bytes());
    out.extend_from_slice(b"\r\n");
    for (name, value) in headers {
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// The headers that matter for reading a body.
pub(crate) fn for_reading(headers: &HeaderMap) -> Headers {
    let tags = headers.get_all(X_ROBOTS_TAG).iter();
    Headers {
        content_type: text(headers, &header::CONTENT_TYPE),
        content_encoding: text(headers, &header::CONTENT_ENCODING),
        location: text(headers, &header::LOCATION),
        robots_tags: tags.map(|tag| String::from_utf8_lossy(tag.as_bytes()).into_owned()).collect(),
    }
}

/// The value of a header; invalid UTF-8 is replaced. Empty if there is none.
pub(crate) fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    headers.get(name).map_or_else(String::new, |value| {
        String::from_utf8_lossy(value.as_bytes()).trim().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_as_it_is_sent() {
        let settings = Settings { contact: Some("me@a.org".to_owned()), ..Settings::default() };
        let validators = Validators {
            entity_tag: Some("\"x\"".to_owned()),
            last_modified: Some("bad\nvalue".to_owned()),
        };
        let request = HttpRequest {
            scheme: Scheme::Https,
            authority: "b.org:81",
            path: "/p?q",
            validators: Some(&validators),
            most: 0,
            takes_start: false,
            rules: None,
        };
        let headers = request.headers(&Agent::new(&settings).unwrap()).unwrap();
        let written = String::from_utf8(request.head(&headers)).unwrap();
        assert_eq!(
            written,
            "GET /p?q HTTP/1.1\r\nHost: b.org:81\r\nUser-Agent: Mozilla/5.0 (compatible; \
             Sanderling/0.1; +me@a.org)\r\nAccept: text/html,application/xhtml+xml,\
             application/xml;q=0.9,*/*;q=0.8\r\nAccept-Encoding: gzip, br, zstd, deflate\r\n\
             From: me@a.org\r\nIf-None-Match: \"x\"\r\n\r\n"
        );
        assert_eq!(request.uri(true).unwrap(), "https://b.org:81/p?q");
        assert_eq!(request.uri(false).unwrap(), "/p?q");
    }

    #[test]
    fn an_answer_is_kept_as_it_came_but_for_its_chunks() {
        let raw =
            b"HTTP/1.1 200 Fine\r\nX-oDD: 1\nTRANSFER-Encoding: gzip,\r\n chunked\r\nB:2\r\n\r\n";
        assert_eq!(http1_head(raw), b"HTTP/1.1 200 Fine\r\nX-oDD: 1\r\nB:2\r\n\r\n");
        let both =
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\nB: 2\r\n\r\n";
        assert_eq!(http1_head(both), b"HTTP/1.1 200 OK\r\nB: 2\r\n\r\n");
        let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n";
        assert_eq!(http1_head(plain), plain);
    }
}
