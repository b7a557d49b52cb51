//! The repository of a run whose visits are measured: what each does to the answers that searchers get.
//!
//! A replay leaves texts on disk, so what pages hold of the workload comes from the profiles that
//! [`Quality`] has of every reading.
use std::sync::Arc;

use flow::{
    Kept, Links, MemoryRepository, Observation, Outcome, PageNo, Pages, Repository, Result,
    Snapshot, State,
    impact::{Measure, Meter, Standings},
};

use crate::{quality::Quality, truth::Truth};

/// Holds snapshots in memory and measures the impact of visits.
pub(crate) struct MeasuredRepository {
    memory: MemoryRepository,
    truth: Arc<Truth>,
    quality: Arc<Quality>,
    meter: Meter,
    /// By page, the reading that is held.
    readings: Vec<Option<u32>>,
    /// Cycles begun: all visits of a cycle see the web at one instant.
    cycle: usize,
}

impl MeasuredRepository {
    /// Begins with what `memory` holds, which is not measured.
    pub(crate) fn new(
        memory: MemoryRepository,
        truth: Arc<Truth>,
        quality: Arc<Quality>,
        measure: Measure,
    ) -> Self {
        let meter = Meter::new(quality.told(), measure);
        Self { memory, truth, quality, meter, readings: vec![], cycle: 0 }
    }

    /// The readings of what was held before the first cycle.
    fn find_readings(&mut self, pages: &Pages) {
        let reading = |page: PageNo| {
            let seen = pages.last_seen(page).filter(|_| pages.state(page) == State::Held)?;
            let number = self.truth.find(pages.address(page))?;
            self.truth.reading(number, self.truth.grid().number(seen))
        };
        self.readings = pages.numbers().map(reading).collect();
    }
}

impl Repository for MeasuredRepository {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.memory.held(page)
    }

    fn begin_cycle(&mut self, pages: &Pages, links: &Links) -> Result<()> {
        if self.cycle == 0 {
            self.find_readings(pages);
        }
        self.cycle += 1;
        if self.meter.is_due() {
            let standings = Standings::of(self.meter.measure().scoring, pages, links);
            let Self { meter, quality, readings, .. } = self;
            let profiles = (0_u32..)
                .zip(readings.iter())
                .filter_map(|(page, &reading)| Some((PageNo(page), quality.profile(reading?)?)));
            meter.fit(profiles, standings);
        }
        Ok(())
    }

    fn impact(
        &mut self,
        page: PageNo,
        address: &str,
        outcome: Outcome,
        new: Option<&Arc<Snapshot>>,
    ) -> Result<Option<f32>> {
        let after = match (outcome, new) {
            (Outcome::Gone, _) => None,
            (_, Some(_)) => {
                self.truth.find(address).and_then(|page| self.truth.reading(page, self.cycle))
            }
            (Outcome::Same, None) => return Ok(Some(0.0)),
            _ => return Ok(None),
        };
        if self.readings.len() <= page.index() {
            self.readings.resize(page.index() + 1, None);
        }
        let before = std::mem::replace(&mut self.readings[page.index()], after);
        let profile = |reading: Option<u32>| self.quality.profile(reading?);
        let moved = self.meter.visit(page, profile(before), profile(after));
        Ok(moved.map(|moved| moved.gain))
    }

    fn exposures(&self) -> &[f32] {
        self.meter.exposures()
    }

    fn keep(&mut self, kept: Kept<'_>) -> Result<()> {
        self.memory.keep(kept)
    }

    fn play_log(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.memory.play_log(each)
    }

    fn commit(&mut self) -> Result<()> {
        self.memory.commit()
    }
}
