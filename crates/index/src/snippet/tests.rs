use proptest::prelude::*;

use super::*;
use crate::query::ParsedQuery;
use crate::query_terms::query_terms;

fn snippet(query: &str, text: &str, language: Language) -> Vec<Fragment> {
    let mut analysers = Analysers::default();
    let terms = query_terms(&ParsedQuery::parse(query).required, Language::ALL, &mut analysers);
    Highlighter::new(&terms).snippet(text, language, &mut analysers)
}

/// The snippet with highlights in brackets.
fn shown(query: &str, text: &str) -> String {
    let fragments = snippet(query, text, Language::English);
    let show = |fragment: &Fragment| {
        if fragment.highlighted { format!("[{}]", fragment.text) } else { fragment.text.clone() }
    };
    fragments.iter().map(show).collect()
}

#[test]
fn words_are_marked_in_the_form_they_have_in_the_text() {
    assert_eq!(shown("cat cafe", "Cats, a café and dogs."), "[Cats], a [café] and dogs.");
    assert_eq!(shown("\"big cat\"", "A big cat."), "A [big] [cat].");
}

#[test]
fn overlapping_pairs_are_one_mark() {
    assert_eq!(shown("東京都", "これは東京都の天気です"), "これは[東京都]の天気です");
    assert_eq!(shown("猫", "黒猫がいる"), "[黒猫が]いる");
}

#[test]
fn the_part_with_most_different_words_is_shown() {
    let text = format!(
        "{}red red red {}red with blue {}",
        "a ".repeat(200),
        "b ".repeat(200),
        "c ".repeat(200)
    );
    let shown = shown("red blue", &text);
    assert!(shown.contains("[red] with [blue]"), "{shown}");
    assert!(shown.starts_with("…b ") && shown.ends_with(" c…"), "{shown}");
}

#[test]
fn a_text_without_the_words_shows_its_beginning_cut_between_words() {
    let text = "seven letters ".repeat(40);
    let shown = shown("nothing", &text);
    assert!(shown.starts_with("seven letters seven"), "{shown}");
    assert!(shown.ends_with("letters…") || shown.ends_with("seven…"), "{shown}");
    assert!(shown.chars().count() <= SNIPPET_CHARACTERS + 1);
    assert_eq!(super::tests::shown("nothing", "short"), "short");
    assert_eq!(super::tests::shown("nothing", ""), "");
}

#[test]
fn looking_at_first_letters_alone_misses_no_word() {
    // Words with irregular stems, in languages where chunks are skipped.
    let texts = [
        (
            Language::English,
            "dying lying skies news early only ugly generously communism University",
        ),
        (Language::German, "gegangen Häuser Äpfel Übermut aeusserst ICE-Zug Straße e-mail"),
        (Language::French, "yeux l'eau aujourd'hui Œuvre jouaient"),
        (Language::Danish, "børn ældre undersøgelserne"),
        (Language::Other, "x-ray c++ AT&T 3rd don't"),
    ];
    for (language, text) in texts {
        for word in text.split(' ') {
            let fragments = snippet(word, text, language);
            assert!(
                fragments.iter().any(|fragment| fragment.highlighted),
                "{word} in {language:?}: {fragments:?}"
            );
        }
    }
}

proptest! {
    #[test]
    fn a_snippet_is_a_part_of_its_text_and_not_long(
        text in "(a|b|red|blue|é|東|京| |-|<|&|…|\u{301}|\u{1F600}){0,400}",
        query in "(red|blue|東京|京|é| |\"){0,6}",
    ) {
        let fragments = snippet(&query, &text, Language::English);
        let whole: String = fragments.iter().map(|fragment| fragment.text.as_str()).collect();
        prop_assert!(whole.chars().count() <= SNIPPET_CHARACTERS + 2);
        let inner = whole.strip_prefix(ELLIPSIS).unwrap_or(&whole);
        let inner = inner.strip_suffix(ELLIPSIS).unwrap_or(inner);
        prop_assert!(text.contains(inner) || text.contains(&whole));
        prop_assert!(fragments.windows(2).all(|pair| pair[0].highlighted != pair[1].highlighted));
        prop_assert!(fragments.iter().all(|fragment| !fragment.text.is_empty()));
    }
}
