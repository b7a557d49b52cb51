//! Search requests.

/// A search request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// Query as typed: words that must all match, `"a phrase"`, `-without`, `site:host`,
    /// `title:word`. No input is an error; anything else is words.
    pub query: String,
    /// Number of hits to skip.
    pub offset: usize,
    /// Maximum number of hits.
    pub limit: usize,
}
