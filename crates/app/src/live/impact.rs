//! Measures what visits do to answers, where it is known what people ask for and there is an index; and
//! tells it in words.
use flow::{
    Links, Pages, Policy, impact::Measure, relevance::Scoring, words::Language, workload::Workload,
};
use index::Index;
use store::VisitRow;

use super::asked::Asked;
use crate::{failure::Failure, settings::Settings};

/// The share of all asking that must have moved before the index is told anew: that takes reading the
/// postings of all words that are asked for.
const MOVED: f64 = 0.05;

/// What is measured by, and whether the index does already.
#[derive(Debug)]
pub(super) struct Gauge {
    asked: Asked,
    measure: Measure,
    /// What the index was told, and the languages of its pages then.
    told: Option<(Workload, Vec<Language>)>,
}

impl Gauge {
    /// As the policy wants it, else by what our own search ranks by: what a policy learns from that is
    /// chosen later is then in the log already.
    pub(super) fn new(policy: &dyn Policy, asked: Asked) -> Self {
        Self { asked, measure: wanted(policy), told: None }
    }

    /// Makes ready for a cycle: the index measures by what is asked now. Where nobody has asked enough,
    /// or nothing can be found yet, nothing is measured.
    pub(super) fn prepare(&mut self, index: &mut Index) -> Result<(), Failure> {
        let languages = index.languages()?;
        let Some(workload) = self.asked.workload()?.filter(|_| !languages.is_empty()) else {
            return Ok(());
        };
        let is_told = self
            .told
            .as_ref()
            .is_some_and(|(told, of)| *of == languages && told.distance(&workload) < MOVED);
        if !is_told {
            index.measure(&workload.prepare(&languages), self.measure)?;
            self.told = Some((workload, languages));
        }
        Ok(())
    }
}

fn wanted(policy: &dyn Policy) -> Measure {
    policy.measure().unwrap_or(Measure::by(Scoring::Bm25))
}

/// How much searchers look at each page, by page number, as a policy that looks at that would see it now;
/// nothing where it does not, or nobody has asked enough, or there is no index.
pub(super) fn exposures(
    policy: &dyn Policy,
    settings: &Settings,
    pages: &Pages,
    links: &Links,
) -> Result<Vec<f32>, Failure> {
    let asked = if settings.index { Asked::of(settings)?.workload()? } else { None };
    let Some(asked) = asked else { return Ok(vec![]) };
    let prepare = |languages: &[Language]| asked.prepare(languages);
    match index::exposures(&settings.data, prepare, wanted(policy), pages, links) {
        Ok(exposures) => Ok(exposures),
        Err(error) if error.is_mended_by_rebuilding() => Ok(vec![]),
        Err(error) => Err(error.into()),
    }
}

/// What visits did to answers, in words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    /// How many visits were measured.
    pub(crate) measured: usize,
    /// What each did on average, as a share of what all answers are worth.
    pub(crate) mean: f64,
}

impl Effects {
    /// Of some visits. That a page was held for the first time is not counted: it says what the page is
    /// worth, not what its changes are.
    pub(crate) fn of(visits: &[VisitRow]) -> Self {
        let again = visits.iter().filter(|visit| visit.since.is_some());
        let impacts: Vec<f64> = again
            .filter_map(|visit| visit.impact)
            .map(|impact| f64::from(impact.max(0.0)))
            .collect();
        let measured = impacts.len();
        Self { measured, mean: impacts.iter().sum::<f64>() / measured.max(1) as f64 }
    }

    /// In words; `None` where no visit was measured.
    pub(crate) fn words(&self) -> Option<String> {
        match self.measured {
            0 => None,
            1 => Some(format!("its last visit {}", words(self.mean))),
            visits => {
                Some(format!("its last {visits} visits {} each on average", words(self.mean)))
            }
        }
    }
}

/// What one visit did to answers, in words.
pub(crate) fn words(impact: f64) -> String {
    if impact < LEAST_TOLD {
        return "made no difference to search results".to_owned();
    }
    format!("made search results {} better", percent(impact))
}

/// The share of all looks at results that falls on a page, in words.
pub(crate) fn exposure_words(exposure: f64) -> String {
    if exposure < LEAST_TOLD {
        return "searchers hardly ever see it".to_owned();
    }
    format!("{} of all looks at search results fall on it", percent(exposure))
}

/// Less than this is told as nothing: a hundred-thousandth of a hundredth.
const LEAST_TOLD: f64 = 1e-7;

/// A share in percent with two digits that count.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = (1.0 - percent.log10().floor()).clamp(0.0, 5.0) as usize;
    format!("{percent:.digits$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_with_two_digits_that_count() {
        let told = [0.5, 0.123, 0.012_3, 0.001_23, 0.000_004_56].map(percent);
        assert_eq!(told, ["50 %", "12 %", "1.2 %", "0.12 %", "0.00046 %"]);
        assert_eq!(words(0.0), "made no difference to search results");
        assert_eq!(words(-0.1), "made no difference to search results");
        assert_eq!(words(0.000_12), "made search results 0.012 % better");
        assert_eq!(exposure_words(0.004), "0.40 % of all looks at search results fall on it");
    }

    #[test]
    fn effects_of_no_visit_are_not_told() {
        assert_eq!(Effects::of(&[]).words(), None);
        let effects = Effects { measured: 3, mean: 0.01 };
        let words = "its last 3 visits made search results 1.0 % better each on average";
        assert_eq!(effects.words().as_deref(), Some(words));
    }
}
