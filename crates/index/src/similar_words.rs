//! Words of a query that no page has, replaced by similar words that pages have.
//!
//! Only a word without any match is taken for a typing error: a rare word is most likely meant.
use std::collections::BTreeMap;

use tantivy::query::FuzzyTermQuery;
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use crate::query_terms::QueryTerm;
use crate::schema::Fields;

/// Shorter words are not corrected: too many words differ in one letter.
const SHORTEST: usize = 4;
/// From this length on, two letters may differ.
const LONG: usize = 8;
/// The most words that replace one.
const MOST: usize = 3;

/// The terms with words that no page has replaced; `None` if there is none that can be. With the
/// replaced words as typed in `query`.
pub(crate) fn corrected(
    searcher: &Searcher,
    fields: &Fields,
    terms: &[QueryTerm],
    query: &str,
) -> tantivy::Result<Option<(Vec<QueryTerm>, Vec<String>)>> {
    let (mut all, mut replaced) = (vec![], vec![]);
    for term in terms {
        match similar(searcher, fields, term)? {
            Some(similar) => {
                replaced.extend(term.terms().next().map(|stem| as_typed(query, stem)));
                all.push(similar);
            }
            None => all.push(term.clone()),
        }
    }
    Ok((!replaced.is_empty()).then_some((all, replaced)))
}

/// The word of a query that begins most like its stem.
fn as_typed(query: &str, stem: &str) -> String {
    let words = query.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let alike = |word: &&str| {
        let lower = word.to_lowercase();
        lower.chars().zip(stem.chars()).take_while(|(one, other)| one == other).count()
    };
    words.max_by_key(alike).unwrap_or(stem).to_owned()
}

/// What a word may have been meant to be; `None` if pages have it, or no similar one.
fn similar(
    searcher: &Searcher,
    fields: &Fields,
    term: &QueryTerm,
) -> tantivy::Result<Option<QueryTerm>> {
    let is_word = term.lone_character.is_none() && term.forms.iter().all(|form| form.len() == 1);
    // A number that differs in one digit is another number.
    let is_correctable =
        |word: &str| word.chars().count() >= SHORTEST && word.chars().all(char::is_alphabetic);
    if !is_word || !term.terms().all(is_correctable) {
        return Ok(None);
    }
    let field = if term.in_title { fields.title } else { fields.words };
    for word in term.terms() {
        if searcher.doc_freq(&Term::from_field_text(field, word))? > 0 {
            return Ok(None);
        }
    }
    for distance in 1..=2 {
        let mut pages_with: BTreeMap<String, u64> = BTreeMap::new();
        for word in term.terms() {
            if distance == 1 || word.chars().count() >= LONG {
                collect(searcher, field, word, distance, &mut pages_with)?;
            }
        }
        let first = |word: &str| word.chars().next();
        let mut found: Vec<(String, u64)> = pages_with.into_iter().collect();
        // The first letter is rarely wrong, and a frequent word is more likely meant.
        let rank = |(word, pages): &(String, u64)| {
            (!term.terms().any(|typed| first(typed) == first(word)), std::cmp::Reverse(*pages))
        };
        found.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.0.cmp(&other.0)));
        found.truncate(MOST);
        if !found.is_empty() {
            let forms = found.into_iter().map(|(word, _)| (vec![(0, word)], vec![]));
            return Ok(Some(QueryTerm::new(forms, None, term.in_title)));
        }
    }
    Ok(None)
}

/// Adds the words within a distance, with the number of pages that have them. Two letters in the wrong
/// order are one error.
fn collect(
    searcher: &Searcher,
    field: Field,
    word: &str,
    distance: u8,
    pages_with: &mut BTreeMap<String, u64>,
) -> tantivy::Result<()> {
    let query = FuzzyTermQuery::new(Term::from_field_text(field, word), distance, true);
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut terms = inverted.terms().search(query.automaton()?).into_stream()?;
        while let Some((term, about)) = terms.next() {
            if let Ok(term) = std::str::from_utf8(term)
                && term.chars().all(char::is_alphabetic)
            {
                *pages_with.entry(term.to_owned()).or_default() += u64::from(about.doc_freq);
            }
        }
    }
    Ok(())
}
