//! Metrics of searching the repository, which need a workload.
//!
//! [`crate::quality`] computes them once per cycle. Without a workload all of them are undefined.
use text::relevance::Scoring;

use crate::{inspect::Inspection, quality::SearchMetrics};

pub(super) fn quality_tf_idf(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.quality(Scoring::TfIdf)
}

pub(super) fn quality_in_links(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.quality(Scoring::InLinks)
}

pub(super) fn quality_blend(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.quality(Scoring::Blend)
}

pub(super) fn freshness_at_10(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.freshness
}

pub(super) fn freshness_at_10_literal(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.freshness_literal
}

pub(super) fn precision_at_10(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.precision
}

pub(super) fn precision_at_10_literal(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.precision_literal
}

pub(super) fn embarrassment(cycle: &Inspection<'_>) -> Option<f64> {
    metrics(cycle)?.embarrassment
}

fn metrics<'a>(cycle: &'a Inspection<'_>) -> Option<&'a SearchMetrics> {
    cycle.quality
}
