//! A web of which every day is known: how often labels change, and which pages are forecast.
use std::sync::{Arc, OnceLock};

use crawl::Time;
use instruments::features::VisitRecord;
use lab::{
    compare::{Texts, TextsError},
    truth::GroundTruth,
};
use policy::predict::experts::{ExpertSettings, Neighbours, Relation, choose};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::radinsky_2013::forecast::{
    Agreement, Days, Label, changed,
    settings::{BACK, CHOICE_STEP, COUNTS, Extent, FEWEST_DAYS, FEWEST_EVENTFUL, FILTERS, WINDOW},
    share_of_turns,
};

/// The statistics of a web, with its days if any of its pages can be forecast.
#[derive(Debug)]
pub(crate) struct Web {
    /// Its name.
    pub(crate) name: String,
    /// Its pages over the whole time.
    pub(crate) pages: usize,
    /// Its pages that live long enough to be tested.
    pub(crate) lasting: usize,
    /// By label as in [`Label::ALL`], the share of days with a change, as a mean over these pages.
    pub(crate) changed: [f64; 4],
    /// By filter as in [`FILTERS`], the number of pages that pass it.
    pub(crate) passing: [usize; 8],
    /// The fewest days between days with changes, where its history is coalesced.
    pub(crate) coalesced: Option<usize>,
    /// How the test on stored words agrees with that on whole texts.
    pub(crate) agreement: Agreement,
    /// By filter, the pages that are forecast, in random order.
    drawn: [Vec<usize>; 8],
    /// By filter, the pages that are crawled in figure 8, in random order.
    crawled: [Vec<usize>; 8],
    /// Its days; `None` if no page is forecast.
    days: Option<Days>,
    /// By relation as in [`Relation::ALL`], the experts of all drawn pages.
    choices: [OnceLock<Vec<ExpertChoice>>; 4],
}

/// The experts of pages from a day on.
#[derive(Debug)]
pub(crate) struct ExpertChoice {
    /// The instant as of which they were chosen.
    pub(crate) at: Time,
    /// By page; empty for pages that are not forecast.
    pub(crate) neighbours: Vec<Neighbours>,
}

impl Web {
    /// Prepares the days of a web with daily cycles, and draws the pages that are forecast.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub(crate) fn new(
        truth: &Arc<GroundTruth>,
        texts: &dyn Texts,
        extent: Extent,
    ) -> Result<Self, TextsError> {
        let days = Days::new(truth, texts)?;
        let of_page = |page: usize| {
            let labels = Label::ALL.map(|(_, label)| days.labels(page, label));
            (labels[0].len() >= FEWEST_DAYS).then(|| {
                (page, labels.each_ref().map(|labels| (changed(labels), share_of_turns(labels))))
            })
        };
        let lasting: Vec<(usize, [(f64, f64); 4])> =
            (0..days.pages()).into_par_iter().filter_map(of_page).collect();
        let passing = FILTERS.map(|(label, alpha)| {
            let place = Label::ALL.iter().position(|(_, other)| *other == label);
            let turns =
                |turns: &[(f64, f64); 4]| place.is_some_and(|place| turns[place].1 >= alpha);
            let passing = lasting.iter().filter(|(_, page)| turns(page));
            passing.map(|(page, _)| *page).collect::<Vec<_>>()
        });
        let coalesced = coalesced(&days.eventful());
        let most = if coalesced.is_some() { 0 } else { extent.pages };
        let drawn = passing.each_ref().map(|pages| drawn(&days, pages, most));
        let most = if coalesced.is_some() { 0 } else { extent.crawled };
        let crawled = passing.each_ref().map(|pages| self::drawn(&days, pages, most));
        let count = lasting.len().max(1) as f64;
        let mean =
            |place: usize| lasting.iter().map(|(_, turns)| turns[place].0).sum::<f64>() / count;
        Ok(Self {
            name: days.name().to_owned(),
            pages: days.pages(),
            lasting: lasting.len(),
            changed: [0, 1, 2, 3].map(mean),
            passing: passing.each_ref().map(Vec::len),
            coalesced,
            agreement: days.agreement,
            days: drawn.iter().any(|pages| !pages.is_empty()).then_some(days),
            drawn,
            crawled,
            choices: Default::default(),
        })
    }

    /// Its days and the pages that are forecast by a filter; `None` if there are none.
    pub(crate) fn forecast(&self, filter: usize) -> Option<(&Days, &[usize])> {
        self.days
            .as_ref()
            .map(|days| (days, self.drawn[filter].as_slice()))
            .filter(|it| !it.1.is_empty())
    }

    /// Its days and the pages that are crawled by a filter; `None` if there are none.
    pub(crate) fn crawled(&self, filter: usize) -> Option<(&Days, &[usize])> {
        let days = self.days.as_ref()?;
        Some((days, self.crawled[filter].as_slice())).filter(|it| !it.1.is_empty())
    }

    /// The experts of all drawn pages by a relation, as many as any question needs, chosen again
    /// every few days from the visits until then.
    pub(crate) fn choices(&self, relation: Relation) -> &[ExpertChoice] {
        let place = Relation::ALL.iter().position(|(_, other)| *other == relation);
        self.choices[place.unwrap_or_default()].get_or_init(|| match &self.days {
            None => vec![],
            Some(days) => {
                let times = (visits_before(WINDOW)..days.last()).step_by(CHOICE_STEP);
                times.map(|day| self.choice(days, relation, day)).collect()
            }
        })
    }

    fn choice(&self, days: &Days, relation: Relation, day: usize) -> ExpertChoice {
        let at = days.instant(day);
        let visits = days.visits(Label::Any);
        let pasts: Vec<&[VisitRecord]> = visits.iter().map(|visits| until(visits, at)).collect();
        let links = |page: usize| days.links(page, day);
        let wanted = |page: usize| self.drawn.iter().any(|drawn| drawn.contains(&page));
        let neighbours = choose(&choosing(relation), &pasts, &links, at, &wanted);
        ExpertChoice { at, neighbours }
    }
}

/// How experts are chosen by a relation: as many as any question needs; others take the first.
pub(crate) fn choosing(relation: Relation) -> ExpertSettings {
    let experts = COUNTS.into_iter().max().unwrap_or_default();
    ExpertSettings { relation, experts, days: WINDOW, ..ExpertSettings::default() }
}

/// Visits before the first test of a page: the examples of the window, and those before the first.
pub(crate) const fn visits_before(window: usize) -> usize {
    window + BACK + 1
}

/// The visits at or before an instant.
pub(crate) fn until(visits: &[VisitRecord], now: Time) -> &[VisitRecord] {
    &visits[..visits.partition_point(|visit| visit.at <= now)]
}

/// The fewest days from one day with changes to the next, where that is more than one.
fn coalesced(eventful: &[usize]) -> Option<usize> {
    let gap = eventful.windows(2).map(|two| two[1] - two[0]).min()?;
    (eventful.len() >= FEWEST_EVENTFUL && gap > 1).then_some(gap)
}

/// A random choice of pages, by the hash of their addresses.
fn drawn(days: &Days, pages: &[usize], most: usize) -> Vec<usize> {
    let mut drawn = pages.to_vec();
    drawn.sort_by_key(|&page| (xxh3_64(days.address(page).as_bytes()), page));
    drawn.truncate(most);
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_whose_days_never_follow_each_other_is_coalesced() {
        let every =
            |days: usize, count: usize| -> Vec<usize> { (0..count).map(|n| n * days).collect() };
        assert_eq!(coalesced(&every(4, 50)), Some(4));
        assert_eq!(coalesced(&every(1, 50)), None);
        // A site with hardly any change is not coalesced.
        assert_eq!(coalesced(&every(9, 5)), None);
        let mut once = every(4, 50);
        once.push(4 * 49 + 1);
        assert_eq!(coalesced(&once), None);
    }
}
