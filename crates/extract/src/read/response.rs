//! Parses a whole HTTP response: headers and body.
//!
//! The live crawler and the archive reader both use it, so that a response gives the same snapshot
//! when it is fetched and years later.
use super::{
    coding::{self, Undecodable},
    directives, moved, read,
};
use crawl::Snapshot;

/// The response headers that matter for parsing.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// `Content-Type`; empty where there is none.
    pub content_type: String,
    /// `Content-Encoding`; empty where there is none.
    pub content_encoding: String,
    /// `Location`; empty where there is none.
    pub location: String,
    /// Every `X-Robots-Tag`.
    pub robots_tags: Vec<String>,
}

/// Why a response cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// Its body cannot be decoded.
    #[error(transparent)]
    Undecodable(#[from] Undecodable),
    /// It redirects, but not to an HTTP address.
    #[error("redirect without a valid target")]
    Nowhere,
}

/// Parses the response with `status` from `address`. The decoded body may have at most `limit` bytes.
///
/// # Errors
/// When the body cannot be decoded, or a redirect has no valid target.
pub fn response(
    address: &str,
    status: u16,
    headers: &Headers,
    body: &[u8],
    limit: usize,
) -> Result<Snapshot, Unreadable> {
    let mut snapshot = if (300..400).contains(&status) {
        let location = Some(headers.location.as_str()).filter(|location| !location.is_empty());
        location.and_then(|location| moved(address, location)).ok_or(Unreadable::Nowhere)?
    } else {
        let body = coding::decode(&headers.content_encoding, body, limit)?;
        match unzipped(address, &headers.content_type, &body, limit) {
            // The content type is that of the gzip file, so the type of the content is sniffed.
            Some(inside) => read(address, "", &inside),
            None => read(address, &headers.content_type, &body),
        }
    };
    for tag in &headers.robots_tags {
        snapshot.restrict(&directives::parse_header(tag));
    }
    Ok(snapshot)
}

/// The content of a gzip file, as sitemaps often are.
fn unzipped(address: &str, content_type: &str, body: &[u8], limit: usize) -> Option<Vec<u8>> {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let may_be = ["application/gzip", "application/x-gzip", "application/octet-stream", ""];
    let path = address.split('?').next().unwrap_or_default().as_bytes();
    let is_named = path.last_chunk().is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b".gz"));
    let is_file = is_named
        && coding::is_gzip(body)
        && may_be.iter().any(|kind| essence.eq_ignore_ascii_case(kind));
    if !is_file {
        return None;
    }
    coding::decode("gzip", body, limit).ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crawl::Form;

    fn zipped(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn typed(content_type: &str) -> Headers {
        Headers { content_type: content_type.to_owned(), ..Headers::default() }
    }

    #[test]
    fn a_gzipped_sitemap_is_parsed() {
        let body = zipped("<urlset><url><loc>https://a.org/x</loc></url></urlset>");
        let form = |address: &str, content_type: &str| {
            response(address, 200, &typed(content_type), &body, 1_000).unwrap().form
        };
        assert_eq!(form("https://a.org/sitemap.xml.GZ?x", "application/x-gzip"), Form::Sitemap);
        assert_eq!(form("https://a.org/sitemap.xml.gz", "application/pdf"), Form::Other);
        assert_eq!(form("https://a.org/archive", "application/gzip"), Form::Other);
    }

    #[test]
    fn headers_restrict_what_the_page_allows() {
        let headers = Headers {
            robots_tags: vec!["noindex".to_owned(), "otherbot: nofollow".to_owned()],
            ..typed("text/html")
        };
        let snapshot = response("https://a.org/", 200, &headers, b"<a href=/x>x</a>", 100).unwrap();
        assert!(snapshot.directives.noindex && snapshot.links.links()[0].follow);
    }

    #[test]
    fn a_redirect_needs_a_valid_target() {
        let to = |location: &str| {
            let headers = Headers { location: location.to_owned(), ..Headers::default() };
            response("https://a.org/", 301, &headers, b"", 100).map(|snapshot| snapshot.form)
        };
        assert!(matches!(to("/x"), Ok(Form::Moved)));
        assert!(matches!(to(""), Err(Unreadable::Nowhere)));
        assert!(matches!(to("mailto:a@b.org"), Err(Unreadable::Nowhere)));
    }
}
