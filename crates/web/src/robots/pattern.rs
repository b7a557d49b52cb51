//! Path patterns with `*` and `$`, and matching them against addresses.
//!
//! Pattern and address are normalised first (section 2.2.2): letters, digits, `-._~` and
//! the marks that canonical addresses never escape in a path are unescaped; characters with a meaning
//! in an address (`/?&=+;#`) stay as written; the rest is escaped, and so are literal `*` and
//! `$`, to tell them from the special ones.
//!
//! In an example of the section `?u=https://b` and `?u=https%3A%2F%2Fb` are the same. Slash and
//! question mark have no meaning in a query, but which part of a pattern matches the query is unknown
//! before `*` is matched. So both forms are tried: as written, and with these two unescaped after
//! the first question mark.
//!
//! Matching takes linear time in the lengths of address and pattern: between two `*`
//! the first match is as good as any other, and `str::find` is linear.
use std::fmt::Write;

/// The pattern of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    /// Normalised; `*` is the wildcard, and there is no `$`.
    written: Box<str>,
    /// The length before the first `*`: most rules of a file fail there.
    start: usize,
    /// With slashes of the query unescaped, if that makes a difference.
    plain: Option<Box<str>>,
    /// Whether the address must end with the pattern.
    to_the_end: bool,
}

/// The normalised path and query of an address.
pub(super) struct Target {
    written: String,
    plain: Option<String>,
}

impl Pattern {
    pub(super) fn new(pattern: &[u8]) -> Self {
        let (pattern, to_the_end) = match pattern {
            [start @ .., b'$'] => (start, true),
            _ => (pattern, false),
        };
        let mut written = String::with_capacity(pattern.len());
        for (n, part) in pattern.split(|&byte| byte == b'*').enumerate() {
            if n > 0 {
                written.push('*');
            }
            normalise(part, &mut written);
        }
        let start = written.find('*').unwrap_or(written.len());
        let plain = with_plain_query(&written).map(String::into_boxed_str);
        Self { written: written.into_boxed_str(), start, plain, to_the_end }
    }

    /// How specific the pattern is.
    pub(super) fn octets(&self) -> usize {
        self.written.len() + usize::from(self.to_the_end)
    }

    pub(super) fn matches(&self, target: &Target) -> bool {
        if target.written.starts_with(&self.written[..self.start])
            && self.fits(&self.written, &target.written)
        {
            return true;
        }
        if self.plain.is_none() && target.plain.is_none() {
            return false;
        }
        self.fits(
            self.plain.as_deref().unwrap_or(&self.written),
            target.plain.as_deref().unwrap_or(&target.written),
        )
    }

    fn fits(&self, pattern: &str, target: &str) -> bool {
        let mut parts = pattern.split('*');
        let Some(mut rest) = parts.next().and_then(|start| target.strip_prefix(start)) else {
            return false;
        };
        let last = parts.next_back();
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        match (last, self.to_the_end) {
            (None, true) => rest.is_empty(),
            (None, false) => true,
            (Some(last), true) => rest.ends_with(last),
            (Some(last), false) => rest.contains(last),
        }
    }
}

impl Target {
    pub(super) fn new(path: &str, query: Option<&str>) -> Self {
        let mut written = String::with_capacity(path.len() + query.map_or(0, str::len) + 8);
        normalise(path.as_bytes(), &mut written);
        if let Some(query) = query {
            written.push('?');
            normalise(query.as_bytes(), &mut written);
        }
        let plain = with_plain_query(&written);
        Self { written, plain }
    }
}

/// Normalises `text`.
fn normalise(text: &[u8], out: &mut String) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let escaped = if byte == b'%' { hex_value(text.get(at), text.get(at + 1)) } else { None };
        if escaped.is_some() {
            at += 2;
        }
        let meant = escaped.unwrap_or(byte);
        if stands_for_itself(meant) || (escaped.is_none() && is_delimiter(meant)) {
            out.push(char::from(meant));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{meant:02X}");
        }
    }
}

/// Means the same whether escaped or not.
fn stands_for_itself(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.' | b'_' | b'~' | b'!' | b'\'' | b'(' | b')' | b',' | b':' | b'@'
        )
}

/// Means something else if escaped.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'&' | b'=' | b'+' | b';' | b'#')
}

/// The normalised `text` with slashes and question marks of its query unescaped; `None` if
/// there are none.
fn with_plain_query(text: &str) -> Option<String> {
    let (path, query) = text.split_at(text.find('?')? + 1);
    if !query.contains("%2F") && !query.contains("%3F") {
        return None;
    }
    Some(format!("{path}{}", query.replace("%2F", "/").replace("%3F", "?")))
}

fn hex_value(high: Option<&u8>, low: Option<&u8>) -> Option<u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        Pattern::new(pattern.as_bytes()).matches(&Target::new(path, query))
    }

    #[test]
    fn stars_stand_for_anything_even_nothing() {
        assert!(matches("/a*b*c", "/abc"));
        assert!(matches("/a*b*c", "/a1b2c3"));
        assert!(!matches("/a*b*c", "/acb"));
        assert!(matches("*", "/"));
        assert!(matches("/**a", "/xa"));
    }

    #[test]
    fn a_dollar_is_the_end_only_at_the_end() {
        assert!(matches("/a$", "/a"));
        assert!(!matches("/a$", "/ab"));
        assert!(matches("/a$b", "/a$bc"));
        assert!(matches("/a*$", "/abc"));
        assert!(matches("/*a$", "/aba"));
        assert!(!matches("/*a$", "/ab"));
        assert!(!matches("/a$", "/a$"));
        assert!(matches("$", ""));
        assert!(!matches("$", "/"));
    }

    #[test]
    fn the_parts_around_a_star_do_not_overlap() {
        assert!(!matches("/ab*ba$", "/aba"));
        assert!(matches("/ab*ba$", "/abba"));
    }

    #[test]
    fn spellings_that_mean_the_same_match_and_others_do_not() {
        assert!(matches("/%7Euser", "/~user"));
        assert!(matches("/a%28b%29", "/a(b)"));
        assert!(matches("/a(b)", "/a%28b%29"));
        assert!(matches("/[x]", "/%5Bx%5D"));
        assert!(matches("/100%", "/100%25"));
        assert!(matches("/%c3%a9", "/é"));
        assert!(!matches("/a%2Fb", "/a/b"));
        assert!(!matches("/a/b", "/a%2Fb"));
        assert!(!matches("/a%3Fb", "/a?b"));
        assert!(!matches("/%2A", "/xyz"));
    }

    #[test]
    fn in_a_query_a_slash_may_be_escaped_on_either_side() {
        assert!(matches("/a?u=/b", "/a?u=%2Fb"));
        assert!(matches("/a?u=%2Fb", "/a?u=/b"));
        assert!(matches("/*/b", "/a?u=/b"));
        assert!(matches("/*%2Fb", "/a?u=%2Fb"));
        assert!(!matches("/a?u=1%262", "/a?u=1&2"));
    }
}
