//! What stops a crawl.
use std::error::Error as StdError;

/// Which seam failed, and its own error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The world as a whole cannot be asked.
    #[error("the world cannot be asked")]
    World(#[source] Box<dyn StdError + Send + Sync>),
    /// The repository cannot be read or written.
    #[error("the repository cannot be used")]
    Repository(#[source] Box<dyn StdError + Send + Sync>),
    /// The world was told to stop. What had arrived by then is kept.
    #[error("the crawl was interrupted")]
    Interrupted,
    /// A world broke its promise of one capture for each request.
    #[error("the world answered {answered} of {asked} requests")]
    Unanswered {
        /// Requests made.
        asked: usize,
        /// Captures that came.
        answered: usize,
    },
    /// A world broke its promise of one capture for each request: there was one too many.
    #[error("the world answered for {address}, which it had answered before or was not asked for")]
    Unasked {
        /// The page of the capture.
        address: String,
    },
}
