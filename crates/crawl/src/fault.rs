//! Why a fetch failed.
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// Why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of failure.
    pub kind: FaultKind,
    /// What happened, in words that a site owner understands.
    pub why: String,
}

/// The kinds of failure. Each has its own remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// The robots.txt of the host forbids it. The page was not requested.
    Robots,
    /// The settings exclude its address or its type. Where the address tells, it was not requested.
    Excluded,
    /// A private address or an unsupported scheme. The page was not requested.
    Unsafe,
    /// The host name does not resolve.
    Name,
    /// The connection failed.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The request timed out.
    Timeout,
    /// The connection closed before the answer was complete.
    Broken,
    /// The response was longer than the limit.
    TooLarge,
    /// Not HTTP, or a body that contradicts its headers.
    Malformed,
    /// The server denied access: 401, 403 and other 4xx statuses.
    Denied,
    /// The server asks for fewer requests: 429 or 503.
    Busy,
    /// The server failed: other 5xx statuses.
    Server,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Robots,
        Self::Excluded,
        Self::Unsafe,
        Self::Name,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Broken,
        Self::TooLarge,
        Self::Malformed,
        Self::Denied,
        Self::Busy,
        Self::Server,
    ];

    /// Whether rules forbid the request: robots.txt, the settings, or our own about safe addresses.
    pub fn is_rule(self) -> bool {
        matches!(self, Self::Robots | Self::Excluded | Self::Unsafe)
    }

    /// What it is called in messages for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Robots => "robots.txt",
            Self::Excluded => "excluded",
            Self::Unsafe => "unsafe address",
            Self::Name => "DNS",
            Self::Connect => "connection",
            Self::Tls => "TLS",
            Self::Timeout => "timeout",
            Self::Broken => "broken answer",
            Self::TooLarge => "too large",
            Self::Malformed => "malformed answer",
            Self::Denied => "HTTP 4xx",
            Self::Busy => "HTTP 429 or 503",
            Self::Server => "HTTP 5xx",
        }
    }

    /// Its name in the log, in tables and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Robots => "robots",
            Self::Excluded => "excluded",
            Self::Unsafe => "unsafe",
            Self::Name => "name",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Broken => "broken",
            Self::TooLarge => "too-large",
            Self::Malformed => "malformed",
            Self::Denied => "denied",
            Self::Busy => "busy",
            Self::Server => "server",
        }
    }

    /// The kind with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in FaultKind::ALL {
            assert_eq!(FaultKind::by_name(kind.name()), Some(kind));
        }
        assert_eq!(FaultKind::by_name("nonsense"), None);
    }
}
