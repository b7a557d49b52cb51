//! What features of pages are made from, for policies that look at them: loaded when a crawl goes on,
//! with the words that people ask for most.
use flow::{
    Policy,
    features::{Features, Keyword},
    words::Language,
    workload::Workload,
};
use store::{Store, StoreError, View};

use super::asked::Asked;
use crate::{failure::Failure, progress::Bars, settings::Settings};

/// The features of a crawl, and what it takes to keep them up.
#[derive(Debug)]
pub(super) struct Upkeep {
    pub(super) features: Features,
    /// `None` where the policy does not look at features.
    asked: Option<Asked>,
    is_loaded: bool,
}

impl Upkeep {
    /// Nothing is loaded yet.
    pub(super) fn new(policy: &dyn Policy, settings: &Settings) -> Result<Self, Failure> {
        let asked = if policy.needs_features() { Some(Asked::of(settings)?) } else { None };
        Ok(Self { features: Features::wanted_by(policy), asked, is_loaded: false })
    }

    /// Makes ready for a cycle: loads what the store has, the first time, with a bar where pages have
    /// to be read back. Whether that is done: `is_stopped` may end it.
    pub(super) fn prepare(
        &mut self,
        store: &Store,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, Failure> {
        let Some(asked) = &self.asked else { return Ok(true) };
        if !self.is_loaded {
            self.is_loaded =
                with_bar(is_stopped, |goes_on| store.load_features(&mut self.features, goes_on))?;
        }
        tell(asked, &mut self.features)?;
        Ok(self.is_loaded)
    }

    /// The features, for as long as a cycle has them.
    pub(super) fn take(&mut self) -> Features {
        std::mem::take(&mut self.features)
    }
}

/// What a policy would look at, if it planned now.
pub(super) fn seen(
    policy: &dyn Policy,
    view: &View,
    settings: &Settings,
) -> Result<Features, Failure> {
    let mut upkeep = Upkeep::new(policy, settings)?;
    if let Some(asked) = &upkeep.asked {
        let features = &mut upkeep.features;
        with_bar(&|| false, |goes_on| view.load_features(features, goes_on))?;
        tell(asked, features)?;
    }
    Ok(upkeep.features)
}

/// Has `features` be about the words that are asked for most now, in the languages of the pages that are
/// held now; about none where nobody has asked enough. At the start of every cycle, so that it does not
/// matter when the process was started.
fn tell(asked: &Asked, features: &mut Features) -> Result<(), Failure> {
    let languages: Vec<Language> = features.languages().into_iter().collect();
    let popular = |asked: Workload| Keyword::most_popular(&asked.prepare(&languages));
    features.ask(asked.workload()?.map_or(vec![], popular));
    Ok(())
}

fn with_bar(
    is_stopped: &dyn Fn() -> bool,
    load: impl FnOnce(&mut dyn FnMut(usize, usize) -> bool) -> Result<bool, StoreError>,
) -> Result<bool, Failure> {
    let bars = Bars::new(false);
    let is_whole = load(&mut |done, of| {
        bars.bar("reading pages for features", "pages", of as u64).set_position(done as u64);
        !is_stopped()
    });
    bars.clear();
    Ok(is_whole?)
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use flow::{
        Links, PageNo, Pages, Time,
        features::{Facts, WordCounts, term_hash},
        workload::Source,
    };

    use super::*;

    fn page(language: Language, terms: &[&str]) -> Facts {
        let words = WordCounts::of(terms.iter().map(|term| term_hash(term)).collect());
        Facts { language, words: Arc::new(words), ..Facts::default() }
    }

    fn features(facts: [Facts; 2]) -> Features {
        let mut features = Features::wanted();
        for (number, facts) in (0..).zip(facts) {
            features.restore(PageNo(number), facts);
        }
        features
    }

    /// By word, the pages that rank first.
    fn best(asked: &Asked, mut features: Features) -> Vec<Vec<PageNo>> {
        let mut pages = Pages::default();
        for address in ["a", "b"] {
            pages.admit(address, Time::from_millis(0));
        }
        tell(asked, &mut features).unwrap();
        features.begin_cycle(&pages, &Links::default());
        features.best_for_keywords().to_vec()
    }

    #[test]
    fn words_are_looked_for_in_the_languages_of_the_pages() {
        let queries = [("moons", 3.0), ("running", 1.0)];
        let queries = queries.map(|(text, frequency)| (text.to_owned(), frequency));
        let asked = Asked::File(Workload::new(Source::Log, queries));
        let english = page(Language::English, &["moon", "run"]);
        let other = page(Language::Other, &["running"]);
        let found = best(&asked, features([english, other.clone()]));
        assert_eq!(found, [vec![PageNo(0)], vec![PageNo(0), PageNo(1)]]);
        let found = best(&asked, features([page(Language::Other, &["moon", "run"]), other]));
        assert_eq!(found, [vec![], vec![PageNo(1)]]);
    }

    #[test]
    fn without_a_log_nothing_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let asked = Asked::Log(folder.path().to_owned());
        assert!(best(&asked, features([Facts::default(), Facts::default()])).is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
