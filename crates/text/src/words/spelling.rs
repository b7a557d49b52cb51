//! Normalises the spelling of words: lower case, one width, one form of each letter.
//!
//! This happens before stemming and is the same for every language, except for the two letters i of
//! Turkish. Accents are kept, because stemmers need them.
use unicode_normalization::{UnicodeNormalization, char::decompose_compatible};

/// The longest word, in characters. Longer ones (digests, encoded bytes) are cut.
pub(super) const LONGEST: usize = 64;

/// The spelling of the current word. It is reused for the next word.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    text: String,
    /// A buffer for composing the text.
    spare: String,
    /// The number of characters so far.
    taken: usize,
    has_marks: bool,
    /// Whether `I` is the capital of `ı`, as in Turkish.
    dotless: bool,
}

impl Spelling {
    /// For a language with or without `ı` beside `i`.
    pub(super) fn new(dotless: bool) -> Self {
        Self { dotless, ..Self::default() }
    }

    /// The spelling so far.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Starts a new word.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.taken = 0;
        self.has_marks = false;
    }

    /// Sets a whole word of ASCII letters and digits.
    pub(super) fn set_plain(&mut self, word: &str) {
        self.text.clear();
        self.text.push_str(&word[..word.len().min(LONGEST)]);
        if self.dotless && self.text.contains('I') {
            self.text = self.text.replace('I', "ı");
        }
        self.text.make_ascii_lowercase();
    }

    /// Appends text unchanged.
    pub(super) fn push_str(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// Appends a letter or a digit.
    pub(super) fn push_letter(&mut self, letter: char) {
        self.taken += 1;
        if self.taken > LONGEST {
            return;
        }
        match letter {
            'I' if self.dotless => self.text.push('ı'),
            '\0'..='\x7f' => self.text.push(letter.to_ascii_lowercase()),
            // Its lower case would be an i with a second dot.
            'İ' => self.text.push('i'),
            'ς' => self.text.push('σ'),
            // The Arabic tatweel only stretches a word.
            '\u{640}' => {}
            // Full-width letters and digits.
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter);
                self.taken -= 1;
                self.push_letter(narrow);
            }
            _ if has_other_forms(letter) => self.push_plain_form(letter),
            _ => match digit(letter) {
                Some(digit) => self.text.push(digit),
                None => self.text.extend(letter.to_lowercase()),
            },
        }
    }

    /// Appends a mark on the letter before it.
    pub(super) fn push_mark(&mut self, mark: char) {
        self.taken += 1;
        if self.taken <= LONGEST && !is_dropped(mark) {
            self.text.push(mark);
            self.has_marks = true;
        }
    }

    /// Ends the word: composes letters and marks. Accents without a composed letter are dropped, such
    /// as stress marks in Russian.
    pub(super) fn finish(&mut self) {
        if self.has_marks {
            self.spare.clear();
            let composed = self.text.nfc();
            self.spare.extend(composed.filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)));
            std::mem::swap(&mut self.text, &mut self.spare);
        }
    }

    /// Appends the plain form of a letter: `fi` for the ligature, `2` for the superscript.
    fn push_plain_form(&mut self, letter: char) {
        let whole = self.text.len();
        let mut is_word = true;
        decompose_compatible(letter, |part| {
            is_word &= part.is_alphanumeric();
            self.text.extend(part.to_lowercase());
        });
        // Some decompose to whole sentences or fractions.
        if !is_word {
            self.text.truncate(whole);
            self.text.push(letter);
        }
    }
}

/// Whether a letter may be a variant form of another.
fn has_other_forms(letter: char) -> bool {
    matches!(
        letter,
        '\u{aa}'..='\u{be}'
            | '\u{132}'..='\u{133}'
            | '\u{13f}'..='\u{140}'
            | '\u{149}'
            | '\u{17f}'
            | '\u{1c4}'..='\u{1cc}'
            | '\u{1f1}'..='\u{1f3}'
            | '\u{2070}'..='\u{2bff}'
            | '\u{fb00}'..='\u{fefc}'
            | '\u{1d400}'..='\u{1d7ff}'
            | '\u{1ee00}'..='\u{1eeff}'
    )
}

/// The ASCII digit for a digit of another script.
fn digit(letter: char) -> Option<char> {
    /// The zeros of scripts in use, ascending.
    const ZEROS: [u32; 18] = [
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50,
        0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
    ];
    let number = u32::from(letter);
    if !(0x660..0x1820).contains(&number) {
        return None;
    }
    let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= number)].last()?;
    char::from_digit(number - zero, 10)
}

/// Marks that carry no meaning for search: the vowel points of Arabic and Hebrew, which most texts
/// omit, and variation selectors.
fn is_dropped(mark: char) -> bool {
    matches!(
        mark,
        '\u{591}'..='\u{5c7}'
            | '\u{610}'..='\u{61a}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{6d6}'..='\u{6ed}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::is_combining_mark;

    use super::*;

    fn spelled(word: &str, dotless: bool) -> String {
        let mut spelling = Spelling::new(dotless);
        for letter in word.chars() {
            if is_combining_mark(letter) {
                spelling.push_mark(letter);
            } else {
                spelling.push_letter(letter);
            }
        }
        spelling.finish();
        spelling.as_str().to_owned()
    }

    #[test]
    fn case_and_width_do_not_matter() {
        assert_eq!(spelled("ÀÉÎ", false), "àéî");
        assert_eq!(spelled("Ｗｅｂ２", false), "web2");
        assert_eq!(spelled("ΟΔΟΣ", false), spelled("οδος", false));
        assert_eq!(spelled("ПРИВЕТ", false), "привет");
        assert_eq!(spelled("ẞ", false), "ß");
    }

    #[test]
    fn turkish_has_two_letters_i() {
        assert_eq!(spelled("IŞIK İzmir", true), "ışık izmir");
        assert_eq!(spelled("IŞIK İzmir", false), "işik izmir");
        let mut spelling = Spelling::new(true);
        spelling.set_plain("KIZIL");
        assert_eq!(spelling.as_str(), "kızıl");
    }

    #[test]
    fn letters_and_accents_are_composed() {
        assert_eq!(spelled("u\u{308}ber", false), "über");
        assert_eq!(spelled("и\u{306}", false), "й");
        assert_eq!(spelled("за\u{301}мок", false), "замок");
        assert_eq!(spelled("हिन्दी", false), "हिन्दी");
    }

    #[test]
    fn variant_forms_become_plain_letters() {
        assert_eq!(spelled("ﬁeld", false), "field");
        assert_eq!(spelled("m²", false), "m2");
        assert_eq!(spelled("Ⅷ", false), "viii");
        assert_eq!(spelled("𝐂𝐨𝐝𝐞", false), "code");
        assert_eq!(spelled("٢٠٢٤", false), "2024");
        assert_eq!(spelled("१९", false), "19");
        assert_eq!(spelled("ﻼ", false), "لا");
        assert_eq!(spelled("½", false), "½");
        assert_eq!(spelled("ﷺ", false), "ﷺ");
    }

    #[test]
    fn vowel_points_and_stretching_do_not_matter() {
        assert_eq!(spelled("مُحَمَّد", false), "محمد");
        assert_eq!(spelled("كـــتاب", false), "كتاب");
        assert_eq!(spelled("שָׁלוֹם", false), "שלום");
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(spelled(&"é".repeat(1000), false), "é".repeat(LONGEST));
        let mut spelling = Spelling::new(false);
        spelling.set_plain(&"A".repeat(1000));
        assert_eq!(spelling.as_str(), "a".repeat(LONGEST));
    }
}
