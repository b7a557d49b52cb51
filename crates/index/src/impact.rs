//! Where the instrument that measures impact gets the words of pages from: the index.
//!
//! Of every page it keeps the words that people search for, and how often the page holds them; that
//! is what old scores come from. They are read once from the postings, when measuring begins, and kept
//! up to date by the analysis that indexing does anyway: both share one [`Preparation`].
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crawl::{Outcome, PageNo, Pages, Snapshot, Visited};
use instruments::impact::{Impact, Measure, MeasureMove, Meter, Profiles};
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Searcher, Term};
use text::relevance::{Profile, Vocabulary, WordNo};
use text::words::Language;
use text::workload::PreparedWorkload;

use crate::analysis::{Analysis, Terms};
use crate::known::Known;
use crate::schema::{Fields, PAGE};
use crate::{document, opened};

/// The analysis that an index and the instrument share: a page is cut into terms once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preparation(Arc<Mutex<Prepared>>);

#[derive(Debug, Default)]
struct Prepared {
    analysis: Analysis,
    /// The terms of the page that was measured last, which is about to be put.
    terms: Option<(PageNo, Terms)>,
}

impl Preparation {
    /// One that counts the words of a vocabulary.
    fn asking(vocabulary: &Arc<Vocabulary>) -> Self {
        let preparation = Self::default();
        preparation.ask(vocabulary);
        preparation
    }

    fn lock(&self) -> MutexGuard<'_, Prepared> {
        // Terms are replaced as a whole, so a thread that panicked left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the words of another vocabulary from now on.
    fn ask(&self, vocabulary: &Arc<Vocabulary>) {
        *self.lock() = Prepared { analysis: Analysis::asking(Arc::clone(vocabulary)), terms: None };
    }

    /// Cuts a page into terms for whoever puts it next; what it holds of the vocabulary.
    fn prepare(&self, page: PageNo, snapshot: &Snapshot, address: &str) -> Option<Profile> {
        let mut prepared = self.lock();
        let mut terms = prepared.analysis.terms(snapshot, address);
        let profile = terms.profile.take();
        prepared.terms = Some((page, terms));
        profile
    }

    /// The terms of a page that is to be put.
    pub(crate) fn take(&self, page: PageNo, snapshot: &Snapshot, address: &str) -> Terms {
        let mut prepared = self.lock();
        match prepared.terms.take() {
            Some((of, terms)) if of == page => terms,
            _ => prepared.analysis.terms(snapshot, address),
        }
    }
}

/// Of every page in the index, what it holds of a vocabulary.
#[derive(Debug)]
struct IndexProfiles {
    vocabulary: Arc<Vocabulary>,
    preparation: Preparation,
    profiles: Vec<Option<Profile>>,
    known: Known,
}

/// The instrument, for the pages that `searcher` finds and that are `known`. From now on `preparation`
/// counts the words of the workload.
pub(crate) fn instrument(
    searcher: &Searcher,
    fields: &Fields,
    known: Known,
    preparation: Preparation,
    workload: &PreparedWorkload,
    measure: Measure,
) -> tantivy::Result<Impact> {
    let vocabulary = Arc::new(workload.vocabulary.clone());
    let profiles = profiles(searcher, fields, &vocabulary)?;
    preparation.ask(&vocabulary);
    let profiles = IndexProfiles { vocabulary, preparation, profiles, known };
    Ok(Impact::new(Meter::new(workload, measure), Box::new(profiles)))
}

impl IndexProfiles {
    /// Sets what a page holds from now on; `None` is a page that is not found. Returns what it held.
    fn replace(&mut self, page: PageNo, after: Option<Profile>) -> Option<Profile> {
        let row = page.index();
        if self.profiles.len() <= row {
            self.profiles.resize_with(row + 1, || None);
        }
        std::mem::replace(&mut self.profiles[row], after)
    }
}

impl Profiles for IndexProfiles {
    fn begin_cycle(&mut self, _pages: &Pages) {}

    fn held(&self) -> Vec<(PageNo, &Profile)> {
        let held = (0..).map(PageNo).zip(&self.profiles);
        held.filter_map(|(page, profile)| Some((page, profile.as_ref()?))).collect()
    }

    fn visited(&mut self, visit: &Visited<'_>, measure: MeasureMove<'_>) -> Option<f32> {
        let page = visit.page;
        let after = match (visit.outcome, visit.new) {
            (Outcome::Gone, _) => None,
            (_, Some(new)) if !document::is_findable(new) => None,
            (_, Some(new)) if self.known.has_text(page, new.fingerprints.text) => return Some(0.0),
            (_, Some(new)) => self.preparation.prepare(page, new, visit.address),
            (Outcome::Same, None) => return Some(0.0),
            _ => return None,
        };
        match visit.new.filter(|_| after.is_some()) {
            Some(new) => {
                self.known.insert(page, new.fingerprints.text, visit.at);
            }
            None => {
                self.known.remove(page);
            }
        }
        let before = self.replace(page, after);
        measure(before.as_ref(), self.profiles[page.index()].as_ref())
    }

    fn fork(&self) -> Box<dyn Profiles> {
        Box::new(Self {
            vocabulary: Arc::clone(&self.vocabulary),
            preparation: Preparation::asking(&self.vocabulary),
            profiles: self.profiles.clone(),
            known: self.known.clone(),
        })
    }
}

/// By page number, the words of the vocabulary that it holds.
fn profiles(
    searcher: &Searcher,
    fields: &Fields,
    vocabulary: &Vocabulary,
) -> tantivy::Result<Vec<Option<Profile>>> {
    let mut profiles: Vec<Option<Profile>> = vec![];
    for segment in searcher.segment_readers() {
        let pages = segment.fast_fields().u64(PAGE)?;
        let lengths = segment.get_fieldnorms_reader(fields.words)?;
        let inverted = segment.inverted_index(fields.words)?;
        let mut counts: Vec<Vec<(WordNo, u32)>> = vec![vec![]; segment.max_doc() as usize];
        for word in 0..vocabulary.len() as WordNo {
            for form in vocabulary.forms(word) {
                let term = Term::from_field_text(fields.words, form);
                let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
                let Some(mut postings) = postings else { continue };
                let mut document = postings.doc();
                while document != tantivy::TERMINATED {
                    let counts = &mut counts[document as usize];
                    match counts.last_mut() {
                        // Another form of the same word.
                        Some((last, count)) if *last == word => *count += postings.term_freq(),
                        _ => counts.push((word, postings.term_freq())),
                    }
                    document = postings.advance();
                }
            }
        }
        for document in segment.doc_ids_alive() {
            let Some(page) = pages.first(document) else { continue };
            let counts = std::mem::take(&mut counts[document as usize]);
            if profiles.len() <= page as usize {
                profiles.resize_with(page as usize + 1, || None);
            }
            profiles[page as usize] = Some(Profile::new(lengths.fieldnorm(document), counts));
        }
    }
    Ok(profiles)
}

/// The instrument for the index of a data folder that nobody writes here; `workload` is asked for in
/// the languages of its pages.
///
/// # Errors
/// When there is no index, or it is damaged.
pub fn impact(
    folder: &std::path::Path,
    workload: impl FnOnce(&[Language]) -> PreparedWorkload,
    measure: Measure,
) -> Result<Impact, crate::IndexError> {
    let opened = opened::open(folder, &store::View::open(folder)?)?;
    let workload = workload(&opened.languages);
    let (searcher, known) = (opened.reader.searcher(), Known::of(&opened.rows));
    instrument(&searcher, &opened.fields, known, Preparation::default(), &workload, measure)
        .map_err(crate::IndexError::engine("read", folder))
}
