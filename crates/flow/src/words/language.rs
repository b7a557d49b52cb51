//! Languages, as far as it matters for finding words.
use serde::{Deserialize, Serialize};

use crate::Content;

/// A language whose words are stemmed, or any other.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Language {
    /// One whose words are left as they are.
    #[default]
    Other,
    /// English.
    English,
}

impl Language {
    /// Every language, `Other` first. The place of a language in here never changes: indexes on
    /// disk know languages by it.
    pub const ALL: &[Self] = &[Self::Other, Self::English];

    /// The language of a page: what it says, or what its text looks like.
    pub fn of(_content: &Content) -> Self {
        Self::English
    }

    /// Its code (ISO 639-1), empty for `Other`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Other => "",
            Self::English => "en",
        }
    }
}
