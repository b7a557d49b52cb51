//! Headers that are sent to one origin only, such as a password or a cookie.
//!
//! Redirects need no rule of their own: the target of a redirect is another page, whose request asks here
//! again.
use std::{collections::BTreeMap, fmt};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::target::{Scheme, Target};

/// Headers of the crawler itself, of the connection, or of conditional requests: they are not for users to
/// set.
const RESERVED: [&str; 18] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "from",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "proxy-authorization",
    "range",
    "te",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// Extra headers by origin. Their values are never shown.
#[derive(Clone, Default)]
pub struct OriginHeaders {
    by_origin: BTreeMap<String, Vec<(HeaderName, HeaderValue)>>,
    /// Whether the archive has them in its request records.
    pub are_archived: bool,
}

impl OriginHeaders {
    /// Adds a header. `origin` is `https://host`, `http://host`, each with an optional port, or a host
    /// alone, which means `https`: a secret goes over an open line only if that is asked for.
    ///
    /// # Errors
    /// What is wrong, without the value.
    pub fn add(&mut self, origin: &str, name: &str, value: &str) -> Result<(), String> {
        let origin = canonical_origin(origin).ok_or_else(|| {
            format!("{origin:?} is not a host or an origin such as https://a.example")
        })?;
        let invalid = || format!("{name:?} is not the name of a header");
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| invalid())?;
        if RESERVED.contains(&name.as_str()) {
            return Err(format!("the header {name} cannot be set"));
        }
        let mut value = HeaderValue::from_str(value.trim())
            .map_err(|_| format!("the value of {name} has characters that headers cannot have"))?;
        value.set_sensitive(true);
        self.by_origin.entry(origin).or_default().push((name, value));
        Ok(())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_origin.is_empty()
    }

    /// Adds the headers of an origin to those of a request; they replace headers of the same name.
    pub(crate) fn extend(&self, headers: &mut HeaderMap, scheme: Scheme, authority: &str) {
        let Some(own) = self.by_origin.get(&scheme.origin(authority)) else { return };
        for (name, _) in own {
            headers.remove(name);
        }
        for (name, value) in own {
            headers.append(name.clone(), value.clone());
        }
    }
}

/// Without the values, which may be secrets.
impl fmt::Debug for OriginHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.by_origin.iter().map(|(origin, headers)| {
            (origin, headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())
        });
        f.debug_map().entries(names).finish()
    }
}

/// An origin as requests have it.
fn canonical_origin(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/');
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let canonical = extract::read::address::canonical(&whole)?;
    let target = Target::parse(&canonical)?;
    let is_origin = target.path == "/" && !target.authority.contains('@');
    is_origin.then(|| target.scheme.origin(target.authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(headers: &OriginHeaders, scheme: Scheme, authority: &str) -> HeaderMap {
        let mut sent = HeaderMap::new();
        sent.append("accept", HeaderValue::from_static("*/*"));
        headers.extend(&mut sent, scheme, authority);
        sent
    }

    #[test]
    fn a_header_goes_to_its_origin_only() {
        let mut headers = OriginHeaders::default();
        headers.add("A.example", "X-Key", "one").unwrap();
        headers.add("http://b.example:8080/", "accept", "text/html").unwrap();
        assert_eq!(sent(&headers, Scheme::Https, "a.example")["x-key"], "one");
        for (scheme, authority) in [
            (Scheme::Http, "a.example"),
            (Scheme::Https, "a.example:8443"),
            (Scheme::Https, "www.a.example"),
            (Scheme::Http, "b.example"),
        ] {
            assert_eq!(sent(&headers, scheme, authority).len(), 1, "{authority}");
        }
        assert_eq!(sent(&headers, Scheme::Http, "b.example:8080")["accept"], "text/html");
    }

    #[test]
    fn what_cannot_be_set_is_refused_and_no_message_has_the_value() {
        let mut headers = OriginHeaders::default();
        for (origin, name) in [
            ("", "x"),
            ("a b", "x"),
            ("ftp://a.example", "x"),
            ("https://a.example/path", "x"),
            ("a.example", "Host"),
            ("a.example", "user-agent"),
            ("a.example", "b c"),
            ("a.example", ""),
        ] {
            let error = headers.add(origin, name, "hush").unwrap_err();
            assert!(!error.contains("hush"), "{error}");
        }
        assert!(!headers.add("a.example", "x", "hush\r\ny: z").unwrap_err().contains("hush"));
        headers.add("a.example", "x", "hush").unwrap();
        let shown = format!("{headers:?}");
        assert!(shown.contains('x') && !shown.contains("hush"), "{shown}");
    }
}
