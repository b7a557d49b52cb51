//! Turns titles, headings and anchor texts into phrases that somebody might type.

/// The longest query: of the 50,000 of the TREC 2005 Terabyte track, 4 in 100 have more words.
const MOST_WORDS: usize = 6;
/// The longest word. Longer ones are paths, hashes, or sentences in a script without spaces.
const MOST_LETTERS: usize = 40;

/// Characters that separate words without spaces; dashes and dots do not ("2-category", "node.js").
const APART: [char; 17] =
    ['(', ')', '[', ']', '{', '}', '<', '>', ',', ';', ':', '/', '\\', '|', '"', '=', '*'];

/// The phrase of `text`: its words in lower case without punctuation around them, without numbers
/// ("1.2") and single letters. `None` without words, with too many for a query, and for URLs and e-mail
/// addresses: URLs are meaningless as queries, e-mail addresses are private.
pub(super) fn phrase(text: &str) -> Option<String> {
    if text.contains('@') || text.contains("://") {
        return None;
    }
    let words: Vec<&str> = words(text).take(MOST_WORDS + 1).collect();
    let is_too_long = |word: &&str| word.chars().nth(MOST_LETTERS).is_some();
    let is_query = (1..=MOST_WORDS).contains(&words.len()) && !words.iter().any(is_too_long);
    is_query.then(|| words.join(" ").to_lowercase())
}

/// The phrase of `text` without a limit of length. It contains the phrase of any run of its words.
pub(super) fn whole(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ").to_lowercase()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter.is_whitespace() || APART.contains(&letter));
    let bare = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    bare.filter(|word| !is_number(word) && !is_single_letter(word))
}

/// Whether a word has no letter: a number, a date, a version, or empty.
fn is_number(word: &str) -> bool {
    !word.chars().any(char::is_alphabetic)
}

/// Whether a word is a single letter. A single ideograph is a word.
fn is_single_letter(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| letter < '\u{2e80}') && letters.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_words_in_lower_case_without_punctuation() {
        assert_eq!(phrase("What's  New? (in Rust)"), Some("what's new in rust".into()));
        assert_eq!(phrase("Installation\u{b6}"), Some("installation".into()));
        assert_eq!(phrase("→ Next »"), Some("next".into()));
    }

    #[test]
    fn brackets_separate_words_dashes_and_dots_do_not() {
        assert_eq!(phrase("(∞,1)-Monad"), Some("monad".into()));
        assert_eq!(phrase("boost::algorithm::join"), Some("boost algorithm join".into()));
        assert_eq!(phrase("def getData: Seq[V]"), Some("def getdata seq".into()));
        assert_eq!(phrase("2-category in node.js"), Some("2-category in node.js".into()));
    }

    #[test]
    fn addresses_are_not_queries() {
        assert_eq!(phrase("mail someone@example.org"), None);
        assert_eq!(phrase("http://example.org/a"), None);
    }

    #[test]
    fn the_whole_contains_the_phrase_of_any_run_of_words() {
        let title = "1. A Guide to IPv6 | The Very Long Name of This Site";
        assert_eq!(whole(title), "guide to ipv6 the very long name of this site");
        assert!(whole(title).contains(&phrase("1. A Guide to IPv6 |").unwrap()));
    }

    #[test]
    fn bare_numbers_and_single_letters_are_left_out() {
        assert_eq!(phrase("1.2.3. A guide to IPv6 2024-01-01"), Some("guide to ipv6".into()));
        assert_eq!(phrase("1 2 X - 3.0"), None);
        assert_eq!(phrase("…"), None);
        assert_eq!(phrase(""), None);
    }

    #[test]
    fn long_texts_are_not_queries() {
        assert_eq!(
            phrase("one two three four five six"),
            Some("one two three four five six".into())
        );
        assert_eq!(phrase("one two three four five six seven"), None);
        assert_eq!(phrase(&"x".repeat(41)), None);
        assert_eq!(phrase(&"x".repeat(40)), Some("x".repeat(40)));
    }

    #[test]
    fn a_single_ideograph_is_a_word() {
        assert_eq!(phrase("猫"), Some("猫".into()));
        assert_eq!(phrase("東京タワー 2024"), Some("東京タワー".into()));
    }
}
