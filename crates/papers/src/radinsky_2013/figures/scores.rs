//! Proper scores, calibration, and bounds in hindsight (`docs/papers.md` C6).
use std::sync::Arc;

use lab::report::figure::{Cell, Figure, Series, Table};
use learn::scores::Scores;
use policy::predict::learn::Method;

use crate::{
    draw::{cell, plot, table},
    radinsky_2013::{
        figures::{
            Answered, Forecasts,
            accuracy::{BASELINES, COMBINED, baselines, combined},
        },
        forecast::{PageAnswers, Test, Web},
    },
    sample::Estimate,
};

pub(crate) fn figure(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let plain = baselines(forecasts, webs, forecasts.primary);
    let more = combined(forecasts, webs);
    let all: Vec<(&str, Method, &Answered)> = BASELINES
        .iter()
        .map(|&(name, method)| (name, method, &plain))
        .chain(COMBINED.iter().map(|&(name, method)| (name, method, &more)))
        .collect();
    let heads = ["method", "accuracy", "log loss", "Brier score", "calibration error"];
    let row = |&(name, method, answered): &(&str, Method, &Answered)| {
        let of_page = |of: fn(&Scores) -> Option<f64>| {
            let value =
                |page: &PageAnswers, place: usize| of(&scores(page, place)).unwrap_or_default();
            cell(answered.each(method, value).mean())
        };
        let whole = merged(answered, method).calibration_error();
        vec![
            Cell::text(name),
            cell(answered.accuracy(method).mean()),
            of_page(Scores::log_loss),
            of_page(Scores::brier),
            cell(whole.map(|value| Estimate { value, interval: None })),
        ]
    };
    let title = "proper scores; less is better. The calibration error is over all tests";
    let scored = table(title, heads, all.iter().map(row).collect());
    let reliability = |&(name, method, answered): &(&str, Method, &Answered)| {
        let bins = merged(answered, method).reliability();
        let filled = bins.into_iter().filter(|bin| bin.count > 0);
        Series::plain(name, filled.map(|bin| (bin.probability, bin.happened)))
    };
    let plot = plot(
        [
            "share of changes",
            "by the chance that was given, in ten bins; the diagonal would be right",
            "mean chance",
        ],
        true,
        all.iter().map(reliability).collect(),
    );
    Figure { tables: vec![scored, bounds(&plain)], plots: vec![plot], ..Figure::default() }
}

fn scores(page: &PageAnswers, place: usize) -> Scores {
    let mut scores = Scores::default();
    for test in &page.tests {
        scores.add(test.forecasts[place].probability, test.happened);
    }
    scores
}

/// The scores of a method over all tests.
fn merged(answered: &Answered, method: Method) -> Scores {
    let mut all = Scores::default();
    if let Some(place) = answered.methods.iter().position(|other| *other == method) {
        for page in answered.answers.iter().flatten() {
            all.merge(&scores(page, place));
        }
    }
    all
}

/// The accuracy of the best answer in hindsight. It is fitted to the tests it is measured on, so it
/// bounds only methods that answer the same every day, or the same after the same.
fn bounds(answered: &Answered) -> Table {
    let of = |of: fn(&[Test]) -> f64| {
        cell(answered.each(Method::Majority, |page, _| of(&page.tests)).mean())
    };
    let row = |name: &str, value: Cell| vec![Cell::text(name), value];
    Table {
        title: "in hindsight".to_owned(),
        head: ["who says", "accuracy"].map(str::to_owned).into(),
        rows: vec![
            row("of each page always the same", of(constant)),
            row("of each page the same after the same (Markov)", of(markov)),
        ],
    }
}

/// The accuracy of the better constant answer.
fn constant(tests: &[Test]) -> f64 {
    let changed = tests.iter().filter(|test| test.happened).count();
    changed.max(tests.len() - changed) as f64 / tests.len().max(1) as f64
}

/// The same with one answer for days on which the page had changed, and one for the others.
fn markov(tests: &[Test]) -> f64 {
    let (after, quiet): (Vec<Test>, Vec<Test>) =
        tests.iter().cloned().partition(|test| test.before);
    let right = constant(&after) * after.len() as f64 + constant(&quiet) * quiet.len() as f64;
    right / tests.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hindsight_knows_the_better_answer_and_markov_what_it_comes_after() {
        let test = |before, happened| Test { happened, before, share: 0.5, forecasts: vec![] };
        // After a change none, without one always.
        let turning = [(true, false), (false, true), (true, false), (false, true), (true, false)];
        let turning = turning.map(|(before, happened)| test(before, happened));
        assert!((constant(&turning) - 0.6).abs() < 1e-12);
        assert!((markov(&turning) - 1.0).abs() < 1e-12);
        assert!(constant(&[]).abs() < 1e-12 && markov(&[]).abs() < 1e-12);
    }
}
