//! Examples for scripts and languages, and properties of all texts.
use proptest::prelude::*;

use super::*;

/// The terms of a text.
fn terms(language: Language, text: &str) -> Vec<String> {
    let mut analyser = Analyser::new(language);
    let mut words = analyser.words(text);
    std::iter::from_fn(|| words.advance().map(|word| word.term.to_owned())).collect()
}

/// The terms of a text as one line.
fn line(language: Language, text: &str) -> String {
    terms(language, text).join(" ")
}

/// The words of a text as they stand in it.
fn slices(text: &str) -> Vec<&str> {
    let mut analyser = Analyser::new(Language::Other);
    let mut words = analyser.words(text);
    std::iter::from_fn(|| words.advance().map(|word| &text[word.from..word.to])).collect()
}

/// Whether all these words have the same term.
fn are_one(language: Language, words: &str) -> bool {
    terms(language, words).windows(2).all(|pair| pair[0] == pair[1])
}

#[test]
fn words_are_runs_of_letters_and_digits() {
    assert_eq!(
        line(Language::Other, "The 2nd, well-KNOWN;x_y 3.14"),
        "the 2nd well known x y 3 14"
    );
    assert_eq!(slices("Naïve! (Straße)"), ["Naïve", "Straße"]);
    assert!(terms(Language::Other, " —…!\u{a0}\u{301}😀").is_empty());
}

#[test]
fn words_have_positions_and_byte_ranges() {
    let mut analyser = Analyser::new(Language::English);
    let mut words = analyser.words("é Dogs");
    let first = words.advance().unwrap();
    assert_eq!(first, Word { term: "e", from: 0, to: 2, position: 0, query_term: None });
    let second = words.advance().unwrap();
    assert_eq!(second, Word { term: "dog", from: 3, to: 7, position: 1, query_term: None });
    assert_eq!(words.advance(), None);
}

#[test]
fn english_words_are_stemmed() {
    assert!(are_one(Language::English, "run runs running RUNNING"));
    assert!(are_one(Language::English, "connect connected connection connections"));
    assert_eq!(line(Language::Other, "running"), "running");
}

#[test]
fn accents_are_folded_after_stemming() {
    assert!(are_one(Language::German, "Haus Häuser Häusern HÄUSER"));
    assert!(are_one(Language::French, "manger mangé mangées MANGÉE"));
    assert!(are_one(Language::Spanish, "canción cancion canciones"));
    assert_eq!(line(Language::Other, "Smørrebrød Łódź Straße"), "smorrebrod lodz strasse");
}

#[test]
fn languages_of_other_scripts_are_stemmed() {
    assert!(are_one(Language::Russian, "книга книги книгами"));
    assert!(are_one(Language::Russian, "ёлка елка"));
    assert!(are_one(Language::Greek, "γλώσσα γλώσσες ΓΛΩΣΣΑ"));
    assert!(are_one(Language::Arabic, "كتاب الكتاب كِتَاب"));
    assert!(are_one(Language::Hindi, "लड़का लड़के"));
    assert!(are_one(Language::Turkish, "kitap kitaplar KİTAP"));
    assert!(are_one(Language::Turkish, "ışık IŞIK"));
    assert!(are_one(Language::Serbian, "књига knjiga"));
}

#[test]
fn names_of_languages_in_their_own_scripts() {
    assert_eq!(line(Language::Other, "Ελληνικά"), "ελληνικα");
    assert_eq!(line(Language::Other, "العربية"), "العربيه");
    assert_eq!(line(Language::Other, "हिन्दी עִבְרִית"), "हिन्दी עברית");
    assert_eq!(line(Language::Other, "日本語の検索"), "日本 本語 語の の検 検索");
    assert_eq!(line(Language::Other, "한국어 말"), "한국 국어 말");
    assert_eq!(line(Language::Other, "ไทย"), "ไท ทย");
    assert_eq!(line(Language::Other, "တ"), "တ");
}

#[test]
fn pairs_overlap_in_the_text() {
    assert_eq!(slices("東京都x"), ["東京", "京都", "x"]);
    assert_eq!(slices("iPhone手机2部"), ["iPhone", "手机", "2", "部"]);
    assert_eq!(slices("日。本"), ["日", "本"]);
}

#[test]
fn marks_belong_to_the_character_before() {
    assert_eq!(line(Language::Other, "ｶﾞｷﾞ か\u{3099}き"), "ガギ がき");
    assert_eq!(line(Language::Other, "ที่นี่"), "ที่นี่");
    let decomposed = "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}";
    assert_eq!(line(Language::Other, decomposed), "한국");
    assert_eq!(line(Language::Other, "\u{f900}葛\u{e0100}城"), "豈葛 葛城");
}

#[test]
fn apostrophes_join_split_or_end_words() {
    assert_eq!(line(Language::Other, "don't don’t O'Reilly"), "dont dont oreilly");
    assert_eq!(line(Language::Other, "the dog's we’ll I'd they're 90's"), "the dog we i they 90");
    assert_eq!(line(Language::Other, "l'eau L’Été dell'arte"), "l eau l ete dell arte");
    assert_eq!(line(Language::Other, "'quoted' dogs' rock'n'roll"), "quoted dogs rocknroll");
    assert_eq!(line(Language::Other, "п'ять пʼять п’ять"), "пять пять пять");
    assert_eq!(slices("the dog's l'eau"), ["the", "dog's", "l", "eau"]);
}

#[test]
fn invisible_characters_do_not_split_words() {
    assert_eq!(line(Language::Other, "hyphen\u{ad}ation col·lecció می\u{200c}خواهم"), {
        "hyphenation colleccio ميخواهم"
    });
}

#[test]
fn programming_languages_are_words() {
    assert_eq!(line(Language::English, "C++ c C# F# g++"), "c++ c c# f# g++");
    assert_eq!(line(Language::English, "C++17, (c++) Ｃ＋＋ C♯."), "c++ 17 c++ c++ c#");
    assert_eq!(line(Language::English, "c#part i++ abc++ a# c+d"), "c part i abc a c d");
    assert_eq!(slices("use C++, C#"), ["use", "C++", "C#"]);
}

#[test]
fn very_long_words_are_cut() {
    let (long, longer) = ("ab".repeat(32), "ab".repeat(5000));
    assert_eq!(terms(Language::English, &longer), [long.as_str()]);
    assert_eq!(slices(&longer), [longer.as_str()]);
    assert_eq!(terms(Language::English, &long), [long.as_str()]);
    let marked = format!("e{}", "\u{301}".repeat(100_000));
    assert_eq!(terms(Language::English, &marked), ["e"]);
}

/// Texts with many special cases.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "\\PC{0,6}",
        2 => any::<String>(),
        4 => prop::sample::select(vec![
            "running", "Häuser", "mangées", "l'", "’", "'s", "don't", "c++", "C#", "＋＋", "İ", "I",
            "\u{301}", "\u{ad}", "\u{200c}", "·", "l·l", "日本", "ｶﾞ", "한국", "\u{1112}\u{1161}", "ไท", "ที่",
            "книга", "العربية", "हिन्दी", "தமிழ்", " ", "ﷺ", "½", "ـ", "ß", "ǆ", "ΟΣ", "҃", "7",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn language() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL.to_vec())
}

proptest! {
    #[test]
    fn words_have_terms_and_ranges_in_order(text in text(), language in language()) {
        let mut analyser = Analyser::new(language);
        let mut words = analyser.words(&text);
        let (mut from, mut to, mut count) = (0, 0, 0);
        while let Some(word) = words.advance() {
            prop_assert!(!word.term.is_empty() && !word.term.contains(char::is_whitespace));
            prop_assert!(word.from < word.to && text.get(word.from..word.to).is_some());
            prop_assert!(word.from >= from && word.to >= to && word.position == count);
            (from, to, count) = (word.from, word.to, count + 1);
        }
        prop_assert!(count <= text.chars().count());
    }

    #[test]
    fn terms_do_not_depend_on_earlier_texts(
        text in text(), other in text(), language in language(),
    ) {
        let mut analyser = Analyser::new(language);
        let mut before = analyser.words(&other);
        while before.advance().is_some() {}
        let mut words = analyser.words(&text);
        let mut again = vec![];
        while let Some(word) = words.advance() {
            again.push(word.term.to_owned());
        }
        prop_assert_eq!(again, terms(language, &text));
    }

    #[test]
    fn word_ranges_do_not_depend_on_the_language(text in text(), language in language()) {
        let mut analyser = Analyser::new(language);
        let mut words = analyser.words(&text);
        let mut found = vec![];
        while let Some(word) = words.advance() {
            found.push(&text[word.from..word.to]);
        }
        prop_assert_eq!(found, slices(&text));
    }

    #[test]
    fn a_query_for_a_word_of_a_text_finds_it(text in text(), language in language()) {
        let mut analyser = Analyser::new(language);
        let mut words = analyser.words(&text);
        while let Some(word) = words.advance() {
            let query = query_words(&text[word.from..word.to], &[Language::English, language]);
            prop_assert_eq!(query.len(), 1);
            prop_assert!(query[0].iter().any(|term| term == word.term), "{:?} {:?}", query, word);
        }
    }

    /// Stemmers are generated code that cuts strings; none may panic.
    #[test]
    fn stemmers_accept_any_word_of_their_alphabet(
        language in language(), letters in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
    ) {
        let Some(alphabet) = language.alphabet() else { return Ok(()) };
        let all: Vec<char> = ('a'..'\u{2000}').filter(|&letter| alphabet.contains(letter)).collect();
        let word: String = letters.iter().map(|index| all[index.index(all.len())]).collect();
        let plain: String = letters.iter().map(|index| all[index.index(all.len().min(40))]).collect();
        for word in [word, plain] {
            prop_assert!(!Stems::new(language, None).term(&word).0.is_empty());
        }
    }

    #[test]
    fn any_address_is_a_text_of_single_spaces(address in "\\PC{0,40}") {
        let text = address_text(&address);
        prop_assert!(!text.contains("  ") && text.trim() == text);
    }

    #[test]
    fn any_text_has_a_language(text in text(), title in text(), tag in "[a-zA-Z_-]{0,6}") {
        let content = crawl::Content { title, text, language: tag, ..crawl::Content::default() };
        prop_assert_eq!(Language::detect(&content), Language::detect(&content));
    }
}
