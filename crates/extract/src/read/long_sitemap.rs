//! Sitemaps that are too long to be held in memory, read piece by piece.
//!
//! A sitemap may have 50 MB, and most of them come compressed. Of a long one the addresses are kept, the
//! fingerprints of all of it, and the start of its text, which only detectors other than the default read.
use std::{
    io::{self, BufRead, Read},
    ops::ControlFlow,
    sync::Arc,
};

use encoding_rs::{CoderResult, Decoder};
use xxhash_rust::xxh3::Xxh3;

use super::{
    charset, emails,
    fingerprints::PiecePrints,
    fold::Folded,
    host,
    kind::{self, Kind},
    sitemap::{Entries, MORE_ENTRIES},
    text_dates, xml,
};
use crawl::{Content, Counts, Digest, Form, LinkList, Snapshot};

/// How much of the start is searched for the outermost element.
const ROOT_BYTES: usize = 64 << 10;

/// The text is passed on in pieces of about this length.
const PIECE_BYTES: usize = 64 << 10;

/// How much of the text is kept.
const KEPT_BYTES: usize = 4 << 20;

const BUFFER_BYTES: usize = 16 << 10;

/// Whether a body that begins with `start` is a sitemap.
pub(crate) fn is_sitemap(address: &str, content_type: &str, start: &[u8]) -> bool {
    let (kind, label) = kind::detect(content_type, start);
    if kind != Kind::Xml {
        return false;
    }
    let start = &start[..start.len().min(ROOT_BYTES)];
    let root = xml::root(&charset::decode(start, label, host(address)));
    matches!(root.as_deref(), Some("urlset" | "sitemapindex"))
}

/// Parses a sitemap that begins with `start`, up to `longest` bytes of it.
///
/// # Errors
/// Those of `body`.
pub(crate) fn read(
    address: &str,
    content_type: &str,
    start: &[u8],
    body: impl BufRead,
    longest: usize,
) -> io::Result<Snapshot> {
    let (_, label) = kind::detect(content_type, start);
    let mut body = Hashed::new(body, longest);
    let mut entries = Entries::new(address);
    let mut text = Text::default();
    let mut decoded = Decoded::new(&mut body, charset::decoder(start, label, host(address)));
    xml::each_token_of(&mut decoded, |token| {
        entries.token(&token);
        // Between elements, words are whole.
        let is_between = !matches!(token, xml::XmlToken::Text(_));
        if is_between && entries.text.len() >= PIECE_BYTES {
            text.push(std::mem::take(&mut entries.text));
        }
        ControlFlow::Continue(())
    });
    let (body, is_cut) = body.finish()?;
    let is_over = entries.has_more();
    text.push(entries.text);
    let text_bytes = u32::try_from(text.prints.bytes).unwrap_or(u32::MAX);
    let (fingerprints, words) = text.prints.finish(body);
    let kept = text.kept;
    let left_out = match (is_over, is_cut) {
        (true, _) => Some(MORE_ENTRIES),
        (false, true) => Some(super::response::MORE_BYTES),
        (false, false) => None,
    };
    Ok(Snapshot {
        form: Form::Sitemap,
        fingerprints,
        counts: Counts {
            words,
            emails: emails::count(&kept, &[]),
            text_bytes,
            ..Counts::default()
        },
        dates: text_dates::find(&kept),
        links: Arc::new(LinkList::new(entries.links)),
        content: Some(Arc::new(Content { text: kept, ..Content::default() })),
        left_out,
        ..Snapshot::default()
    })
}

/// The text of a sitemap: its fingerprints, and its start.
#[derive(Default)]
struct Text {
    prints: PiecePrints,
    kept: String,
}

impl Text {
    fn push(&mut self, piece: Folded) {
        let piece = piece.finish();
        if piece.is_empty() {
            return;
        }
        // Once a piece is left out, all later ones are.
        if self.kept.len() == self.prints.bytes && self.kept.len() + piece.len() < KEPT_BYTES {
            if !self.kept.is_empty() {
                self.kept.push(' ');
            }
            self.kept.push_str(&piece);
        }
        self.prints.push(&piece);
    }
}

/// The first bytes of a body, with their digest.
pub(crate) struct Hashed<R> {
    inner: R,
    left: usize,
    hasher: Xxh3,
    failure: Option<io::Error>,
}

impl<R: BufRead> Hashed<R> {
    pub(crate) fn new(inner: R, longest: usize) -> Self {
        Self { inner, left: longest, hasher: Xxh3::new(), failure: None }
    }

    /// The digest of all bytes up to the limit, also those that nobody has read, and whether there are
    /// more.
    ///
    /// # Errors
    /// Those of reading, also if they came before.
    pub(crate) fn finish(mut self) -> io::Result<(Digest, bool)> {
        loop {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            let length = self.fill_buf()?.len();
            if length == 0 {
                break;
            }
            self.consume(length);
        }
        let is_cut = self.left == 0 && !self.inner.fill_buf()?.is_empty();
        Ok((Digest(self.hasher.digest128()), is_cut))
    }
}

impl<R: BufRead> BufRead for Hashed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.inner.fill_buf() {
            Ok(bytes) => Ok(&bytes[..bytes.len().min(self.left)]),
            Err(error) => {
                // The parser takes any error for the end.
                self.failure = Some(io::Error::new(error.kind(), error.to_string()));
                Err(error)
            }
        }
    }

    fn consume(&mut self, count: usize) {
        if let Ok(bytes) = self.inner.fill_buf() {
            self.hasher.update(&bytes[..count]);
        }
        self.left -= count;
        self.inner.consume(count);
    }
}

impl<R: BufRead> Read for Hashed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// A text in UTF-8, made of one in any encoding.
struct Decoded<R> {
    inner: R,
    decoder: Decoder,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    is_over: bool,
}

impl<R> Decoded<R> {
    fn new(inner: R, decoder: Decoder) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Self { inner, decoder, buffer, at: 0, end: 0, is_over: false }
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.end && !self.is_over {
            let bytes = self.inner.fill_buf()?;
            let is_last = bytes.is_empty();
            let (result, read, written, _) =
                self.decoder.decode_to_utf8(bytes, &mut self.buffer, is_last);
            self.inner.consume(read);
            (self.at, self.end) = (0, written);
            self.is_over = is_last && result == CoderResult::InputEmpty;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads `body` both ways, the long one in small pieces.
    fn both(content_type: &str, body: &[u8]) -> (Snapshot, Snapshot) {
        let address = "https://a.org/sitemap.xml";
        let short = super::super::read(address, content_type, body);
        let pieces = io::BufReader::with_capacity(7, body);
        (short, read(address, content_type, body, pieces, usize::MAX).unwrap())
    }

    #[test]
    fn a_long_sitemap_reads_as_a_short_one() {
        let entry = |page: usize| {
            format!(
                "<url><loc>https://a.org/{page}?a=1&amp;b={page}</loc><lastmod>2026-11-{:02}</lastmod>\
                 <x:text>Wörter\u{a0}\u{3000}und a{page}@b.org</x:text></url>\n",
                page % 30 + 1
            )
        };
        // More than one piece of text.
        let entries: String = (0..3_000).map(entry).collect();
        let text = format!("<?xml version='1.0'?><!-- x --><urlset>{entries}</urlset>");
        let (short, long) = both("application/xml", text.as_bytes());
        assert_eq!((short.links.links().len(), short.form), (3_000, Form::Sitemap));
        assert!(short.counts.text_bytes as usize > 2 * PIECE_BYTES);
        assert_eq!(short, long);
    }

    #[test]
    fn every_encoding_is_read() {
        let text = "<urlset><url><loc>/x</loc><a>na\u{ef}ve \u{e9}t\u{e9}</a></url></urlset>";
        let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        let declared =
            [b"<?xml version='1.0' encoding='latin1'?>".to_vec(), latin.clone()].concat();
        let wide: Vec<u8> =
            format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (content_type, body) in [
            ("application/xml; charset=latin1", latin.as_slice()),
            ("text/xml", declared.as_slice()),
            ("text/xml", wide.as_slice()),
            ("text/xml", text.as_bytes()),
        ] {
            let (short, long) = both(content_type, body);
            assert_eq!(short.form, Form::Sitemap);
            assert_eq!(long.content.as_ref().unwrap().text, "/x na\u{ef}ve \u{e9}t\u{e9}");
            assert_eq!(short, long);
        }
    }

    #[test]
    fn what_is_after_the_limit_is_left_out_and_said() {
        let text = "<urlset><url><loc>/x</loc></url><url><loc>/y</loc></url></urlset>";
        let cut = |longest: usize| {
            let read = read("https://a.org/", "text/xml", b"<urlset>", text.as_bytes(), longest);
            let read = read.unwrap();
            (read.links.links().len(), read.left_out)
        };
        assert_eq!(cut(text.len()), (2, None));
        assert_eq!(cut(text.len() - 20), (1, Some(super::super::response::MORE_BYTES)));
    }

    proptest! {
        #[test]
        fn whatever_is_in_it_a_long_sitemap_reads_as_a_short_one(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<url>", "</url>", "<loc>", "</loc>", "/x", "<lastmod>", "</lastmod>", "2026-01-02",
                    "<url/>", "&amp;", "&", "&#65;", "<!-- c -->", "<![CDATA[x]]>", " ", "\u{a0}", "é", "<",
                    "<?pi?>", "</urlset>", "日本",
                ]),
                0..60,
            ),
        ) {
            let text = format!("<urlset>{}", parts.concat());
            let (short, long) = both("text/xml; charset=utf-8", text.as_bytes());
            prop_assert_eq!(short, long);
        }
    }
}
