//! The kinds of traps, with texts for site owners.
use std::fmt;

/// Why an address looks like part of a trap. Numbers are the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trap {
    /// The path has too many segments.
    DeepPath(usize),
    /// One segment occurs too often in the path.
    RepeatedSegment(usize),
    /// The query has too many parameters.
    ManyParameters(usize),
    /// The query names one parameter too often.
    RepeatedParameter(usize),
    /// A known page has the same parameters in another order.
    SameParameters,
    /// Too many pages differ from this one only in their query.
    ManyQueries(u32),
    /// The address contains a session id.
    Session,
    /// The date in the address is too far ahead.
    FarFuture,
    /// A page of a calendar for a time before 1970.
    FarPast,
    /// Too many pages of one calendar.
    Calendar(u32),
    /// The host has reached the limit of pages.
    FullHost(u32),
}

impl Trap {
    /// A short name, for counts and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeepPath(_) => "deep path",
            Self::RepeatedSegment(_) => "repeated segment",
            Self::ManyParameters(_) => "many parameters",
            Self::RepeatedParameter(_) => "repeated parameter",
            Self::SameParameters => "same parameters",
            Self::ManyQueries(_) => "many queries",
            Self::Session => "session",
            Self::FarFuture => "far future",
            Self::FarPast => "far past",
            Self::Calendar(_) => "calendar",
            Self::FullHost(_) => "full host",
        }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeepPath(most) => {
                write!(f, "the path has more than {most} parts between its slashes")
            }
            Self::RepeatedSegment(most) => {
                write!(f, "the same part comes more than {most} times in the path")
            }
            Self::ManyParameters(most) => write!(f, "the query has more than {most} parameters"),
            Self::RepeatedParameter(most) => {
                write!(f, "the query names one parameter more than {most} times")
            }
            Self::SameParameters => {
                f.write_str("a page with the same parameters in another order is known")
            }
            Self::ManyQueries(most) => {
                write!(f, "{most} pages that differ only in what follows the ? are known")
            }
            Self::Session => {
                f.write_str("the address holds a session id, so every visit makes a new one")
            }
            Self::FarFuture => {
                f.write_str("the address holds a date more than 400 days ahead, as calendars do")
            }
            Self::FarPast => f.write_str("the address is of a calendar for a time before 1970"),
            Self::Calendar(most) => {
                write!(f, "{most} pages of this calendar are known")
            }
            Self::FullHost(most) => write!(f, "{most} pages of this host are known"),
        }
    }
}
