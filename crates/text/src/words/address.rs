//! The words in an address.

/// File extensions of pages, which carry no meaning.
const EXTENSIONS: &[&str] =
    &["asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "php", "php3", "shtml", "xhtml"];

/// The words in an address, as a text to be analysed: host, path and query, without `www`, file
/// extensions and `index`.
///
/// `https://www.a.org/Caf%C3%A9_menu/index.html?day=1` becomes `a org Café menu day 1`.
pub fn address_text(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let (location, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = location.split_once('/').unwrap_or((location, ""));
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);

    let mut text = String::with_capacity(address.len());
    push_words(host, &mut text);
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    for folder in folders.split('/') {
        push_words(&decoded(folder), &mut text);
    }
    push_words(&decoded(without_extension(name)), &mut text);
    for part in query.split(['&', ';', '=', '+']) {
        push_words(&decoded(part), &mut text);
    }
    text
}

/// A file name without its extension; empty for the index page of a folder.
fn without_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension))
            if EXTENSIONS.iter().any(|it| it.eq_ignore_ascii_case(extension)) =>
        {
            if stem.eq_ignore_ascii_case("index") { "" } else { stem }
        }
        _ => name,
    }
}

/// Appends the words of a part of an address.
fn push_words(part: &str, text: &mut String) {
    let words = part.split(|letter: char| {
        letter.is_whitespace() || matches!(letter, '-' | '_' | '.' | ',' | '~' | '/' | '=' | '&')
    });
    for word in words.filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

/// A part of an address with percent escapes decoded, if that gives UTF-8.
fn decoded(part: &str) -> std::borrow::Cow<'_, str> {
    if !part.contains('%') {
        return part.into();
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        let digit = |at: usize| after.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).map_or(part.into(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_parts_of_addresses_are_left_out() {
        assert_eq!(address_text("https://www.a.org/"), "a org");
        assert_eq!(address_text("http://b.co.uk:8080/docs/getting-started.html#top"), {
            "b co uk docs getting started"
        });
        assert_eq!(address_text("https://a.org/Foo/index.PHP"), "a org Foo");
        assert_eq!(address_text("https://a.org/index"), "a org index");
        assert_eq!(address_text("https://a.org/v1.2/notes.txt"), "a org v1 2 notes txt");
    }

    #[test]
    fn the_query_is_kept() {
        assert_eq!(
            address_text("https://a.org/s?q=green+tea&page=2"),
            "a org s q green tea page 2"
        );
        assert_eq!(address_text("https://a.org?x"), "a org x");
    }

    #[test]
    fn escapes_are_decoded_where_they_are_utf_8() {
        assert_eq!(address_text("https://a.org/Caf%C3%A9_menu/%E6%97%A5"), "a org Café menu 日");
        assert_eq!(address_text("https://a.org/caf%E9"), "a org caf%E9");
        assert_eq!(address_text("https://a.org/100%/%4"), "a org 100% %4");
        assert_eq!(address_text("https://a.org/c%2B%2B/C%23?x=c%2B%2B"), "a org c++ C# x c++");
    }

    #[test]
    fn camel_case_is_not_split() {
        assert_eq!(address_text("https://a.org/camelCase"), "a org camelCase");
    }

    #[test]
    fn malformed_addresses_do_not_panic() {
        assert_eq!(address_text(""), "");
        assert_eq!(address_text("%"), "%");
        assert_eq!(address_text("://?#@:"), "");
    }
}
