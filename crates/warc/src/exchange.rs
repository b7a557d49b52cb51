//! What a crawler hands over: one HTTP request and its response.
use std::net::IpAddr;

use crate::Timestamp;

/// One HTTP request and its response, borrowed from the caller.
#[derive(Clone, Copy, Debug)]
pub struct HttpExchange<'a> {
    /// The address that was requested.
    pub address: &'a str,
    /// When the response began.
    pub at: Timestamp,
    /// The request line and headers as sent.
    pub request_head: &'a [u8],
    /// The status line and headers as received.
    pub response_head: &'a [u8],
    /// The body as received, still compressed if it was sent so.
    pub body: &'a [u8],
    /// The IP address of the server.
    pub remote: Option<IpAddr>,
    /// Why the body is incomplete; `None` if it is complete.
    pub truncated: Option<Truncated>,
}

/// Why a block is incomplete (`WARC-Truncated`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truncated {
    /// It exceeded a length limit.
    Length,
    /// It exceeded a time limit.
    Time,
    /// The connection was lost.
    Disconnect,
}

impl Truncated {
    /// The value of `WARC-Truncated`.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
        }
    }
}
