//! Costs of visits, for budgets in bytes or time: loaded when a crawl continues.
use crawl::{Allowance, Instruments};
use instruments::costs::Costs;
use store::{CycleSummary, Store, View};

use super::features::with_bar;
use crate::{failure::Failure, settings::Settings};

/// What the progress bar says.
const READING: &str = "reading pages for their sizes";

/// Loads the costs of a crawl once.
#[derive(Debug)]
pub(super) struct CostStore {
    is_loaded: bool,
}

impl CostStore {
    /// Adds the instrument if the budget is not in visits. Nothing is loaded yet.
    pub(super) fn new(budget: Option<Allowance>, instruments: &mut Instruments) -> Self {
        let is_needed = matches!(budget, Some(Allowance::Bytes(_) | Allowance::Time(_)));
        if is_needed {
            instruments.insert(Costs::default());
        }
        Self { is_loaded: !is_needed }
    }

    /// Loads the stored costs the first time, with a progress bar. Pages without any are read from the
    /// archive. Returns false if `is_stopped` ended that early.
    pub(super) fn prepare(
        &mut self,
        store: &Store,
        instruments: &mut Instruments,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, Failure> {
        if !self.is_loaded
            && let Some(costs) = instruments.find_mut::<Costs>()
        {
            let load = |goes_on: &mut dyn FnMut(usize, usize) -> bool| {
                store.load_instrument(costs, goes_on)
            };
            self.is_loaded = with_bar(READING, is_stopped, load)?;
        }
        Ok(self.is_loaded)
    }
}

/// The budget of the next cycle: that of the settings, otherwise that of the last refresh.
pub(super) fn next_budget(settings: &Settings, cycles: &[CycleSummary]) -> Option<Allowance> {
    let mut refreshes = cycles.iter().filter(|cycle| cycle.kind == "refresh");
    settings.budget.or_else(|| refreshes.next_back()?.budget)
}

/// Adds the costs that the loop would see if it planned now.
pub(super) fn insert_current(
    instruments: &mut Instruments,
    settings: &Settings,
    cycles: &[CycleSummary],
    view: &View,
) -> Result<(), Failure> {
    CostStore::new(next_budget(settings, cycles), instruments);
    if let Some(costs) = instruments.find_mut::<Costs>() {
        with_bar(READING, &|| false, |goes_on| view.load_instrument(costs, goes_on))?;
    }
    Ok(())
}
