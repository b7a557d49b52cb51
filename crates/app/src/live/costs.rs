//! Costs of visits, for budgets in bytes or time.
use crawl::Allowance;
use instruments::costs::Costs;
use store::CycleSummary;

use crate::settings::Settings;

/// The costs that a budget needs: none where it is in visits.
pub(super) fn needed(budget: Option<Allowance>) -> Option<Costs> {
    match budget {
        Some(Allowance::Bytes(_) | Allowance::Time(_)) => Some(Costs::default()),
        Some(Allowance::Visits(_)) | None => None,
    }
}

/// The budget of the next cycle: that of the settings, otherwise that of the last refresh.
pub(super) fn next_budget(settings: &Settings, cycles: &[CycleSummary]) -> Option<Allowance> {
    let mut refreshes = cycles.iter().filter(|cycle| cycle.kind == "refresh");
    settings.budget.or_else(|| refreshes.next_back()?.budget)
}
