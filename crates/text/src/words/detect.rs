//! Language detection: the declared language, checked against the text.
//!
//! whatlang compares a text with three dozen languages, which takes longer than splitting the page into
//! words. So the text is first searched for stop words of the most likely languages.
use whatlang::{Info, Lang, Script, detect, detect_script};

use super::{alphabet::Alphabet, language::Language};
use crawl::Content;

/// The number of bytes used. More do not improve the result.
const SAMPLE: usize = 2_048;
/// The number of bytes for whatlang, whose running time grows with it.
const DETECTED: usize = 1_024;

/// A text shorter than this, in bytes, overrides the declared language only if it is in another script.
const CONVINCING: usize = 256;

/// Languages, by code, that are easily confused. Among these the declared language wins.
const CLOSE: &[&[&str]] = &[
    &["da", "nb", "nn", "no", "sv"],
    &["cs", "sk"],
    &["ca", "es", "gl", "it", "oc", "pt"],
    &["be", "bg", "mk", "ru", "sr", "uk"],
    &["bs", "hr", "sl", "sr"],
    &["id", "jv", "ms", "su"],
    &["af", "nl"],
    &["et", "fi"],
    &["ar", "fa", "ur"],
    &["hi", "mr", "ne"],
];

/// The fewest words for a decision by stop words.
const ENOUGH_WORDS: usize = 20;

/// Few words are longer than this, in bytes.
const LONG_WORD: usize = 16;

/// No stop word below is longer than this, in bytes.
const LONGEST_STOP_WORD: usize = 6;

/// At least one word in this many is a stop word of the text's language. It is one in five in prose,
/// fewer in lists and code, and almost none in texts of other languages.
const STOP_WORD_IN: usize = 16;

/// Stop words of the most common languages, without those that many languages share.
const STOP_WORDS: &[(Language, &[&str])] = &[
    (Language::English, &["the", "of", "and", "to", "for", "with", "that", "this", "you", "are"]),
    (Language::German, &["der", "die", "und", "das", "nicht", "ist", "den", "mit", "ein", "von"]),
    (Language::French, &["le", "les", "des", "est", "une", "dans", "pour", "qui", "pas", "du"]),
    (Language::Spanish, &["el", "los", "las", "que", "por", "para", "con", "del", "una", "es"]),
    (Language::Italian, &["il", "di", "che", "della", "per", "non", "sono", "gli", "una", "nel"]),
    (Language::Portuguese, &["os", "que", "para", "não", "uma", "com", "dos", "da", "do", "em"]),
    (Language::Dutch, &["het", "een", "van", "en", "dat", "niet", "zijn", "voor", "met", "op"]),
    (Language::Russian, &["и", "в", "не", "на", "что", "с", "по", "для", "это", "как"]),
];

/// The language of a page.
pub(super) fn language(content: &Content) -> Language {
    let declared_code = primary(&content.language);
    let text = if content.text.is_empty() { &content.title } else { &content.text };
    let sample = &text[..text.floor_char_boundary(SAMPLE)];
    let Some(code) = declared_code else {
        // The most common languages are found without whatlang.
        if let Some(language) = by_stop_words(sample) {
            return language;
        }
        return reliable(sample)
            .map_or(Language::Other, |info| Language::from_whatlang(info.lang()));
    };
    let declared = from_code(&code);
    if is_confirmed(declared, sample) {
        return declared;
    }
    let Some(info) = reliable(sample) else { return declared };
    let detected = Language::from_whatlang(info.lang());
    if declared.alphabet().is_some_and(|alphabet| !is_written_in(alphabet, info.script())) {
        return detected;
    }
    let is_close =
        CLOSE.iter().any(|close| close.contains(&&*code) && close.contains(&detected.code()));
    // whatlang knows languages that we do not, and finds rare ones in lists of names.
    let contradicts = detected != Language::Other && !is_close && sample.len() >= CONVINCING;
    if contradicts { detected } else { declared }
}

/// The result of whatlang, where it is reliable.
fn reliable(sample: &str) -> Option<Info> {
    detect(&sample[..sample.floor_char_boundary(DETECTED)]).filter(Info::is_reliable)
}

/// Whether the declared language is confirmed without whatlang: the text is short and in the right
/// script, or has enough stop words of that language.
fn is_confirmed(declared: Language, sample: &str) -> bool {
    let Some(alphabet) = declared.alphabet() else { return false };
    if sample.len() < CONVINCING {
        return detect_script(sample).is_none_or(|script| is_written_in(alphabet, script));
    }
    has_stop_words(declared, sample)
}

/// Whether a text has enough stop words of a language, if we have a list of them.
fn has_stop_words(language: Language, sample: &str) -> bool {
    let row = STOP_WORDS.iter().position(|(known, _)| *known == language);
    row.is_some_and(|row| {
        let (words, found) = count_stop_words(sample, &STOP_WORDS[row..=row]);
        is_enough(found[0], words)
    })
}

/// The language whose stop words are frequent in a text, if no other comes near it.
fn by_stop_words(sample: &str) -> Option<Language> {
    let (words, found) = count_stop_words(sample, STOP_WORDS);
    let best = (0..found.len()).max_by_key(|&row| found[row])?;
    let is_alone = (0..found.len()).all(|row| row == best || 2 * found[row] <= found[best]);
    (is_alone && is_enough(found[best], words)).then(|| STOP_WORDS[best].0)
}

fn is_enough(found: usize, words: usize) -> bool {
    words >= ENOUGH_WORDS && found * STOP_WORD_IN >= words
}

/// The number of words in a text, and the number of stop words of each of these languages.
fn count_stop_words(
    sample: &str,
    languages: &[(Language, &[&str])],
) -> (usize, [usize; STOP_WORDS.len()]) {
    let (mut words, mut found) = (0, [0; STOP_WORDS.len()]);
    for word in sample.split(|letter: char| !letter.is_alphabetic()) {
        // A sentence without spaces counts as several words.
        words += word.len().div_ceil(LONG_WORD);
        if word.len() <= LONGEST_STOP_WORD {
            for (found, (_, list)) in found.iter_mut().zip(languages) {
                *found += usize::from(list.iter().any(|stop| stop.eq_ignore_ascii_case(word)));
            }
        }
    }
    (words, found)
}

/// The language part of a tag such as `en-GB`, in lower case, if there is one.
fn primary(tag: &str) -> Option<String> {
    let part = tag.split(['-', '_']).next().unwrap_or_default();
    let is_code =
        matches!(part.len(), 2 | 3) && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| part.to_ascii_lowercase()).filter(|part| part != "und" && part != "mul")
}

/// The language with a code of two or three letters.
fn from_code(code: &str) -> Language {
    match code {
        "nb" | "nn" => Language::Norwegian,
        // The code of Indonesian before 1989, still used by old software.
        "in" => Language::Indonesian,
        _ if code.len() == 3 => {
            Lang::from_code(code).map_or(Language::Other, Language::from_whatlang)
        }
        _ => Language::by_code(code).unwrap_or_default(),
    }
}

fn is_written_in(alphabet: Alphabet, script: Script) -> bool {
    match alphabet {
        Alphabet::Latin => script == Script::Latin,
        Alphabet::Cyrillic => script == Script::Cyrillic,
        Alphabet::LatinAndCyrillic => matches!(script, Script::Latin | Script::Cyrillic),
        Alphabet::Greek => script == Script::Greek,
        Alphabet::Armenian => script == Script::Armenian,
        Alphabet::Arabic => script == Script::Arabic,
        Alphabet::Devanagari => script == Script::Devanagari,
        Alphabet::Tamil => script == Script::Tamil,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "The quick brown fox jumps over the lazy dog, and nobody who watched it \
        from the other side of the river could tell why it did so again and again until evening. \
        In the morning they went down to the water to look for it, but there was nothing to be \
        found except a few traces in the sand which the wind had already begun to cover.";
    const GERMAN: &str = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand, der \
        ihm von der anderen Seite des Flusses zusah, konnte sagen, warum er das bis zum Abend immer \
        wieder tat. Am Morgen gingen sie zum Wasser hinunter, um nach ihm zu suchen, doch es war \
        nichts mehr zu finden als ein paar Spuren im Sand, die der Wind schon zu verwehen begann.";
    const JAPANESE: &str = "日本語のページです。文字コードは宣言されています。";

    fn language_of(tag: &str, text: &str) -> Language {
        let (language, text) = (tag.to_owned(), text.to_owned());
        Language::detect(&Content { text, language, ..Content::default() })
    }

    #[test]
    fn the_declared_language_is_used() {
        assert_eq!(language_of("de-AT", "Kurz"), Language::German);
        assert_eq!(language_of("EN_us", ENGLISH), Language::English);
        assert_eq!(language_of("nb", ""), Language::Norwegian);
        assert_eq!(language_of("deu", ""), Language::German);
        assert_eq!(language_of("ja", JAPANESE), Language::Other);
        assert_eq!(language_of("vi", "Ngắn"), Language::Other);
    }

    #[test]
    fn without_a_declaration_the_text_decides() {
        assert_eq!(language_of("", ENGLISH), Language::English);
        assert_eq!(language_of("", GERMAN), Language::German);
        assert_eq!(language_of("x-default", GERMAN), Language::German);
        assert_eq!(language_of("", JAPANESE), Language::Other);
        assert_eq!(language_of("", "Ελληνικά"), Language::Greek);
        assert_eq!(language_of("", "OK 17"), Language::Other);
        assert_eq!(language_of("", ""), Language::Other);
    }

    #[test]
    fn a_text_may_contradict_the_declaration() {
        assert_eq!(language_of("en", JAPANESE), Language::Other);
        assert_eq!(language_of("en", "한국어 문서입니다"), Language::Other);
        assert_eq!(
            language_of("en", "Это страница на русском языке, и шаблон об этом не знает."),
            { Language::Russian }
        );
        assert_eq!(language_of("en-US", GERMAN), Language::German);
        assert_eq!(language_of("ja", ENGLISH), Language::English);
    }

    #[test]
    fn a_short_text_or_a_close_language_does_not_contradict() {
        assert_eq!(language_of("en", "Der Hund und die Katze"), Language::English);
        let czech = "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou \
            nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství. Každý má všechna práva \
            a všechny svobody, stanovené touto deklarací, bez jakéhokoli rozlišování, zejména podle \
            rasy, barvy, pohlaví, jazyka, náboženství.";
        assert_eq!(language_of("en", czech), Language::Czech);
        assert_eq!(language_of("sk", czech), Language::Other);
    }

    #[test]
    fn stop_words_confirm_their_own_language_only() {
        let texts = [(Language::English, ENGLISH), (Language::German, GERMAN)];
        for (language, _) in STOP_WORDS {
            for (own, text) in texts {
                assert_eq!(
                    has_stop_words(*language, text),
                    *language == own,
                    "{language:?} {own:?}"
                );
            }
        }
    }

    #[test]
    fn a_few_english_words_do_not_make_a_japanese_page_english() {
        let text = format!("{} {}", &ENGLISH[..100], JAPANESE.repeat(20));
        assert_eq!(language_of("", &text), Language::Other);
        assert_eq!(language_of("en", &text), Language::Other);
    }

    #[test]
    fn a_page_without_text_is_in_the_language_of_its_title() {
        let content = Content { title: "Ελληνικά".into(), ..Content::default() };
        assert_eq!(Language::detect(&content), Language::Greek);
    }

    #[test]
    fn the_sample_ends_between_characters() {
        for shift in 0..4 {
            let text = format!("{}{}", &"xyz"[..shift.min(3)], "語".repeat(SAMPLE));
            assert_eq!(language_of("", &text), Language::Other);
        }
    }
}
