//! Word counts of indexed pages, for the impact instrument.
//!
//! The instrument scores pages before and after a visit by their counts of workload words. The
//! counts are read from the postings once. After that, the analysis of each indexed page updates
//! them: the index and the instrument share one [`SharedAnalysis`].
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
use crate::indexed_versions::IndexedVersions;
use crate::schema::{Fields, PAGE};
use crate::{document, open};

/// Analysis shared by the index and the instrument, so that each page is analysed once.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedAnalysis(Arc<Mutex<AnalysisState>>);

#[derive(Debug, Default)]
struct AnalysisState {
    analysis: Analysis,
    /// Terms of the page that was measured last and is about to be indexed.
    terms: Option<(PageNo, Terms)>,
}

impl SharedAnalysis {
    fn with_vocabulary(vocabulary: &Arc<Vocabulary>) -> Self {
        let analysis = Self::default();
        analysis.set_vocabulary(vocabulary);
        analysis
    }

    fn lock(&self) -> MutexGuard<'_, AnalysisState> {
        // Poisoning is harmless: terms are replaced as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_vocabulary(&self, vocabulary: &Arc<Vocabulary>) {
        *self.lock() = AnalysisState {
            analysis: Analysis::with_vocabulary(Arc::clone(vocabulary)),
            terms: None,
        };
    }

    /// Analyses a page and keeps its terms for [`take_terms`](Self::take_terms). Returns its word
    /// counts.
    fn analyse(&self, page: PageNo, snapshot: &Snapshot, address: &str) -> Option<Profile> {
        let mut state = self.lock();
        let mut terms = state.analysis.terms(snapshot, address);
        let profile = terms.profile.take();
        state.terms = Some((page, terms));
        profile
    }

    /// Terms of a page that is about to be indexed.
    pub(crate) fn take_terms(&self, page: PageNo, snapshot: &Snapshot, address: &str) -> Terms {
        let mut state = self.lock();
        match state.terms.take() {
            Some((analysed, terms)) if analysed == page => terms,
            _ => state.analysis.terms(snapshot, address),
        }
    }
}

/// Word counts of every indexed page.
#[derive(Debug)]
struct IndexProfiles {
    vocabulary: Arc<Vocabulary>,
    analysis: SharedAnalysis,
    profiles: Vec<Option<Profile>>,
    versions: IndexedVersions,
}

/// Creates the instrument for the pages in `searcher`. From now on `analysis` counts the words of
/// the workload.
pub(crate) fn instrument(
    searcher: &Searcher,
    fields: &Fields,
    versions: IndexedVersions,
    analysis: SharedAnalysis,
    workload: &PreparedWorkload,
    measure: Measure,
) -> tantivy::Result<Impact> {
    let vocabulary = Arc::new(workload.vocabulary.clone());
    let profiles = profiles(searcher, fields, &vocabulary)?;
    analysis.set_vocabulary(&vocabulary);
    let profiles = IndexProfiles { vocabulary, analysis, profiles, versions };
    Ok(Impact::new(Meter::new(workload, measure), Box::new(profiles)))
}

impl IndexProfiles {
    /// Sets the word counts of a page, `None` if it is not indexed, and returns the old ones.
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
            (_, Some(new)) if !document::is_indexable(new) => None,
            (_, Some(new)) if self.versions.has_text(page, new.fingerprints.text) => {
                return Some(0.0);
            }
            (_, Some(new)) => self.analysis.analyse(page, new, visit.address),
            (Outcome::Same, None) => return Some(0.0),
            _ => return None,
        };
        match visit.new.filter(|_| after.is_some()) {
            Some(new) => {
                self.versions.insert(page, new.fingerprints.text, visit.at);
            }
            None => {
                self.versions.remove(page);
            }
        }
        let before = self.replace(page, after);
        measure(before.as_ref(), self.profiles[page.index()].as_ref())
    }

    fn fork(&self) -> Box<dyn Profiles> {
        Box::new(Self {
            vocabulary: Arc::clone(&self.vocabulary),
            analysis: SharedAnalysis::with_vocabulary(&self.vocabulary),
            profiles: self.profiles.clone(),
            versions: self.versions.clone(),
        })
    }
}

/// Reads word counts from the postings, by page number.
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

/// Creates the impact instrument from the index of a data folder that this process does not write.
/// `workload` gets the languages of the indexed pages.
///
/// # Errors
/// If the index is missing or damaged.
pub fn impact(
    folder: &std::path::Path,
    workload: impl FnOnce(&[Language]) -> PreparedWorkload,
    measure: Measure,
) -> Result<Impact, crate::IndexError> {
    let opened = open::open(folder, &store::View::open(folder)?)?;
    let workload = workload(&opened.languages);
    let (searcher, versions) = (opened.reader.searcher(), IndexedVersions::from_rows(&opened.rows));
    instrument(&searcher, &opened.fields, versions, SharedAnalysis::default(), &workload, measure)
        .map_err(crate::IndexError::engine("read", folder))
}
