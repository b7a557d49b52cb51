//! The encoding that `<meta>` tags declare: "prescan a byte stream to determine its encoding"
//! (HTML standard, 13.2.3.2), step by step.
use encoding_rs::Encoding;

/// The encoding declared in `start`, the first bytes of a page.
pub(crate) fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let mut rest = start;
    loop {
        rest = &rest[rest.iter().position(|&byte| byte == b'<')?..];
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            // `<!-->` is a complete comment: its dashes count twice.
            let end = rest[2..].windows(3).position(|window| window == b"-->");
            rest = end.map_or(&comment[comment.len()..], |end| &rest[2 + end + 3..]);
        } else if is_meta(rest) {
            rest = &rest[5..];
            if let Some(encoding) = declared(&mut rest) {
                return Some(encoding);
            }
        } else if is_tag(rest) {
            let end = rest.iter().position(|&byte| is_space(byte) || byte == b'>');
            rest = &rest[end.unwrap_or(rest.len())..];
            while attribute(&mut rest).is_some() {}
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            rest = &rest[rest.iter().position(|&byte| byte == b'>')?..];
        } else {
            rest = &rest[1..];
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        && rest.get(5).is_some_and(|&byte| is_space(byte) || byte == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    let name = if rest.get(1) == Some(&b'/') { 2 } else { 1 };
    rest.get(name).is_some_and(u8::is_ascii_alphabetic)
}

/// Reads the attributes of one `<meta>`.
fn declared(rest: &mut &[u8]) -> Option<&'static Encoding> {
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut is_pragma = false;
    let mut needs_pragma = None;
    let mut encoding = None;
    while let Some((name, value)) = attribute(rest) {
        if seen.contains(&name) {
            continue;
        }
        match name.as_slice() {
            b"http-equiv" => is_pragma |= value == b"content-type",
            b"content" if encoding.is_none() => {
                if let Some(found) = content_charset(&value).and_then(Encoding::for_label) {
                    encoding = Some(found);
                    needs_pragma = Some(true);
                }
            }
            b"charset" => {
                encoding = Encoding::for_label(&value);
                needs_pragma = Some(false);
            }
            _ => {}
        }
        seen.push(name);
    }
    match needs_pragma {
        None => None,
        Some(true) if !is_pragma => None,
        Some(_) => encoding,
    }
}

/// The next attribute, name and value in lower case: "get an attribute" of the standard.
fn attribute(rest: &mut &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let next = rest.iter().position(|&byte| !is_space(byte) && byte != b'/');
    *rest = &rest[next.unwrap_or(rest.len())..];
    if matches!(rest.first(), None | Some(b'>')) {
        return None;
    }
    // An equals sign at the start belongs to the name.
    let end =
        rest[1..].iter().position(|&byte| is_space(byte) || matches!(byte, b'=' | b'/' | b'>'));
    let (name, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
    let name = name.to_ascii_lowercase();
    *rest = after;
    let Some(value) = skip_space(after).strip_prefix(b"=") else {
        *rest = skip_space(after);
        return Some((name, Vec::new()));
    };
    let value = skip_space(value);
    let (value, after) = if let Some(&quote @ (b'"' | b'\'')) = value.first() {
        let end = value[1..].iter().position(|&byte| byte == quote)? + 1;
        (&value[1..end], &value[end + 1..])
    } else {
        let end = value.iter().position(|&byte| is_space(byte) || byte == b'>');
        value.split_at(end.unwrap_or(value.len()))
    };
    *rest = after;
    Some((name, value.to_ascii_lowercase()))
}

fn skip_space(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len())..]
}

/// The label in `text/html; charset=label`: "extracting a character encoding from a meta element".
fn content_charset(value: &[u8]) -> Option<&[u8]> {
    let name = b"charset";
    let mut rest = value;
    loop {
        let at = rest.windows(name.len()).position(|window| window == name)? + name.len();
        rest = skip_space(&rest[at..]);
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = skip_space(after);
            break;
        }
    }
    if let Some(&quote @ (b'"' | b'\'')) = rest.first() {
        let end = rest[1..].iter().position(|&byte| byte == quote)? + 1;
        return Some(&rest[1..end]);
    }
    let end = rest.iter().position(|&byte| is_space(byte) || byte == b';');
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, SHIFT_JIS, UTF_8, WINDOWS_1251};

    use super::*;

    #[test]
    fn a_charset_attribute_is_enough() {
        assert_eq!(prescan(b"<!doctype html><META a=b CharSet=EUC-JP />"), Some(EUC_JP));
    }

    #[test]
    fn a_content_attribute_needs_http_equiv() {
        let page = b"<meta content='text/html; charset = \"shift_jis\"'><meta charset=utf-8>";
        assert_eq!(prescan(page), Some(UTF_8));
        let page = b"<meta content='text/html; charset=x-sjis' http-equiv='Content-Type'>";
        assert_eq!(prescan(page), Some(SHIFT_JIS));
    }

    #[test]
    fn comments_and_other_tags_hide_what_looks_like_a_declaration() {
        let page = b"<!-- <meta charset=utf-8> --><a title='<meta charset=utf-8>'>\
            <?<meta charset=utf-8?><meta charset=windows-1251>";
        assert_eq!(prescan(page), Some(WINDOWS_1251));
    }

    #[test]
    fn the_shortest_comment_ends_at_once() {
        assert_eq!(prescan(b"<!--><meta charset=euc-jp>"), Some(EUC_JP));
    }

    #[test]
    fn after_an_unknown_label_the_next_counts() {
        assert_eq!(prescan(b"<meta charset=klingon><meta charset=euc-jp>"), Some(EUC_JP));
    }

    #[test]
    fn of_attributes_with_one_name_the_first_counts() {
        assert_eq!(prescan(b"<meta charset=euc-jp charset=utf-8>"), Some(EUC_JP));
    }

    #[test]
    fn truncated_tags_declare_nothing() {
        for page in ["<", "<meta", "<meta ", "<meta charset", "<meta charset='utf-8", "<!--", "</"]
        {
            assert_eq!(prescan(page.as_bytes()), None, "{page}");
        }
    }
}
