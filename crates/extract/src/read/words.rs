//! Splits a text into words, for fingerprints, counts and change detectors.
//!
//! A word is a run of letters and digits, in lower case. In scripts without spaces between words (Han,
//! kana) each character is a word. Hangul is written with spaces and treated like Latin.

/// Calls `each` with every word of `text`, in order.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut lower = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if !byte.is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let end = at + run_length(&bytes[at..]);
            if bytes.get(end).is_none_or(u8::is_ascii) {
                let word = &text[at..end];
                if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
                    lower.clear();
                    lower.push_str(word);
                    lower.make_ascii_lowercase();
                    each(&lower);
                } else {
                    each(word);
                }
                at = end;
                continue;
            }
        }
        lower.clear();
        at += word_of_any_script(&text[at..], &mut lower, &mut each);
    }
}

/// The length of the run of ASCII letters and digits at the start.
fn run_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(bytes.len())
}

/// Reads to the end of the first run. Returns the number of bytes, at least one character.
fn word_of_any_script(text: &str, lower: &mut String, each: &mut impl FnMut(&str)) -> usize {
    let mut taken = 0;
    for letter in text.chars() {
        taken += letter.len_utf8();
        if !letter.is_alphanumeric() {
            break;
        }
        if stands_alone(letter) {
            if !lower.is_empty() {
                each(lower);
                lower.clear();
            }
            each(letter.encode_utf8(&mut [0; 4]));
        } else {
            lower.extend(letter.to_lowercase());
        }
    }
    if !lower.is_empty() {
        each(lower);
    }
    taken
}

/// Han ideographs and kana.
fn stands_alone(letter: char) -> bool {
    matches!(letter,
        '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        assert_eq!(words("The 2nd, well-KNOWN;x"), ["the", "2nd", "well", "known", "x"]);
    }

    #[test]
    fn letters_of_any_script_make_words() {
        assert_eq!(words("naïve Straße ПРИВЕТ, мир"), ["naïve", "straße", "привет", "мир"]);
    }

    #[test]
    fn each_ideograph_and_kana_is_a_word() {
        assert_eq!(words("C++標準ライブ2版"), ["c", "標", "準", "ラ", "イ", "ブ", "2", "版"]);
    }

    #[test]
    fn hangul_is_written_with_spaces() {
        assert_eq!(words("한국어 문서"), ["한국어", "문서"]);
    }

    #[test]
    fn a_text_without_words_has_none() {
        assert!(words(" —…!\u{a0}").is_empty());
    }
}
