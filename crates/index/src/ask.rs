//! What a searcher is asked.

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The query as it was typed: words that must all be there, `"a phrase"`, `-without`,
    /// `site:host`, `title:word`. Nothing in it is an error: what cannot be meant is read as words.
    pub query: String,
    /// How many hits to leave out from the front.
    pub offset: usize,
    /// How many hits to give at most.
    pub limit: usize,
}
