//! From what a query asks for to a query of tantivy, and how its matches score.
use std::collections::BTreeMap;

use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery,
    Query as Matching, RegexQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use crate::query::Query;
use crate::schema::Fields;
use crate::wanted::Wanted;

/// A word on more than one page in so many tells little.
const COMMON_ONE_IN: u64 = 10;

/// What a word in the title counts more, beside what it counts as a word of the page: a title says
/// what a page is about.
const TITLE_BOOST: f32 = 1.5;
/// The same for the words of an address, which say less and are abbreviated more.
const ADDRESS_BOOST: f32 = 0.5;

/// What a query asks for, in terms of the index.
pub(crate) struct Request<'a> {
    /// Each must be there.
    pub(crate) wanted: &'a [Wanted],
    /// None may be there.
    pub(crate) unwanted: &'a [Wanted],
    /// Its sites.
    pub(crate) query: &'a Query,
}

impl Request<'_> {
    /// The pages that have all of what is wanted; or, `relaxed`, any of it.
    pub(crate) fn matching(&self, fields: &Fields, relaxed: bool) -> tantivy::Result<BooleanQuery> {
        let mut clauses: Vec<(Occur, Box<dyn Matching>)> = vec![];
        let mut any: Vec<Box<dyn Matching>> = vec![];
        for wanted in self.wanted {
            let required = if wanted.in_title { fields.title } else { fields.words };
            let one = found_in(wanted, required)?;
            if relaxed {
                any.push(one);
            } else {
                clauses.push((Occur::Must, one));
            }
            if !wanted.in_title {
                let titled = BoostQuery::new(found_in(wanted, fields.title)?, TITLE_BOOST);
                clauses.push((Occur::Should, Box::new(titled)));
            }
            // The address has no positions, so nothing that needs them is looked for there.
            let has_one_term = wanted.forms.iter().all(|form| form.len() == 1);
            if !wanted.in_title && wanted.alone.is_none() && has_one_term {
                let named = BoostQuery::new(found_in(wanted, fields.address)?, ADDRESS_BOOST);
                clauses.push((Occur::Should, Box::new(named)));
            }
        }
        if !any.is_empty() {
            clauses.push((Occur::Must, Box::new(BooleanQuery::union(any))));
        }
        if let Some(on_sites) = on_any(&self.query.sites, fields) {
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(on_sites, 0.0))));
        }
        if let Some(on_sites) = on_any(&self.query.other_sites, fields) {
            clauses.push((Occur::MustNot, on_sites));
        }
        for unwanted in self.unwanted {
            let field = if unwanted.in_title { fields.title } else { fields.words };
            clauses.push((Occur::MustNot, excluded_from(unwanted, field)?));
        }
        Ok(BooleanQuery::new(clauses))
    }
}

fn on_any(sites: &[String], fields: &Fields) -> Option<Box<dyn Matching>> {
    let site = |site: &String| {
        let term = Term::from_field_text(fields.host, site);
        Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Matching>
    };
    (!sites.is_empty()).then(|| any_of(sites.iter().map(site).collect()))
}

/// The pages that have a word in a field, in any of its forms.
fn found_in(wanted: &Wanted, field: Field) -> tantivy::Result<Box<dyn Matching>> {
    Ok(any_of(ways(wanted, field)?))
}

/// The same, to be left out.
///
/// Tantivy 0.27 asks what is left out also for pages before the one it is at, and a phrase answers
/// that wrongly (`PhraseScorer::seek_danger`). A union looks first, so a phrase is made one.
fn excluded_from(unwanted: &Wanted, field: Field) -> tantivy::Result<Box<dyn Matching>> {
    let mut ways = ways(unwanted, field)?;
    if let [only] = &ways[..] {
        ways.push(only.box_clone());
    }
    Ok(any_of(ways))
}

/// Each form of a word, in a field.
fn ways(wanted: &Wanted, field: Field) -> tantivy::Result<Vec<Box<dyn Matching>>> {
    let mut ways: Vec<Box<dyn Matching>> = vec![];
    for form in &wanted.forms {
        let term = |term: &str| Term::from_field_text(field, term);
        ways.push(match &form[..] {
            [(_, only)] => Box::new(TermQuery::new(term(only), IndexRecordOption::WithFreqs)),
            several => {
                let several = several.iter().map(|(at, text)| (*at, term(text))).collect();
                Box::new(PhraseQuery::new_with_offset(several))
            }
        });
    }
    if let Some(character) = wanted.alone {
        // A letter, so nothing of it is a sign of the pattern.
        let pattern = format!("({character}.|.{character})");
        ways.push(Box::new(RegexQuery::from_pattern(&pattern, field)?));
    }
    Ok(ways)
}

fn any_of(mut ways: Vec<Box<dyn Matching>>) -> Box<dyn Matching> {
    match ways.len() {
        1 => ways.swap_remove(0),
        _ => Box::new(BooleanQuery::union(ways)),
    }
}

/// The words that tell pages apart: those on no more than one page in so many, where there are any;
/// else all that are found at all. For pages that have only some of the words, the others hardly change
/// the order, and to look at every page that has "the" would take most of the time.
pub(crate) fn telling(
    searcher: &Searcher,
    fields: &Fields,
    wanted: &[Wanted],
) -> tantivy::Result<Vec<Wanted>> {
    let most = searcher.total_num_docs()? / COMMON_ONE_IN;
    let (mut rare, mut common) = (vec![], vec![]);
    for wanted in wanted {
        let field = if wanted.in_title { fields.title } else { fields.words };
        let mut pages = u64::from(wanted.alone.is_some());
        for term in wanted.terms() {
            pages += searcher.doc_freq(&Term::from_field_text(field, term))?;
        }
        match pages {
            0 => {}
            _ if pages <= most => rare.push(wanted.clone()),
            _ => common.push(wanted.clone()),
        }
    }
    Ok(if rare.is_empty() { common } else { rare })
}

/// How frequent terms are, for BM25: the forms of one word count as one term. Else a page in a
/// language with few pages would win because its form of the word is rare.
pub(crate) struct Frequencies<'a> {
    searcher: &'a Searcher,
    /// Of the terms that are forms of a word with several.
    shared: BTreeMap<Term, u64>,
}

impl<'a> Frequencies<'a> {
    pub(crate) fn of(
        searcher: &'a Searcher,
        fields: &Fields,
        wanted: &[Wanted],
    ) -> tantivy::Result<Self> {
        let mut shared = BTreeMap::new();
        let pages = searcher.total_num_docs()?;
        for wanted in wanted.iter().filter(|wanted| wanted.forms.len() > 1) {
            for field in [fields.words, fields.title, fields.address] {
                let single = wanted.forms.iter().filter(|form| form.len() == 1).flatten();
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

impl Bm25StatisticsProvider for Frequencies<'_> {
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
