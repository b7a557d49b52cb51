//! The experts of some pages, and how many are missed where not all pages are tried (sections 6 and
//! 9.1).
use std::sync::Arc;

use instruments::features::VisitRecord;
use lab::report::figure::{Cell, Figure, Table};
use policy::predict::{
    experts::{ChosenExpert, ExpertSettings, Neighbours, Relation, recall},
    learn::Method,
};
use rayon::prelude::*;

use crate::{
    radinsky_2013::{
        figures::{
            Forecasts,
            accuracy::{CHOSEN_BY, baselines},
        },
        forecast::{
            Days, Label, PageAnswers, Web, choosing,
            settings::{EXPERTS, WINDOW},
            until, visits_before,
        },
    },
    rules::short,
};

/// Experts that are named for each page.
const NAMED: usize = 3;

/// The experts of the page of each web that gains most by them, and of the one that loses most, if
/// any does.
pub(crate) fn figure(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let answered = baselines(forecasts, webs, forecasts.primary);
    let place = |method: Method| answered.methods.iter().position(|other| *other == method);
    let (Some(single), Some(multiple)) = (place(Method::Single), place(Method::Multiple)) else {
        return Figure::default();
    };
    let gain = |page: &PageAnswers| {
        page.accuracy(multiple, Method::Multiple) - page.accuracy(single, Method::Single)
    };
    let mut tables = vec![];
    for (web, answers) in webs.iter().zip(answered.answers.iter()) {
        let Some((days, _)) = web.forecast(forecasts.primary) else { continue };
        let by_gain = |one: &&PageAnswers, other: &&PageAnswers| gain(one).total_cmp(&gain(other));
        // Of equal ones the page with the lower number.
        let mut pages: Vec<&PageAnswers> = answers.iter().collect();
        pages.sort_by_key(|page| page.page);
        let most = pages.iter().copied().rev().max_by(by_gain);
        let least = pages.iter().copied().min_by(by_gain);
        let loses =
            least.filter(|page| gain(page) < 0.0 && most.is_some_and(|it| it.page != page.page));
        let shown = most.into_iter().chain(loses);
        let rows = shown.flat_map(|page| experts_of(web, days, page, gain(page))).collect();
        let head =
            ["page", "more right than alone", "by", "experts: weight, days they lead", "itself"];
        let head = head.map(str::to_owned).into();
        tables.push(Table { title: web.name.clone(), head, rows });
    }
    Figure { tables, ..Figure::default() }
}

/// The experts of a page as of the last choice, a row for each relation.
fn experts_of(web: &Web, days: &Days, page: &PageAnswers, gain: f64) -> Vec<Vec<Cell>> {
    let row = |(name, relation): (&str, Relation)| {
        let neighbours = web.choices(relation).last().map(|choice| &choice.neighbours[page.page]);
        let named =
            neighbours.map_or_else(String::new, |neighbours| named(days, neighbours, relation));
        let itself =
            neighbours.map_or_else(String::new, |neighbours| short(neighbours.self_weight));
        let cells =
            [path(days.address(page.page)).to_owned(), short(gain), name.to_owned(), named, itself];
        cells.map(Cell::text).into()
    };
    CHOSEN_BY.map(row).into()
}

fn named(days: &Days, neighbours: &Neighbours, relation: Relation) -> String {
    let one = |chosen: &ChosenExpert| {
        let lag = match relation {
            Relation::Correlation => format!(", {}", chosen.lag),
            _ => String::new(),
        };
        format!("{}: {}{lag}", path(days.address(chosen.page)), short(chosen.weight))
    };
    let named: Vec<String> = neighbours.experts.iter().take(NAMED).map(one).collect();
    match neighbours.experts.len().min(EXPERTS).saturating_sub(NAMED) {
        0 if named.is_empty() => "nobody".to_owned(),
        0 => named.join("; "),
        more => format!("{}; and {more} more", named.join("; ")),
    }
}

/// An address without its scheme.
fn path(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// The share of the experts chosen from all pages that are also chosen from candidates.
pub(crate) fn pruning(forecasts: &Forecasts, webs: &[Arc<Web>]) -> Figure {
    let mut head = vec!["site".to_owned(), "pages".to_owned()];
    head.extend(CHOSEN_BY.map(|(name, _)| name.to_owned()));
    let forecast_webs: Vec<(&Web, &Days, &[usize])> = webs
        .iter()
        .filter_map(|web| {
            web.forecast(forecasts.primary).map(|(days, pages)| (web.as_ref(), days, pages))
        })
        .collect();
    let row = |&(web, days, pages): &(&Web, &Days, &[usize])| {
        let visits = days.visits(Label::Any);
        let day = usize::midpoint(visits_before(WINDOW), days.last());
        let now = days.instant(day);
        let pasts: Vec<&[VisitRecord]> = visits.iter().map(|visits| until(visits, now)).collect();
        let share = |(_, relation): (&str, Relation)| {
            let choosing = ExpertSettings { experts: EXPERTS, ..choosing(relation) };
            let links = |page: usize| days.links(page, day);
            let found = recall(&choosing, &pasts, &links, now, &|page| pages.contains(&page));
            Cell::text(short(found))
        };
        let mut row = vec![Cell::text(&web.name), Cell::text(pages.len().to_string())];
        row.extend(CHOSEN_BY.map(share));
        row
    };
    let title = format!(
        "share of the {EXPERTS} experts chosen among all pages that are chosen among {} candidates, or \
         others as good, in the middle of the time",
        ExpertSettings::default().candidates
    );
    let rows = forecast_webs.par_iter().map(row).collect();
    Figure { tables: vec![Table { title, head, rows }], ..Figure::default() }
}
