//! Which experts are chosen for some pages, and how many are lost by not trying all (sections 6 and 9.1).
use std::sync::Arc;

use flow::features::Look;
use policy::predict::{
    experts::{Choosing, Chosen, Company, Relation, recall},
    learn::Method,
};
use rayon::prelude::*;

use super::{
    super::{
        figure::{Cell, Figure, Table},
        rules::short,
    },
    Daily, PRIMARY,
    tables::{CHOSEN_BY, baselines},
};
use crate::prediction::{
    Days, Label, PageAnswers, Web, choosing, looks_before,
    settings::{EXPERTS, WINDOW},
    until,
};

/// Experts that are named for each page.
const NAMED: usize = 3;

/// For the page of each web that gains most by experts, and for the one that loses most, if any does, who
/// they are.
pub(super) fn figure(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let asked = baselines(daily, webs, PRIMARY);
    let place = |method: Method| asked.methods.iter().position(|other| *other == method);
    let (Some(single), Some(multiple)) = (place(Method::Single), place(Method::Multiple)) else {
        return Figure::default();
    };
    let gain = |page: &PageAnswers| {
        page.accuracy(multiple, Method::Multiple) - page.accuracy(single, Method::Single)
    };
    let mut tables = vec![];
    for (web, answers) in webs.iter().zip(asked.answers.iter()) {
        let Some((days, _)) = web.forecast(PRIMARY) else { continue };
        let by_gain = |one: &&PageAnswers, other: &&PageAnswers| gain(one).total_cmp(&gain(other));
        // Of equals the page with the lower number.
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
        let company = web.choices(relation).last().map(|choice| &choice.companies[page.page]);
        let named = company.map_or_else(String::new, |company| named(days, company, relation));
        let itself = company.map_or_else(String::new, |company| short(company.itself));
        let cells =
            [path(days.address(page.page)).to_owned(), short(gain), name.to_owned(), named, itself];
        cells.map(Cell::text).into()
    };
    CHOSEN_BY.map(row).into()
}

fn named(days: &Days, company: &Company, relation: Relation) -> String {
    let one = |chosen: &Chosen| {
        let lag = match relation {
            Relation::Correlation => format!(", {}", chosen.lag),
            _ => String::new(),
        };
        format!("{}: {}{lag}", path(days.address(chosen.page)), short(chosen.weight))
    };
    let named: Vec<String> = company.experts.iter().take(NAMED).map(one).collect();
    match company.experts.len().min(EXPERTS).saturating_sub(NAMED) {
        0 if named.is_empty() => "nobody".to_owned(),
        0 => named.join("; "),
        more => format!("{}; and {more} more", named.join("; ")),
    }
}

/// What tells a page from others of its site.
fn path(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// The share of the experts chosen among all pages that are also chosen among candidates.
pub(super) fn pruning(webs: &[Arc<Web>]) -> Figure {
    let mut head = vec!["site".to_owned(), "pages".to_owned()];
    head.extend(CHOSEN_BY.map(|(name, _)| name.to_owned()));
    let telling: Vec<(&Web, &Days, &[usize])> = webs
        .iter()
        .filter_map(|web| web.forecast(PRIMARY).map(|(days, pages)| (web.as_ref(), days, pages)))
        .collect();
    let row = |&(web, days, pages): &(&Web, &Days, &[usize])| {
        let looks = days.looks(Label::Any);
        let day = usize::midpoint(looks_before(WINDOW), days.last());
        let now = days.instant(day);
        let pasts: Vec<&[Look]> = looks.iter().map(|looks| until(looks, now)).collect();
        let share = |(_, relation): (&str, Relation)| {
            let choosing = Choosing { experts: EXPERTS, ..choosing(relation) };
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
        Choosing::default().candidates
    );
    let rows = telling.par_iter().map(row).collect();
    Figure { tables: vec![Table { title, head, rows }], ..Figure::default() }
}
