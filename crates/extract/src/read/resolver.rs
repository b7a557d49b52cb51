//! Resolves the references in a page to canonical addresses.
//!
//! Pages have hundreds of links, nearly all of them simple. These are joined directly, the rest by the
//! `url` crate. Tests check that both ways agree.
use url::Url;

use super::{
    address::{LONGEST, is_path_byte, without_fragment, write_canonical},
    query::is_normalised,
};

/// The number of foreign origins that a resolver remembers.
const MOST_ORIGINS: usize = 32;

/// Turns the references inside one page into canonical addresses.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// `None` where the page's own address is not an HTTP address. Then only absolute references can
    /// be resolved.
    base: Option<Base>,
    /// Foreign origins that are canonical as written.
    origins: Vec<String>,
    out: String,
}

/// The base address, parsed and in canonical form.
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

    /// Applies `<base href>`. Other schemes than HTTP are ignored, as in browsers.
    pub fn rebase(&mut self, href: &str) {
        let url = without_fragment(href).and_then(|href| self.parse(href));
        if let Some(base) = url.and_then(Base::new) {
            self.base = Some(base);
        }
    }

    /// The canonical address that `reference` points to; `None` where it is not an HTTP address.
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

    /// Writes the address of a simple reference into `out`; `None` where it must be parsed.
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

/// The number of leading `../` of a reference, and the rest after these and any `./`.
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

/// Where the path begins in an absolute reference.
fn path_start(reference: &str) -> Option<usize> {
    let host = ["https://", "http://"].iter().find(|scheme| reference.starts_with(**scheme))?.len();
    Some(host + reference.as_bytes()[host..].iter().position(|&byte| byte == b'/')?)
}

/// Whether a path, with or without a query, is certainly canonical.
fn is_plain(path: &str) -> bool {
    let mut before = 0;
    let mut in_query = false;
    for byte in path.bytes() {
        match byte {
            b'?' if !in_query => in_query = true,
            b'?' => {}
            // Possibly a session.
            b';' if !in_query => return false,
            // An apostrophe must be escaped in a query.
            b'\'' if in_query => return false,
            // Possibly a dot segment.
            b'.' if before == b'/' && !in_query => return false,
            _ if !is_path_byte(byte) => return false,
            _ => {}
        }
        before = byte;
    }
    path.split_once('?').is_none_or(|(_, query)| is_normalised(query))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_fast_and_the_slow_way_agree() {
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
                        // The resolver has learned the origin, so this may take the fast way.
                        let fast = resolver.resolve(&reference).map(str::to_owned);
                        assert_eq!(fast, slow, "{reference:?} from {base:?}");
                    }
                }
            }
        }
    }
}
