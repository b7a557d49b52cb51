//! What every request passes and what every answer carries.
use std::net::{IpAddr, SocketAddr};

use http::{
    HeaderMap, Method, Uri,
    header::{self, HeaderName, HeaderValue},
};

use super::problem::Problem;

/// The longest path with its parameters: a query of a thousand characters, each escaped, and some room.
const LONGEST_PATH: usize = 14 * 1024;

/// What a browser may do with any of our pages: show them with our own style sheet and pictures, send
/// the search form to us, and nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// On every answer, whatever it is.
const HEADERS: [(HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Pages that are opened from here are not told what was searched for.
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
];

/// Adds the headers that every answer carries.
pub(crate) fn secure(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Which requests are let in.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    /// Whether only this machine reaches us.
    is_local: bool,
    names: Vec<String>,
}

impl Gate {
    pub(crate) fn new(listening: SocketAddr, names: Vec<String>) -> Self {
        Self { is_local: listening.ip().is_loopback(), names }
    }

    pub(crate) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        let named = || headers.get(header::HOST)?.to_str().ok();
        let host = uri.authority().map(http::uri::Authority::as_str).or_else(named);
        if !self.answers_to(host.unwrap_or_default()) {
            return Err(Problem::other_host());
        }
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Err(Problem::not_reading());
        }
        if uri.path_and_query().is_some_and(|path| path.as_str().len() > LONGEST_PATH) {
            return Err(Problem::too_long());
        }
        Ok(())
    }

    /// Whether a host is us. A page of anyone's can make a browser on this machine ask us under a name
    /// that it controls (DNS rebinding), and would then read the answer as its own; so what only this
    /// machine reaches answers only to names that are this machine's, or were allowed.
    fn answers_to(&self, host: &str) -> bool {
        if !self.is_local {
            return true;
        }
        let name = without_port(host).to_ascii_lowercase();
        let name = name.trim_end_matches('.');
        let number = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost"
            || number.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            || self.names.iter().any(|allowed| allowed == name)
    }
}

/// A host without its port: `[::1]:8088` and `localhost:8088` have one.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(listening: &str) -> Gate {
        Gate::new(listening.parse().unwrap(), vec!["search.example".to_owned()])
    }

    #[test]
    fn only_names_of_this_machine_are_answered_on_loopback() {
        let gate = gate("127.0.0.1:8088");
        for host in [
            "localhost",
            "LOCALHOST:8088",
            "localhost.:1",
            "127.0.0.1:8088",
            "127.9.9.9",
            "[::1]:8088",
            "[::1]",
            "search.example",
            "Search.Example:443",
        ] {
            assert!(gate.answers_to(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8088",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::2]",
            "search.example.evil",
            ":8088",
        ] {
            assert!(!gate.answers_to(host), "{host}");
        }
    }

    #[test]
    fn any_name_is_answered_where_others_reach_us() {
        assert!(gate("0.0.0.0:80").answers_to("anything.example"));
    }

    #[test]
    fn every_header_is_a_valid_one() {
        let mut headers = HeaderMap::new();
        secure(&mut headers);
        assert_eq!(headers.len(), HEADERS.len());
    }
}
