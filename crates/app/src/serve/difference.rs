//! The difference between two texts, word by word.
use std::{
    ops::Range,
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Only the beginning of longer texts is compared, to limit the time.
const MOST_WORDS: usize = 50_000;
/// After this time the rest is shown as different.
const LONGEST: Duration = Duration::from_millis(500);
/// Words shown around a change.
const AROUND: usize = 20;
/// Shorter runs of unchanged words are not folded.
const LEAST_FOLDED: usize = 20;

/// A part of either text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// In both.
    Same(&'t str),
    /// In both, far from any change; with its number of words.
    Folded(&'t str, usize),
    /// Only in the older text.
    Removed(&'t str),
    /// Only in the newer text.
    Added(&'t str),
}

/// A text and its parts that are menu, header or footer, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version<'t> {
    pub(crate) text: &'t str,
    pub(crate) boilerplate: &'t [Range<usize>],
}

/// The difference between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference<'t> {
    pub(crate) pieces: Vec<Piece<'t>>,
    /// The differences in menu, header and footer, which `pieces` leaves out.
    pub(crate) boilerplate: Vec<Piece<'t>>,
    /// The number of words in these.
    pub(crate) boilerplate_words: usize,
    /// Words only in the newer text.
    pub(crate) added: usize,
    /// Words only in the older text.
    pub(crate) removed: usize,
    /// Whether a text was too long to compare all of it.
    pub(crate) is_cut: bool,
}

impl<'t> Difference<'t> {
    /// Of texts without boilerplate.
    pub(crate) fn new(old: &'t str, new: &'t str) -> Self {
        let version = |text| Version { text, boilerplate: &[] };
        Self::of_versions(version(old), version(new))
    }

    pub(crate) fn of_versions(older: Version<'t>, newer: Version<'t>) -> Self {
        let (old, new) = (Words::split(older.text), Words::split(newer.text));
        let mut difference = Self { is_cut: old.is_cut || new.is_cut, ..Self::default() };
        let deadline = Some(Instant::now() + LONGEST);
        let (old_words, new_words) = (old.words(), new.words());
        let steps =
            capture_diff_slices_deadline(Algorithm::Myers, &old_words, &new_words, deadline);
        let is_template = |step: &DiffOp| {
            old.are_within(step.old_range(), older.boilerplate)
                && new.are_within(step.new_range(), newer.boilerplate)
        };
        // Words since the last difference that counts.
        let mut same = 0..0;
        for step in &steps {
            match step {
                DiffOp::Equal { .. } => {}
                step if is_template(step) => difference.template(&old, &new, step),
                step => {
                    difference.same(&new, same.start..step.new_range().start, false);
                    difference.removed(&old, step.old_range());
                    difference.added(&new, step.new_range());
                    same.start = step.new_range().end;
                }
            }
            same.end = step.new_range().end;
        }
        difference.same(&new, same, true);
        difference
    }

    /// Adds a difference in menu, header or footer.
    fn template(&mut self, old: &Words<'t>, new: &Words<'t>, step: &DiffOp) {
        let (removed, added) = (step.old_range(), step.new_range());
        self.boilerplate_words += removed.len().max(added.len());
        if !removed.is_empty() {
            self.boilerplate.push(Piece::Removed(old.text(removed)));
        }
        if !added.is_empty() {
            self.boilerplate.push(Piece::Added(new.text(added)));
        }
    }

    /// Whether there is no difference, but perhaps in menu, header or footer.
    pub(crate) fn is_none(&self) -> bool {
        self.added + self.removed == 0
    }

    fn added(&mut self, words: &Words<'t>, range: Range<usize>) {
        self.added += range.len();
        if !range.is_empty() {
            self.pieces.push(Piece::Added(words.text(range)));
        }
    }

    fn removed(&mut self, words: &Words<'t>, range: Range<usize>) {
        self.removed += range.len();
        if !range.is_empty() {
            self.pieces.push(Piece::Removed(words.text(range)));
        }
    }

    /// Adds words that both have. Folds most of a long run.
    fn same(&mut self, words: &Words<'t>, range: Range<usize>, is_last: bool) {
        if range.is_empty() {
            return;
        }
        let before = if self.pieces.is_empty() { 0 } else { AROUND };
        let after = if is_last { 0 } else { AROUND };
        if range.len() < before + after + LEAST_FOLDED {
            self.pieces.push(Piece::Same(words.text(range)));
            return;
        }
        let folded = range.start + before..range.end - after;
        if before > 0 {
            self.pieces.push(Piece::Same(words.text(range.start..folded.start)));
        }
        self.pieces.push(Piece::Folded(words.text(folded.clone()), folded.len()));
        if after > 0 {
            self.pieces.push(Piece::Same(words.text(folded.end..range.end)));
        }
    }
}

/// A text and the places of its words.
struct Words<'t> {
    text: &'t str,
    places: Vec<Range<usize>>,
    is_cut: bool,
}

impl<'t> Words<'t> {
    fn split(text: &'t str) -> Self {
        let mut places: Vec<Range<usize>> = vec![];
        let mut goes_on = false;
        for (at, letter) in text.char_indices() {
            let end = at + letter.len_utf8();
            if letter.is_whitespace() {
                goes_on = false;
            } else if goes_on && !stands_alone(letter) {
                if let Some(last) = places.last_mut() {
                    last.end = end;
                }
            } else {
                if places.len() == MOST_WORDS {
                    return Self { text, places, is_cut: true };
                }
                places.push(at..end);
                goes_on = !stands_alone(letter);
            }
        }
        Self { text, places, is_cut: false }
    }

    fn words(&self) -> Vec<&'t str> {
        self.places.iter().map(|place| &self.text[place.clone()]).collect()
    }

    /// Whether some words are all in these parts of the text.
    fn are_within(&self, range: Range<usize>, parts: &[Range<usize>]) -> bool {
        self.places[range].iter().all(|word| {
            let next = parts.partition_point(|part| part.end < word.end);
            parts.get(next).is_some_and(|part| part.start <= word.start)
        })
    }

    /// The text from the first to the last of some words.
    fn text(&self, range: Range<usize>) -> &'t str {
        match (self.places.get(range.start), self.places.get(range.end.wrapping_sub(1))) {
            (Some(first), Some(last)) if !range.is_empty() => &self.text[first.start..last.end],
            _ => "",
        }
    }
}

/// Whether a letter counts as a word: scripts without spaces would otherwise be compared line by line.
fn stands_alone(letter: char) -> bool {
    matches!(u32::from(letter), 0x0e00..=0x0eff | 0x2e80..=0xd7ff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_changed_are_told_apart_from_those_that_did_not() {
        let found = Difference::new("open from nine to five", "open from ten  to five daily");
        let expected = [
            Piece::Same("open from"),
            Piece::Removed("nine"),
            Piece::Added("ten"),
            Piece::Same("to five"),
            Piece::Added("daily"),
        ];
        assert_eq!(found.pieces, expected);
        assert_eq!((found.added, found.removed), (2, 1));
    }

    #[test]
    fn equal_texts_have_no_difference_and_spaces_do_not_matter() {
        assert!(Difference::new("a b", " a\n b ").is_none());
        assert!(Difference::new("", "").is_none());
        assert_eq!(Difference::new("", "a").pieces, [Piece::Added("a")]);
    }

    #[test]
    fn long_stretches_without_change_are_folded_but_for_what_is_around() {
        let text = "word ".repeat(100);
        let (old, new) = (format!("{text}old {text}"), format!("{text}new {text}"));
        let found = Difference::new(&old, &new);
        let shapes: Vec<(char, usize)> = found
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Same(text) => ('s', text.split(' ').count()),
                Piece::Folded(_, words) => ('f', *words),
                Piece::Removed(_) => ('-', 1),
                Piece::Added(_) => ('+', 1),
            })
            .collect();
        assert_eq!(shapes, [('f', 80), ('s', 20), ('-', 1), ('+', 1), ('s', 20), ('f', 80)]);
    }

    #[test]
    fn differences_in_boilerplate_are_kept_apart() {
        let (old, new) = ("Home About Text one © 2025", "Home News Text two © 2026");
        let [in_old, in_new] = [[0..10, 19..old.len()], [0..9, 18..new.len()]];
        let found = Difference::of_versions(
            Version { text: old, boilerplate: &in_old },
            Version { text: new, boilerplate: &in_new },
        );
        let expected = [
            Piece::Same("Home News Text"),
            Piece::Removed("one"),
            Piece::Added("two"),
            Piece::Same("© 2026"),
        ];
        assert_eq!(found.pieces, expected);
        assert_eq!((found.added, found.removed, found.boilerplate_words), (1, 1, 2));
        let expected = [
            Piece::Removed("About"),
            Piece::Added("News"),
            Piece::Removed("2025"),
            Piece::Added("2026"),
        ];
        assert_eq!(found.boilerplate, expected);
    }

    #[test]
    fn scripts_without_spaces_are_compared_letter_by_letter() {
        let found = Difference::new("東京は晴れ", "東京は雨");
        let expected = [Piece::Same("東京は"), Piece::Removed("晴れ"), Piece::Added("雨")];
        assert_eq!(found.pieces, expected);
    }

    #[test]
    fn texts_without_a_common_word_end_in_time() {
        let numbers = |from: u32| {
            let words: Vec<String> = (from..from + 60_000).map(|n| n.to_string()).collect();
            words.join(" ")
        };
        let start = Instant::now();
        let (old, new) = (numbers(0), numbers(1_000_000));
        let found = Difference::new(&old, &new);
        assert!(found.is_cut);
        assert_eq!((found.added, found.removed), (MOST_WORDS, MOST_WORDS));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
