//! Finds the name of a site in its titles: "Kan extension | nLab", "Adjunction | nLab".
//!
//! Many titles begin or end with the name. Most sites put a bar or a dash between it and the page's own
//! title, but not all do ("Kan extension in nLab"), so separators are treated as words.
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::workload::normalised;

/// Separators that are words of their own even without spaces.
const SEPARATORS: [char; 4] = ['|', '·', '»', '«'];
/// Words are a site name if more than one title in this many begins or ends with them,
const NAME_ONE_IN: usize = 3;
/// and at least this many titles do. Of two titles every beginning is in a half.
const LEAST_TITLES: usize = 3;
/// The longest name, in words.
const MOST_WORDS: usize = 10;

/// The names of a site in its titles.
#[derive(Clone, Debug, Default)]
pub(super) struct SiteNames {
    leading: BTreeSet<String>,
    trailing: BTreeSet<String>,
}

impl SiteNames {
    /// Finds the names in `titles`. Equal titles count once, so that a hundred pages called
    /// "Notes | 2024" are not a site name.
    pub(super) fn from_titles<'t>(titles: impl Iterator<Item = &'t str>) -> Self {
        let titles: BTreeSet<&str> = titles.filter(|title| !title.trim().is_empty()).collect();
        let (mut leading, mut trailing) = (BTreeMap::new(), BTreeMap::new());
        for title in &titles {
            let words = words(title);
            for count in 1..words.len().min(MOST_WORDS + 1) {
                *leading.entry(run(title, &words[..count])).or_default() += 1;
                *trailing.entry(run(title, &words[words.len() - count..])).or_default() += 1;
            }
        }
        let names = |having: BTreeMap<String, usize>| {
            let is_name = |titles_with: usize| {
                titles_with >= LEAST_TITLES && titles_with * NAME_ONE_IN > titles.len()
            };
            having.into_iter().filter(|&(_, with)| is_name(with)).map(|(name, _)| name).collect()
        };
        Self { leading: names(leading), trailing: names(trailing) }
    }

    /// The title without site names at its begin and end. A title that is only a name stays.
    pub(super) fn cut<'t>(&self, title: &'t str) -> &'t str {
        let words = words(title);
        let most = words.len().min(MOST_WORDS);
        let is_leading = |&count: &usize| self.leading.contains(&run(title, &words[..count]));
        let first = (1..=most).rev().find(is_leading).unwrap_or(0);
        let is_trailing =
            |&count: &usize| self.trailing.contains(&run(title, &words[words.len() - count..]));
        let end = words.len() - (1..=most).rev().find(is_trailing).unwrap_or(0);
        if first < end { &title[words[first].start..words[end - 1].end] } else { title }
    }
}

/// The ranges of the words in a title, separators included.
fn words(title: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = vec![];
    let mut is_word_open = false;
    for (at, letter) in title.char_indices() {
        let range = at..at + letter.len_utf8();
        match words.last_mut() {
            _ if letter.is_whitespace() => is_word_open = false,
            _ if SEPARATORS.contains(&letter) => {
                words.push(range);
                is_word_open = false;
            }
            Some(word) if is_word_open => word.end = range.end,
            _ => {
                words.push(range);
                is_word_open = true;
            }
        }
    }
    words
}

/// A run of words, normalised: "A|B" and "A | B" are equal.
fn run(title: &str, words: &[Range<usize>]) -> String {
    let words: Vec<&str> = words.iter().map(|word| &title[word.clone()]).collect();
    normalised(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(titles: &[&'static str]) -> Vec<&'static str> {
        let names = SiteNames::from_titles(titles.iter().copied());
        titles.iter().map(|title| names.cut(title).trim_matches([' ', '-', '|'])).collect()
    }

    #[test]
    fn a_common_begin_or_end_of_titles_is_the_site_name() {
        assert_eq!(
            cut(&["Kan extension | nLab", "Adjunction | nLab", "Monad|nLab", "About us"]),
            ["Kan extension", "Adjunction", "Monad", "About us"]
        );
        assert_eq!(
            cut(&["Kafka - Streams", "Kafka - Connect", "Kafka - Spider-Man - Two"]),
            ["Streams", "Connect", "Spider-Man - Two"]
        );
    }

    #[test]
    fn a_name_needs_no_separator() {
        assert_eq!(
            cut(&["Kan extension in nLab", "Adjunction in nLab", "Monad in nLab"]),
            ["Kan extension", "Adjunction", "Monad"]
        );
    }

    #[test]
    fn several_names_are_cut_off_before_and_after() {
        assert_eq!(
            cut(&["Docs · Sort — My Site", "Docs·Find — My Site", "docs · Join — My site"]),
            ["Sort", "Find", "Join"]
        );
        assert_eq!(
            cut(&["Sort | Docs | Site", "Find | Docs | Site", "Join | Docs | Site", "Us | Site"]),
            ["Sort", "Find", "Join", "Us"]
        );
    }

    #[test]
    fn a_title_that_is_only_the_name_stays() {
        assert_eq!(cut(&["A :: Site", "B :: Site", "C :: Site", "Site"]), ["A", "B", "C", "Site"]);
        let titles = ["Site | Site", "Site | A", "Site | B", "Site | C"];
        assert_eq!(cut(&titles), ["Site", "A", "B", "C"]);
    }

    #[test]
    fn words_in_a_third_of_titles_or_fewer_are_not_a_name() {
        let titles = ["A | Guide", "B | Guide", "C | Guide", "D", "E", "F", "G", "H", "I"];
        assert_eq!(cut(&titles), titles);
    }

    #[test]
    fn two_titles_or_equal_titles_give_no_name() {
        assert_eq!(cut(&["A | Site", "B | Site"]), ["A | Site", "B | Site"]);
        assert_eq!(cut(&["Notes | 2024"; 9]), ["Notes | 2024"; 9]);
        assert_eq!(cut(&["", " "]), ["", ""]);
    }
}
