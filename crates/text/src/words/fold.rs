//! Folds accents and variants of letters, after stemming.
//!
//! People omit accents when they search, and pages omit them in addresses and capitals. Only letters
//! that readers treat as the plain one are folded: `й` is not `и`, and the vowel signs of Indic scripts
//! and the voiced marks of kana make another word.
use unicode_normalization::char::decompose_canonical;

/// Appends the folded `word` to `folded`.
pub(super) fn fold(word: &str, folded: &mut String) {
    if word.is_ascii() {
        folded.push_str(word);
        return;
    }
    for letter in word.chars() {
        match letter {
            '\0'..='\x7f' => folded.push(letter),
            'ß' => folded.push_str("ss"),
            'þ' => folded.push_str("th"),
            // Latin and Greek.
            '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => {
                decompose_canonical(letter, |part| fold_part(part, folded));
            }
            _ => folded.push(variant(letter)),
        }
    }
}

/// Appends a letter without its accents.
fn fold_part(part: char, folded: &mut String) {
    match part {
        '\u{300}'..='\u{36f}' => {}
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' | 'ð' => folded.push('d'),
        'ħ' => folded.push('h'),
        'ı' => folded.push('i'),
        'ŧ' => folded.push('t'),
        'ŋ' => folded.push('n'),
        _ => folded.push(part),
    }
}

/// The base letter of a variant, in the Cyrillic and Arabic scripts.
fn variant(letter: char) -> char {
    match letter {
        'ё' | 'ѐ' => 'е',
        'ѝ' => 'и',
        // Alef with and without hamza or madda; Persian and Arabic keyboards differ.
        '\u{622}' | '\u{623}' | '\u{625}' | '\u{671}' => '\u{627}',
        '\u{649}' | '\u{6cc}' => '\u{64a}',
        '\u{6a9}' => '\u{643}',
        '\u{629}' | '\u{6c0}' => '\u{647}',
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(word: &str) -> String {
        let mut folded = String::new();
        fold(word, &mut folded);
        folded
    }

    #[test]
    fn latin_letters_lose_their_accents() {
        assert_eq!(folded("éàçñüšżőệ"), "eacnuszoe");
        assert_eq!(folded("straße smørrebrød æther cœur łódź đorđe þor ışık"), {
            "strasse smorrebrod aether coeur lodz dorde thor isik"
        });
        assert_eq!(folded("ǿ"), "o");
    }

    #[test]
    fn greek_loses_its_accents() {
        assert_eq!(folded("ελληνικά ᾳ ΐ"), "ελληνικα α ι");
    }

    #[test]
    fn letters_that_only_look_accented_stay() {
        assert_eq!(folded("йїўѓ"), "йїўѓ");
        assert_eq!(folded("ёлка"), "елка");
        assert_eq!(folded("がプ한हिन्दी"), "がプ한हिन्दी");
    }

    #[test]
    fn variants_of_arabic_letters_are_one() {
        assert_eq!(folded("أحمد"), folded("احمد"));
        assert_eq!(folded("کتابی"), folded("كتابي"));
    }
}
