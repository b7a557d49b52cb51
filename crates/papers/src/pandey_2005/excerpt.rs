//! The differences of two versions of a text, as short excerpts.
use std::collections::BTreeSet;

/// The length of word n-grams: a word of a text is in another if an n-gram that contains it is.
const RUN: usize = 3;
/// The most excerpts of each side.
const MOST: usize = 3;
/// The most words of an excerpt, and the most letters: addresses are long words.
const LONGEST: usize = 40;
const MOST_LETTERS: usize = 300;

/// What only the first text has, and what only the second has: the longest parts in the order of
/// the text, cut to a readable length.
pub(crate) fn differences(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let (before, after) = (words(before), words(after));
    (missing(&before, &after), missing(&after, &before))
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The parts of a text that another does not have.
fn missing(text: &[&str], other: &[&str]) -> Vec<String> {
    let runs: BTreeSet<&[&str]> = other.windows(RUN.min(other.len().max(1))).collect();
    let length = RUN.min(text.len().max(1));
    let mut is_known = vec![false; text.len()];
    for (place, run) in text.windows(length).enumerate() {
        if runs.contains(run) {
            is_known[place..place + length].fill(true);
        }
    }
    let mut parts: Vec<(usize, usize)> = vec![];
    let mut place = 0;
    for same in is_known.chunk_by(|one, other| one == other) {
        if !same[0] {
            parts.push((place, place + same.len()));
        }
        place += same.len();
    }
    // The longest, of equal ones the first; then back in the order of the text.
    parts.sort_by_key(|(from, to)| std::cmp::Reverse(to - from));
    parts.truncate(MOST);
    parts.sort_unstable();
    parts.into_iter().map(|(from, to)| excerpt(&text[from..to])).collect()
}

fn excerpt(words: &[&str]) -> String {
    let mut text = String::new();
    for (place, word) in words.iter().enumerate() {
        if place == LONGEST || text.len() + word.len() > MOST_LETTERS {
            text.push('…');
            return text;
        }
        text.push_str(word);
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_is_on_both_sides() {
        let before = "News of the week: the old seminar is over. Contact us by post.";
        let after = "News of the week: a law seminar series begins in May. Contact us by post.";
        let (removed, added) = differences(before, after);
        assert_eq!(removed, ["the old seminar is over."]);
        assert_eq!(added, ["a law seminar series begins in May."]);
    }

    #[test]
    fn equal_texts_have_no_differences_and_a_new_text_is_all_new() {
        assert_eq!(differences("a b c d", "a b c d"), (vec![], vec![]));
        assert_eq!(differences("", "a b"), (vec![], vec!["a b".to_owned()]));
        assert_eq!(differences("", ""), (vec![], vec![]));
    }

    #[test]
    fn only_the_longest_parts_are_shown_and_none_is_endless() {
        let long = (0..60).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let (removed, added) = differences("a b c d e f", &format!("a b c {long} d e f"));
        assert!(removed.is_empty());
        assert_eq!(added.len(), 1);
        assert_eq!(added[0].split(' ').count(), LONGEST + 1);
        assert!(added[0].ends_with(" …"));
    }
}
