//! How often forecasts are right: tables 1 to 3.
use std::sync::Arc;

use policy::predict::{experts::Relation, learn::Method};

use super::{
    super::{
        draw::cell,
        figure::{Cell, Figure, Plot, Table},
    },
    Asked, Daily, PRIMARY,
    pages::{ByPage, add_differences, line},
};
use crate::{
    prediction::{Question, Web, settings::FILTERS},
    report::words,
};

/// Table 1, and the baselines that the paper lacks, by the names of its lines.
pub(in super::super) const BASELINES: [(&str, Method); 6] = [
    ("coin", Method::Coin),
    ("majority", Method::Majority),
    ("last label", Method::LastLabel),
    ("flipped label", Method::FlippedLabel),
    ("single", Method::Single),
    ("multiple", Method::Multiple),
];

/// Table 2 beside multiple experts.
pub(in super::super) const COMBINED: [(&str, Method); 3] =
    [("union", Method::Union), ("bagging", Method::Bagging), ("boosting", Method::Boosting)];

/// Table 3.
pub(in super::super) const CHOSEN_BY: [(&str, Relation); 4] = Relation::ALL;

/// What is drawn for the primary filter.
fn primary(daily: &Daily, methods: &[Method]) -> Question {
    let extent = daily.extent();
    Question::new(PRIMARY, methods, (extent.pages, extent.step))
}

/// The answers of table 1 for a filter; about fewer pages where no verdict rests on it.
pub(super) fn baselines(daily: &mut Daily, webs: &[Arc<Web>], filter: usize) -> Asked {
    let question = primary(daily, &BASELINES.map(|(_, method)| method));
    let extent = daily.extent();
    let pages = if filter == PRIMARY { extent.pages } else { extent.figure_pages };
    daily.ask(webs, Question { filter, pages, ..question })
}

/// The answers of table 2 that table 1 has not.
pub(super) fn combined(daily: &mut Daily, webs: &[Arc<Web>]) -> Asked {
    let question = primary(daily, &COMBINED.map(|(_, method)| method));
    daily.ask(webs, question)
}

/// The accuracies of methods by name.
fn accuracies(asked: &Asked, of: &[(&'static str, Method)]) -> Vec<(&'static str, ByPage)> {
    of.iter().map(|&(name, method)| (name, asked.accuracy(method))).collect()
}

/// Table 1, by filter.
pub(super) fn forecasts(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let mut figure = Figure::default();
    let mut head = vec!["pages".to_owned()];
    head.extend(["sites", "number", "tests"].map(str::to_owned));
    head.extend(BASELINES.map(|(name, _)| name.to_owned()));
    let mut rows = vec![];
    for filter in 0..FILTERS.len() {
        let asked = baselines(daily, webs, filter);
        let all = accuracies(&asked, &BASELINES);
        let first = &all[0].1;
        let counts = [first.sites(), first.pages(), asked.tests()].map(|count| count.to_string());
        let mut row = vec![Cell::text(name_of(filter))];
        row.extend(counts.map(Cell::text));
        row.extend(all.iter().map(|(_, values)| cell(values.mean())));
        rows.push(row);
        if filter == PRIMARY {
            add_lines(&mut figure, &all);
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
pub(super) fn combinations(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let mut all = accuracies(&combined(daily, webs), &COMBINED);
    let plain = baselines(daily, webs, PRIMARY);
    all.push(("multiple", plain.accuracy(Method::Multiple)));
    let mut figure = Figure::default();
    figure.tables.push(one_row(&all));
    add_lines(&mut figure, &all);
    add_differences(&mut figure, &all, &COMBINED.map(|(name, _)| ("multiple", name)));
    figure
}

/// Table 3.
pub(super) fn relations(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let plain = baselines(daily, webs, PRIMARY);
    let mut all = vec![("single", plain.accuracy(Method::Single))];
    for (name, relation) in CHOSEN_BY {
        let accuracy = if relation == Relation::Correlation {
            plain.accuracy(Method::Multiple)
        } else {
            let question = primary(daily, &[Method::Multiple]);
            daily.ask(webs, Question { relation, ..question }).accuracy(Method::Multiple)
        };
        all.push((name, accuracy));
    }
    let mut figure = Figure::default();
    figure.tables.push(one_row(&all));
    add_lines(&mut figure, &all);
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
fn add_lines(figure: &mut Figure, all: &[(&'static str, ByPage)]) {
    figure.plots.push(Plot {
        title: "accuracy".to_owned(),
        caption: format!("mean over pages; {}", name_of(PRIMARY)),
        x_title: String::new(),
        is_share: true,
        lines: all.iter().map(|(name, values)| line(name, [(1.0, values.clone())])).collect(),
    });
}

/// A table as in the paper.
fn one_row(all: &[(&'static str, ByPage)]) -> Table {
    let mut head = vec!["pages".to_owned()];
    head.extend(all.iter().map(|(name, _)| (*name).to_owned()));
    let mut row = vec![Cell::text(name_of(PRIMARY))];
    row.extend(all.iter().map(|(_, values)| cell(values.mean())));
    Table { title: "accuracy".to_owned(), head, rows: vec![row] }
}

/// A filter in words.
fn name_of(filter: usize) -> String {
    let (label, alpha) = FILTERS[filter];
    format!("{} change, turns on {} of the days or more", label.name(), words::short(alpha))
}
