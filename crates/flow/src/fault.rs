//! Why a fetch failed.
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// Why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What kind of failure it was.
    pub kind: FaultKind,
    /// What happened, in words a site owner would understand.
    pub why: String,
}

/// The kinds of failure, each with another remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// The host's robots.txt forbids it, or cannot be reached; the page was not asked for.
    Robots,
    /// We do not go there: a private address, or another scheme; the page was not asked for.
    Unsafe,
    /// The host's name has no address.
    Name,
    /// No connection could be made.
    Connect,
    /// The connection could not be made secure.
    Tls,
    /// It took too long.
    Timeout,
    /// The connection broke before the answer was whole.
    Broken,
    /// It was longer than we take.
    TooLarge,
    /// It was not HTTP, or its body not what its headers said.
    Malformed,
    /// The server would not give it to us: 401, 403, and other statuses of the 400s.
    Denied,
    /// The server is asking for fewer requests: 429 or 503.
    Busy,
    /// The server failed: other statuses of the 500s.
    Server,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Robots,
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

    /// Whether the page was not even asked for.
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Robots | Self::Unsafe)
    }

    /// Its name in the log, in tables and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Robots => "robots",
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
