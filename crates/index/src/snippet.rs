//! The part of a text that answers a query best, with the words of the query marked.
use text::words::Language;

use crate::Piece;
use crate::analysis::Analysers;
use crate::wanted::Wanted;

/// So many characters are shown.
const SHOWN_CHARACTERS: usize = 240;
/// A snippet begins so many characters before what it shows, at most: enough for how a sentence
/// begins.
const LEAD_CHARACTERS: usize = 80;
/// A cut is moved by so many characters at most, to be between words. Scripts without spaces are cut
/// where they are.
const MOVED_CHARACTERS: usize = 24;
/// So much of a text is looked at: it is done for each hit that is shown.
const MOST_BYTES: usize = 64 << 10;
/// So many words are marked or weighed.
const MOST_MARKS: usize = 1_000;
/// Stands for what was cut off.
const CUT: &str = "…";

/// The terms of a query, to be found in texts.
pub(crate) struct Terms {
    /// Each term with the number of the word it is a form of; sorted.
    known: Vec<(String, usize)>,
    /// Characters found in any pair, with the number of their word.
    alone: Vec<(char, usize)>,
    /// Which ASCII letters and digits terms begin with.
    first: [bool; 128],
}

/// A word of the query in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    from: usize,
    to: usize,
    /// Where it begins, in characters.
    at: usize,
    word: usize,
}

impl Terms {
    pub(crate) fn of(wanted: &[Wanted]) -> Self {
        let mut terms = vec![];
        let mut alone = vec![];
        // Words of a phrase are words of their own here: the more of them in sight, the better.
        for (number, wanted) in wanted.iter().flat_map(Wanted::apart).enumerate() {
            terms.extend(wanted.terms().map(|term| (term.to_owned(), number)));
            alone.extend(wanted.alone.map(|character| (character, number)));
        }
        terms.sort();
        terms.dedup_by(|one, other| one.0 == other.0);
        let mut first = [false; 128];
        for (term, _) in &terms {
            if let Some(&byte) = term.as_bytes().first().filter(|byte| byte.is_ascii()) {
                first[usize::from(byte)] = true;
            }
        }
        Self { known: terms, alone, first }
    }

    fn word(&self, term: &str) -> Option<usize> {
        let found = self.known.binary_search_by(|(known, _)| known.as_str().cmp(term));
        if let Ok(place) = found {
            return Some(self.known[place].1);
        }
        let has = |&(character, _): &(char, usize)| term.contains(character);
        self.alone.iter().copied().find(has).map(|(_, word)| word)
    }

    /// Whether some text between two spaces can have a term, where [`keeps_first_letters`] holds. This
    /// saves analysing most of a text. What is not ASCII is not judged.
    fn can_be_in(&self, chunk: &str) -> bool {
        let bytes = chunk.as_bytes();
        let mut begins = true;
        for &byte in bytes {
            if !byte.is_ascii() {
                return true;
            }
            if byte.is_ascii_alphanumeric() {
                if begins && self.first[usize::from(byte.to_ascii_lowercase())] {
                    return true;
                }
                begins = false;
            } else {
                begins = true;
            }
        }
        false
    }

    /// Where the words of the query are in a text.
    fn marks(&self, text: &str, language: Language, analysers: &mut Analysers) -> Vec<Mark> {
        let analyser = analysers.of(language);
        let can_tell = keeps_first_letters(language);
        let mut marks = vec![];
        let (mut start, mut characters) = (0, 0);
        for chunk in text.split_inclusive(' ') {
            if !can_tell || self.can_be_in(chunk) {
                let mut words = analyser.words(chunk);
                while let Some(word) = words.advance() {
                    if let Some(number) = self.word(word.term) {
                        let at = characters + chunk[..word.from].chars().count();
                        let (from, to) = (start + word.from, start + word.to);
                        marks.push(Mark { from, to, at, word: number });
                    }
                }
            }
            start += chunk.len();
            characters += chunk.chars().count();
            if marks.len() >= MOST_MARKS || start >= MOST_BYTES {
                break;
            }
        }
        marks
    }

    /// The part of `text`, a page in `language`, that has most of the different words of the query
    /// close together, the first such; its beginning where it has none. Nothing of a text that is
    /// empty.
    pub(crate) fn snippet(
        &self,
        text: &str,
        language: Language,
        analysers: &mut Analysers,
    ) -> Vec<Piece> {
        let marks = self.marks(text, language, analysers);
        let (from, to) = window(&marks);
        let shown = &marks[from..to];
        let lead = shown.last().map_or(0, |last| {
            let span = last.at - shown[0].at;
            (SHOWN_CHARACTERS.saturating_sub(span) / 2).min(LEAD_CHARACTERS)
        });
        let first = shown.first().map_or(0, |mark| mark.from);
        let begin = begin(text, first, lead);
        let end = end(text, begin);
        pieces(text, begin, end, &marks)
    }
}

/// Whether a word of ASCII always has the first letter of its term. Stemmers take off endings and
/// change vowels inside of a word; some also take off beginnings (Dutch, Indonesian), so only those
/// are named here that are known not to.
fn keeps_first_letters(language: Language) -> bool {
    matches!(
        language,
        Language::Other
            | Language::English
            | Language::German
            | Language::French
            | Language::Spanish
            | Language::Italian
            | Language::Portuguese
            | Language::Swedish
            | Language::Norwegian
            | Language::Danish
    )
}

/// The marks to show: a range of them that fits, with the most different words, then the most
/// marks, then the first.
fn window(marks: &[Mark]) -> (usize, usize) {
    let words = marks.iter().map(|mark| mark.word + 1).max().unwrap_or_default();
    let mut counts = vec![0_usize; words];
    let (mut best, mut best_value, mut different, mut first) = ((0, 0), (0, 0), 0, 0);
    for (last, mark) in marks.iter().enumerate() {
        different += usize::from(counts[mark.word] == 0);
        counts[mark.word] += 1;
        // A little room is left for the word itself and for where the cut falls.
        while mark.at - marks[first].at > SHOWN_CHARACTERS * 3 / 4 {
            counts[marks[first].word] -= 1;
            different -= usize::from(counts[marks[first].word] == 0);
            first += 1;
        }
        let value = (different, last + 1 - first);
        if value > best_value {
            (best, best_value) = ((first, last + 1), value);
        }
    }
    best
}

/// Where a snippet begins that shows what is at `first`, at most `lead` characters later.
fn begin(text: &str, first: usize, lead: usize) -> usize {
    let before = &text[..first];
    let Some((start, _)) = before.char_indices().rev().take(lead).last() else { return first };
    if start == 0 {
        return 0;
    }
    let moved = text[start..first].char_indices().take(MOVED_CHARACTERS);
    let mut spaces = moved.filter(|&(_, letter)| letter == ' ');
    spaces.next().map_or(start, |(space, _)| start + space + 1)
}

/// Where a snippet ends that begins at `begin`.
fn end(text: &str, begin: usize) -> usize {
    let Some((end, _)) = text[begin..].char_indices().nth(SHOWN_CHARACTERS) else {
        return text.len();
    };
    let end = begin + end;
    let moved = text[begin..end].char_indices().rev().take(MOVED_CHARACTERS);
    let mut spaces = moved.filter(|&(_, letter)| letter == ' ');
    spaces.next().map_or(end, |(space, _)| begin + space)
}

/// The text between two places in pieces, marked and not; marks that touch or overlap are one.
fn pieces(text: &str, begin: usize, end: usize, marks: &[Mark]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = vec![];
    let mut push = |text: &str, marked: bool| {
        if text.is_empty() {
            return;
        }
        match pieces.last_mut() {
            Some(last) if last.marked == marked => last.text.push_str(text),
            _ => pieces.push(Piece { text: text.to_owned(), marked }),
        }
    };
    if begin > 0 {
        push(CUT, false);
    }
    let mut at = begin;
    for mark in marks.iter().filter(|mark| mark.from >= begin && mark.from < end) {
        let (from, to) = (mark.from.max(at), mark.to.min(end));
        push(&text[at..from], false);
        push(text.get(from..to).unwrap_or_default(), true);
        at = at.max(to);
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(CUT, false);
    }
    pieces
}

#[cfg(test)]
mod tests;
