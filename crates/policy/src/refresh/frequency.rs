//! Frequency: the page that was most often found changed first.
//!
//! "Freq" of Tan and Mitra, "Clustering-based incremental web crawling", TOIS 28(4), 2010: the share of
//! past visits to a page that found a change. Only detected changes count, so a page that is never
//! visited keeps its share for ever. Pages never seen come first.
use crawl::{Budget, Known, PageNo, Plan, Policy};

use crate::{PolicyEntry, lacks::never_compared, score};

pub(crate) const ENTRY: PolicyEntry =
    PolicyEntry::new("frequency", "the page most often found changed first", |_, _| {
        Box::new(Frequency)
    });

/// Visits pages by their share of visits that found a change.
#[derive(Clone, Debug)]
struct Frequency;

impl Policy for Frequency {
    fn name(&self) -> &'static str {
        "frequency"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| share_changed(known, page))
    }

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        let instead = "the page not seen for longest is visited first";
        never_compared(known, instead).into_iter().collect()
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

fn share_changed(known: &Known<'_>, page: PageNo) -> f64 {
    match known.pages.visits(page) {
        0 => f64::INFINITY,
        // The first visit compares nothing.
        1 => 0.0,
        visits => f64::from(known.pages.changes(page)) / f64::from(visits - 1),
    }
}
