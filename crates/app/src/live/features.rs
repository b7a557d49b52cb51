//! Page features for policies that need them: loaded when a crawl continues, with the most popular query
//! words.
use crawl::{Instruments, Needs};
use instruments::features::{Features, Keyword};
use store::{Store, StoreError, View};
use text::{words::Language, workload::Workload};

use super::query_source::QuerySource;
use crate::{failure::Failure, progress::Bars, settings::Settings};

/// What the progress bar says.
const READING: &str = "reading pages for features";

/// Keeps the features of a crawl up to date.
#[derive(Debug)]
pub(super) struct FeatureStore {
    /// `None` if the policy does not need features.
    queries: Option<QuerySource>,
    is_loaded: bool,
}

impl FeatureStore {
    /// Adds the instrument if it is needed. Nothing is loaded yet.
    pub(super) fn new(
        needs: &Needs,
        settings: &Settings,
        instruments: &mut Instruments,
    ) -> Result<Self, Failure> {
        let Some(features) = Features::needed(needs) else {
            return Ok(Self { queries: None, is_loaded: true });
        };
        instruments.insert(features);
        Ok(Self { queries: Some(QuerySource::open(settings)?), is_loaded: false })
    }

    /// Prepares a cycle: loads the stored features the first time, with a progress bar. Returns false if
    /// `is_stopped` ended that early.
    pub(super) fn prepare(
        &mut self,
        store: &Store,
        instruments: &mut Instruments,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, Failure> {
        let (Some(queries), Some(features)) = (&self.queries, instruments.find_mut::<Features>())
        else {
            return Ok(true);
        };
        if !self.is_loaded {
            self.is_loaded =
                with_bar(READING, is_stopped, |goes_on| store.load_instrument(features, goes_on))?;
        }
        set_keywords(queries, features)?;
        Ok(self.is_loaded)
    }
}

/// Adds the features that a policy would see if it planned now.
pub(super) fn insert_current(
    instruments: &mut Instruments,
    needs: &Needs,
    view: &View,
    settings: &Settings,
) -> Result<(), Failure> {
    if let Some(queries) = FeatureStore::new(needs, settings, instruments)?.queries
        && let Some(features) = instruments.find_mut::<Features>()
    {
        with_bar(READING, &|| false, |goes_on| view.load_instrument(features, goes_on))?;
        set_keywords(&queries, features)?;
    }
    Ok(())
}

/// Sets the words of the ranking features: the most popular ones now, in the languages of the held pages,
/// or none if there are too few queries. Done in every cycle, so that it does not matter when the process
/// started.
fn set_keywords(queries: &QuerySource, features: &mut Features) -> Result<(), Failure> {
    let languages: Vec<Language> = features.languages().into_iter().collect();
    let popular = |workload: Workload| Keyword::most_popular(&workload.prepare(&languages));
    features.set_keywords(queries.workload()?.map_or(vec![], popular));
    Ok(())
}

/// Loads the states of an instrument behind a progress bar.
pub(super) fn with_bar(
    what: &'static str,
    is_stopped: &dyn Fn() -> bool,
    load: impl FnOnce(&mut dyn FnMut(usize, usize) -> bool) -> Result<bool, StoreError>,
) -> Result<bool, Failure> {
    let bars = Bars::new(false);
    let is_whole = load(&mut |done, of| {
        bars.bar(what, "pages", of as u64).set_position(done as u64);
        !is_stopped()
    });
    bars.clear();
    Ok(is_whole?)
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use crawl::{Links, PageNo, Pages, Time};
    use instruments::features::PageFeatures;
    use text::{
        counts::{WordCounts, term_hash},
        workload::Source,
    };

    use super::*;

    fn page(language: Language, terms: &[&str]) -> PageFeatures {
        let words = WordCounts::from_terms(terms.iter().map(|term| term_hash(term)).collect());
        PageFeatures { language, words: Arc::new(words), ..PageFeatures::default() }
    }

    fn features(pages: [PageFeatures; 2]) -> Features {
        let mut features = Features::default();
        for (number, page) in (0..).zip(pages) {
            features.insert(PageNo(number), page);
        }
        features
    }

    /// By word, the pages that rank first.
    fn best(queries: &QuerySource, mut features: Features) -> Vec<Vec<PageNo>> {
        let mut pages = Pages::default();
        for address in ["a", "b"] {
            pages.insert(address, Time::from_millis(0));
        }
        set_keywords(queries, &mut features).unwrap();
        Features::begin_cycle(&mut features, &pages, &Links::default());
        features.best_for_keywords().to_vec()
    }

    #[test]
    fn query_words_are_stemmed_in_the_languages_of_the_pages() {
        let queries = [("moons", 3.0), ("running", 1.0)];
        let queries = queries.map(|(text, frequency)| (text.to_owned(), frequency));
        let source = QuerySource::File(Workload::new(Source::Log, queries));
        let english = page(Language::English, &["moon", "run"]);
        let other = page(Language::Other, &["running"]);
        let found = best(&source, features([english, other.clone()]));
        assert_eq!(found, [vec![PageNo(0)], vec![PageNo(0), PageNo(1)]]);
        let found = best(&source, features([page(Language::Other, &["moon", "run"]), other]));
        assert_eq!(found, [vec![], vec![PageNo(1)]]);
    }

    #[test]
    fn without_a_query_log_there_are_no_keywords() {
        let folder = tempfile::tempdir().unwrap();
        let source = QuerySource::Log(folder.path().to_owned());
        assert!(
            best(&source, features([PageFeatures::default(), PageFeatures::default()])).is_empty()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
