//! Snippets: the part of a text that matches a query best, with highlights.
use text::words::Language;

use crate::Fragment;
use crate::analysis::Analysers;
use crate::query_terms::QueryTerm;

/// Length of a snippet.
const SNIPPET_CHARACTERS: usize = 240;
/// Maximum context before the first highlight, to show the start of the sentence.
const LEAD_CHARACTERS: usize = 80;
/// How far an end may move to a word boundary. Text without spaces is cut anywhere.
const MAX_SHIFT_CHARACTERS: usize = 24;
/// Part of the text that is searched, for each hit.
const MAX_BYTES: usize = 64 << 10;
/// Maximum number of highlights considered.
const MAX_HIGHLIGHTS: usize = 1_000;
const ELLIPSIS: &str = "…";

/// Finds the terms of a query in texts.
pub(crate) struct Highlighter {
    /// Terms with the number of their query word, sorted.
    terms: Vec<(String, usize)>,
    /// Characters that match any bigram, with the number of their query word.
    lone_characters: Vec<(char, usize)>,
    /// ASCII letters and digits that terms start with.
    first: [bool; 128],
    /// The number of query words.
    words: usize,
}

/// A match in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Highlight {
    from: usize,
    to: usize,
    /// Start, in characters.
    at: usize,
    word: usize,
}

impl Highlighter {
    pub(crate) fn new(query: &[QueryTerm]) -> Self {
        let mut terms = vec![];
        let mut lone_characters = vec![];
        let mut words = 0;
        // Words of a phrase count separately: a snippet should show as many as possible.
        for (number, term) in query.iter().flat_map(QueryTerm::split).enumerate() {
            words = number + 1;
            terms.extend(term.terms().map(|term| (term.to_owned(), number)));
            lone_characters.extend(term.lone_character.map(|character| (character, number)));
        }
        terms.sort();
        terms.dedup_by(|one, other| one.0 == other.0);
        let mut first = [false; 128];
        for (term, _) in &terms {
            if let Some(&byte) = term.as_bytes().first().filter(|byte| byte.is_ascii()) {
                first[usize::from(byte)] = true;
            }
        }
        Self { terms, lone_characters, first, words }
    }

    fn word(&self, term: &str) -> Option<usize> {
        let found = self.terms.binary_search_by(|(known, _)| known.as_str().cmp(term));
        if let Ok(place) = found {
            return Some(self.terms[place].1);
        }
        let has = |&(character, _): &(char, usize)| term.contains(character);
        self.lone_characters.iter().copied().find(has).map(|(_, word)| word)
    }

    /// Whether a chunk between spaces may contain a term, if [`keeps_first_letters`] holds. Skips
    /// the analysis of most chunks. Always true for non-ASCII text.
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

    /// All matches in a text.
    fn highlights(
        &self,
        text: &str,
        language: Language,
        analysers: &mut Analysers,
    ) -> Vec<Highlight> {
        let mut highlights = vec![];
        self.each_match(text, language, analysers, |highlight| {
            highlights.push(highlight);
            highlights.len() < MAX_HIGHLIGHTS
        });
        highlights
    }

    /// By query word, that it was not found.
    pub(crate) fn no_words(&self) -> Vec<bool> {
        vec![false; self.words]
    }

    /// Notes in `found`, by query word, which are in a text. Ends as soon as all are found.
    pub(crate) fn find_words(
        &self,
        text: &str,
        language: Language,
        analysers: &mut Analysers,
        found: &mut [bool],
    ) {
        if found.contains(&false) {
            self.each_match(text, language, analysers, |highlight| {
                found[highlight.word] = true;
                found.contains(&false)
            });
        }
    }

    /// Calls `each` with every match in a text, chunk by chunk, until it returns false.
    fn each_match(
        &self,
        text: &str,
        language: Language,
        analysers: &mut Analysers,
        mut each: impl FnMut(Highlight) -> bool,
    ) {
        let analyser = analysers.for_language(language);
        let can_tell = keeps_first_letters(language);
        let (mut start, mut characters) = (0, 0);
        let mut goes_on = true;
        for chunk in text.split_inclusive(' ') {
            if !can_tell || self.can_be_in(chunk) {
                let mut words = analyser.words(chunk);
                while let Some(word) = words.advance() {
                    if let Some(number) = self.word(word.term) {
                        let at = characters + chunk[..word.from].chars().count();
                        let (from, to) = (start + word.from, start + word.to);
                        goes_on &= each(Highlight { from, to, at, word: number });
                    }
                }
            }
            start += chunk.len();
            characters += chunk.chars().count();
            if !goes_on || start >= MAX_BYTES {
                break;
            }
        }
    }

    /// The first part of `text` with the most distinct query words; its beginning if there are
    /// none. Empty if the text is.
    pub(crate) fn snippet(
        &self,
        text: &str,
        language: Language,
        analysers: &mut Analysers,
    ) -> Vec<Fragment> {
        let highlights = self.highlights(text, language, analysers);
        let (from, to) = window(&highlights);
        let shown = &highlights[from..to];
        let lead = shown.last().map_or(0, |last| {
            let span = last.at - shown[0].at;
            (SNIPPET_CHARACTERS.saturating_sub(span) / 2).min(LEAD_CHARACTERS)
        });
        let first = shown.first().map_or(0, |highlight| highlight.from);
        let begin = begin(text, first, lead);
        let end = end(text, begin);
        fragments(text, begin, end, &highlights)
    }
}

/// Whether stemming keeps the first letter of every ASCII word. Some stemmers remove prefixes
/// (Dutch, Indonesian), so this lists only languages whose stemmers do not.
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

/// The range of highlights to show: it fits, has the most distinct words, then the most highlights,
/// then comes first.
fn window(highlights: &[Highlight]) -> (usize, usize) {
    let words = highlights.iter().map(|highlight| highlight.word + 1).max().unwrap_or_default();
    let mut counts = vec![0_usize; words];
    let (mut best, mut best_value, mut different, mut first) = ((0, 0), (0, 0), 0, 0);
    for (last, highlight) in highlights.iter().enumerate() {
        different += usize::from(counts[highlight.word] == 0);
        counts[highlight.word] += 1;
        // Leaves room for the last word and for moving the ends.
        while highlight.at - highlights[first].at > SNIPPET_CHARACTERS * 3 / 4 {
            counts[highlights[first].word] -= 1;
            different -= usize::from(counts[highlights[first].word] == 0);
            first += 1;
        }
        let value = (different, last + 1 - first);
        if value > best_value {
            (best, best_value) = ((first, last + 1), value);
        }
    }
    best
}

/// Start of a snippet with up to `lead` characters before `first`.
fn begin(text: &str, first: usize, lead: usize) -> usize {
    let before = &text[..first];
    let Some((start, _)) = before.char_indices().rev().take(lead).last() else { return first };
    if start == 0 {
        return 0;
    }
    let moved = text[start..first].char_indices().take(MAX_SHIFT_CHARACTERS);
    let mut spaces = moved.filter(|&(_, letter)| letter == ' ');
    spaces.next().map_or(start, |(space, _)| start + space + 1)
}

/// End of a snippet that starts at `begin`.
fn end(text: &str, begin: usize) -> usize {
    let Some((end, _)) = text[begin..].char_indices().nth(SNIPPET_CHARACTERS) else {
        return text.len();
    };
    let end = begin + end;
    let moved = text[begin..end].char_indices().rev().take(MAX_SHIFT_CHARACTERS);
    let mut spaces = moved.filter(|&(_, letter)| letter == ' ');
    spaces.next().map_or(end, |(space, _)| begin + space)
}

/// Splits a text range at its highlights. Adjacent or overlapping highlights are merged.
fn fragments(text: &str, begin: usize, end: usize, highlights: &[Highlight]) -> Vec<Fragment> {
    let mut fragments: Vec<Fragment> = vec![];
    let mut push = |text: &str, highlighted: bool| {
        if text.is_empty() {
            return;
        }
        match fragments.last_mut() {
            Some(last) if last.highlighted == highlighted => last.text.push_str(text),
            _ => fragments.push(Fragment { text: text.to_owned(), highlighted }),
        }
    };
    if begin > 0 {
        push(ELLIPSIS, false);
    }
    let mut at = begin;
    for highlight in
        highlights.iter().filter(|highlight| highlight.from >= begin && highlight.from < end)
    {
        let (from, to) = (highlight.from.max(at), highlight.to.min(end));
        push(&text[at..from], false);
        push(text.get(from..to).unwrap_or_default(), true);
        at = at.max(to);
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(ELLIPSIS, false);
    }
    fragments
}

#[cfg(test)]
mod tests;
