//! What a request is answered that cannot be answered as asked.
use http::StatusCode;
use serde_json::{Value, json};

use super::parameters::LONGEST_QUERY;

/// Why not, and what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// What is wrong, as a sentence without its full stop.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Problem {
    fn new(status: StatusCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: hint.into() }
    }

    /// Something in the request is not right.
    pub(crate) fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message, hint)
    }

    /// There is no such thing.
    pub(crate) fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message, hint)
    }

    pub(crate) fn no_such_path() -> Self {
        Self::not_found(
            "There is nothing at this address",
            "The search page is at /, the API is described at /api.",
        )
    }

    pub(crate) fn too_long() -> Self {
        Self::new(
            StatusCode::URI_TOO_LONG,
            format!("The query is longer than {LONGEST_QUERY} characters"),
            "A few words find more.",
        )
    }

    pub(crate) fn not_reading() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET and HEAD are answered",
            "Nothing can be changed from here.",
        )
    }

    pub(crate) fn other_host() -> Self {
        Self::new(
            StatusCode::MISDIRECTED_REQUEST,
            "This search page does not answer to that host name",
            "Open it as localhost, or allow the name with --listen-names.",
        )
    }

    pub(crate) fn no_index(why: &str) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            why,
            "Make one with: sanderling index. The page finds it by itself.",
        )
    }

    pub(crate) fn busy() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many requests at once",
            "Try again in a moment.",
        )
    }

    /// Something of ours failed; what it was is for whoever runs the server, not for whoever asks.
    pub(crate) fn ours() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "This could not be read",
            "The terminal in which the server runs says why; sanderling verify checks the data folder.",
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "error": { "message": self.message, "hint": self.hint } })
    }
}
