//! From a file's path in the repository to a page's address and media type.
use super::super::ImportError;

/// The file extensions of pages, in lower case, and their media types. The types are those of the
/// project's own traces; feeds named `.xml` are `application/xml`, as plain web servers send them.
const TYPES: [(&str, &str); 10] = [
    ("atom", "application/atom+xml"),
    ("htm", HTML),
    ("html", HTML),
    ("rdf", "application/rdf+xml"),
    ("rss", "application/rss+xml"),
    ("shtml", HTML),
    ("txt", "text/plain"),
    ("xht", "application/xhtml+xml"),
    ("xhtml", "application/xhtml+xml"),
    ("xml", "application/xml"),
];

const HTML: &str = "text/html";

/// The first tag of a file without an extension must be within this many bytes.
const SNIFF_BYTES: usize = 1024;

/// The role of a file on the website.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A page of this media type.
    Page(&'static str),
    /// A page if its content is HTML.
    Perhaps,
    /// Not a page.
    Other,
}

/// The role of the file at `path` (below the root). Hidden files and folders are not published,
/// except `.well-known`.
pub(super) fn kind(path: &[u8]) -> Kind {
    let mut parts = path.split(|&byte| byte == b'/');
    if parts.any(|part| part.starts_with(b".") && part != b".well-known") {
        return Kind::Other;
    }
    let name = file_name(path);
    let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { return Kind::Perhaps };
    let extension = name[dot + 1..].to_ascii_lowercase();
    let found = TYPES.iter().find(|(known, _)| known.as_bytes() == extension);
    found.map_or(Kind::Other, |(_, mime)| Kind::Page(mime))
}

/// The media type of a file without an extension whose content is HTML.
pub(super) fn sniffed(body: &[u8]) -> Option<&'static str> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let head = body[..body.len().min(SNIFF_BYTES)].trim_ascii_start().to_ascii_lowercase();
    let begins = |tag: &[u8]| head.starts_with(tag);
    // A comment or an XML declaration may come first, so the tag may be anywhere near the beginning
    // of markup.
    let holds = |tag: &[u8]| begins(b"<") && head.windows(tag.len()).any(|part| part == tag);
    (holds(b"<!doctype html") || holds(b"<html")).then_some(HTML)
}

/// Whether the file is served at the address of its folder.
pub(super) fn is_index(path: &[u8]) -> bool {
    matches!(file_name(path), b"index.html" | b"index.htm")
}

/// For the path of an `index.htm`, the path of `index.html` in the same folder.
pub(super) fn rival_index(path: &[u8]) -> Option<Vec<u8>> {
    (file_name(path) == b"index.htm").then(|| [path, b"l"].concat())
}

/// The address of the file at `path` below `base`; the address of its folder if `as_folder`.
pub(super) fn address(base: &str, path: &[u8], as_folder: bool) -> String {
    let path = if as_folder { &path[..path.len() - file_name(path).len()] } else { path };
    let mut address = String::with_capacity(base.len() + path.len());
    address.push_str(base);
    for &byte in path {
        if is_plain(byte) {
            address.push(char::from(byte));
        } else {
            address.push('%');
            for half in [byte >> 4, byte & 15] {
                address.push(char::from(b"0123456789ABCDEF"[usize::from(half)]));
            }
        }
    }
    address
}

/// Appends a slash to the base.
pub(super) fn base(text: &str) -> Result<String, ImportError> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |byte: u8| is_plain(byte) || matches!(byte, b'%' | b'[' | b']');
    match rest {
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') && rest.bytes().all(plain) => {
            Ok(format!("{}/", text.trim_end_matches('/')))
        }
        _ => Err(ImportError::Base(text.to_owned())),
    }
}

/// Removes slashes from both ends of the root; empty means the whole repository.
pub(super) fn root(text: &str) -> Result<String, ImportError> {
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.iter().any(|part| *part == ".." || part.contains('\0')) {
        return Err(ImportError::Root(text.to_owned()));
    }
    Ok(parts.join("/"))
}

/// Whether a byte needs no escaping in the path of an address (RFC 3986, `pchar` and the slash).
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte)
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encodes_what_an_address_cannot_hold() {
        let path = b"a b/100%/\"\n\xff?#.html";
        assert_eq!(
            address("https://e.org/", path, false),
            "https://e.org/a%20b/100%25/%22%0A%FF%3F%23.html"
        );
    }

    #[test]
    fn shows_an_index_at_its_folder() {
        assert_eq!(address("https://e.org/", b"a/index.html", true), "https://e.org/a/");
        assert_eq!(address("https://e.org/", b"index.htm", true), "https://e.org/");
    }

    #[test]
    fn knows_pages_by_their_extension() {
        assert_eq!(kind(b"a/B.HTML"), Kind::Page("text/html"));
        assert_eq!(kind(b"feed.xml"), Kind::Page("application/xml"));
        assert_eq!(kind(b"robots.txt"), Kind::Page("text/plain"));
        assert_eq!(kind(b"sitemap.xml.gz"), Kind::Other);
        assert_eq!(kind(b"LICENSE"), Kind::Perhaps);
        assert_eq!(kind(b".github/a.html"), Kind::Other);
        assert_eq!(kind(b".well-known/security.txt"), Kind::Page("text/plain"));
    }

    #[test]
    fn tells_html_without_an_extension() {
        assert_eq!(sniffed(b"\xef\xbb\xbf\n<!-- x --><!DOCTYPE html><p>"), Some("text/html"));
        assert_eq!(sniffed(b"see <html>"), None);
        assert_eq!(sniffed(b""), None);
    }

    #[test]
    fn refuses_a_base_that_is_no_folder_of_the_web() {
        for text in ["", "example.org", "https://", "https:///a", "https://e.org/?a", "ftp://e.org"]
        {
            assert!(base(text).is_err(), "{text}");
        }
        assert_eq!(base("https://e.org").unwrap(), "https://e.org/");
        assert_eq!(base("https://e.org/a//").unwrap(), "https://e.org/a/");
    }

    #[test]
    fn refuses_a_root_outside_the_repository() {
        assert!(root("../x").is_err());
        assert_eq!(root("/a//b/./").unwrap(), "a/b");
        assert_eq!(root(".").unwrap(), "");
    }
}
