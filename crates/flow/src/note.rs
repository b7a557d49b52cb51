//! What a world learns of hosts, not of pages: it must outlive the process, so that a crawler that
//! is started again is as polite as one that never stopped.
use crate::{Exchange, Time};

/// Something to be remembered of a host.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Its robots.txt was asked for.
    Robots(RobotsCopy),
    /// How it is to be treated has changed.
    Manners(Manners),
}

/// What is known of the robots.txt of an origin (scheme, host and port).
#[derive(Clone, Debug, PartialEq)]
pub struct RobotsCopy {
    /// The origin, such as `https://example.org`.
    pub origin: String,
    /// When it was last asked for.
    pub asked: Time,
    /// How many requests it has taken in all, redirects included.
    pub fetches: u32,
    /// What came of the last time.
    pub state: RobotsState,
    /// The last file that came, and when: what holds while the host cannot be reached.
    pub good: Option<(Time, Vec<u8>)>,
    /// The sitemaps it names.
    pub sitemaps: Vec<String>,
    /// What was said on the wire, for the archive; empty in a copy that was remembered.
    pub exchanges: Vec<Exchange>,
}

/// What came of asking for a robots.txt (RFC 9309, 2.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotsState {
    /// A file, which holds.
    Given,
    /// A status of the 400s, which means that everything is allowed.
    Absent(u16),
    /// A status of the 500s, 429, or no answer: nothing is allowed but by the last good copy.
    Unreachable(String),
}

/// How a host is to be treated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// The host with its port, as in addresses.
    pub host: String,
    /// When the last answer from it ended.
    pub last_answer: Option<Time>,
    /// How long its last answer took, in milliseconds.
    pub response_millis: u32,
    /// Nothing is asked of it before this instant.
    pub resting_until: Option<Time>,
    /// How often in a row it asked for fewer requests, or could not be reached.
    pub strikes: u32,
    /// When it last did.
    pub last_strike: Option<Time>,
}
