//! What was said on the wire: kept for the archive, and to ask more cheaply the next time.
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Time;

/// One request and its response, as they went over the wire but for what only concerned the
/// connection: chunks are joined, a compressed body is left compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The address that was asked for.
    pub address: String,
    /// When the response began.
    pub at: Time,
    /// The request line and its headers, up to and with the empty line.
    pub request_head: Vec<u8>,
    /// The status line and its headers, up to and with the empty line.
    pub response_head: Vec<u8>,
    /// The body as it was sent.
    pub body: Vec<u8>,
    /// The status of HTTP.
    pub status: u16,
    /// The media type, as the header gives it; empty where there is none.
    pub content_type: String,
    /// Who answered.
    pub remote: Option<IpAddr>,
    /// Why the body is not whole, where it is not.
    pub truncated: Option<Truncation>,
    /// What the response gave to ask again by.
    pub validators: Validators,
}

/// Why a body is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Truncation {
    /// It was longer than we take.
    Length,
    /// It took longer than we wait.
    Time,
    /// The connection broke.
    Disconnect,
}

/// What lets a server say "not modified": sent back to it as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The header `ETag`.
    pub entity_tag: Option<String>,
    /// The header `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is nothing to ask by.
    pub fn is_empty(&self) -> bool {
        self.entity_tag.is_none() && self.last_modified.is_none()
    }
}
