//! Builds tantivy queries and their BM25 statistics.
use std::collections::BTreeMap;
use std::ops::Bound;

use crawl::Time;
use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query,
    RangeQuery, RegexQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};
use text::words::Language;

use crate::query::ParsedQuery;
use crate::query_terms::QueryTerm;
use crate::schema::Fields;
use crate::{Filter, analysis};

/// A word on more than one page in this many is common.
const COMMON_ONE_IN: u64 = 10;

/// Additional weight of matches in the title, which says what a page is about.
const TITLE_BOOST: f32 = 1.5;
/// Additional weight of matches in the address, whose words are often abbreviated.
const ADDRESS_BOOST: f32 = 0.5;

/// Terms of a query.
pub(crate) struct SearchTerms<'a> {
    /// All must match.
    pub(crate) required: &'a [QueryTerm],
    /// None may match.
    pub(crate) excluded: &'a [QueryTerm],
    /// For its sites and filters.
    pub(crate) query: &'a ParsedQuery,
}

impl SearchTerms<'_> {
    /// Matches pages with all required terms; with any of them if `relaxed`.
    pub(crate) fn to_query(&self, fields: &Fields, relaxed: bool) -> tantivy::Result<BooleanQuery> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = vec![];
        let mut any: Vec<Box<dyn Query>> = vec![];
        for term in self.required {
            let required = if term.in_title { fields.title } else { fields.words };
            let one = match_in_field(term, required, fields)?;
            if relaxed {
                any.push(one);
            } else {
                clauses.push((Occur::Must, one));
            }
            if !term.in_title {
                let titled = match_in_field(term, fields.title, fields)?;
                let titled = BoostQuery::new(titled, TITLE_BOOST);
                clauses.push((Occur::Should, Box::new(titled)));
            }
            // The address field has no positions for phrases.
            let has_one_term = term.forms.iter().all(|form| form.len() == 1);
            if !term.in_title && term.lone_character.is_none() && has_one_term {
                let named = match_in_field(term, fields.address, fields)?;
                let named = BoostQuery::new(named, ADDRESS_BOOST);
                clauses.push((Occur::Should, Box::new(named)));
            }
        }
        if !any.is_empty() {
            clauses.push((Occur::Must, Box::new(BooleanQuery::union(any))));
        }
        for condition in conditions(&self.query.filter, fields) {
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(condition, 0.0))));
        }
        if let Some(on_sites) = on_any_site(&self.query.excluded_sites, fields) {
            clauses.push((Occur::MustNot, on_sites));
        }
        for excluded in self.excluded {
            let field = if excluded.in_title { fields.title } else { fields.words };
            clauses.push((Occur::MustNot, exclude_from_field(excluded, field)?));
        }
        Ok(BooleanQuery::new(clauses))
    }
}

fn on_any_site(sites: &[String], fields: &Fields) -> Option<Box<dyn Query>> {
    let site = |site: &String| {
        let term = Term::from_field_text(fields.host, site);
        Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Query>
    };
    (!sites.is_empty()).then(|| any_of(sites.iter().map(site).collect()))
}

/// The conditions of a filter.
fn conditions(filter: &Filter, fields: &Fields) -> Vec<Box<dyn Query>> {
    let mut conditions: Vec<Box<dyn Query>> = vec![];
    conditions.extend(on_any_site(&filter.sites, fields));
    if !filter.languages.is_empty() {
        conditions.push(in_any_language(&filter.languages, fields));
    }
    let instant = |time: Time| Term::from_field_i64(fields.changed, time.millis());
    if filter.from.is_some() || filter.until.is_some() {
        let from = filter.from.map_or(Bound::Unbounded, |from| Bound::Included(instant(from)));
        let until = filter.until.map_or(Bound::Unbounded, |until| Bound::Excluded(instant(until)));
        conditions.push(Box::new(RangeQuery::new(from, until)));
    }
    conditions
}

fn in_any_language(languages: &[Language], fields: &Fields) -> Box<dyn Query> {
    let language = |&language: &Language| {
        let number = analysis::language_number(language) as u64;
        let term = Term::from_field_u64(fields.language, number);
        Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Query>
    };
    any_of(languages.iter().map(language).collect())
}

/// Matches pages with any alternative of a term in a field, each in its languages.
fn match_in_field(
    term: &QueryTerm,
    field: Field,
    fields: &Fields,
) -> tantivy::Result<Box<dyn Query>> {
    let mut alternatives = alternatives(term, field)?;
    // One alternative counts in every language of the index.
    if term.forms.len() > 1 {
        for (alternative, languages) in alternatives.iter_mut().zip(&term.languages) {
            if !languages.is_empty() {
                let language = ConstScoreQuery::new(in_any_language(languages, fields), 0.0);
                let both: Vec<(Occur, Box<dyn Query>)> =
                    vec![(Occur::Must, alternative.box_clone()), (Occur::Must, Box::new(language))];
                *alternative = Box::new(BooleanQuery::new(both));
            }
        }
    }
    Ok(any_of(alternatives))
}

/// Like `match_in_field`, for exclusion.
///
/// Tantivy 0.27 also seeks excluded scorers backwards, which phrases answer wrongly
/// (`PhraseScorer::seek_danger`). Unions check for it, so a single phrase is wrapped in a union.
fn exclude_from_field(excluded: &QueryTerm, field: Field) -> tantivy::Result<Box<dyn Query>> {
    let mut alternatives = alternatives(excluded, field)?;
    if let [only] = &alternatives[..] {
        alternatives.push(only.box_clone());
    }
    Ok(any_of(alternatives))
}

/// One query per alternative.
fn alternatives(term: &QueryTerm, field: Field) -> tantivy::Result<Vec<Box<dyn Query>>> {
    let mut alternatives: Vec<Box<dyn Query>> = vec![];
    for form in &term.forms {
        let term = |term: &str| Term::from_field_text(field, term);
        alternatives.push(match &form[..] {
            [(_, only)] => Box::new(TermQuery::new(term(only), IndexRecordOption::WithFreqs)),
            several => {
                let several = several.iter().map(|(at, text)| (*at, term(text))).collect();
                Box::new(PhraseQuery::new_with_offset(several))
            }
        });
    }
    if let Some(character) = term.lone_character {
        // Characters here are letters, so the pattern needs no escaping.
        let pattern = format!("({character}.|.{character})");
        alternatives.push(Box::new(RegexQuery::from_pattern(&pattern, field)?));
    }
    Ok(alternatives)
}

fn any_of(mut alternatives: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match alternatives.len() {
        1 => alternatives.swap_remove(0),
        _ => Box::new(BooleanQuery::union(alternatives)),
    }
}

/// The rare terms, or all that occur if none is rare. Common words hardly change the order of
/// partial matches, and scanning all pages with "the" would take most of the time.
pub(crate) fn selective_terms(
    searcher: &Searcher,
    fields: &Fields,
    term: &[QueryTerm],
) -> tantivy::Result<Vec<QueryTerm>> {
    let max_pages = searcher.total_num_docs()? / COMMON_ONE_IN;
    let (mut rare, mut common) = (vec![], vec![]);
    for term in term {
        let field = if term.in_title { fields.title } else { fields.words };
        let mut pages = u64::from(term.lone_character.is_some());
        for term in term.terms() {
            pages += searcher.doc_freq(&Term::from_field_text(field, term))?;
        }
        match pages {
            0 => {}
            _ if pages <= max_pages => rare.push(term.clone()),
            _ => common.push(term.clone()),
        }
    }
    Ok(if rare.is_empty() { common } else { rare })
}

/// Document frequencies for BM25. Alternatives of one word share a frequency. Otherwise pages in a
/// rare language would win, because their form of the word is rare.
pub(crate) struct DocumentFrequencies<'a> {
    searcher: &'a Searcher,
    /// Frequencies of terms with alternatives.
    shared: BTreeMap<Term, u64>,
}

impl<'a> DocumentFrequencies<'a> {
    pub(crate) fn new(
        searcher: &'a Searcher,
        fields: &Fields,
        term: &[QueryTerm],
    ) -> tantivy::Result<Self> {
        let mut shared = BTreeMap::new();
        let pages = searcher.total_num_docs()?;
        for term in term.iter().filter(|term| term.forms.len() > 1) {
            for field in [fields.words, fields.title, fields.address] {
                let single = term.forms.iter().filter(|form| form.len() == 1).flatten();
                let terms: Vec<Term> =
                    single.map(|(_, term)| Term::from_field_text(field, term)).collect();
                let mut sum = 0;
                for term in &terms {
                    sum += searcher.doc_freq(term)?;
                }
                for term in terms {
                    let frequency = shared.entry(term).or_insert(0);
                    *frequency = sum.min(pages).max(*frequency);
                }
            }
        }
        Ok(Self { searcher, shared })
    }
}

impl Bm25StatisticsProvider for DocumentFrequencies<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.searcher.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.searcher.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        match self.shared.get(term) {
            Some(&frequency) => Ok(frequency),
            None => self.searcher.doc_freq(term),
        }
    }
}
