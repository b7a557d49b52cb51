//! The canonical form of an address, and links resolved to it.
//!
//! Two spellings that servers treat alike become one (RFC 3986, section 6.2.2, on top of the URL
//! standard's parser); spellings that a server may tell apart stay apart. In a path, letters, digits
//! and `-._~` are never escaped, what the RFC does not allow there always is, and `+;=&`, which delimit
//! something on many servers, stay as they were written.
//!
//! Departure: the RFC protects all reserved characters. `!$'()*,:@` have no role in a path on servers
//! we know, and half of them were unreserved before (RFC 2396); they are never escaped here. On the
//! recorded nLab, 4,000 links of 215,000 (2026-11-15) spell a page as `%28` that others spell as `(`.
//!
//! Pages hold hundreds of links, nearly all of them plain. [`Resolver`] joins those by hand and gives
//! the rest to the `url` crate; a property test holds the two ways equal.
use url::Url;

/// The longest canonical address, in bytes. Longer ones are traps, or data in disguise.
pub const LONGEST: usize = 2_000;

/// The longest reference worth parsing: dot segments and escapes can shorten it to an address.
const LONGEST_REFERENCE: usize = 4 * LONGEST;

/// How many origins other than its own a resolver remembers.
const MOST_ORIGINS: usize = 32;

/// The canonical form of an absolute `http` or `https` address; `None` where it is none, or longer
/// than [`LONGEST`].
///
/// Scheme and host in lower case; no user information, default port, trailing dot of the host, dot
/// segments, fragment or empty query. `canonical(canonical(x))` is `canonical(x)`.
pub fn canonical(address: &str) -> Option<String> {
    let address = without_fragment(address)?;
    let mut out = String::with_capacity(address.len() + 8);
    write_canonical(Url::parse(address).ok()?, &mut out)?;
    Some(out)
}

/// Turns the references inside one page into canonical addresses.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// `None` where the page's own address is not one of the web: then only absolute references
    /// can be resolved.
    base: Option<Base>,
    /// Origins that came out of the slow way exactly as they went in.
    origins: Vec<String>,
    out: String,
}

/// The address that references start from, whole and in canonical pieces.
#[derive(Clone, Debug)]
struct Base {
    url: Url,
    canonical: String,
    /// Where the path begins in `canonical`.
    path: usize,
    /// Where the last segment of the path begins in `canonical`.
    file: usize,
}

impl Resolver {
    /// A resolver for the page at `address`.
    pub fn new(address: &str) -> Self {
        let base = without_fragment(address)
            .and_then(|address| Url::parse(address).ok())
            .and_then(Base::new);
        Self { base, origins: Vec::new(), out: String::new() }
    }

    /// Takes in what `<base href>` says. What is no address of the web is ignored, as browsers do.
    pub fn rebase(&mut self, href: &str) {
        let url = without_fragment(href).and_then(|href| self.parse(href));
        if let Some(base) = url.and_then(Base::new) {
            self.base = Some(base);
        }
    }

    /// The canonical address that `reference` points to; `None` where it leads off the web.
    pub fn resolve(&mut self, reference: &str) -> Option<&str> {
        let reference = without_fragment(reference)?;
        self.out.clear();
        match self.join_plain(reference) {
            Some(()) => (self.out.len() <= LONGEST).then_some(&self.out),
            None => self.resolve_slowly(reference),
        }
    }

    fn parse(&self, reference: &str) -> Option<Url> {
        Url::options().base_url(self.base.as_ref().map(|base| &base.url)).parse(reference).ok()
    }

    fn resolve_slowly(&mut self, reference: &str) -> Option<&str> {
        self.out.clear();
        write_canonical(self.parse(reference)?, &mut self.out)?;
        if let Some(path) = path_start(reference)
            && self.out.get(..path) == reference.get(..path)
            && self.out.as_bytes().get(path) == Some(&b'/')
            && self.origins.len() < MOST_ORIGINS
        {
            self.origins.push(reference[..path].to_owned());
        }
        Some(&self.out)
    }

    /// Writes the address of a reference that needs no parsing into `out`; `None` for all others.
    fn join_plain(&mut self, reference: &str) -> Option<()> {
        if let Some(path) = path_start(reference) {
            let (origin, path) = reference.split_at(path);
            let known = self.origins.iter().any(|known| known == origin)
                || self.base.as_ref().is_some_and(|base| base.canonical[..base.path] == *origin);
            if !known || !is_plain(path) {
                return None;
            }
            self.out.push_str(reference);
            return Some(());
        }
        let base = self.base.as_ref()?;
        if reference.is_empty() {
            self.out.push_str(&base.canonical);
            return Some(());
        }
        if reference.starts_with('/') {
            if reference.starts_with("//") || !is_plain(reference) {
                return None;
            }
            self.out.push_str(&base.canonical[..base.path]);
            self.out.push_str(reference);
            return Some(());
        }
        let (ups, rest) = without_leading_dots(reference);
        let first = rest.split('/').next().unwrap_or(rest);
        // A colon in the first segment may end a scheme; a query alone keeps the base's file.
        if first.contains(':') || rest.starts_with(['.', '/', '?']) || !is_plain(rest) {
            return None;
        }
        let mut directory = &base.canonical[base.path..base.file];
        for _ in 0..ups {
            let parent = directory[..directory.len() - 1].rfind('/');
            directory = parent.map_or("/", |slash| &directory[..=slash]);
        }
        self.out.push_str(&base.canonical[..base.path]);
        self.out.push_str(directory);
        self.out.push_str(rest);
        Some(())
    }
}

impl Base {
    fn new(url: Url) -> Option<Self> {
        let mut canonical = String::new();
        write_canonical(url.clone(), &mut canonical)?;
        let path = path_start(&canonical)?;
        let query = canonical.find('?').unwrap_or(canonical.len());
        let file = canonical[..query].rfind('/')? + 1;
        Some(Self { url, canonical, path, file })
    }
}

/// What `reference` says without its fragment; `None` where it is too long to be worth parsing.
fn without_fragment(reference: &str) -> Option<&str> {
    let end = reference.bytes().position(|byte| byte == b'#').unwrap_or(reference.len());
    // What is trimmed here is what the URL standard trims; trimming first keeps `" #top"` empty.
    let trimmed = reference[..end].trim_matches(|letter: char| letter <= ' ');
    (trimmed.len() <= LONGEST_REFERENCE).then_some(trimmed)
}

/// How many times a reference starts with `../`, and what comes after these and any `./`.
fn without_leading_dots(reference: &str) -> (usize, &str) {
    let mut ups = 0;
    let mut rest = reference;
    loop {
        if let Some(after) = rest.strip_prefix("../") {
            ups += 1;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else {
            return (ups, rest);
        }
    }
}

/// Where the path begins in a reference that spells out scheme and host.
fn path_start(reference: &str) -> Option<usize> {
    let host = ["https://", "http://"].iter().find(|scheme| reference.starts_with(**scheme))?.len();
    Some(host + reference.as_bytes()[host..].iter().position(|&byte| byte == b'/')?)
}

/// Whether a path, with or without a query, is canonical as it stands.
fn is_plain(path: &str) -> bool {
    let mut before = 0;
    let mut in_query = false;
    for byte in path.bytes() {
        match byte {
            b'?' if !in_query => in_query = true,
            b'?' => {}
            // The query of a web address may not hold a bare apostrophe.
            b'\'' if in_query => return false,
            // Perhaps a dot segment.
            b'.' if before == b'/' && !in_query => return false,
            _ if !is_path_byte(byte) => return false,
            _ => {}
        }
        before = byte;
    }
    // An empty query is dropped.
    path.strip_suffix('?').is_none_or(|rest| rest.contains('?'))
}

/// What is the same in a path whether escaped or not.
fn is_never_escaped(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.'
                | b'_'
                | b'~'
                | b'!'
                | b'$'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b','
                | b':'
                | b'@'
        )
}

/// What may stand in a path as it is (RFC 3986 `pchar` without escapes, and the slash).
fn is_path_byte(byte: u8) -> bool {
    is_never_escaped(byte) || matches!(byte, b'/' | b'+' | b';' | b'=' | b'&')
}

fn write_canonical(mut url: Url, out: &mut String) -> Option<()> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    if let Some(host) = url.host_str().filter(|host| host.ends_with('.')) {
        // Parsed again, because `1.2.` is a name but `1.2` a number.
        let host = host.trim_end_matches('.').to_owned();
        url.set_host(Some(&host)).ok()?;
    }
    let host = url.host_str().filter(|host| !host.is_empty() && !host.ends_with('.'))?;
    out.push_str(url.scheme());
    out.push_str("://");
    out.push_str(host);
    if let Some(port) = url.port() {
        out.push(':');
        out.push_str(&port.to_string());
    }
    write_path(url.path(), out);
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        out.push('?');
        out.push_str(query);
    }
    (out.len() <= LONGEST).then_some(())
}

/// Writes `path` with escapes normalised.
fn write_path(path: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let bytes = path.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        let mut meant = byte;
        if byte == b'%'
            && let Some(escaped) = hex_value(bytes.get(at), bytes.get(at + 1))
        {
            meant = escaped;
            at += 2;
            if is_never_escaped(meant) {
                out.push(char::from(meant));
                continue;
            }
        } else if is_path_byte(byte) {
            out.push(char::from(byte));
            continue;
        }
        // A percent sign that starts no escape ends here too: were it left bare, unescaping what
        // follows could make an escape of it.
        out.push('%');
        out.push(char::from(HEX[usize::from(meant >> 4)]));
        out.push(char::from(HEX[usize::from(meant & 15)]));
    }
}

fn hex_value(high: Option<&u8>, low: Option<&u8>) -> Option<u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(address: &str, expected: &str) {
        assert_eq!(canonical(address).as_deref(), Some(expected));
    }

    #[test]
    fn scheme_and_host_become_lower_case_and_the_path_does_not() {
        same("HTTP://Example.ORG/A", "http://example.org/A");
    }

    #[test]
    fn what_does_not_say_where_the_page_is_goes() {
        same("https://user:word@example.org.:443?#part", "https://example.org/");
    }

    #[test]
    fn a_port_that_is_not_the_default_stays() {
        same("http://example.org:443/", "http://example.org:443/");
    }

    #[test]
    fn dot_segments_are_walked() {
        same("http://a/b/./c/%2e%2E/../d", "http://a/d");
    }

    #[test]
    fn escapes_are_upper_case_and_only_where_needed() {
        same("http://a/%7euser/%c3%a9^[x]|é%2b+", "http://a/~user/%C3%A9%5E%5Bx%5D%7C%C3%A9%2B+");
        same("http://a/%28n%2B1%2C1%29+x%3D%26%3B%2F", "http://a/(n%2B1,1)+x%3D%26%3B%2F");
    }

    #[test]
    fn a_bare_percent_sign_is_escaped() {
        same("http://a/100%/%%34%31", "http://a/100%25/%2541");
    }

    #[test]
    fn the_query_stays_as_it_is() {
        same("http://a/?b=%7e&a=%c3", "http://a/?b=%7e&a=%c3");
    }

    #[test]
    fn a_host_that_turns_out_a_number_is_one() {
        same("http://0x7f.1../", "http://127.0.0.1/");
    }

    #[test]
    fn what_is_not_of_the_web_has_no_address() {
        let others =
            ["mailto:a@b.org", "ftp://a/", "/path", "", "http://", "http://./", "javascript:0"];
        assert!(others.iter().all(|other| canonical(other).is_none()));
    }

    #[test]
    fn addresses_end_at_two_thousand_bytes() {
        let longest = format!("http://a/{}", "x".repeat(LONGEST - 9));
        assert_eq!(canonical(&longest), Some(longest.clone()));
        assert_eq!(canonical(&format!("{longest}x")), None);
        assert_eq!(Resolver::new("http://a/").resolve(&format!("{longest}x")), None);
    }

    #[test]
    fn references_are_resolved_as_browsers_do() {
        let mut resolver = Resolver::new("https://example.org/a/b/c.html?q#f");
        for (reference, expected) in [
            ("", "https://example.org/a/b/c.html?q"),
            ("#top", "https://example.org/a/b/c.html?q"),
            ("d", "https://example.org/a/b/d"),
            ("./d/", "https://example.org/a/b/d/"),
            ("../d", "https://example.org/a/d"),
            ("../../../d", "https://example.org/d"),
            ("..", "https://example.org/a/"),
            ("./", "https://example.org/a/b/"),
            ("?x", "https://example.org/a/b/c.html?x"),
            ("d?", "https://example.org/a/b/d"),
            ("/d?a'b", "https://example.org/d?a%27b"),
            ("//other.org/x", "https://other.org/x"),
            (" \n/sp ace\t/x ", "https://example.org/sp%20ace/x"),
            ("\\d", "https://example.org/d"),
            ("HTTPS:/d", "https://example.org/d"),
            ("http://example.org", "http://example.org/"),
            ("d;a:b", "https://example.org/a/b/d;a:b"),
        ] {
            assert_eq!(resolver.resolve(reference), Some(expected), "{reference:?}");
        }
        assert_eq!(resolver.resolve("javascript:void(0)"), None);
    }

    #[test]
    fn the_fast_and_the_slow_way_meet() {
        let pieces = [
            "http://a.org",
            "https://b.org:81",
            "/",
            "//",
            ".",
            "..",
            "./",
            "../",
            "a",
            "b.html",
            "?",
            "?q=1",
            "'",
            "%41",
            "%",
            ":",
            "~",
            "#f",
            " ",
            "é",
            "\\",
            "A@",
            "[",
            "+",
        ];
        let bases =
            ["https://b.org:81/x/y/z", "http://a.org", "http://a.org//p//q?r/s", "ftp://x/y"];
        for base in bases {
            for first in pieces {
                for second in pieces {
                    for third in pieces {
                        let reference = format!("{first}{second}{third}");
                        let mut resolver = Resolver::new(base);
                        let plain = without_fragment(&reference).expect("short");
                        let slow = resolver.resolve_slowly(plain).map(str::to_owned);
                        // The slow way has taught the resolver its origin, so this may be fast.
                        let fast = resolver.resolve(&reference).map(str::to_owned);
                        assert_eq!(fast, slow, "{reference:?} from {base:?}");
                    }
                }
            }
        }
    }
}
