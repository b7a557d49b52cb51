//! Experts on synthetic pages: compared with the definitions, and on examples worked out by hand.
mod brute;
mod edges;
mod examples;
mod follow;
mod properties;
mod pruning;

use std::sync::Arc;

use crawl::{Span, Time};
use instruments::features::{Changes, VisitRecord};
use text::counts::{TermHash, WordCounts};

use super::*;
use crate::testing::day;

fn record(at: Time, terms: &[TermHash]) -> VisitRecord {
    VisitRecord {
        at,
        changes: Changes::default(),
        words: Arc::new(WordCounts::from_terms(terms.to_vec())),
    }
}

/// A visit a day, from day 0 on.
fn daily(days: &[&[TermHash]]) -> Vec<VisitRecord> {
    days.iter().enumerate().map(|(number, terms)| record(day(number as i64), terms)).collect()
}

fn slices(histories: &[Vec<VisitRecord>]) -> Vec<&[VisitRecord]> {
    histories.iter().map(Vec::as_slice).collect()
}

fn no_links(_: usize) -> Vec<usize> {
    vec![]
}

fn everyone(_: usize) -> bool {
    true
}

/// All pairs compared, and no limit on experts.
fn all_pairs(relation: Relation, days: usize) -> ExpertSettings {
    ExpertSettings {
        relation,
        experts: usize::MAX >> 8,
        days,
        candidates: 0,
        ..ExpertSettings::default()
    }
}

fn chosen(settings: &ExpertSettings, histories: &[Vec<VisitRecord>], now: i64) -> Vec<Neighbours> {
    choose(settings, &slices(histories), &no_links, day(now), &everyone)
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9
}

/// The weight of a page as an expert; 0 if it is not one.
fn weight_of(neighbours: &Neighbours, page: usize) -> f64 {
    neighbours.experts.iter().find(|expert| expert.page == page).map_or(0.0, |expert| expert.weight)
}
