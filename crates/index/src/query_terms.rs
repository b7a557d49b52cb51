//! Converts the words of a query to index terms.
//!
//! Pages are stemmed in their own language, but the language of a query is unknown. So each word of
//! a query becomes its terms in all languages of the index. The term of a language counts on pages in
//! that language: "Kinder" is German "kind", which says nothing about English pages with "kind". Scripts without spaces are indexed as
//! character bigrams, and a run of them becomes a phrase.
use std::collections::BTreeMap;

use text::words::{Analyser, Language};

use crate::analysis::{Analysers, MAX_TERM_BYTES};
use crate::query::Clause;

/// Further terms are ignored. They make a query slower, not better.
const MAX_QUERY_TERMS: usize = 32;

/// A word or phrase of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryTerm {
    /// Alternatives, sorted and distinct: terms with relative positions. Most have one term.
    pub(crate) forms: Vec<Vec<(usize, String)>>,
    /// The languages of each alternative, in their order; empty if it counts in any.
    pub(crate) languages: Vec<Vec<Language>>,
    /// A single character of a script without spaces. It matches any bigram that contains it.
    pub(crate) lone_character: Option<char>,
    /// Whether it must be in the title.
    pub(crate) in_title: bool,
}

impl QueryTerm {
    /// A term with these alternatives and their languages, in any order.
    pub(crate) fn new(
        forms: impl Iterator<Item = (Vec<(usize, String)>, Vec<Language>)>,
        lone_character: Option<char>,
        in_title: bool,
    ) -> Self {
        let mut by_form: BTreeMap<_, Vec<Language>> = BTreeMap::new();
        for (form, languages) in forms {
            by_form.entry(form).or_default().extend(languages);
        }
        let (forms, languages) = by_form.into_iter().unzip();
        Self { forms, languages, lone_character, in_title }
    }

    /// The same, with alternatives that count in any language.
    pub(crate) fn in_any_language(&self) -> Self {
        Self { languages: vec![vec![]; self.forms.len()], ..self.clone() }
    }

    /// All terms of all alternatives.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().flatten().map(|(_, term)| term.as_str())
    }

    /// Splits a phrase into its words.
    pub(crate) fn split(&self) -> Vec<Self> {
        let longest = self.forms.iter().map(Vec::len).max().unwrap_or_default();
        let at = |place: usize| {
            let term = |(form, languages): (&Vec<(usize, String)>, &Vec<Language>)| {
                form.get(place).map(|(_, term)| (vec![(0, term.clone())], languages.clone()))
            };
            let forms = self.forms.iter().zip(&self.languages).filter_map(term);
            let lone_character = self.lone_character.filter(|_| longest == 1);
            Self::new(forms, lone_character, self.in_title)
        };
        (0..longest).map(at).collect()
    }
}

/// Terms of the clauses in the given languages.
pub(crate) fn query_terms(
    clauses: &[Clause],
    languages: &[Language],
    analysers: &mut Analysers,
) -> Vec<QueryTerm> {
    let mut all: Vec<QueryTerm> = vec![];
    for clause in clauses {
        for one in clause_terms(clause, languages, analysers) {
            if all.len() < MAX_QUERY_TERMS && !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
}

fn clause_terms(
    clause: &Clause,
    languages: &[Language],
    analysers: &mut Analysers,
) -> Vec<QueryTerm> {
    type Alternatives = Vec<(Vec<(usize, String)>, Vec<Language>)>;
    let mut words: Vec<(Alternatives, Option<char>)> = vec![];
    for &language in languages {
        for (number, run) in runs(clause, analysers.for_language(language)).into_iter().enumerate()
        {
            if number == words.len() {
                words.push((vec![], run.lone_character.filter(|_| run.terms.len() == 1)));
            }
            words[number].0.push((run.terms, vec![language]));
        }
    }
    let words = words.into_iter();
    words.map(|(forms, lone)| QueryTerm::new(forms.into_iter(), lone, clause.in_title)).collect()
}

/// Terms that must be adjacent.
struct Run {
    terms: Vec<(usize, String)>,
    lone_character: Option<char>,
}

/// The runs of a clause in one language: the whole phrase, or each word, where bigrams of one run
/// stay together. Word boundaries do not depend on the language.
fn runs(clause: &Clause, analyser: &mut Analyser) -> Vec<Run> {
    let mut words = analyser.words(&clause.text);
    let mut runs: Vec<Run> = vec![];
    let (mut end, mut count) = (0, 0);
    while let Some(word) = words.advance() {
        if word.term.len() > MAX_TERM_BYTES || count == MAX_QUERY_TERMS {
            continue;
        }
        count += 1;
        let term = (word.position, word.term.to_owned());
        match runs.last_mut() {
            Some(run) if clause.is_phrase || word.from < end => run.terms.push(term),
            _ => {
                let lone_character = lone_character(&clause.text[word.from..word.to]);
                runs.push(Run { terms: vec![term], lone_character });
            }
        }
        end = word.to;
    }
    for run in &mut runs {
        let first = run.terms[0].0;
        for (position, _) in &mut run.terms {
            *position -= first;
        }
    }
    runs
}

/// The character, if the word is a single character of a script without spaces. Three of those are
/// indexed as two bigrams, but three letters as one word.
fn lone_character(word: &str) -> Option<char> {
    let mut characters = word.chars();
    let character = characters.next().filter(|character| !character.is_ascii())?;
    if characters.next().is_some() {
        return None;
    }
    let mut analyser = Analyser::new(Language::Other);
    let three = word.repeat(3);
    let mut words = analyser.words(&three);
    let mut count = 0;
    while words.advance().is_some() {
        count += 1;
    }
    (count == 2).then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::ParsedQuery;

    fn read(typed: &str, languages: &[Language]) -> Vec<QueryTerm> {
        query_terms(&ParsedQuery::parse(typed).required, languages, &mut Analysers::default())
    }

    fn forms(typed: &str) -> Vec<Vec<Vec<(usize, String)>>> {
        let found = read(typed, &[Language::Other, Language::English]);
        found.into_iter().map(|term| term.forms).collect()
    }

    fn one(term: &str) -> Vec<(usize, String)> {
        vec![(0, term.to_owned())]
    }

    #[test]
    fn a_word_stands_for_its_terms_in_every_language() {
        assert_eq!(forms("Cats")[0], [one("cat"), one("cats")]);
        assert_eq!(forms("rust"), [[one("rust")]]);
    }

    #[test]
    fn a_phrase_is_kept_together_and_words_are_not() {
        let phrase = |terms: [&str; 2]| -> Vec<(usize, String)> {
            terms.iter().enumerate().map(|(at, term)| (at, (*term).to_owned())).collect()
        };
        assert_eq!(forms("\"big cats\""), [[phrase(["big", "cat"]), phrase(["big", "cats"])]]);
        assert_eq!(forms("big-rust"), [[one("big")], [one("rust")]]);
    }

    #[test]
    fn a_run_without_spaces_is_a_phrase_of_its_pairs() {
        let pairs = vec![(0, "東京".to_owned()), (1, "京都".to_owned())];
        assert_eq!(forms("東京都"), [[pairs]]);
        let alone = &read("猫", &[Language::Other])[0];
        assert_eq!(alone.lone_character, Some('猫'));
        assert_eq!(read("é", &[Language::Other])[0].lone_character, None);
    }

    #[test]
    fn a_phrase_comes_apart_into_its_words() {
        let phrase = &read("\"big cats\"", Language::ALL)[0];
        let words = phrase.split();
        assert_eq!(words.len(), 2);
        assert!(words[1].forms.contains(&one("cat")));
    }

    #[test]
    fn many_words_are_cut() {
        let typed = (0..500).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(forms(&typed).len(), MAX_QUERY_TERMS);
        let found = read(&format!("\"{typed}\""), &[Language::Other]);
        assert_eq!(found[0].forms[0].len(), MAX_QUERY_TERMS);
    }
}
