//! Parses a whole HTTP response: headers and body.
//!
//! The live crawler and the archive reader both use it, so that a response gives the same snapshot
//! when it is fetched and years later.
use super::{
    coding::{self, Undecodable},
    directives, moved, read,
};
use crawl::Snapshot;

/// The longest decoded body by default: what a sitemap may have at most (sitemaps.org: 52,428,800 bytes).
pub const LONGEST_BODY: usize = 50 << 20;

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
/// A gzip file (`sitemap.xml.gz`) is read up to [`LONGEST_BODY`] bytes of its content, whatever the limit:
/// the same file must read the same later, when the limit may be another.
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
        // The content type is that of the gzip file, so the type of the content is sniffed.
        unzipped(address, &headers.content_type, &body).map_or_else(
            || read(address, &headers.content_type, &body),
            |inside| read(address, "", &inside),
        )
    };
    for tag in &headers.robots_tags {
        snapshot.restrict(&directives::parse_header(tag));
    }
    Ok(snapshot)
}

/// Parses a gzip file as what it is, without a look inside. Earlier versions did so where the content was
/// longer than their limit.
///
/// # Errors
/// As [`response`].
pub fn file(
    address: &str,
    headers: &Headers,
    body: &[u8],
    limit: usize,
) -> Result<Snapshot, Unreadable> {
    let body = coding::decode(&headers.content_encoding, body, limit)?;
    let mut snapshot = read(address, &headers.content_type, &body);
    for tag in &headers.robots_tags {
        snapshot.restrict(&directives::parse_header(tag));
    }
    Ok(snapshot)
}

/// Whether the name of `address` is that of a gzip file.
pub fn is_gzip_name(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default().as_bytes();
    path.last_chunk().is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b".gz"))
}

/// The content of a gzip file, as sitemaps often are, or the start of a longer one; `None` if `body` is
/// not one.
fn unzipped(address: &str, content_type: &str, body: &[u8]) -> Option<Vec<u8>> {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let may_be = ["application/gzip", "application/x-gzip", "application/octet-stream", ""];
    let is_file = is_gzip_name(address)
        && coding::is_gzip(body)
        && may_be.iter().any(|kind| essence.eq_ignore_ascii_case(kind));
    if !is_file {
        return None;
    }
    match coding::decode("gzip", body, LONGEST_BODY) {
        Ok(inside) => Some(inside.into_owned()),
        Err(Undecodable::TooLong(start)) => Some(start),
        Err(_) => None,
    }
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
    fn a_gzipped_sitemap_reads_the_same_whatever_the_limit() {
        let entry = |page: u32| format!("<url><loc>https://a.org/{page}</loc></url>");
        let entries: String = (0..2_000).map(entry).collect();
        let body = zipped(&format!("<urlset>{entries}</urlset>"));
        let read = |limit| {
            let typed = typed("application/gzip");
            response("https://a.org/sitemap.xml.gz", 200, &typed, &body, limit).unwrap()
        };
        let short = read(body.len());
        assert_eq!((short.form, short.links.links().len()), (Form::Sitemap, 2_000));
        assert_eq!(short, read(1 << 30));
    }

    #[test]
    fn a_gzip_file_above_the_longest_is_read_up_to_there() {
        let mut text = "<urlset><url><loc>https://a.org/x</loc></url>".to_owned();
        text.push_str(&" ".repeat(LONGEST_BODY));
        text.push_str("<url><loc>https://a.org/y</loc></url></urlset>");
        let typed = typed("application/gzip");
        let read =
            response("https://a.org/s.xml.gz", 200, &typed, &zipped(&text), 1_000_000).unwrap();
        assert_eq!((read.form, read.links.links().len()), (Form::Sitemap, 1));
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
