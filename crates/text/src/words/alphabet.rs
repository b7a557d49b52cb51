//! The letters that a stemmer accepts.

/// The letters of a language's script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    Latin,
    Cyrillic,
    /// Serbian is written in both.
    LatinAndCyrillic,
    Greek,
    Armenian,
    Arabic,
    Devanagari,
    Tamil,
}

impl Alphabet {
    /// Whether a lower-case letter belongs to it.
    pub(super) fn contains(self, letter: char) -> bool {
        match self {
            Self::Latin => is_latin(letter),
            Self::Cyrillic => is_cyrillic(letter),
            Self::LatinAndCyrillic => is_latin(letter) || is_cyrillic(letter),
            Self::Greek => matches!(letter, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'),
            Self::Armenian => matches!(letter, '\u{530}'..='\u{58f}'),
            Self::Arabic => matches!(letter, '\u{620}'..='\u{65f}' | '\u{66e}'..='\u{6ef}'),
            Self::Devanagari => matches!(letter, '\u{900}'..='\u{963}' | '\u{970}'..='\u{97f}'),
            Self::Tamil => matches!(letter, '\u{b80}'..='\u{be5}'),
        }
    }
}

fn is_latin(letter: char) -> bool {
    matches!(letter, 'a'..='z' | '\u{df}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

fn is_cyrillic(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{52f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_belong_to_one_alphabet() {
        let samples = [
            (Alphabet::Latin, "straße"),
            (Alphabet::Cyrillic, "їжак"),
            (Alphabet::Greek, "ελληνικά"),
            (Alphabet::Armenian, "հայերեն"),
            (Alphabet::Arabic, "العربية"),
            (Alphabet::Devanagari, "हिन्दी"),
            (Alphabet::Tamil, "தமிழ்"),
        ];
        for (own, _) in samples {
            for (alphabet, word) in samples {
                assert_eq!(
                    word.chars().all(|letter| own.contains(letter)),
                    own == alphabet,
                    "{word}"
                );
            }
            assert!(!own.contains('7') && !own.contains('語') && !own.contains(' '));
        }
    }
}
