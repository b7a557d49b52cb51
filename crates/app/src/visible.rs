//! Shows characters that would otherwise change how a line is read.
//!
//! Bidirectional controls let a title or an address appear in another order than it is; control characters
//! let it move the cursor of a terminal or change its colours.
use std::{borrow::Cow, fmt::Write as _};

/// Whether a character opens or closes a run of text in another direction. The marks U+061C, U+200E and U+200F
/// do not: they are ordinary in Arabic and Hebrew texts.
fn is_bidirectional(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with bidirectional controls as escapes (`\u202e`), which JSON reads as the same characters.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_bidirectional)
}

/// The same for a line of a terminal: also without other control characters.
pub(crate) fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| {
        is_bidirectional(letter) || (letter.is_control() && !"\n\t".contains(letter))
    })
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_escaped(letter) {
            // Writing to a string cannot fail. All of them are in the basic plane.
            let _ = write!(out, "\\u{:04x}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_text_of_any_script_is_left_alone() {
        assert_eq!(visible("gpj.\u{202e}exe"), "gpj.\\u202eexe");
        let texts = "עברית\u{200f}, العربية, e\u{301}";
        assert_eq!(visible(texts), texts);
        assert_eq!(
            visible_line("\u{1b}[2Jgone\u{2066}\n\tkept\u{7f}"),
            "\\u001b[2Jgone\\u2066\n\tkept\\u007f"
        );
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_means_the_same_after_it() {
        let value = serde_json::json!({ "title": "a\u{202e}b\u{7f}" });
        let shown = visible_line(&value.to_string()).into_owned();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
