//! Turns what the web serves into HTTP responses: validators, compression, headers.
use bytes::Bytes;
use crawl::Time;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;

use crate::moments::{from_http_date, http_date};
use crate::render;
use crate::served::Served;

/// The parts of a request that determine the answer.
pub(super) struct RequestParts {
    /// In lower case, without a port; empty if there is none.
    pub(super) host: String,
    /// Whether the method is GET or HEAD.
    pub(super) is_reading: bool,
    accepts_gzip: bool,
    none_match: Option<String>,
    modified_since: Option<Time>,
}

impl RequestParts {
    pub(super) fn new<B>(request: &Request<B>) -> Self {
        let headers = request.headers();
        let named = || text(headers, &header::HOST).unwrap_or_default();
        let host = request.uri().authority().map_or_else(named, |host| host.as_str());
        let host = host.split(':').next().unwrap_or_default().trim_end_matches('.');
        let since = text(headers, &header::IF_MODIFIED_SINCE).and_then(from_http_date);
        Self {
            host: host.to_ascii_lowercase(),
            is_reading: matches!(*request.method(), Method::GET | Method::HEAD),
            accepts_gzip: text(headers, &header::ACCEPT_ENCODING).is_some_and(accepts_gzip),
            none_match: text(headers, &header::IF_NONE_MATCH).map(str::to_owned),
            modified_since: since,
        }
    }

    /// The response to a request at `at`. For HEAD, the connection leaves the body out.
    pub(super) fn response(&self, served: Served, at: Time) -> Response<Full<Bytes>> {
        let fresh = served.status == 200 && self.holds(&served);
        let gzip = served.gzip && self.accepts_gzip && !fresh;
        let status = if fresh { 304 } else { served.status };
        let mut response = empty(StatusCode::from_u16(status).unwrap_or(StatusCode::NOT_FOUND));
        let headers = response.headers_mut();
        put(headers, header::DATE, &http_date(at));
        let changed = served.last_modified.map(http_date);
        let optional = [
            (header::ETAG, served.etag.as_deref()),
            (header::LAST_MODIFIED, changed.as_deref()),
            (header::CACHE_CONTROL, served.cache_control),
            (HeaderName::from_static("x-robots-tag"), served.robots_tag),
            (header::LOCATION, served.location.as_deref()),
            (header::VARY, served.gzip.then_some("Accept-Encoding")),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                put(headers, name, value);
            }
        }
        if fresh {
            return response;
        }
        put(headers, header::CONTENT_TYPE, served.mime.content_type());
        if gzip {
            put(headers, header::CONTENT_ENCODING, "gzip");
        }
        let body = if gzip { render::gzip(&served.body).into() } else { served.body };
        *response.body_mut() = Full::new(body);
        response
    }

    /// Whether the client has this version. `If-None-Match` takes precedence over `If-Modified-Since`
    /// (RFC 9110, section 13.1.3).
    fn holds(&self, served: &Served) -> bool {
        match (&self.none_match, &served.etag) {
            (Some(held), Some(etag)) => {
                held.split(',').any(|held| held.trim() == "*" || opaque(held) == opaque(etag))
            }
            (Some(_), None) => false,
            (None, _) => match (self.modified_since, served.last_modified) {
                (Some(since), Some(changed)) => changed <= since,
                _ => false,
            },
        }
    }
}

/// A response without body.
pub(super) fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// An entity tag without `W/`: `If-None-Match` uses weak comparison.
fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn accepts_gzip(encodings: &str) -> bool {
    encodings.split(',').any(|encoding| {
        let mut parts = encoding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let refused = parts.any(|part| {
            part.strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()).is_some_and(|q| q <= 0.0)
        });
        (name.eq_ignore_ascii_case("gzip") || name == "*") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_accepted_unless_refused() {
        assert!(accepts_gzip("br, gzip;q=0.5"));
        assert!(accepts_gzip("*"));
        assert!(!accepts_gzip("gzip;q=0, br"));
        assert!(!accepts_gzip("identity"));
    }

    #[test]
    fn a_host_is_read_without_port_and_case() {
        let request = Request::builder().header("Host", "Index.Example:8080").body(()).unwrap();
        assert_eq!(RequestParts::new(&request).host, "index.example");
    }
}
