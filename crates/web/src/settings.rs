//! Settings of the live world.
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use crawl::Span;

use crate::{OriginHeaders, Proxy, WebError, rules::VisitRules, target::Target};

/// Settings of the live world.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the crawler in `User-Agent`. Rules and directives name it
    /// [`TOKEN`](extract::read::directives::TOKEN).
    pub agent: String,
    /// The version of the crawler in `User-Agent`.
    pub version: String,
    /// The contact for site owners: a web page or an e-mail address. Without one, only this machine
    /// is crawled.
    pub contact: Option<String>,
    /// The least delay between the end of an answer and the next request to the same host.
    pub delay: Span,
    /// The delay is at least this many times the duration of the host's last answer.
    pub response_multiple: f64,
    /// Limits of one answer.
    pub limits: Limits,
    /// The most connections at the same time, one per host.
    pub hosts_at_once: usize,
    /// Fixed IP addresses of hosts, by `host` or `host:port`. These hosts are not looked up in DNS, and
    /// private addresses are allowed for them.
    pub resolve: BTreeMap<String, SocketAddr>,
    /// Hosts, by name or IP address, that may be on this machine or in a private network.
    pub allowed: Vec<String>,
    /// More root certificates in PEM, besides those of the system and of Mozilla.
    pub extra_roots: Vec<u8>,
    /// Headers for single origins, such as passwords and cookies.
    pub origin_headers: OriginHeaders,
    /// The proxy to all hosts without a fixed address; `None` for direct connections.
    pub proxy: Option<Proxy>,
    /// Which addresses and types of content are visited.
    pub rules: VisitRules,
    /// The longest back-off, even if the host asks for more.
    pub longest_back_off: Span,
    /// The seed of the jitter of back-offs.
    pub seed: u64,
    /// Whether a process that was killed may have sent requests shortly before. Every host then waits
    /// for its delay before the first request.
    pub after_restart: bool,
}

/// Limits of one answer. Times are real time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body as sent.
    pub body: usize,
    /// The most bytes of a decoded body.
    pub decompressed: usize,
    /// The most bytes of all headers together.
    pub headers: usize,
    /// The longest time to connect, including TLS.
    pub connect: Duration,
    /// The longest time until the headers of an answer are received.
    pub first_byte: Duration,
    /// The longest time until an answer is complete.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 10 << 20,
            decompressed: extract::read::response::LONGEST_BODY,
            headers: 64 << 10,
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(20),
            total: Duration::from_mins(1),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            agent: "Sanderling".to_owned(),
            version: "0.1".to_owned(),
            contact: None,
            delay: Span::from_millis(1_000),
            response_multiple: 2.0,
            limits: Limits::default(),
            hosts_at_once: 200,
            resolve: BTreeMap::new(),
            allowed: vec![],
            extra_roots: vec![],
            origin_headers: OriginHeaders::default(),
            proxy: None,
            rules: VisitRules::default(),
            longest_back_off: Span::from_days(1),
            seed: 0,
            after_restart: false,
        }
    }
}

impl Settings {
    /// Checks that there is a contact or that all `addresses` are on this machine.
    ///
    /// # Errors
    /// [`WebError::NoContact`] with the first other host.
    pub fn check_contact<'a>(
        &self,
        addresses: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), WebError> {
        if self.contact.is_some() {
            return Ok(());
        }
        for target in addresses.into_iter().filter_map(Target::parse) {
            if !self.is_this_machine(target.authority) {
                return Err(WebError::NoContact { host: target.authority.to_owned() });
            }
        }
        Ok(())
    }

    /// Whether the host is this machine, without a DNS look-up.
    fn is_this_machine(&self, authority: &str) -> bool {
        let host = crate::target::without_port(authority);
        if let Some(address) = self.fixed(authority) {
            return address.ip().is_loopback();
        }
        match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback(),
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        }
    }

    /// The fixed address of a host.
    pub(crate) fn fixed(&self, authority: &str) -> Option<SocketAddr> {
        let host = crate::target::without_port(authority);
        self.resolve.get(authority).or_else(|| self.resolve.get(host)).copied()
    }

    /// Whether a host may have a private address.
    pub(crate) fn allows(&self, authority: &str) -> bool {
        let host = crate::target::without_port(authority);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is = |name: &String| {
            let name = name.as_str();
            [authority, host, bare].iter().any(|own| own.eq_ignore_ascii_case(name))
        };
        self.allowed.iter().any(is)
    }

    /// The header `User-Agent`.
    pub(crate) fn user_agent(&self) -> Result<String, WebError> {
        let is_plain = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && !b"();\\".contains(&b))
        };
        for part in [&self.agent, &self.version] {
            if !is_plain(part) {
                return Err(WebError::Agent(part.clone()));
            }
        }
        let (agent, version) = (&self.agent, &self.version);
        match &self.contact {
            None => Ok(format!("Mozilla/5.0 (compatible; {agent}/{version})")),
            Some(contact) if is_plain(contact) && is_contact(contact) => {
                Ok(format!("Mozilla/5.0 (compatible; {agent}/{version}; +{contact})"))
            }
            Some(contact) => Err(WebError::Contact(contact.clone())),
        }
    }
}

fn is_contact(text: &str) -> bool {
    let is_mail = text
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'));
    is_mail || Target::parse(text).is_some_and(|target| !target.authority.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_contact(contact: &str) -> Settings {
        Settings { contact: Some(contact.to_owned()), ..Settings::default() }
    }

    #[test]
    fn the_user_agent_names_the_crawler_and_a_contact() {
        assert_eq!(
            with_contact("https://example.org/bot").user_agent().unwrap(),
            "Mozilla/5.0 (compatible; Sanderling/0.1; +https://example.org/bot)"
        );
        assert!(with_contact("me@example.org").user_agent().unwrap().contains("+me@example.org"));
        for nonsense in ["", "me", "me@", "https://", "a@b.org\r\nX: y", "a b@c.org"] {
            assert!(with_contact(nonsense).user_agent().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn only_this_machine_is_visited_without_a_contact() {
        let mut settings = Settings::default();
        settings.resolve.insert("docs.example:80".to_owned(), ([127, 0, 0, 1], 8080).into());
        let here = ["http://127.0.0.1:8080/x", "http://localhost/", "https://[::1]/", "nonsense"];
        assert!(settings.check_contact(here).is_ok());
        assert!(
            settings.check_contact(["http://a.localhost:1/", "http://docs.example:80/"]).is_ok()
        );
        let elsewhere = settings.check_contact(["http://localhost/", "https://example.org/x"]);
        assert!(matches!(elsewhere, Err(WebError::NoContact { host }) if host == "example.org"));
        assert!(with_contact("me@a.org").check_contact(["https://example.org/"]).is_ok());
    }
}
