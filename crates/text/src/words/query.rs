//! The words of a query.
use super::{Analyser, Language};

/// The words of `query`, each as the list of its terms in these languages (at least one term, sorted,
/// each once). Without languages, words are not stemmed.
pub fn query_words(query: &str, languages: &[Language]) -> Vec<Vec<String>> {
    let languages = if languages.is_empty() { &[Language::Other] } else { languages };
    let mut words: Vec<Vec<String>> = vec![];
    for &language in languages {
        let mut analyser = Analyser::new(language);
        let mut found = analyser.words(query);
        while let Some(word) = found.advance() {
            // Word positions do not depend on the language, so they identify the words.
            if word.position == words.len() {
                words.push(vec![]);
            }
            words[word.position].push(word.term.to_owned());
        }
    }
    for terms in &mut words {
        terms.sort_unstable();
        terms.dedup();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_its_terms_in_each_language() {
        let words = query_words("Running Häuser", &[Language::English, Language::German]);
        assert_eq!(words, [vec!["run", "running"], vec!["haus", "hauser"]]);
    }

    #[test]
    fn without_languages_words_are_not_stemmed() {
        assert_eq!(query_words("Running dogs", &[]), [["running"], ["dogs"]]);
        assert!(query_words(" \u{301}?! ", &[]).is_empty());
    }

    #[test]
    fn a_query_in_an_unspaced_script_consists_of_pairs() {
        assert_eq!(query_words("東京都", Language::ALL), [["東京"], ["京都"]]);
    }
}
