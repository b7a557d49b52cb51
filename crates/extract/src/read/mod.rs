//! Parses a body into a snapshot.
//!
//! [`read`] never fails: it extracts what it can from a broken body. The running time is linear in
//! the length of the body.
pub mod address;
mod charset;
pub mod coding;
mod current_tag;
mod dates;
pub mod directives;
mod emails;
mod feed;
pub(crate) mod fingerprints;
mod fold;
mod foreign;
mod html;
mod kind;
mod link_texts;
mod long_sitemap;
pub mod markdown;
mod outline;
mod pdf;
mod prescan;
mod query;
mod references;
mod resolver;
pub mod response;
mod runs;
mod sitemap;
mod tags;
mod text;
mod text_dates;
mod words;
mod xml;

use std::{borrow::Cow, sync::Arc};

use self::{address::Resolver, kind::Kind};
use crawl::{Content, Counts, Directives, Form, Link, LinkList, Snapshot, TextRange, Time};

/// Parses `body`, fetched from `address` with the header `Content-Type: content_type`.
///
/// The snapshot always has content. Links are canonical; links with other schemes than HTTP are left
/// out.
pub fn read(address: &str, content_type: &str, body: &[u8]) -> Snapshot {
    let (kind, label) = kind::detect(content_type, body);
    let (form, reading) = match kind {
        Kind::Other => (Form::Other, Reading::default()),
        Kind::Pdf => pdf::read(address, body)
            .map_or_else(|| (Form::Other, Reading::default()), |reading| (Form::Pdf, reading)),
        _ => read_text(kind, address, &charset::decode(body, label, host(address))),
    };
    let content = Content {
        title: reading.title,
        text: reading.text,
        language: reading.language,
        headings: reading.headings,
        anchors: reading.anchors,
        run_ends: reading.run_ends,
    };
    let (fingerprints, words) = fingerprints::fingerprints(form, body, &content);
    let (links, link_texts) = link_texts::merge(reading.links, &reading.link_texts);
    let counts = Counts {
        words,
        images: reading.images,
        tables: reading.tables,
        emails: emails::count(&content.text, &reading.mailto),
        text_bytes: u32::try_from(content.text.len()).unwrap_or(u32::MAX),
    };
    Snapshot {
        form,
        fingerprints,
        counts,
        runs: reading.runs.into(),
        dates: text_dates::find(&content.text),
        links: Arc::new(links),
        link_texts,
        directives: reading.directives,
        content: Some(Arc::new(content)),
        left_out: reading.left_out,
    }
}

/// The text of `body` as [`read`] decodes it, with its tags.
pub fn decoded<'b>(address: &str, content_type: &str, body: &'b [u8]) -> Cow<'b, str> {
    let (_, label) = kind::detect(content_type, body);
    charset::decode(body, label, host(address))
}

/// The snapshot of a page that redirects to `location`, the value of the header. `None` where that is
/// not an HTTP address.
pub fn moved(address: &str, location: &str) -> Option<Snapshot> {
    let target = Resolver::new(address).resolve(location)?.to_owned();
    let text = Content { text: format!("moved to {target}"), ..Content::default() };
    let (fingerprints, words) = fingerprints::fingerprints(Form::Moved, target.as_bytes(), &text);
    Some(Snapshot {
        form: Form::Moved,
        fingerprints,
        counts: Counts { words, ..Counts::default() },
        links: Arc::new(LinkList::new(vec![Link::to(target)])),
        content: Some(Arc::new(text)),
        ..Snapshot::default()
    })
}

/// What the parser of one form extracts.
#[derive(Default)]
struct Reading {
    title: String,
    text: String,
    language: String,
    headings: Vec<TextRange>,
    anchors: Vec<TextRange>,
    links: Vec<Link>,
    /// A hash of the text of each of them; empty where the form has none.
    link_texts: Vec<u32>,
    /// The parts after `mailto:` in links.
    mailto: Vec<String>,
    images: u32,
    tables: u32,
    directives: Directives,
    /// Hashes of the text runs.
    runs: Vec<u32>,
    /// Where those of the text end in it.
    run_ends: Vec<u32>,
    /// What was not read.
    left_out: Option<&'static str>,
}

fn read_text(kind: Kind, address: &str, text: &str) -> (Form, Reading) {
    match kind {
        Kind::Html => (Form::Html, html::read(address, text, false)),
        Kind::Xhtml => (Form::Html, html::read(address, text, true)),
        Kind::Xml => match xml::root(text).as_deref() {
            Some("urlset" | "sitemapindex") => (Form::Sitemap, sitemap::read(address, text)),
            Some("rss" | "feed" | "RDF") => (Form::Feed, feed::read(address, text)),
            Some("html") => (Form::Html, html::read(address, text, true)),
            _ => (Form::Xml, xml::read(text)),
        },
        Kind::Text | Kind::Pdf | Kind::Other => (Form::Text, text::read(address, text)),
    }
}

/// The link to `reference`, if it is an HTTP address.
fn link(resolver: &mut Resolver, reference: &str, date: Option<Time>) -> Option<Link> {
    resolver.resolve(reference).map(|address| Link { address: address.into(), date, follow: true })
}

/// The host in `address`. It only helps to guess the encoding, so it need not be exact.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    &rest[..rest.find(['/', '?', '#', ':']).unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://a.org/dir/page";

    fn form(content_type: &str, body: &str) -> Form {
        read(PAGE, content_type, body.as_bytes()).form
    }

    #[test]
    fn the_content_type_selects_the_parser() {
        assert_eq!(form("text/html; charset=utf-8", "x"), Form::Html);
        assert_eq!(form("TEXT/PLAIN", "<html>"), Form::Text);
        assert_eq!(form("application/xhtml+xml", "<html/>"), Form::Html);
        assert_eq!(form("application/pdf", "%PDF-"), Form::Other);
    }

    #[test]
    fn the_root_element_selects_the_xml_parser() {
        assert_eq!(form("application/xml", "<urlset/>"), Form::Sitemap);
        assert_eq!(form("text/xml", "<?xml version='1.0'?><sitemapindex/>"), Form::Sitemap);
        assert_eq!(form("application/rss+xml", "<rss/>"), Form::Feed);
        assert_eq!(form("application/xml", "<feed/>"), Form::Feed);
        assert_eq!(form("application/rdf+xml", "<rdf:RDF/>"), Form::Feed);
        assert_eq!(form("application/xml", "<html/>"), Form::Html);
        assert_eq!(form("application/xml", "<project/>"), Form::Xml);
        assert_eq!(form("application/xml", "nothing"), Form::Xml);
    }

    #[test]
    fn without_a_content_type_the_body_decides() {
        assert_eq!(form("", " <!DOCTYPE HTML><p>x"), Form::Html);
        assert_eq!(form("application/octet-stream", "<?xml?><rss/>"), Form::Feed);
        assert_eq!(form("", "plain words"), Form::Text);
        assert_eq!(form("", "\u{1}\u{2}\0"), Form::Other);
    }

    #[test]
    fn a_page_is_counted() {
        let body = "<title>T</title><p>Two words<img src=x><table></table>a@b.org \
            <a href=mailto:c@d.org?subject=x>mail</a>";
        let snapshot = read(PAGE, "text/html", body.as_bytes());
        let expected = Counts { words: 6, images: 1, tables: 1, emails: 2, text_bytes: 22 };
        assert_eq!(snapshot.counts, expected);
    }

    #[test]
    fn pages_in_other_encodings_are_read() {
        let japanese = "日本語のページです。文字コードは宣言されています。";
        for (encoding, label) in [
            (encoding_rs::SHIFT_JIS, "shift_jis"),
            (encoding_rs::EUC_JP, "euc-jp"),
            (encoding_rs::ISO_2022_JP, "iso-2022-jp"),
        ] {
            let page = format!("<meta charset={label}><title>題</title><p>{japanese}");
            let body = encoding.encode(&page).0;
            let content = read(PAGE, "text/html", &body).content.unwrap();
            assert_eq!((content.title.as_str(), content.text.as_str()), ("題", japanese));
        }
        let (body, _, _) = encoding_rs::WINDOWS_1251.encode("<p>Привет, мир");
        let content = read(PAGE, "text/html; charset=windows-1251", &body).content.unwrap();
        assert_eq!(content.text, "Привет, мир");
        let utf_16: Vec<u8> =
            "\u{feff}<p>né</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(PAGE, "text/html", &utf_16).content.unwrap().text, "né");
    }

    #[test]
    fn invalid_utf_8_is_marked_and_read_on() {
        let content = read(PAGE, "text/html; charset=utf-8", b"a\xff\xc3b<i>c").content.unwrap();
        assert_eq!(content.text, "a\u{fffd}\u{fffd}bc");
    }

    #[test]
    fn a_redirect_links_to_its_target_and_changes_with_it() {
        let here = moved(PAGE, "../new?x#part").unwrap();
        assert_eq!(
            (here.form, here.links.links()[0].address.as_ref()),
            (Form::Moved, "https://a.org/new?x")
        );
        let elsewhere = moved(PAGE, "https://b.org/").unwrap();
        assert_ne!(here.fingerprints.text, elsewhere.fingerprints.text);
        assert_eq!(moved(PAGE, "javascript:0"), None);
    }

    #[test]
    fn other_forms_are_compared_by_their_bytes() {
        let snapshot = read(PAGE, "image/png", b"\x89PNG");
        assert_eq!(snapshot.fingerprints.text, snapshot.fingerprints.body);
        assert_eq!(snapshot.content.as_deref(), Some(&Content::default()));
    }
}
