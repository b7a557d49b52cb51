//! What visits do to answers, measured as pages are put.
//!
//! Of every page it keeps the words that people ask for, and how often the page holds them; that is what
//! old scores come from. They are read once from the postings, when measuring begins, and kept up from
//! then on by the analysis that indexing does anyway.
use std::sync::Arc;

use flow::impact::{Measure, Meter, Standings};
use flow::relevance::{Profile, Vocabulary, WordNo};
use flow::words::Language;
use flow::workload::PreparedWorkload;
use flow::{Links, PageNo, Pages};
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Searcher, Term};

use crate::opened;
use crate::schema::{Fields, PAGE};

/// A meter, and of every page in the index what it measures by.
#[derive(Debug)]
pub(crate) struct Impacts {
    meter: Meter,
    vocabulary: Arc<Vocabulary>,
    profiles: Vec<Option<Profile>>,
}

impl Impacts {
    /// Of the pages that `searcher` finds.
    pub(crate) fn read(
        searcher: &Searcher,
        fields: &Fields,
        workload: &PreparedWorkload,
        measure: Measure,
    ) -> tantivy::Result<Self> {
        let vocabulary = Arc::new(workload.vocabulary.clone());
        let profiles = profiles(searcher, fields, &vocabulary)?;
        Ok(Self { meter: Meter::new(workload, measure), vocabulary, profiles })
    }

    pub(crate) fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Makes the curves from score to rank where they are due.
    pub(crate) fn begin_cycle(&mut self, pages: &Pages, links: &Links) {
        if !self.meter.is_due() {
            return;
        }
        let held = (0..).map(PageNo).zip(&self.profiles);
        let held = held.filter_map(|(page, profile)| Some((page, profile.as_ref()?)));
        self.meter.fit(held, Standings::of(self.meter.measure().scoring, pages, links));
    }

    /// What it does that a page is found so from now on; `None` is a page that is not found.
    pub(crate) fn visit(&mut self, page: PageNo, after: Option<Profile>) -> Option<f32> {
        let row = page.index();
        if self.profiles.len() <= row {
            self.profiles.resize_with(row + 1, || None);
        }
        let before = std::mem::replace(&mut self.profiles[row], after);
        let moved = self.meter.visit(page, before.as_ref(), self.profiles[row].as_ref());
        moved.map(|moved| moved.gain)
    }

    pub(crate) fn exposures(&self) -> &[f32] {
        self.meter.exposures()
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

/// By page number, the share of all looks at results that falls on it, in the index of a data folder;
/// `workload` is asked for in the languages of its pages.
///
/// # Errors
/// When there is no index, or it is damaged.
pub fn exposures(
    folder: &std::path::Path,
    workload: impl FnOnce(&[Language]) -> PreparedWorkload,
    measure: Measure,
    pages: &Pages,
    links: &Links,
) -> Result<Vec<f32>, crate::IndexError> {
    let opened = opened::open(folder, &store::View::open(folder)?)?;
    let workload = workload(&opened.languages);
    let read = Impacts::read(&opened.reader.searcher(), &opened.fields, &workload, measure);
    let mut impacts = read.map_err(crate::IndexError::engine("read", folder))?;
    impacts.begin_cycle(pages, links);
    Ok(impacts.exposures().to_vec())
}
