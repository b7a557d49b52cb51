//! How much of the web is held.
use super::ratio;
use crate::inspect::Inspection;

/// Held pages that are alive / pages alive.
pub(super) fn coverage(cycle: &Inspection<'_>) -> Option<f64> {
    let held_alive = cycle.held.iter().filter(|page| page.alive).count();
    ratio(held_alive as f64, cycle.alive as f64)
}
