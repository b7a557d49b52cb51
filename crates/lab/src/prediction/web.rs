//! One web of which every day is known: how its pages' labels turn, and which of them are forecast.
use std::sync::{Arc, OnceLock};

use flow::{Time, features::Look};
use policy::predict::experts::{Choosing, Company, Relation, choose};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Agreement, Days, Label, changed, flips,
    settings::{BACK, CHOICE_STEP, COUNTS, Extent, FEWEST_DAYS, FEWEST_EVENTFUL, FILTERS, WINDOW},
};
use crate::{
    compare::{Texts, TextsError},
    truth::Truth,
};

/// A web in numbers, and its days where any page of it can be forecast.
#[derive(Debug)]
pub(crate) struct Web {
    /// Its name.
    pub(crate) name: String,
    /// Its pages over the whole time.
    pub(crate) pages: usize,
    /// Those that live long enough to be tested.
    pub(crate) lasting: usize,
    /// By label as in [`Label::ALL`], the mean over these of the share of days with a change.
    pub(crate) changed: [f64; 4],
    /// By filter as in [`FILTERS`], how many pages pass it.
    pub(crate) passing: [usize; 8],
    /// Days from one on which anything changes to the next, at least, where its history is coalesced.
    pub(crate) coalesced: Option<usize>,
    /// How the test on kept words agrees with that on texts.
    pub(crate) agreement: Agreement,
    /// By filter, the pages that are forecast, in the order in which they were drawn.
    drawn: [Vec<usize>; 8],
    /// Its days; `None` where no page is forecast.
    days: Option<Days>,
    /// By relation as in [`Relation::ALL`], the experts of all drawn pages.
    choices: [OnceLock<Vec<Choice>>; 4],
}

/// The experts of pages from a day on.
#[derive(Debug)]
pub(crate) struct Choice {
    /// The instant as of which they were chosen.
    pub(crate) at: Time,
    /// By page; empty for those that nobody asked about.
    pub(crate) companies: Vec<Company>,
}

impl Web {
    /// Works out the days of a web with daily cycles, and draws the pages that are forecast.
    ///
    /// # Errors
    /// When the texts cannot be read.
    pub(crate) fn new(
        truth: &Arc<Truth>,
        texts: &dyn Texts,
        extent: Extent,
    ) -> Result<Self, TextsError> {
        let days = Days::new(truth, texts)?;
        let of_page = |page: usize| {
            let labels = Label::ALL.map(|(_, label)| days.labels(page, label));
            (labels[0].len() >= FEWEST_DAYS)
                .then(|| (page, labels.each_ref().map(|labels| (changed(labels), flips(labels)))))
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
            choices: Default::default(),
        })
    }

    /// Its days and the pages that are forecast by a filter; `None` where there are none.
    pub(crate) fn forecast(&self, filter: usize) -> Option<(&Days, &[usize])> {
        self.days
            .as_ref()
            .map(|days| (days, self.drawn[filter].as_slice()))
            .filter(|it| !it.1.is_empty())
    }

    /// The experts of all drawn pages by a relation, as many as any question asks for, chosen anew every few
    /// days from what was seen until then.
    pub(crate) fn choices(&self, relation: Relation) -> &[Choice] {
        let place = Relation::ALL.iter().position(|(_, other)| *other == relation);
        self.choices[place.unwrap_or_default()].get_or_init(|| match &self.days {
            None => vec![],
            Some(days) => {
                let times = (looks_before(WINDOW)..days.last()).step_by(CHOICE_STEP);
                times.map(|day| self.choice(days, relation, day)).collect()
            }
        })
    }

    fn choice(&self, days: &Days, relation: Relation, day: usize) -> Choice {
        let at = days.instant(day);
        let looks = days.looks(Label::Any);
        let pasts: Vec<&[Look]> = looks.iter().map(|looks| until(looks, at)).collect();
        let links = |page: usize| days.links(page, day);
        let wanted = |page: usize| self.drawn.iter().any(|drawn| drawn.contains(&page));
        let companies = choose(&choosing(relation), &pasts, &links, at, &wanted);
        Choice { at, companies }
    }
}

/// How experts are chosen by a relation: as many as any question asks for, of whom others take the first.
pub(crate) fn choosing(relation: Relation) -> Choosing {
    let experts = COUNTS.into_iter().max().unwrap_or_default();
    Choosing { relation, experts, days: WINDOW, ..Choosing::default() }
}

/// Looks before the first test of a page: all examples of the window, and what the first looks back on.
pub(crate) const fn looks_before(window: usize) -> usize {
    window + BACK + 1
}

/// The looks at or before an instant.
pub(crate) fn until(looks: &[Look], now: Time) -> &[Look] {
    &looks[..looks.partition_point(|look| look.at <= now)]
}

/// The shortest time from one eventful day to the next, where it is never the next day.
fn coalesced(eventful: &[usize]) -> Option<usize> {
    let gap = eventful.windows(2).map(|two| two[1] - two[0]).min()?;
    (eventful.len() >= FEWEST_EVENTFUL && gap > 1).then_some(gap)
}

/// Some of the pages, drawn by their addresses.
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
        // A site on which hardly anything happens is no such history.
        assert_eq!(coalesced(&every(9, 5)), None);
        let mut once = every(4, 50);
        once.push(4 * 49 + 1);
        assert_eq!(coalesced(&once), None);
    }
}
