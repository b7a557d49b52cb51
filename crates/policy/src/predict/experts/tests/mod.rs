//! Experts on made-up pages: against the definitions, and on examples worked out by hand.
mod brute;
mod edges;
mod examples;
mod follow;
mod properties;
mod pruning;

use std::sync::Arc;

use flow::{
    Span, Time,
    features::{Changes, Look, TermHash, WordCounts},
};

use super::*;

/// The end of a day.
fn day(day: i64) -> Time {
    Time::from_millis(0) + Span::from_days(day)
}

fn look(at: Time, terms: &[TermHash]) -> Look {
    Look { at, changes: Changes::default(), words: Arc::new(WordCounts::of(terms.to_vec())) }
}

/// A look a day, from day 0 on.
fn daily(days: &[&[TermHash]]) -> Vec<Look> {
    days.iter().enumerate().map(|(number, terms)| look(day(number as i64), terms)).collect()
}

fn slices(pasts: &[Vec<Look>]) -> Vec<&[Look]> {
    pasts.iter().map(Vec::as_slice).collect()
}

fn no_links(_: usize) -> Vec<usize> {
    vec![]
}

fn everyone(_: usize) -> bool {
    true
}

/// All pairs compared, and as many experts as there are pages.
fn all_pairs(relation: Relation, days: usize) -> Choosing {
    Choosing { relation, experts: usize::MAX >> 8, days, candidates: 0, ..Choosing::default() }
}

fn chosen(choosing: &Choosing, pasts: &[Vec<Look>], now: i64) -> Vec<Company> {
    choose(choosing, &slices(pasts), &no_links, day(now), &everyone)
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9
}

/// The weight of a page in a company; 0 where it is not in it.
fn weight_of(company: &Company, page: usize) -> f64 {
    company.experts.iter().find(|expert| expert.page == page).map_or(0.0, |expert| expert.weight)
}
