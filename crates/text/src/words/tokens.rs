//! Splits a text into words, the same way for every language. So the words of a query have the same
//! positions in whichever language they are stemmed.
//!
//! - A word is a run of letters, marks and digits.
//! - An apostrophe inside a word joins it (`don't` is `dont`). English suffixes after one are dropped
//!   (`dog's` is `dog`). French and Italian articles before one are words of their own (`l'eau` is `l`
//!   and `eau`).
//! - Scripts without spaces give overlapping pairs of characters; a single character is a word.
//! - `c++`, `g++`, `c#` and `f#` are words.
use unicode_normalization::char::{compose, decompose_compatible};

use super::{
    script::{Class, Script, class, is_apostrophe},
    spelling::Spelling,
};

/// Elided words before an apostrophe (French, Italian, Catalan).
const ELIDED: &[&str] = &[
    "all", "anch", "bell", "c", "coll", "d", "dall", "dell", "j", "jusqu", "l", "lorsqu", "m", "n",
    "nell", "presqu", "puisqu", "qu", "quell", "quelqu", "quest", "quoiqu", "s", "sant", "sull",
    "t", "un",
];

/// English suffixes after an apostrophe, which are dropped.
const DROPPED: &[&str] = &["s", "ll", "re", "ve", "d", "m"];

/// The most marks on a character of a script without spaces.
const MOST_MARKS: usize = 4;

/// The words of one text, one after another.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Whether the character at `at` was the second of a pair.
    paired: bool,
}

/// A word and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it may be stemmed; pairs and programming languages may not.
    pub(super) has_stem: bool,
}

/// The role of an apostrophe.
enum Apostrophe {
    Ends,
    Joins,
    Elides,
    /// The text up to this byte is dropped.
    Drops(usize),
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, paired: false }
    }

    /// The next word. Its normalised form is in `spelling` and never empty.
    pub(super) fn next(&mut self, spelling: &mut Spelling) -> Option<Token> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            let found = if byte.is_ascii_alphanumeric() {
                self.plain_word(spelling).or_else(|| self.word(spelling))
            } else if byte.is_ascii() {
                self.at += 1;
                None
            } else {
                let letter = self.letter(self.at)?;
                match class(letter) {
                    Class::Letter => self.word(spelling),
                    Class::Unspaced(script) => self.pair(script, spelling),
                    Class::Gap | Class::Mark | Class::Joiner => {
                        self.at += letter.len_utf8();
                        None
                    }
                }
            };
            if found.is_some() {
                return found;
            }
        }
    }

    fn letter(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    /// The word here, if it is ASCII and nothing follows that could belong to it.
    fn plain_word(&mut self, spelling: &mut Spelling) -> Option<Token> {
        let from = self.at;
        let rest = &self.text.as_bytes()[from..];
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
        let to = from + length.unwrap_or(rest.len());
        let ends = match self.text.as_bytes().get(to) {
            None => true,
            Some(b'\'') => false,
            Some(b'+' | b'#') => to > from + 1,
            Some(byte) if byte.is_ascii() => true,
            Some(_) => self.letter(to).is_some_and(|letter| match class(letter) {
                Class::Gap => !is_apostrophe(letter) && letter != '·' && to > from + 1,
                Class::Unspaced(_) => true,
                Class::Letter | Class::Mark | Class::Joiner => false,
            }),
        };
        if !ends {
            return None;
        }
        self.at = to;
        spelling.set_plain(&self.text[from..to]);
        Some(Token { from, to, has_stem: true })
    }

    /// The word here, in any letters. `None` if nothing of it is left after normalising.
    fn word(&mut self, spelling: &mut Spelling) -> Option<Token> {
        let from = self.at;
        let mut at = from;
        let mut to = None;
        spelling.clear();
        while let Some(letter) = self.letter(at) {
            let after = at + letter.len_utf8();
            match class(letter) {
                Class::Letter => spelling.push_letter(letter),
                Class::Mark => spelling.push_mark(letter),
                Class::Joiner => {}
                Class::Gap if is_apostrophe(letter) => match self.apostrophe(from, at, after) {
                    Apostrophe::Joins => {}
                    Apostrophe::Ends => break,
                    Apostrophe::Elides => {
                        to = Some(at);
                        at = after;
                        break;
                    }
                    Apostrophe::Drops(end) => {
                        to = Some(end);
                        at = end;
                        break;
                    }
                },
                Class::Gap if letter == '·' && self.is_between_l(at, after) => {}
                Class::Gap | Class::Unspaced(_) => break,
            }
            at = after;
        }
        self.at = at;
        spelling.finish();
        let sign = if to.is_none() { self.sign(at, spelling) } else { None };
        self.at += sign.map_or(0, |(_, length)| length);
        if let Some((sign, _)) = sign {
            spelling.push_str(sign);
        }
        let to = to.unwrap_or(self.at);
        (!spelling.as_str().is_empty()).then_some(Token { from, to, has_stem: sign.is_none() })
    }

    /// The role of the apostrophe between `at` and `after` in the word that begins at `from`.
    fn apostrophe(&self, from: usize, at: usize, after: usize) -> Apostrophe {
        let goes_on = |letter: char| class(letter) == Class::Letter && letter.is_alphabetic();
        if !self.letter(after).is_some_and(goes_on) {
            return Apostrophe::Ends;
        }
        let rest = &self.text.as_bytes()[after..];
        let length = rest.iter().take(3).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let end = after + length;
        let is_last = self
            .letter(end)
            .is_none_or(|letter| matches!(class(letter), Class::Gap | Class::Unspaced(_)));
        let is_one_of = |words: &[&str], word: &str| {
            words.iter().any(|listed| listed.eq_ignore_ascii_case(word))
        };
        if is_last && is_one_of(DROPPED, &self.text[after..end]) {
            Apostrophe::Drops(end)
        } else if is_one_of(ELIDED, &self.text[from..at]) {
            Apostrophe::Elides
        } else {
            Apostrophe::Joins
        }
    }

    /// Whether a middle dot is that of the Catalan `l·l`.
    fn is_between_l(&self, at: usize, after: usize) -> bool {
        let is_l = |letter: Option<char>| letter.is_some_and(|letter| matches!(letter, 'l' | 'L'));
        is_l(self.text[..at].chars().next_back()) && is_l(self.letter(after))
    }

    /// The sign that makes a letter the name of a programming language, and its length here.
    fn sign(&self, at: usize, spelling: &Spelling) -> Option<(&'static str, usize)> {
        let rest = &self.text[at..];
        let starts = |signs: &[&str]| {
            signs.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len())
        };
        match spelling.as_str() {
            "c" | "g" if let Some(length) = starts(&["++", "＋＋"]) => Some(("++", length)),
            "c" | "f" if let Some(length) = starts(&["#", "＃", "♯"]) => {
                let next = self.letter(at + length).map(class);
                (next != Some(Class::Letter)).then_some(("#", length))
            }
            _ => None,
        }
    }

    /// The pair of characters here, or a single one.
    fn pair(&mut self, script: Script, spelling: &mut Spelling) -> Option<Token> {
        let from = self.at;
        spelling.clear();
        let middle = self.character(from, spelling);
        self.at = middle;
        let is_followed = self.letter(middle).map(class) == Some(Class::Unspaced(script));
        if is_followed {
            self.paired = true;
            let to = self.character(middle, spelling);
            Some(Token { from, to, has_stem: false })
        } else if std::mem::replace(&mut self.paired, false) {
            None
        } else {
            Some(Token { from, to: middle, has_stem: false })
        }
    }

    /// Normalises the character at `from` with its marks. Returns where it ends.
    fn character(&self, from: usize, spelling: &mut Spelling) -> usize {
        let mut at = from;
        let mut last = None;
        let mut marks = 0;
        let mut buffer = [0; 4];
        for letter in self.text[from..].chars() {
            let kind = class(letter);
            let whole = one_width(letter);
            match last {
                None => last = Some(whole),
                Some(_) if kind == Class::Joiner => {}
                // Only marks and parts of Hangul syllables join the character before.
                Some(_) if kind != Class::Mark && !is_part(letter) => break,
                Some(before) => match compose(before, whole) {
                    Some(composed) if marks == 0 => last = Some(composed),
                    _ if kind != Class::Mark => break,
                    _ => {
                        marks += 1;
                        if marks <= MOST_MARKS && !is_selector(letter) {
                            spelling.push_str(before.encode_utf8(&mut buffer));
                            last = Some(whole);
                        }
                    }
                },
            }
            at += letter.len_utf8();
        }
        if let Some(last) = last {
            spelling.push_str(last.encode_utf8(&mut buffer));
        }
        at
    }
}

/// The usual form of a half-width or compatibility character.
fn one_width(letter: char) -> char {
    let mut usual = letter;
    if matches!(letter, '\u{ff66}'..='\u{ffdc}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
    {
        decompose_compatible(letter, |part| usual = part);
    }
    usual
}

/// Whether a letter is part of a Hangul syllable.
fn is_part(letter: char) -> bool {
    matches!(letter, '\u{1160}'..='\u{11ff}' | '\u{ffa0}'..='\u{ffdc}')
}

/// Whether a mark is a variation selector.
fn is_selector(mark: char) -> bool {
    matches!(mark, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}
