//! Character classes for splitting texts into words.
use unicode_normalization::char::is_combining_mark;

/// The role of a character in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends it.
    Gap,
    /// Starts or continues it: a letter or a digit.
    Letter,
    /// Continues it but does not start one: an accent, a vowel sign.
    Mark,
    /// Continues it and is invisible: a soft hyphen, a joiner.
    Joiner,
    /// Belongs to a script without spaces between words.
    Unspaced(Script),
}

/// The scripts that are split into pairs of characters. Korean has spaces, but endings are attached to
/// the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    HanAndKana,
    Hangul,
    Thai,
    Lao,
    Khmer,
    Myanmar,
}

/// The class of a character.
pub(super) fn class(letter: char) -> Class {
    match letter {
        '0'..='9' | 'A'..='Z' | 'a'..='z' => Class::Letter,
        // The last two are letters in Unicode but used as apostrophes.
        '\0'..='\x7f' | '\u{d7}' | '\u{f7}' | '\u{2bb}' | '\u{2bc}' => Class::Gap,
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' => Class::Joiner,
        // Most text outside ASCII, decided without table lookups.
        '\u{c0}'..='\u{24f}' | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' => Class::Letter,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' => {
            Class::Unspaced(Script::HanAndKana)
        }
        '\u{ac00}'..='\u{d7a3}' => Class::Unspaced(Script::Hangul),
        // The voiced marks of half-width kana.
        '\u{ff9e}' | '\u{ff9f}' => Class::Mark,
        _ if is_combining_mark(letter) => Class::Mark,
        _ if !letter.is_alphanumeric() => Class::Gap,
        _ => script(letter).map_or(Class::Letter, Class::Unspaced),
    }
}

/// The script of a letter, if it has no spaces between words. Its digits are ordinary digits.
fn script(letter: char) -> Option<Script> {
    Some(match letter {
        '\u{e50}'..='\u{e59}'
        | '\u{ed0}'..='\u{ed9}'
        | '\u{1040}'..='\u{1049}'
        | '\u{1090}'..='\u{1099}'
        | '\u{17e0}'..='\u{17e9}' => return None,
        '\u{e00}'..='\u{e7f}' => Script::Thai,
        '\u{e80}'..='\u{eff}' => Script::Lao,
        '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' => {
            Script::Myanmar
        }
        '\u{1780}'..='\u{17ff}' => Script::Khmer,
        '\u{1100}'..='\u{11ff}'
        | '\u{3130}'..='\u{318f}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{ffa0}'..='\u{ffdc}' => Script::Hangul,
        '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{303c}'
        | '\u{3040}'..='\u{312f}'
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}'
        | '\u{1aff0}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}' => Script::HanAndKana,
        _ => return None,
    })
}

/// Whether a character is used as an apostrophe.
pub(super) fn is_apostrophe(letter: char) -> bool {
    matches!(
        letter,
        '\'' | '\u{2019}' | '\u{2018}' | '\u{2bb}' | '\u{2bc}' | '\u{55a}' | '\u{ff07}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_of_any_script_make_words() {
        for letter in "aZ5éßøЙїΩאعनக५٣๕Ａ²".chars() {
            assert_eq!(class(letter), Class::Letter, "{letter}");
        }
        for letter in " ,.-_×÷§—…·・¿😀€".chars() {
            assert_eq!(class(letter), Class::Gap, "{letter}");
        }
    }

    #[test]
    fn marks_and_joiners_continue_a_word() {
        for mark in ['\u{301}', '\u{94d}', '\u{93f}', '\u{64e}', '\u{e34}', '\u{3099}', 'ﾞ'] {
            assert_eq!(class(mark), Class::Mark, "{mark:?}");
        }
        for joiner in ['\u{ad}', '\u{200c}', '\u{200d}'] {
            assert_eq!(class(joiner), Class::Joiner, "{joiner:?}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_distinguished() {
        let expected = [
            ("漢かカー々〇ｶ𠮷", Script::HanAndKana),
            ("한ᄒㅎ", Script::Hangul),
            ("ไทยๆ", Script::Thai),
            ("ລາວ", Script::Lao),
            ("ខ្មែរ", Script::Khmer),
            ("မြန်မာ", Script::Myanmar),
        ];
        for (letters, script) in expected {
            for letter in letters.chars().filter(|&letter| class(letter) != Class::Mark) {
                assert_eq!(class(letter), Class::Unspaced(script), "{letter}");
            }
        }
    }
}
