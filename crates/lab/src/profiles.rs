//! The word source of the impact instrument in a replay.
//!
//! A replay leaves texts on disk, so the words of pages come from the profiles that [`Quality`] has
//! of every reading.
use std::sync::Arc;

use crawl::{Outcome, PageNo, Pages, State, Visited};
use instruments::impact::{Impact, Measure, MeasureMove, Meter, Profiles};
use text::relevance::Profile;

use crate::{quality::Quality, truth::GroundTruth};

/// The held reading of every page, by the ground truth.
#[derive(Clone)]
struct ReplayProfiles {
    truth: Arc<GroundTruth>,
    quality: Arc<Quality>,
    /// By page, the reading that is held.
    readings: Vec<Option<u32>>,
    /// Cycles begun: all visits of a cycle see the web at the same instant.
    cycle: usize,
}

/// The instrument of a run. Pages held before the first cycle are not measured.
pub(crate) fn impact(truth: Arc<GroundTruth>, quality: Arc<Quality>, measure: Measure) -> Impact {
    let meter = Meter::new(quality.known_queries(), measure);
    Impact::new(meter, Box::new(ReplayProfiles { truth, quality, readings: vec![], cycle: 0 }))
}

impl std::fmt::Debug for ReplayProfiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplayProfiles").field("cycle", &self.cycle).finish_non_exhaustive()
    }
}

impl ReplayProfiles {
    /// The readings held before the first cycle.
    fn find_readings(&mut self, pages: &Pages) {
        let reading = |page: PageNo| {
            let seen = pages.last_seen(page).filter(|_| pages.state(page) == State::Held)?;
            let number = self.truth.find(pages.address(page))?;
            self.truth.reading(number, self.truth.grid().number(seen))
        };
        self.readings = pages.numbers().map(reading).collect();
    }
}

impl Profiles for ReplayProfiles {
    fn begin_cycle(&mut self, pages: &Pages) {
        if self.cycle == 0 {
            self.find_readings(pages);
        }
        self.cycle += 1;
    }

    fn held(&self) -> Vec<(PageNo, &Profile)> {
        let profile = |(page, &reading): (u32, &Option<u32>)| {
            Some((PageNo(page), self.quality.profile(reading?)?))
        };
        (0_u32..).zip(&self.readings).filter_map(profile).collect()
    }

    fn visited(&mut self, visit: &Visited<'_>, measure: MeasureMove<'_>) -> Option<f32> {
        let after = match (visit.outcome, visit.new) {
            (Outcome::Gone, _) => None,
            (_, Some(_)) => {
                self.truth.find(visit.address).and_then(|page| self.truth.reading(page, self.cycle))
            }
            (Outcome::Same, None) => return Some(0.0),
            _ => return None,
        };
        let row = visit.page.index();
        if self.readings.len() <= row {
            self.readings.resize(row + 1, None);
        }
        let before = std::mem::replace(&mut self.readings[row], after);
        let profile = |reading: Option<u32>| self.quality.profile(reading?);
        measure(profile(before), profile(after))
    }

    fn fork(&self) -> Box<dyn Profiles> {
        Box::new(self.clone())
    }
}
