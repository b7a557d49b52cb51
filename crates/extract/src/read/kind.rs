//! The kind of content, from the `Content-Type` header or, without one, from the first bytes.

/// The number of bytes used for sniffing (MIME Sniffing standard, 5.2).
const SNIFF_BYTES: usize = 1_445;

/// The kinds that have a parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// HTML.
    Html,
    /// HTML written as XML.
    Xhtml,
    /// XML; the root element determines the parser.
    Xml,
    /// Plain text, and code.
    Text,
    /// PDF.
    Pdf,
    /// Content without a parser.
    Other,
}

/// The kind of `body`, and the charset that the header names.
pub(crate) fn detect<'h>(content_type: &'h str, body: &[u8]) -> (Kind, Option<&'h str>) {
    let (essence, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let essence = essence.trim().to_ascii_lowercase();
    let kind = match essence.as_str() {
        "" | "application/octet-stream" | "unknown/unknown" | "application/unknown" | "*/*" => {
            sniff(body)
        }
        "text/html" => Kind::Html,
        "application/xhtml+xml" => Kind::Xhtml,
        "application/pdf" => Kind::Pdf,
        "text/xml" | "application/xml" => Kind::Xml,
        "application/json" | "application/javascript" => Kind::Text,
        // SVG is an image, not a text.
        "image/svg+xml" => Kind::Other,
        other if other.ends_with("+xml") => Kind::Xml,
        other if other.ends_with("+json") || other.starts_with("text/") => Kind::Text,
        _ => Kind::Other,
    };
    (kind, charset(parameters))
}

fn charset(parameters: &str) -> Option<&str> {
    parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })
}

fn sniff(body: &[u8]) -> Kind {
    const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    let start = &body[..body.len().min(SNIFF_BYTES)];
    let mark = MARKS.iter().find(|mark| start.starts_with(mark));
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins = |tag: &str| {
        text.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag.as_bytes()))
    };
    if ["<?xml", "<rss", "<feed", "<rdf:rdf", "<urlset", "<sitemapindex"].into_iter().any(begins) {
        return Kind::Xml;
    }
    // MIME Sniffing standard, 7.1. The tag name must end there.
    let is_html = [
        "<!doctype html",
        "<html",
        "<head",
        "<script",
        "<iframe",
        "<h1",
        "<div",
        "<font",
        "<table",
        "<a",
        "<style",
        "<title",
        "<b",
        "<body",
        "<br",
        "<p",
        "<!--",
    ]
    .into_iter()
    .any(|tag| {
        begins(tag)
            && (tag == "<!--"
                || matches!(text.get(tag.len()), Some(b' ' | b'>' | b'\t' | b'\n' | b'\r')))
    });
    if is_html {
        return Kind::Html;
    }
    if start.starts_with(b"%PDF-") {
        return Kind::Pdf;
    }
    if mark.is_some() || !start.iter().copied().any(is_binary) { Kind::Text } else { Kind::Other }
}

/// Bytes that no text contains (MIME Sniffing standard, 3).
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_of_the_header_is_found() {
        assert_eq!(detect("text/html;charset=\"UTF-8\"", b"").1, Some("UTF-8"));
        assert_eq!(detect("text/html; a=b; Charset = koi8-r", b"").1, Some("koi8-r"));
        assert_eq!(detect("text/html", b"").1, None);
    }

    #[test]
    fn a_tag_name_must_end_to_count_as_html() {
        assert_eq!(detect("", b"<bold move> of them").0, Kind::Text);
        assert_eq!(detect("", b"\xef\xbb\xbf\n<B>x").0, Kind::Html);
    }

    #[test]
    fn a_byte_order_mark_means_text() {
        assert_eq!(detect("", b"\xff\xfeh\0i\0").0, Kind::Text);
        assert_eq!(detect("", b"h\0i\0").0, Kind::Other);
        assert_eq!(detect("", b"%PDF-1.7\n").0, Kind::Pdf);
    }
}
