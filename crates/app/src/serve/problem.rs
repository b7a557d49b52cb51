//! Answers to requests that fail.
use http::StatusCode;
use serde_json::{Value, json};

use super::parameters::LONGEST_QUERY;

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// What is wrong: a sentence without its full stop.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Problem {
    fn new(status: StatusCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: hint.into() }
    }

    /// An invalid request.
    pub(crate) fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message, hint)
    }

    /// Not found.
    pub(crate) fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message, hint)
    }

    pub(crate) fn no_such_path() -> Self {
        Self::not_found(
            "There is nothing at this URL",
            "The search page is at /, the dashboard at /dashboard, the API is described at /api.",
        )
    }

    pub(crate) fn too_long() -> Self {
        Self::new(
            StatusCode::URI_TOO_LONG,
            format!("The query is longer than {LONGEST_QUERY} characters"),
            "Search for fewer words.",
        )
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET and HEAD are supported",
            "This server is read-only.",
        )
    }

    pub(crate) fn other_host() -> Self {
        Self::new(
            StatusCode::MISDIRECTED_REQUEST,
            "This search page does not answer to that host name",
            "Open it as localhost, or allow the name with --listen-names.",
        )
    }

    /// A token is needed.
    pub(crate) fn login() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "This needs the token of this server",
            "Log in at /login, or send the header Authorization: Bearer TOKEN.",
        )
    }

    /// A token that is not this server's.
    pub(crate) fn wrong_token() -> Self {
        Self { message: "That is not the token of this server".to_owned(), ..Self::login() }
    }

    /// Whether logging in helps.
    pub(crate) fn is_login(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// The route is not public, and the server has no token.
    pub(crate) fn no_token() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "Only the search page is public",
            "Whoever runs this server can give it a token with --token-file.",
        )
    }

    pub(crate) fn too_many_guesses() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "There were too many wrong tokens",
            "Try again in a minute.",
        )
    }

    pub(crate) fn too_many_requests() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests from your address",
            "Send fewer than 20 a second.",
        )
    }

    pub(crate) fn no_index(why: &str) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            why,
            "Build one with: sanderling index. This page then works at once.",
        )
    }

    pub(crate) fn busy() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many requests at once",
            "Try again in a moment.",
        )
    }

    /// Not possible now, with what to do instead.
    pub(crate) fn busy_with(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message, hint)
    }

    /// An internal error. Its details are for the operator, not for the client.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "An internal error occurred",
            "The server prints the reason on standard error; sanderling verify checks the data folder.",
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "error": { "message": self.message, "hint": self.hint } })
    }
}
