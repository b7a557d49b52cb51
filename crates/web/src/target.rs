//! Splits an address into what a connection and what a request need.
use std::borrow::Cow;

/// The scheme of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// The origin of a host.
    pub(crate) fn origin(self, authority: &str) -> String {
        format!("{}://{authority}", self.name())
    }
}

/// The parts of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target<'a> {
    pub(crate) scheme: Scheme,
    /// The host, with the port if the address has one.
    pub(crate) authority: &'a str,
    /// Path and query, as in a request.
    pub(crate) path: Cow<'a, str>,
}

impl<'a> Target<'a> {
    /// `None` if `address` is not `http` or `https`.
    pub(crate) fn parse(address: &'a str) -> Option<Self> {
        let (scheme, rest) = if let Some(rest) = address.strip_prefix("https://") {
            (Scheme::Https, rest)
        } else {
            (Scheme::Http, address.strip_prefix("http://")?)
        };
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let path = match path.as_bytes().first() {
            None => Cow::Borrowed("/"),
            Some(b'/') => Cow::Borrowed(path),
            Some(_) => Cow::Owned(format!("/{path}")),
        };
        (!authority.is_empty()).then_some(Self { scheme, authority, path })
    }
}

/// The host without its port; an IPv6 address keeps its brackets.
pub(crate) fn without_port(authority: &str) -> &str {
    split_port(authority).0
}

/// The host, and its port if it has a valid one.
pub(crate) fn split_port(authority: &str) -> (&str, Option<u16>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => (authority, None),
        },
        _ => (authority, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let parts = |address| {
            let target = Target::parse(address)?;
            Some((target.scheme.name(), target.authority, target.path.into_owned()))
        };
        assert_eq!(
            parts("https://a.org:8443/x/y?z=1#part"),
            Some(("https", "a.org:8443", "/x/y?z=1".to_owned()))
        );
        assert_eq!(parts("http://a.org"), Some(("http", "a.org", "/".to_owned())));
        assert_eq!(parts("http://a.org?q=/"), Some(("http", "a.org", "/?q=/".to_owned())));
        assert_eq!(parts("ftp://a.org/"), None);
        assert_eq!(parts("http:///x"), None);
    }

    #[test]
    fn a_port_is_told_from_an_ip_address() {
        assert_eq!(split_port("a.org:81"), ("a.org", Some(81)));
        assert_eq!(split_port("[::1]:81"), ("[::1]", Some(81)));
        assert_eq!(split_port("[::1]"), ("[::1]", None));
        assert_eq!(split_port("a.org:99999"), ("a.org:99999", None));
    }
}
