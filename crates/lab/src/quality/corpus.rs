//! The texts of a web that can be results of a query in a run.
use std::{collections::BTreeSet, sync::Arc};

use crawl::{Content, TextRange};
use rayon::prelude::*;
use text::{
    relevance::{Profile, Profiler, Vocabulary},
    words::Language,
};

use crate::{
    compare::{Texts, TextsError},
    tournament::PageSet,
    truth::GroundTruth,
};

/// The number of pages whose texts are in memory at once.
const PAGES_AT_ONCE: usize = 256;

/// The title and the headings of a page.
fn subject(content: &Content) -> Content {
    let heading = |range: &TextRange| content.text.get(range.from as usize..range.to as usize);
    let headings: Vec<&str> = content.headings.iter().filter_map(heading).collect();
    let (title, language) = (content.title.clone(), content.language.clone());
    Content { title, language, text: headings.join(" "), ..Content::default() }
}

/// Which pages of a history take part in a run.
#[derive(Debug)]
pub(super) struct Participants(Vec<bool>);

impl Participants {
    pub(super) fn new(truth: &GroundTruth, pages: PageSet) -> Self {
        let takes_part = |page| pages == PageSet::Growing || truth.reading(page, 0).is_some();
        Self((0..truth.history().pages.len()).map(takes_part).collect())
    }

    /// Whether a page takes part.
    pub(super) fn has(&self, page: usize) -> bool {
        self.0[page]
    }

    /// The readings of a page that are live at any cycle, unique and in order. Inspections see no
    /// other.
    pub(super) fn live_readings(&self, truth: &GroundTruth, page: usize) -> Vec<u32> {
        let cycles = if self.has(page) { truth.grid().cycles + 1 } else { 0 };
        let mut readings: Vec<u32> =
            (0..cycles).filter_map(|cycle| truth.reading(page, cycle)).collect();
        readings.sort_unstable();
        readings.dedup();
        readings
    }
}

/// The texts of the pages that take part.
pub(super) struct Corpus<'c> {
    pub(super) truth: &'c GroundTruth,
    pub(super) texts: &'c dyn Texts,
    pub(super) participants: &'c Participants,
}

impl Corpus<'_> {
    /// Whether a reading can be a result: it is text and allows indexing.
    ///
    /// A page that declares another page of the same web as canonical is not a result. A canonical
    /// address that the web does not have is ignored: recorded sites often declare another host
    /// name.
    fn is_result(&self, page: usize, reading: u32) -> bool {
        let snapshot = &self.truth.history().readings[reading as usize];
        let canonical = snapshot.directives.canonical.as_deref();
        let other = canonical.and_then(|address| self.truth.find(address));
        snapshot.form.is_for_people()
            && !snapshot.directives.noindex
            && other.is_none_or(|other| other == page)
    }

    /// The readings of a page that can be results: those live at any cycle.
    fn results(&self, page: usize) -> Vec<u32> {
        let mut readings = self.participants.live_readings(self.truth, page);
        readings.retain(|&reading| self.is_result(page, reading));
        readings
    }

    /// The contents of those, loaded from disk.
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        let results = self.results(page);
        if results.is_empty() {
            return Ok(vec![]);
        }
        let mut contents = self.texts.contents(page)?;
        contents.retain(|(reading, _)| results.binary_search(reading).is_ok());
        Ok(contents)
    }

    /// Scans all texts: passes those of the pages at the start to the caller, in page order, and
    /// returns the languages of all texts.
    pub(super) fn survey(
        &self,
        mut take: impl FnMut(&Content),
    ) -> Result<Vec<Language>, TextsError> {
        let of_page = |&page: &usize| -> Result<_, TextsError> {
            let contents = self.contents(page)?;
            let languages = contents.iter().map(|(_, content)| Language::detect(content)).collect();
            let start = self.truth.reading(page, 0);
            let at_start = contents.into_iter().find(|&(reading, _)| Some(reading) == start);
            Ok((languages, at_start.map(|(_, content)| content)))
        };
        let mut all = BTreeSet::new();
        let pages: Vec<usize> = (0..self.pages()).collect();
        for pages in pages.chunks(PAGES_AT_ONCE) {
            let found: Vec<(BTreeSet<Language>, Option<Arc<Content>>)> =
                pages.par_iter().map(of_page).collect::<Result<_, _>>()?;
            for (languages, at_start) in found {
                all.extend(languages);
                if let Some(content) = at_start {
                    take(&content);
                }
            }
        }
        Ok(all.into_iter().collect())
    }

    /// By reading, its profile; `None` if it cannot be a result.
    pub(super) fn profiles(
        &self,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Option<Profile>>, TextsError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method itself is for one lifetime only"
        )]
        self.profiles_of(vocabulary, |profiler, content| profiler.profile(content))
    }

    /// The same of titles and headings alone.
    pub(super) fn subjects(
        &self,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Option<Profile>>, TextsError> {
        self.profiles_of(vocabulary, |profiler, content| profiler.profile(&subject(content)))
    }

    fn profiles_of(
        &self,
        vocabulary: &Vocabulary,
        profile: impl Fn(&mut Profiler<'_>, &Content) -> Profile + Sync,
    ) -> Result<Vec<Option<Profile>>, TextsError> {
        let of_page = |profiler: &mut Profiler<'_>, page| -> Result<Vec<_>, TextsError> {
            let contents = self.contents(page)?;
            Ok(contents
                .iter()
                .map(|(reading, content)| (*reading, profile(profiler, content)))
                .collect())
        };
        let pages: Vec<Vec<(u32, Profile)>> = (0..self.pages())
            .into_par_iter()
            // A profiler loses its cache with each chunk, so each one serves many pages.
            .with_min_len(PAGES_AT_ONCE)
            .map_init(|| Profiler::new(vocabulary), of_page)
            .collect::<Result<_, _>>()?;
        let mut profiles: Vec<Option<Profile>> =
            self.truth.history().readings.iter().map(|_| None).collect();
        for (reading, profile) in pages.into_iter().flatten() {
            profiles[reading as usize] = Some(profile);
        }
        Ok(profiles)
    }

    /// The profiles of the pages at the start, in page order.
    pub(super) fn at_start<'p>(
        &self,
        profiles: &'p [Option<Profile>],
    ) -> impl Iterator<Item = &'p Profile> {
        let reading = |page| self.truth.reading(page, 0);
        (0..self.pages())
            .filter_map(reading)
            .filter_map(|reading| profiles[reading as usize].as_ref())
    }

    fn pages(&self) -> usize {
        self.truth.history().pages.len()
    }
}
