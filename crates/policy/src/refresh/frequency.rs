//! Frequency: the page that was most often found changed first.
//!
//! "Freq" of Tan and Mitra, "Clustering-based incremental web crawling", TOIS 28(4), 2010: a
//! page's share of past visits that found a change. Only detected changes count, so a page that is
//! never visited keeps its share for ever. Pages never seen come first.
use flow::{Budget, Known, PageNo, Plan, Policy};

use crate::score;

/// Visits pages by their share of visits that found a change.
#[derive(Debug, Default)]
pub(crate) struct Frequency;

impl Policy for Frequency {
    fn name(&self) -> &'static str {
        "frequency"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| share_changed(known, page))
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
