//! The texts of a web, as far as they can be among the results of a query in a run.
use std::{collections::BTreeSet, sync::Arc};

use flow::{
    Content,
    relevance::{Profile, Profiler, Vocabulary},
    words::Language,
};
use rayon::prelude::*;

use crate::{
    compare::{Texts, TextsError},
    tournament::PageSet,
    truth::Truth,
};

/// Pages whose texts are in memory at once.
const PAGES_AT_ONCE: usize = 256;

/// Which pages of a history take part in a run.
#[derive(Debug)]
pub(super) struct TakingPart(Vec<bool>);

impl TakingPart {
    pub(super) fn of(truth: &Truth, pages: PageSet) -> Self {
        let takes_part = |page| pages == PageSet::Growing || truth.reading(page, 0).is_some();
        Self((0..truth.history().pages.len()).map(takes_part).collect())
    }

    /// Whether a page does.
    pub(super) fn has(&self, page: usize) -> bool {
        self.0[page]
    }

    /// The readings of a page that are live at any cycle, each once, in order: no other is ever held
    /// or live when a run is looked at.
    pub(super) fn live_readings(&self, truth: &Truth, page: usize) -> Vec<u32> {
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
    pub(super) truth: &'c Truth,
    pub(super) texts: &'c dyn Texts,
    pub(super) taking_part: &'c TakingPart,
}

impl Corpus<'_> {
    /// Whether a reading can be a result: it is a text, and does not ask to be left out.
    ///
    /// A page that calls another page of the same web its canonical address is left to that one. An
    /// address that the web does not have is none to leave it to: sites that were recorded under one
    /// name often call another their own.
    fn is_result(&self, page: usize, reading: u32) -> bool {
        let snapshot = &self.truth.history().readings[reading as usize];
        let canonical = snapshot.directives.canonical.as_deref();
        let other = canonical.and_then(|address| self.truth.find(address));
        snapshot.form.is_for_people()
            && !snapshot.directives.noindex
            && other.is_none_or(|other| other == page)
    }

    /// The results that a page can be: of its readings that are live at any cycle.
    fn results(&self, page: usize) -> Vec<u32> {
        let mut readings = self.taking_part.live_readings(self.truth, page);
        readings.retain(|&reading| self.is_result(page, reading));
        readings
    }

    /// The contents of those, which are read from where they are kept.
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        let results = self.results(page);
        if results.is_empty() {
            return Ok(vec![]);
        }
        let mut contents = self.texts.contents(page)?;
        contents.retain(|(reading, _)| results.binary_search(reading).is_ok());
        Ok(contents)
    }

    /// Looks through all texts: hands over those of the pages at the start, in the order of pages,
    /// and says in which languages all of them are.
    pub(super) fn survey(
        &self,
        mut take: impl FnMut(&Content),
    ) -> Result<Vec<Language>, TextsError> {
        let of_page = |&page: &usize| -> Result<_, TextsError> {
            let contents = self.contents(page)?;
            let languages = contents.iter().map(|(_, content)| Language::of(content)).collect();
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

    /// By reading, its profile; none where it cannot be a result of a run.
    pub(super) fn profiles(
        &self,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Option<Profile>>, TextsError> {
        let of_page = |profiler: &mut Profiler<'_>, page| -> Result<Vec<_>, TextsError> {
            let contents = self.contents(page)?;
            Ok(contents
                .iter()
                .map(|(reading, content)| (*reading, profiler.profile(content)))
                .collect())
        };
        let pages: Vec<Vec<(u32, Profile)>> = (0..self.pages())
            .into_par_iter()
            // What a profiler has learned is lost with it: few of them, each for many pages.
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

    /// Of profiles by reading, those of the pages at the start, in the order of pages.
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
