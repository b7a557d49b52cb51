//! Errors of creating a live world.
use std::io;

/// A live world cannot be created. What happens to one page is a
/// [`Fault`](crawl::Fault), not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// No contact is configured.
    #[error(
        "no contact is given for visiting {host}: site owners must be able to reach whoever \
         crawls them; give a web page or an e-mail address"
    )]
    NoContact {
        /// The first host that needs one.
        host: String,
    },
    /// The contact is not valid in `User-Agent`.
    #[error("`{0}` is not a contact: give the address of a web page or an e-mail address")]
    Contact(String),
    /// The name or version of the crawler is not valid in `User-Agent`.
    #[error(
        "`{0}` is not valid in `User-Agent`: use visible ASCII without spaces, parentheses and semicolons"
    )]
    Agent(String),
    /// The additional root certificates are invalid.
    #[error("the additional root certificates are invalid: {0}")]
    Roots(String),
    /// The network threads cannot be started.
    #[error("cannot start the network threads")]
    Start(#[source] io::Error),
}
