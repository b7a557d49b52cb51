//! Checks requests, and adds security headers to answers.
use std::net::{IpAddr, SocketAddr};

use http::{
    HeaderMap, Method, Uri,
    header::{self, HeaderName, HeaderValue},
};

use super::problem::Problem;

/// The longest path with its parameters: a query of a thousand escaped characters, and some room.
const LONGEST_PATH: usize = 14 * 1024;

/// A browser may only load our own style sheet, script, images and frames, and send forms and requests to
/// us. A frame shows archived pages: links in it lead nowhere else, either.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// Sent with every answer.
const HEADERS: [(HeaderName, &str); 9] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Pages opened from here do not learn the query.
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("x-dns-prefetch-control"), "off"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
];

/// Adds the headers. An answer with a content security policy of its own may be shown in a frame of ours.
pub(crate) fn secure(headers: &mut HeaderMap, own_policy: Option<&'static str>) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(policy) = own_policy {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
}

/// Decides which requests are answered.
#[derive(Clone, Debug)]
pub(crate) struct RequestGuard {
    /// Whether only this machine reaches the server.
    is_local: bool,
    names: Vec<String>,
}

impl RequestGuard {
    pub(crate) fn new(listening: SocketAddr, names: Vec<String>) -> Self {
        Self { is_local: listening.ip().is_loopback(), names }
    }

    /// Checks a request. Only the login takes a form, by POST.
    pub(crate) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        takes_form: bool,
    ) -> Result<(), Problem> {
        if !self.answers_to(&host(uri, headers)) {
            return Err(Problem::other_host());
        }
        if !takes_form && !matches!(*method, Method::GET | Method::HEAD) {
            return Err(Problem::method_not_allowed());
        }
        if uri.path_and_query().is_some_and(|path| path.as_str().len() > LONGEST_PATH) {
            return Err(Problem::too_long());
        }
        Ok(())
    }

    /// Whether to answer to a host name. By DNS rebinding a foreign page can make a browser on this machine
    /// send us requests under a name it controls, and then read the answers. So a local server answers only
    /// to names of this machine and to allowed names.
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

/// The host that a request names; empty if none.
pub(crate) fn host(uri: &Uri, headers: &HeaderMap) -> String {
    let named = || headers.get(header::HOST)?.to_str().ok();
    let host = uri.authority().map(http::uri::Authority::as_str).or_else(named);
    host.unwrap_or_default().to_owned()
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

    fn guard(listening: &str) -> RequestGuard {
        RequestGuard::new(listening.parse().unwrap(), vec!["search.example".to_owned()])
    }

    #[test]
    fn only_names_of_this_machine_are_answered_on_loopback() {
        let guard = guard("127.0.0.1:8088");
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
            assert!(guard.answers_to(host), "{host}");
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
            assert!(!guard.answers_to(host), "{host}");
        }
    }

    #[test]
    fn any_name_is_answered_if_other_machines_reach_the_server() {
        assert!(guard("0.0.0.0:80").answers_to("anything.example"));
    }

    #[test]
    fn every_header_is_a_valid_one() {
        let mut headers = HeaderMap::new();
        secure(&mut headers, None);
        assert_eq!(headers.len(), HEADERS.len());
    }
}
