//! What a search finds.
use crawl::{PageNo, Time};
use text::words::Language;

/// The answer to a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// How many pages match in all.
    pub total: usize,
    /// Those asked for, the best first.
    pub hits: Vec<Hit>,
    /// The position of the log that the index reflects.
    pub position: u64,
    /// Whether no page has everything that was asked for, so that these have only some of it.
    pub relaxed: bool,
}

/// A page that matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The page.
    pub page: PageNo,
    /// Its address.
    pub address: String,
    /// Its title; empty where it has none.
    pub title: String,
    /// Its score: BM25 blended with `PageRank`.
    pub score: f32,
    /// Its `PageRank` times the number of pages: 1 is the average page.
    pub rank: f32,
    /// When a visit last found it new or changed.
    pub changed: Time,
    /// Its language.
    pub language: Language,
    /// The part of its text that answers best, with the words of the query marked.
    pub snippet: Vec<Piece>,
}

/// A piece of a snippet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Its text; plain text, not HTML.
    pub text: String,
    /// Whether the query asked for it.
    pub marked: bool,
}
