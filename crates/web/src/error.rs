//! What keeps the live world from being made.
use std::io;

/// Why the live web cannot be asked as told. What happens to one page is a
/// [`Fault`](flow::Fault), not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// Nobody would know whom to write to.
    #[error(
        "no contact is given for visiting {host}: site owners must be able to reach whoever \
         crawls them; give a web page or an e-mail address"
    )]
    NoContact {
        /// The first host that needs one.
        host: String,
    },
    /// The contact cannot stand in the header `User-Agent`.
    #[error("`{0}` is no contact: give the address of a web page or an e-mail address")]
    Contact(String),
    /// The name or version of the crawler cannot stand in the header `User-Agent`.
    #[error("`{0}` cannot be sent as the name of the crawler")]
    Agent(String),
    /// The additional root certificates cannot be used.
    #[error("the additional root certificates cannot be used: {0}")]
    Roots(String),
    /// The network or the threads cannot be started.
    #[error("the network cannot be started")]
    Start(#[source] io::Error),
}
