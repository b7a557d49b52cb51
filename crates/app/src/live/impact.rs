//! Measures the impact of visits on search results, given a query workload and an index, and describes it
//! in words.
use crawl::{Instruments, Needs};
use index::Index;
use instruments::impact::Measure;
use store::VisitRow;
use text::{relevance::Scoring, words::Language, workload::Workload};

use super::query_source::QuerySource;
use crate::{failure::Failure, settings::Settings};

/// The share of the workload that must change before the instrument is made again. Making it reads the
/// postings of all query words.
const MOVED: f64 = 0.05;

/// How to measure the impact of visits, and by which queries.
#[derive(Debug)]
pub(super) struct ImpactSetup {
    queries: QuerySource,
    measure: Measure,
    /// The queries and the languages of the pages that the instrument was made for.
    known_queries: Option<(Workload, Vec<Language>)>,
}

impl ImpactSetup {
    /// Measures as the policy needs it, otherwise by the ranking of the search page. So a policy that is
    /// chosen later finds impacts in the log.
    pub(super) fn new(needs: &Needs, queries: QuerySource) -> Self {
        Self { queries, measure: measure(needs), known_queries: None }
    }

    /// Prepares a cycle: updates the instrument to the current workload. Without a workload, or with an
    /// empty index, nothing is measured.
    pub(super) fn prepare(
        &mut self,
        index: &Index,
        instruments: &mut Instruments,
    ) -> Result<(), Failure> {
        let languages = index.languages()?;
        let Some(workload) = self.queries.workload()?.filter(|_| !languages.is_empty()) else {
            return Ok(());
        };
        let is_known = self
            .known_queries
            .as_ref()
            .is_some_and(|(known, of)| *of == languages && known.distance(&workload) < MOVED);
        if !is_known {
            instruments.insert(index.impact(&workload.prepare(&languages), self.measure)?);
            self.known_queries = Some((workload, languages));
        }
        Ok(())
    }
}

fn measure(needs: &Needs) -> Measure {
    needs.find().copied().unwrap_or(Measure::by(Scoring::Bm25))
}

/// Adds the instrument that a policy would see if it planned now; none without a workload or an index.
pub(super) fn insert_current(
    instruments: &mut Instruments,
    needs: &Needs,
    settings: &Settings,
) -> Result<(), Failure> {
    let queries = if settings.index { QuerySource::open(settings)?.workload()? } else { None };
    let Some(queries) = queries else { return Ok(()) };
    let prepare = |languages: &[Language]| queries.prepare(languages);
    match index::impact(&settings.data, prepare, measure(needs)) {
        Ok(impact) => instruments.insert(impact),
        Err(error) if error.is_fixed_by_rebuild() => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// The impact of several visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    /// How many visits were measured.
    pub(crate) measured: usize,
    /// Their mean impact, as a share of the value of all search results.
    pub(crate) mean: f64,
}

impl Effects {
    /// Summarises visits. First visits do not count: they measure the value of the page, not of its
    /// changes.
    pub(crate) fn from_visits(visits: &[VisitRow]) -> Self {
        let again = visits.iter().filter(|visit| visit.since.is_some());
        let impacts: Vec<f64> = again
            .filter_map(|visit| visit.impact)
            .map(|impact| f64::from(impact.max(0.0)))
            .collect();
        let measured = impacts.len();
        Self { measured, mean: impacts.iter().sum::<f64>() / measured.max(1) as f64 }
    }

    /// In words; `None` if no visit was measured.
    pub(crate) fn words(&self) -> Option<String> {
        match self.measured {
            0 => None,
            1 => Some(format!("its last visit {}", words(self.mean))),
            visits if self.mean < LEAST_SHOWN => {
                Some(format!("its last {visits} visits {}", words(self.mean)))
            }
            visits => Some(format!("its last {visits} visits {} on average", words(self.mean))),
        }
    }
}

/// The impact of a visit, in words.
pub(crate) fn words(impact: f64) -> String {
    if impact < LEAST_SHOWN {
        return "did not change search results".to_owned();
    }
    format!("improved search results by {}", percent(impact))
}

/// The share of all views of search results that a page gets, in words.
pub(crate) fn exposure_words(exposure: f64) -> String {
    if exposure < LEAST_SHOWN {
        return "searchers hardly ever see it".to_owned();
    }
    format!("it gets {} of all views of search results", percent(exposure))
}

/// Smaller shares are shown as nothing.
const LEAST_SHOWN: f64 = 1e-7;

/// A share in percent with two significant digits.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = (1.0 - percent.log10().floor()).clamp(0.0, 5.0) as usize;
    format!("{percent:.digits$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_two_significant_digits() {
        let shown = [0.5, 0.123, 0.012_3, 0.001_23, 0.000_004_56].map(percent);
        assert_eq!(shown, ["50 %", "12 %", "1.2 %", "0.12 %", "0.00046 %"]);
        assert_eq!(words(0.0), "did not change search results");
        assert_eq!(words(-0.1), "did not change search results");
        assert_eq!(words(0.000_12), "improved search results by 0.012 %");
        assert_eq!(exposure_words(0.004), "it gets 0.40 % of all views of search results");
    }

    #[test]
    fn visits_are_summarised_in_words() {
        assert_eq!(Effects::from_visits(&[]).words(), None);
        let effects = Effects { measured: 3, mean: 0.01 };
        let words = "its last 3 visits improved search results by 1.0 % on average";
        assert_eq!(effects.words().as_deref(), Some(words));
        let effects = Effects { measured: 3, mean: 0.0 };
        let words = "its last 3 visits did not change search results";
        assert_eq!(effects.words().as_deref(), Some(words));
    }
}
