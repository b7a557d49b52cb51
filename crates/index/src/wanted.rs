//! From the words of a query to the terms they are found by.
//!
//! A page is stemmed in its own language, and the query's language is not known, so a word of a
//! query stands for its terms in every language that the index holds. Scripts without spaces are
//! found by overlapping pairs of characters; a run of them is a phrase of its pairs.
use text::words::{Analyser, Language};

use crate::analysis::{Analysers, MOST_TERM_BYTES};
use crate::query::Part;

/// A query is read up to this many words; more make it slower, not better.
const MOST_WORDS: usize = 32;

/// A word of a query, or a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The ways to find it, sorted, each once: terms with their positions, which must be found at the
    /// same distances. Most have one term.
    pub(crate) forms: Vec<Vec<(usize, String)>>,
    /// A character of a script without spaces, standing alone: it is found in any pair.
    pub(crate) alone: Option<char>,
    /// Whether it is looked for in titles only.
    pub(crate) in_title: bool,
}

impl Wanted {
    /// All its terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().flatten().map(|(_, term)| term.as_str())
    }

    /// Its words one by one, where it is a phrase of several.
    pub(crate) fn apart(&self) -> Vec<Self> {
        let longest = self.forms.iter().map(Vec::len).max().unwrap_or_default();
        let at = |place: usize| {
            let term = |form: &Vec<(usize, String)>| {
                form.get(place).map(|(_, term)| vec![(0, term.clone())])
            };
            let forms = self.forms.iter().filter_map(term).collect();
            let alone = self.alone.filter(|_| longest == 1);
            Self { forms: sorted(forms), alone, in_title: self.in_title }
        };
        (0..longest).map(at).collect()
    }
}

/// What the parts of a query ask for, in pages of these languages.
pub(crate) fn wanted(
    parts: &[Part],
    languages: &[Language],
    analysers: &mut Analysers,
) -> Vec<Wanted> {
    let mut all: Vec<Wanted> = vec![];
    for part in parts {
        for one in part_wanted(part, languages, analysers) {
            if all.len() < MOST_WORDS && !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
}

fn part_wanted(part: &Part, languages: &[Language], analysers: &mut Analysers) -> Vec<Wanted> {
    let mut words: Vec<Wanted> = vec![];
    for &language in languages {
        for (number, run) in runs(part, analysers.of(language)).into_iter().enumerate() {
            if number == words.len() {
                let alone = run.alone.filter(|_| run.terms.len() == 1);
                words.push(Wanted { forms: vec![], alone, in_title: part.in_title });
            }
            words[number].forms.push(run.terms);
        }
    }
    for word in &mut words {
        word.forms = sorted(std::mem::take(&mut word.forms));
    }
    words
}

fn sorted(mut forms: Vec<Vec<(usize, String)>>) -> Vec<Vec<(usize, String)>> {
    forms.sort();
    forms.dedup();
    forms
}

/// Terms that must follow each other.
struct Run {
    terms: Vec<(usize, String)>,
    alone: Option<char>,
}

/// The runs of a part in one language: all of it for a phrase; else each word by itself, but for
/// overlapping pairs. Where words are does not depend on the language.
fn runs(part: &Part, analyser: &mut Analyser) -> Vec<Run> {
    let mut words = analyser.words(&part.text);
    let mut runs: Vec<Run> = vec![];
    let (mut end, mut count) = (0, 0);
    while let Some(word) = words.advance() {
        if word.term.len() > MOST_TERM_BYTES || count == MOST_WORDS {
            continue;
        }
        count += 1;
        let term = (word.position, word.term.to_owned());
        match runs.last_mut() {
            Some(run) if part.is_phrase || word.from < end => run.terms.push(term),
            _ => {
                let alone = lone_character(&part.text[word.from..word.to]);
                runs.push(Run { terms: vec![term], alone });
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

/// The character that a word is, where its script has no spaces: three of such a kind are two
/// overlapping pairs, and three letters are one word.
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
    use crate::query::Query;

    fn read(typed: &str, languages: &[Language]) -> Vec<Wanted> {
        wanted(&Query::read(typed).wanted, languages, &mut Analysers::default())
    }

    fn forms(typed: &str) -> Vec<Vec<Vec<(usize, String)>>> {
        let found = read(typed, &[Language::Other, Language::English]);
        found.into_iter().map(|wanted| wanted.forms).collect()
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
        assert_eq!(alone.alone, Some('猫'));
        assert_eq!(read("é", &[Language::Other])[0].alone, None);
    }

    #[test]
    fn a_phrase_comes_apart_into_its_words() {
        let phrase = &read("\"big cats\"", Language::ALL)[0];
        let apart = phrase.apart();
        assert_eq!(apart.len(), 2);
        assert!(apart[1].forms.contains(&one("cat")));
    }

    #[test]
    fn many_words_are_cut() {
        let typed = (0..500).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(forms(&typed).len(), MOST_WORDS);
        let found = read(&format!("\"{typed}\""), &[Language::Other]);
        assert_eq!(found[0].forms[0].len(), MOST_WORDS);
    }
}
