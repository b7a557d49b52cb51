//! What a world learns about hosts. It is stored, so that a restarted crawler is as polite as one
//! that never stopped.
use crate::{Exchange, Fault, Time};

/// News about a host that must be stored.
#[derive(Clone, Debug, PartialEq)]
pub enum HostUpdate {
    /// Its robots.txt was fetched.
    Robots(RobotsCopy),
    /// Its politeness state has changed.
    State(HostState),
}

/// The robots.txt of an origin (scheme, host and port), as last fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotsCopy {
    /// The origin, such as `https://example.org`.
    pub origin: String,
    /// When it was last requested.
    pub requested_at: Time,
    /// The number of requests so far, redirects included.
    pub fetches: u32,
    /// The result of the last fetch.
    pub state: RobotsState,
    /// The last file that was received, and when. It applies while the host is unreachable.
    pub good: Option<(Time, Vec<u8>)>,
    /// The sitemaps it names.
    pub sitemaps: Vec<String>,
    /// The HTTP exchanges, for the archive; empty in a copy loaded from a store.
    pub exchanges: Vec<Exchange>,
}

/// The result of fetching a robots.txt (RFC 9309, 2.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotsState {
    /// A file, which applies.
    Given,
    /// A 4xx status: everything is allowed.
    Absent(u16),
    /// A 5xx status, 429 or no answer: only the last good copy allows anything.
    Unreachable(Fault),
}

/// The politeness state of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostState {
    /// The host with its port, as in addresses.
    pub host: String,
    /// When its last answer ended.
    pub last_answer: Option<Time>,
    /// How long its last answer took, in milliseconds.
    pub response_millis: u32,
    /// It gets no requests before this time.
    pub back_off_until: Option<Time>,
    /// How often in a row it asked for fewer requests or could not be reached.
    pub strikes: u32,
    /// When the last strike was.
    pub last_strike: Option<Time>,
}
