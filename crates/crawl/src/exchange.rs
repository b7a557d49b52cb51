//! HTTP exchanges, as archived, and validators for conditional requests.
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Time;

/// One request and its response as sent, except for the transfer coding: chunks are joined. A
/// compressed body stays compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The requested address.
    pub address: String,
    /// When the response began.
    pub at: Time,
    /// The request line and headers, including the empty line.
    pub request_head: Vec<u8>,
    /// The status line and headers, including the empty line.
    pub response_head: Vec<u8>,
    /// The body as sent.
    pub body: Vec<u8>,
    /// The HTTP status.
    pub status: u16,
    /// The `Content-Type` header; empty where there is none.
    pub content_type: String,
    /// The address of the server.
    pub remote: Option<IpAddr>,
    /// Why the body is incomplete, where it is.
    pub truncated: Option<Truncation>,
    /// The validators in the response.
    pub validators: Validators,
}

/// Why a body is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Truncation {
    /// It was longer than the limit.
    Length,
    /// It took longer than the limit.
    Time,
    /// The connection broke.
    Disconnect,
}

/// HTTP validators, sent back unchanged so that the server can answer "not modified".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The header `ETag`.
    pub entity_tag: Option<String>,
    /// The header `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entity_tag.is_none() && self.last_modified.is_none()
    }
}
