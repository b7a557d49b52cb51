//! Round robin: every page in turn, the one not seen for longest first.
//!
//! The baseline of every table in the lab. It learns nothing, so it cannot be fooled. Pages never
//! seen come before all others; equal waits go by the byte order of addresses.
use flow::{Budget, Known, Plan, Policy};

use crate::score;

/// Visits pages in order of their last visit.
#[derive(Debug, Default)]
pub(crate) struct RoundRobin;

impl Policy for RoundRobin {
    fn name(&self) -> &'static str {
        "round-robin"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| score::age_days(known, page).unwrap_or(f64::INFINITY))
    }
}
