//! The accuracy of forecasts: tables 1 to 3.
use std::sync::Arc;

use lab::report::{
    figure::{Cell, Figure, Table},
    words,
};
use policy::predict::{experts::Relation, learn::Method};

use crate::{
    draw::{cell, plot},
    radinsky_2013::{
        figures::{
            Answered, Forecasts,
            by_page::{ByPage, add_differences, line},
        },
        forecast::{Question, Web, settings::FILTERS},
    },
};

/// The methods of table 1 and the baselines that the paper lacks, by name.
pub(crate) const BASELINES: [(&str, Method); 6] = [
    ("coin", Method::Coin),
    ("majority", Method::Majority),
    ("last label", Method::LastLabel),
    ("flipped label", Method::FlippedLabel),
    ("single", Method::Single),
    ("multiple", Method::Multiple),
];

/// The methods of table 2 besides multiple experts.
pub(crate) const COMBINED: [(&str, Method); 3] =
    [("union", Method::Union), ("bagging", Method::Bagging), ("boosting", Method::Boosting)];

/// The relations of table 3.
pub(crate) const CHOSEN_BY: [(&str, Relation); 4] = Relation::ALL;

/// A question about the primary filter.
fn primary(forecasts: &Forecasts, methods: &[Method]) -> Question {
    let extent = forecasts.extent();
    Question::new(forecasts.primary, methods, (extent.pages, extent.step))
}

/// The answers of table 1 for a filter, about fewer pages where no verdict rests on it.
pub(crate) fn baselines(forecasts: &mut Forecasts, webs: &[Arc<Web>], filter: usize) -> Answered {
    let question = primary(forecasts, &BASELINES.map(|(_, method)| method));
    let extent = forecasts.extent();
    let pages = if filter == forecasts.primary { extent.pages } else { extent.figure_pages };
    forecasts.ask(webs, Question { filter, pages, ..question })
}

/// The answers of table 2 that table 1 lacks.
pub(crate) fn combined(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Answered {
    let question = primary(forecasts, &COMBINED.map(|(_, method)| method));
    forecasts.ask(webs, question)
}

/// The accuracies of methods by name.
fn accuracies(answered: &Answered, of: &[(&'static str, Method)]) -> Vec<(&'static str, ByPage)> {
    of.iter().map(|&(name, method)| (name, answered.accuracy(method))).collect()
}

/// Table 1, by filter.
pub(crate) fn forecasts(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let mut figure = Figure::default();
    let mut head = vec!["pages".to_owned()];
    head.extend(["sites", "number", "tests"].map(str::to_owned));
    head.extend(BASELINES.map(|(name, _)| name.to_owned()));
    let mut rows = vec![];
    for filter in 0..FILTERS.len() {
        let answered = baselines(forecasts, webs, filter);
        let all = accuracies(&answered, &BASELINES);
        let first = &all[0].1;
        let counts =
            [first.sites(), first.pages(), answered.tests()].map(|count| count.to_string());
        let mut row = vec![Cell::text(name_of(filter))];
        row.extend(counts.map(Cell::text));
        row.extend(all.iter().map(|(_, values)| cell(values.mean())));
        rows.push(row);
        if filter == forecasts.primary {
            add_lines(&mut figure, &all, filter);
            add_differences(
                &mut figure,
                &all,
                &[
                    ("single", "coin"),
                    ("multiple", "single"),
                    ("multiple", "coin"),
                    ("multiple", "majority"),
                    ("multiple", "last label"),
                    ("multiple", "flipped label"),
                    ("single", "majority"),
                ],
            );
        }
    }
    let title = "accuracy by what counts as a change and how often it turns".to_owned();
    figure.tables.insert(0, Table { title, head, rows });
    figure
}

/// Table 2.
pub(crate) fn combinations(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let mut all = accuracies(&combined(forecasts, webs), &COMBINED);
    let plain = baselines(forecasts, webs, forecasts.primary);
    all.push(("multiple", plain.accuracy(Method::Multiple)));
    let mut figure = Figure::default();
    figure.tables.push(one_row(&all, forecasts.primary));
    add_lines(&mut figure, &all, forecasts.primary);
    add_differences(&mut figure, &all, &COMBINED.map(|(name, _)| ("multiple", name)));
    figure
}

/// Table 3.
pub(crate) fn relations(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let plain = baselines(forecasts, webs, forecasts.primary);
    let mut all = vec![("single", plain.accuracy(Method::Single))];
    for (name, relation) in CHOSEN_BY {
        let accuracy = if relation == Relation::Correlation {
            plain.accuracy(Method::Multiple)
        } else {
            let question = primary(forecasts, &[Method::Multiple]);
            forecasts.ask(webs, Question { relation, ..question }).accuracy(Method::Multiple)
        };
        all.push((name, accuracy));
    }
    let mut figure = Figure::default();
    figure.tables.push(one_row(&all, forecasts.primary));
    add_lines(&mut figure, &all, forecasts.primary);
    let mut pairs = vec![
        ("content", "links"),
        ("warping", "content"),
        ("correlation", "content"),
        ("correlation", "warping"),
    ];
    pairs.extend(CHOSEN_BY.map(|(name, _)| (name, "single")));
    add_differences(&mut figure, &all, &pairs);
    figure
}

/// Lines of one point each, so that claims can ask for them by name.
fn add_lines(figure: &mut Figure, all: &[(&'static str, ByPage)], filter: usize) {
    figure.plots.push(plot(
        ["accuracy", &format!("mean over pages; {}", name_of(filter)), ""],
        true,
        all.iter().map(|(name, values)| line(name, [(1.0, values.clone())])).collect(),
    ));
}

/// A table as in the paper.
fn one_row(all: &[(&'static str, ByPage)], filter: usize) -> Table {
    let mut head = vec!["pages".to_owned()];
    head.extend(all.iter().map(|(name, _)| (*name).to_owned()));
    let mut row = vec![Cell::text(name_of(filter))];
    row.extend(all.iter().map(|(_, values)| cell(values.mean())));
    Table { title: "accuracy".to_owned(), head, rows: vec![row] }
}

/// A filter in words.
fn name_of(filter: usize) -> String {
    let (label, alpha) = FILTERS[filter];
    format!("{} change, turns on {} of the days or more", label.name(), words::short(alpha))
}
