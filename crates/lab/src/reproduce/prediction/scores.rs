//! How far chances can be trusted, and what hindsight could have said (`docs/papers.md` C6).
use std::sync::Arc;

use policy::predict::learn::{Method, Scores};

use super::{
    super::{
        draw::cell,
        figure::{Cell, Figure, Plot, Series, Table},
        sample::Estimate,
    },
    Asked, Daily, PRIMARY,
    tables::{BASELINES, COMBINED, baselines, combined},
};
use crate::prediction::{PageAnswers, Test, Web};

pub(super) fn figure(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let plain = baselines(daily, webs, PRIMARY);
    let more = combined(daily, webs);
    let all: Vec<(&str, Method, &Asked)> = BASELINES
        .iter()
        .map(|&(name, method)| (name, method, &plain))
        .chain(COMBINED.iter().map(|&(name, method)| (name, method, &more)))
        .collect();
    let heads = ["method", "accuracy", "log loss", "Brier score", "calibration error"];
    let row = |&(name, method, asked): &(&str, Method, &Asked)| {
        let of_page = |of: fn(&Scores) -> Option<f64>| {
            let value =
                |page: &PageAnswers, place: usize| of(&scores(page, place)).unwrap_or_default();
            cell(asked.each(method, value).mean())
        };
        let whole = merged(asked, method).calibration_error();
        vec![
            Cell::text(name),
            cell(asked.accuracy(method).mean()),
            of_page(Scores::log_loss),
            of_page(Scores::brier),
            cell(whole.map(|value| Estimate { value, interval: None })),
        ]
    };
    let scored = Table {
        title: "proper scores; less is better. The calibration error is over all tests".to_owned(),
        head: heads.map(str::to_owned).into(),
        rows: all.iter().map(row).collect(),
    };
    let reliability = |&(name, method, asked): &(&str, Method, &Asked)| {
        let bins = merged(asked, method).reliability();
        let filled = bins.into_iter().filter(|bin| bin.count > 0);
        Series::plain(name, filled.map(|bin| (bin.chance, bin.happened)))
    };
    let plot = Plot {
        title: "share of changes".to_owned(),
        caption: "by the chance that was given, in ten bins; the diagonal would be right"
            .to_owned(),
        x_title: "mean chance".to_owned(),
        is_share: true,
        lines: all.iter().map(reliability).collect(),
    };
    Figure { tables: vec![scored, bounds(&plain)], plots: vec![plot], ..Figure::default() }
}

fn scores(page: &PageAnswers, place: usize) -> Scores {
    let mut scores = Scores::default();
    for test in &page.tests {
        scores.add(test.forecasts[place].chance, test.happened);
    }
    scores
}

/// The scores of a method over all tests.
fn merged(asked: &Asked, method: Method) -> Scores {
    let mut all = Scores::default();
    if let Some(place) = asked.methods.iter().position(|other| *other == method) {
        for page in asked.answers.iter().flatten() {
            all.merge(&scores(page, place));
        }
    }
    all
}

/// What hindsight would have been right on. It fits the very tests that it is measured on, so that it is a
/// bound for those who say the same every day, or the same after the same, and for nobody else.
fn bounds(asked: &Asked) -> Table {
    let of = |of: fn(&[Test]) -> f64| {
        cell(asked.each(Method::Majority, |page, _| of(&page.tests)).mean())
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

/// The share of tests that the better constant answer is right on.
fn constant(tests: &[Test]) -> f64 {
    let changed = tests.iter().filter(|test| test.happened).count();
    changed.max(tests.len() - changed) as f64 / tests.len().max(1) as f64
}

/// The same with an answer for days on which the page had changed, and one for the others.
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
