//! Search results.
use crawl::{PageNo, Time};
use text::words::Language;

/// Results of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResults {
    /// Number of matching pages.
    pub total: usize,
    /// The requested hits, best first.
    pub hits: Vec<Hit>,
    /// Log position of the index.
    pub position: u64,
    /// Whether no page matches the whole query, and these match only a part of it.
    pub relaxed: bool,
    /// Words of the query that no page has. Similar words were searched instead.
    pub corrected: Vec<String>,
}

/// A matching page.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Page number.
    pub page: PageNo,
    /// Address.
    pub address: String,
    /// Title; empty if it has none.
    pub title: String,
    /// BM25 plus `PageRank` boost.
    pub score: f32,
    /// `PageRank` relative to the average page.
    pub rank: f32,
    /// When a visit last found it new or changed.
    pub changed: Time,
    /// Language.
    pub language: Language,
    /// How many other pages have the same title and text. Of these, the hit is the best match.
    pub copies: u32,
    /// The part of the text that matches best, split at highlights.
    pub snippet: Vec<Fragment>,
}

/// A part of a snippet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Plain text, not HTML.
    pub text: String,
    /// Whether it matches the query.
    pub highlighted: bool,
}
