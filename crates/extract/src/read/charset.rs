//! Decodes bytes to text.
//!
//! The encoding is chosen in the order of the HTML standard: byte order mark, the `charset` of the
//! server, the declaration in the page (`<meta>` within the first 1,024 bytes, or the XML
//! declaration), then a guess from the bytes. Departure: bytes that are valid UTF-8 throughout are
//! UTF-8, before any guess.
use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::prescan::prescan;

/// The number of bytes searched for a declaration (HTML standard, 13.2.3.2).
const PRESCAN_BYTES: usize = 1_024;

/// The number of bytes used for a guess. More make it slower, hardly better.
const GUESS_BYTES: usize = 64 * 1_024;

/// The text of `body`. Invalid bytes become U+FFFD. Borrowed where the body is UTF-8 already.
///
/// `label` is the charset that the server names; `host` helps with the guess.
pub(crate) fn decode<'b>(body: &'b [u8], label: Option<&str>, host: &str) -> Cow<'b, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return encoding.decode_without_bom_handling(&body[mark..]).0;
    }
    match named(body, label) {
        Some(encoding) => encoding.decode_without_bom_handling(body).0,
        None => match std::str::from_utf8(body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => guess(body, host).decode_without_bom_handling(body).0,
        },
    }
}

/// A decoder for a body that is too long to be held, by its `start`.
pub(crate) fn decoder(start: &[u8], label: Option<&str>, host: &str) -> Decoder {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return encoding.new_decoder_with_bom_removal();
    }
    let encoding = named(start, label).unwrap_or_else(|| match std::str::from_utf8(start) {
        // The start may end inside a character.
        Err(error) if error.error_len().is_some() => guess(start, host),
        _ => UTF_8,
    });
    encoding.new_decoder_without_bom_handling()
}

/// The encoding that the server or the page names.
fn named(body: &[u8], label: Option<&str>) -> Option<&'static Encoding> {
    label
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| declared_encoding(&body[..body.len().min(PRESCAN_BYTES)]))
}

/// The encoding that the page declares.
fn declared_encoding(start: &[u8]) -> Option<&'static Encoding> {
    let encoding = xml_declaration(start).or_else(|| prescan(start))?;
    // A page whose declaration can be read as ASCII is not in UTF-16 (HTML standard, 13.2.3.2).
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// The encoding named by `<?xml ... encoding="..."?>`.
fn xml_declaration(start: &[u8]) -> Option<&'static Encoding> {
    let rest = start.strip_prefix(b"<?xml")?;
    let rest = &rest[..rest.iter().position(|&byte| byte == b'>')?];
    let name = b"encoding";
    let at = rest.windows(name.len()).position(|window| window == name)? + name.len();
    let rest = rest[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, rest) = rest.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    Encoding::for_label(&rest[..rest.iter().position(|&byte| byte == quote)?])
}

fn guess(body: &[u8], host: &str) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&body[..body.len().min(GUESS_BYTES)], body.len() <= GUESS_BYTES);
    // The detector panics on labels that are not lower-case ASCII.
    let top = host.rsplit('.').next().unwrap_or(host).as_bytes();
    let top = top.iter().all(|&byte| byte.is_ascii() && !byte.is_ascii_uppercase()).then_some(top);
    detector.guess(top, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю";

    fn encoded(label: &str, text: &str) -> Vec<u8> {
        Encoding::for_label(label.as_bytes()).expect("known").encode(text).0.into_owned()
    }

    #[test]
    fn a_byte_order_mark_has_the_highest_priority() {
        let mut body = vec![0xff, 0xfe];
        body.extend("né".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(decode(&body, Some("utf-8"), ""), "né");
        assert_eq!(decode(b"\xef\xbb\xbfn\xc3\xa9", Some("latin1"), ""), "né");
    }

    #[test]
    fn the_server_has_priority_over_the_page() {
        let mut body = b"<meta charset=utf-8>".to_vec();
        body.extend(encoded("windows-1251", WORDS));
        assert!(decode(&body, Some("windows-1251"), "").ends_with(WORDS));
    }

    #[test]
    fn the_declaration_of_the_page_is_used_where_the_server_gives_none() {
        let mut body = b"<html><meta charset='windows-1251'>".to_vec();
        body.extend(encoded("windows-1251", WORDS));
        assert!(decode(&body, None, "").ends_with(WORDS));
    }

    #[test]
    fn an_unknown_label_is_ignored() {
        assert_eq!(decode("<meta charset=utf-8>é".as_bytes(), Some("klingon"), ""), {
            "<meta charset=utf-8>é"
        });
    }

    #[test]
    fn an_xml_declaration_is_used() {
        let mut body = b"<?xml version='1.0' encoding = 'koi8-r'?>".to_vec();
        body.extend(encoded("koi8-r", WORDS));
        assert!(decode(&body, None, "").ends_with(WORDS));
    }

    #[test]
    fn utf_8_is_borrowed() {
        assert!(matches!(decode("né".as_bytes(), None, ""), Cow::Borrowed("né")));
        assert!(matches!(decode("né".as_bytes(), Some("utf-8"), ""), Cow::Borrowed("né")));
    }

    #[test]
    fn without_a_declaration_the_encoding_is_guessed() {
        let japanese = "日本語のウェブページには文字コードの宣言がないものもあります。";
        assert_eq!(decode(&encoded("shift_jis", japanese), None, "example.jp"), japanese);
        assert_eq!(decode(&encoded("euc-jp", japanese), None, "example.jp"), japanese);
        assert_eq!(decode(&encoded("windows-1251", WORDS), None, "example.ru"), WORDS);
    }

    #[test]
    fn odd_hosts_do_not_break_the_guess() {
        for host in ["", "127.0.0.1", "[::1]", "UPPER", "xn--p1ai", "é"] {
            assert_eq!(decode(&encoded("windows-1251", WORDS), None, host), WORDS);
        }
    }

    #[test]
    fn a_page_that_says_utf_16_in_ascii_is_utf_8() {
        assert_eq!(decode("<meta charset=utf-16>é".as_bytes(), None, ""), {
            "<meta charset=utf-16>é"
        });
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        assert_eq!(decode(b"a\xffb", Some("utf-8"), ""), "a\u{fffd}b");
    }
}
