//! Errors that stop a crawl.
use std::error::Error as StdError;

/// Which part of the crawl failed, and its own error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The world as a whole failed.
    #[error("fetching failed")]
    World(#[source] Box<dyn StdError + Send + Sync>),
    /// The repository cannot be read or written.
    #[error("the repository cannot be read or written")]
    Repository(#[source] Box<dyn StdError + Send + Sync>),
    /// The crawl was interrupted. What had arrived by then is kept.
    #[error("the crawl was interrupted")]
    Interrupted,
    /// The world did not answer every request.
    #[error("the world answered {answered} of {requested} requests")]
    Unanswered {
        /// Requests made.
        requested: usize,
        /// Captures received.
        answered: usize,
    },
    /// The world answered a request twice, or without a request.
    #[error("the world answered for {address}, which was not requested or already answered")]
    Unrequested {
        /// The page of the capture.
        address: String,
    },
}
