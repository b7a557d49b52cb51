//! Parses a whole HTTP response: headers and body.
//!
//! The live crawler and the archive reader both use it, so that a response gives the same snapshot
//! when it is fetched and years later.
use std::io::{self, BufRead, Read};

use super::{
    coding::{self, Undecodable},
    directives,
    long_sitemap::{self, Hashed},
    moved, read,
};
use crawl::{Digest, Snapshot};

/// The longest decoded body by default: what a sitemap may have at most (sitemaps.org: 52,428,800 bytes).
pub const LONGEST_BODY: usize = 50 << 20;

/// Sitemaps with a longer decoded body are read piece by piece.
pub const LONG_BODY: usize = 4 << 20;

/// How much of a body tells what it is.
const START_BYTES: usize = 64 << 10;

/// What is said of a sitemap or gzip file that is longer than [`LONGEST_BODY`].
pub(crate) const MORE_BYTES: &str = "what comes after the first 50 MiB of this file";

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
/// Sitemaps and gzip files (`sitemap.xml.gz`) are read up to [`LONGEST_BODY`] bytes of their content, whatever
/// the limit: the same file must read the same later, when the limit may be another.
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
        Source::new(address, headers, body).read(limit)?
    };
    for tag in &headers.robots_tags {
        snapshot.restrict(&directives::parse_header(tag));
    }
    Ok(snapshot)
}

/// Whether a response with this type may be a sitemap.
pub fn may_be_sitemap(address: &str, content_type: &str) -> bool {
    let kind = super::kind::detect(content_type, b"<?xml").0;
    kind == super::kind::Kind::Xml || is_gzip_file(address, content_type)
}

/// Whether a response is a sitemap, by the start of its body as sent.
pub fn is_sitemap(address: &str, headers: &Headers, start: &[u8]) -> bool {
    let source = Source::new(address, headers, start);
    let Ok(reader) = coding::reader(&source.codings, start) else { return false };
    let mut decoded = vec![];
    // The body ends in the middle, so decoding may fail there.
    let _ = reader.take(START_BYTES as u64).read_to_end(&mut decoded);
    long_sitemap::is_sitemap(address, source.content_type, &decoded)
}

/// The digest of a decoded body, as in [`Fingerprints::body`](crawl::Fingerprints::body), without holding the
/// body. `None` for bodies of up to [`LONG_BODY`] bytes.
///
/// # Errors
/// When the body cannot be decoded.
pub fn long_digest(
    address: &str,
    headers: &Headers,
    body: &[u8],
) -> Result<Option<Digest>, Unreadable> {
    let source = Source::new(address, headers, body);
    let longest = if source.is_zipped { LONGEST_BODY } else { usize::MAX };
    let mut hashed = Hashed::new(coding::reader(&source.codings, body)?, longest);
    let start = io::copy(&mut (&mut hashed).take(LONG_BODY as u64 + 1), &mut io::sink());
    let is_long = start.map_err(|cause| source.broken(cause))? > LONG_BODY as u64;
    let digest = is_long.then(|| hashed.finish()).transpose();
    Ok(digest.map_err(|cause| source.broken(cause))?.map(|(digest, _)| digest))
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

/// A body as sent, and what it is read as.
struct Source<'r> {
    address: &'r str,
    headers: &'r Headers,
    body: &'r [u8],
    /// Whether it is a gzip file, which is looked into.
    is_zipped: bool,
    /// All codings, that of the file first.
    codings: String,
    /// The type of what is inside.
    content_type: &'r str,
}

impl<'r> Source<'r> {
    fn new(address: &'r str, headers: &'r Headers, body: &'r [u8]) -> Self {
        let Headers { content_type, content_encoding, .. } = headers;
        let is_zipped = is_gzip_file(address, content_type)
            && coding::reader(content_encoding, body)
                .is_ok_and(|mut reader| reader.fill_buf().is_ok_and(coding::is_gzip));
        // The content type is that of the gzip file, so the type of the content is sniffed.
        let (codings, content_type) = if is_zipped {
            (format!("gzip, {content_encoding}"), "")
        } else {
            (content_encoding.clone(), content_type.as_str())
        };
        Self { address, headers, body, is_zipped, codings, content_type }
    }

    fn read(&self, limit: usize) -> Result<Snapshot, Unreadable> {
        let Self { address, content_type, .. } = *self;
        // Enough to tell a sitemap, which may be longer than other pages.
        let most = if self.is_zipped { LONG_BODY } else { limit.clamp(START_BYTES, LONG_BODY) };
        match coding::decode(&self.codings, self.body, most) {
            Ok(whole) if self.is_zipped || whole.len() <= limit => {
                Ok(read(address, content_type, &whole))
            }
            Ok(whole) if long_sitemap::is_sitemap(address, content_type, &whole) => {
                Ok(read(address, content_type, &whole))
            }
            Err(Undecodable::TooLong(start))
                if long_sitemap::is_sitemap(address, content_type, &start) =>
            {
                self.read_long_sitemap(&start, limit)
            }
            Ok(whole) => Err(Undecodable::TooLong(whole[..limit].to_vec()).into()),
            Err(Undecodable::TooLong(start)) => {
                drop(start);
                self.read_long(limit)
            }
            // A gzip file that cannot be unzipped is a file like any other.
            Err(_) if self.is_zipped => self.read_file(limit),
            Err(error) => Err(error.into()),
        }
    }

    fn read_long_sitemap(&self, start: &[u8], limit: usize) -> Result<Snapshot, Unreadable> {
        let reader = coding::reader(&self.codings, self.body)?;
        let read = long_sitemap::read(self.address, self.content_type, start, reader, LONGEST_BODY);
        match read {
            Ok(snapshot) => Ok(snapshot),
            Err(_) if self.is_zipped => self.read_file(limit),
            Err(cause) => Err(self.broken(cause).into()),
        }
    }

    /// Reads a long body of any other form than a sitemap.
    fn read_long(&self, limit: usize) -> Result<Snapshot, Unreadable> {
        let most = if self.is_zipped { LONGEST_BODY } else { limit };
        match coding::decode(&self.codings, self.body, most) {
            Ok(whole) => Ok(read(self.address, self.content_type, &whole)),
            Err(Undecodable::TooLong(start)) if self.is_zipped => {
                let mut snapshot = read(self.address, self.content_type, &start);
                snapshot.left_out = Some(MORE_BYTES);
                Ok(snapshot)
            }
            Err(_) if self.is_zipped => self.read_file(limit),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a gzip file without a look inside.
    fn read_file(&self, limit: usize) -> Result<Snapshot, Unreadable> {
        let body = coding::decode(&self.headers.content_encoding, self.body, limit)?;
        Ok(read(self.address, &self.headers.content_type, &body))
    }

    fn broken(&self, cause: io::Error) -> Undecodable {
        Undecodable::Broken { coding: self.codings.clone(), cause, start: vec![] }
    }
}

/// Whether a gzip file at `address` with this type is looked into: sitemaps often are such files.
fn is_gzip_file(address: &str, content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let may_be = ["application/gzip", "application/x-gzip", "application/octet-stream", ""];
    is_gzip_name(address) && may_be.iter().any(|kind| essence.eq_ignore_ascii_case(kind))
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
        assert_eq!(read.left_out, Some(MORE_BYTES));
    }

    /// A lawful sitemap, as long as one may be.
    fn longest_sitemap() -> String {
        let entries = 50_000;
        let mut text = String::from("<?xml version='1.0' encoding='UTF-8'?><urlset>");
        let rest = LONGEST_BODY - text.len() - "</urlset>".len();
        for entry in 0..entries {
            let start = format!("<url><loc>https://a.org/{entry}</loc><!--");
            let length = rest / entries - start.len() - "--></url>".len();
            text += &start;
            text.extend(std::iter::repeat_n('x', length));
            text += "--></url>";
        }
        text + "</urlset>"
    }

    #[test]
    fn the_longest_sitemap_is_read_whole_whatever_its_coding_and_the_limit() {
        let text = longest_sitemap();
        assert!((LONGEST_BODY - 100_000..=LONGEST_BODY).contains(&text.len()));
        let body = zipped(&text);
        let file = typed("application/gzip");
        let coded = Headers { content_encoding: "gzip".to_owned(), ..typed("text/xml") };
        let plain = typed("application/xml");
        for (address, headers, body) in [
            ("https://a.org/sitemap.xml.gz", &file, body.as_slice()),
            ("https://a.org/sitemap.xml", &coded, &body),
            ("https://a.org/sitemap.xml", &plain, text.as_bytes()),
        ] {
            assert!(is_sitemap(address, headers, &body[..2_000]), "{address}");
            let read = response(address, 200, headers, body, 1_000_000).unwrap();
            assert_eq!((read.form, read.left_out), (Form::Sitemap, None));
            assert_eq!(read.links.links().len(), 50_000);
            let digest = long_digest(address, headers, body).unwrap();
            assert_eq!(digest, Some(Digest::from_bytes(text.as_bytes())));
            assert_eq!(read.fingerprints.body, Digest::from_bytes(text.as_bytes()));
        }
    }

    #[test]
    fn a_page_that_is_no_sitemap_keeps_its_limit() {
        let page = format!("<rss>{}</rss>", "<item/>".repeat(20_000));
        let coded = Headers { content_encoding: "gzip".to_owned(), ..typed("text/xml") };
        let body = zipped(&page);
        let read = |limit| response("https://a.org/", 200, &coded, &body, limit);
        assert!(!is_sitemap("https://a.org/", &coded, &body));
        let Err(Unreadable::Undecodable(Undecodable::TooLong(start))) = read(100_000) else {
            panic!("longer than the limit")
        };
        assert_eq!(start.len(), 100_000);
        assert!(matches!(read(10), Err(Unreadable::Undecodable(Undecodable::TooLong(_)))));
        assert!(read(page.len()).is_ok());
        assert_eq!(long_digest("https://a.org/", &coded, &body).unwrap(), None);
    }

    #[test]
    fn a_long_sitemap_that_breaks_off_is_broken_or_a_file() {
        let mut body = zipped(&longest_sitemap());
        body.truncate(body.len() / 2);
        let coded = Headers { content_encoding: "gzip".to_owned(), ..typed("text/xml") };
        let read = |address: &str, headers: &Headers| {
            response(address, 200, headers, &body, 1 << 30).map(|read| read.form)
        };
        assert!(matches!(
            read("https://a.org/s.xml", &coded),
            Err(Unreadable::Undecodable(Undecodable::Broken { .. }))
        ));
        let file = typed("application/gzip");
        assert!(matches!(read("https://a.org/s.xml.gz", &file), Ok(Form::Other)));
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
