use proptest::prelude::*;

use super::*;
use crate::query::Query;
use crate::wanted::wanted;

fn snippet(query: &str, text: &str, language: Language) -> Vec<Piece> {
    let mut analysers = Analysers::default();
    let wanted = wanted(&Query::read(query).wanted, Language::ALL, &mut analysers);
    Terms::of(&wanted).snippet(text, language, &mut analysers)
}

/// The snippet with what is marked in brackets.
fn shown(query: &str, text: &str) -> String {
    let pieces = snippet(query, text, Language::English);
    let show = |piece: &Piece| {
        if piece.marked { format!("[{}]", piece.text) } else { piece.text.clone() }
    };
    pieces.iter().map(show).collect()
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
    assert!(shown.chars().count() <= SHOWN_CHARACTERS + 1);
    assert_eq!(super::tests::shown("nothing", "short"), "short");
    assert_eq!(super::tests::shown("nothing", ""), "");
}

#[test]
fn looking_at_first_letters_alone_misses_no_word() {
    // Words whose stems are odd, in languages whose words are not all analysed.
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
            let pieces = snippet(word, text, language);
            assert!(pieces.iter().any(|piece| piece.marked), "{word} in {language:?}: {pieces:?}");
        }
    }
}

proptest! {
    #[test]
    fn a_snippet_is_a_part_of_its_text_and_not_long(
        text in "(a|b|red|blue|é|東|京| |-|<|&|…|\u{301}|\u{1F600}){0,400}",
        query in "(red|blue|東京|京|é| |\"){0,6}",
    ) {
        let pieces = snippet(&query, &text, Language::English);
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        prop_assert!(whole.chars().count() <= SHOWN_CHARACTERS + 2);
        let inner = whole.strip_prefix(CUT).unwrap_or(&whole);
        let inner = inner.strip_suffix(CUT).unwrap_or(inner);
        prop_assert!(text.contains(inner) || text.contains(&whole));
        prop_assert!(pieces.windows(2).all(|pair| pair[0].marked != pair[1].marked));
        prop_assert!(pieces.iter().all(|piece| !piece.text.is_empty()));
    }
}
