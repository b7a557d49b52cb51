//! Round robin: every page in turn, the one not seen for longest first.
//!
//! The baseline of every table in the lab. It learns nothing. Pages never seen come before all others;
//! equal waits go by the byte order of addresses.
use crawl::{Budget, Known, Plan, Policy};

use crate::{PolicyEntry, score};

pub(crate) const ENTRY: PolicyEntry =
    PolicyEntry::new("round-robin", "the page not seen for longest first", |_, _| {
        Box::new(RoundRobin)
    });

/// Visits pages in order of their last visit.
#[derive(Clone, Debug)]
struct RoundRobin;

impl Policy for RoundRobin {
    fn name(&self) -> &'static str {
        "round-robin"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| score::age_days(known, page).unwrap_or(f64::INFINITY))
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
