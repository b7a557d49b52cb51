//! The sentences of the demo web: patterns with slots, in one voice for each kind of site.
//!
//! `{subject}` and `{place}` are the topic of the page. `{n}`, `{big}` and `{year}` are numbers. Every
//! other slot names a list of [`crate::words`].
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::random::Draws;
use crate::words::{Topic, sections, words};

/// The voice in which a text is written.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Voice {
    News,
    Manual,
    Shop,
    Diary,
    /// An encyclopaedia.
    Lexicon,
    /// A forum.
    Talk,
    /// An office.
    Notice,
}

static PHRASES: LazyLock<BTreeMap<&str, Vec<&str>>> =
    LazyLock::new(|| sections(include_str!("../data/phrases.txt")));

/// The patterns of the section `name`; empty if there is no such section.
pub(crate) fn patterns(name: &str) -> &'static [&'static str] {
    PHRASES.get(name).map_or(&[], Vec::as_slice)
}

impl Voice {
    /// The patterns of its sentences.
    pub(crate) fn patterns(self) -> &'static [&'static str] {
        patterns(match self {
            Self::News => "news",
            Self::Manual => "manual",
            Self::Shop => "shop",
            Self::Diary => "diary",
            Self::Lexicon => "lexicon",
            Self::Talk => "talk",
            Self::Notice => "notice",
        })
    }

    /// The patterns of its titles.
    pub(crate) fn titles(self) -> &'static [&'static str] {
        patterns(match self {
            Self::News => "news titles",
            Self::Manual => "manual titles",
            Self::Shop => "shop titles",
            Self::Diary => "diary titles",
            Self::Lexicon => "lexicon titles",
            Self::Talk => "talk titles",
            Self::Notice => "notice titles",
        })
    }

    /// A title in this voice.
    pub(crate) fn title(self, topic: &Topic, draws: &mut Draws) -> String {
        let pattern: &&str = draws.pick(self.titles());
        filled(pattern, topic, draws)
    }

    /// One sentence in this voice.
    pub(crate) fn sentence(self, topic: &Topic, draws: &mut Draws) -> String {
        let pattern: &&str = draws.pick(self.patterns());
        filled(pattern, topic, draws)
    }
}

/// `pattern` with its slots filled.
pub(crate) fn filled(pattern: &str, topic: &Topic, draws: &mut Draws) -> String {
    let mut text = String::with_capacity(128);
    fill(pattern, topic, draws, &mut text);
    text
}

/// Writes `pattern` with its slots filled; the first letter becomes a capital.
pub(crate) fn fill(pattern: &str, topic: &Topic, draws: &mut Draws, out: &mut String) {
    let begin = out.len();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}') else { break };
        out.push_str(&rest[..open]);
        let name = &rest[open + 1..open + close];
        match name {
            "subject" => push_word(&topic.subject, begin, out),
            "place" => out.push_str(&topic.place),
            "n" => out.push_str(&draws.between(2, 60).to_string()),
            "year" => out.push_str(&draws.between(1640, 1890).to_string()),
            "big" => out.push_str(&(draws.between(10, 480) * 10).to_string()),
            _ => {
                let words = words(name);
                debug_assert!(!words.is_empty(), "no words for {{{name}}}");
                if !words.is_empty() {
                    let word: &&str = draws.pick(words);
                    push_word(word, begin, out);
                }
            }
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    if let Some(first) = out.get_mut(begin..begin + 1) {
        first.make_ascii_uppercase();
    }
}

/// Writes `word`, and makes "an" of an "a" before a vowel.
fn push_word(word: &str, begin: usize, out: &mut String) {
    let vowel = word.starts_with(['a', 'e', 'i', 'o', 'u']);
    let written = &out[begin..];
    if vowel && (written.ends_with(" a ") || written == "A ") {
        out.pop();
        out.push_str("n ");
    }
    out.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn every_slot_of_every_pattern_has_words() {
        let topic = Topic { subject: "knot".to_owned(), place: "Gull Rock".to_owned() };
        assert_eq!(PHRASES.len(), 15);
        for pattern in PHRASES.values().flatten() {
            let out = filled(pattern, &topic, &mut Random::new(1, pattern).draws());
            assert!(!out.contains(['{', '}']) && !out.contains("  "), "{pattern} gives {out}");
        }
    }

    #[test]
    fn a_becomes_an_before_a_vowel() {
        let topic = Topic { subject: "avocet".to_owned(), place: "Gull Rock".to_owned() };
        let random = &mut Random::new(1, "").draws();
        assert_eq!(
            filled("A {subject} saw a {subject}.", &topic, random),
            "An avocet saw an avocet."
        );
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        let mut draws = Random::new(3, "x").draws();
        let topic = Topic::any(&mut draws);
        let title = Voice::News.title(&topic, &mut draws);
        assert!(title.starts_with(|first: char| first.is_uppercase()), "{title}");
    }
}
