//! Pages whose label changes often enough to be forecast, and how labels agree.
use std::sync::Arc;

use lab::report::figure::{Cell, Figure, Table};

use crate::{
    draw::{of_tables, table, texts},
    radinsky_2013::forecast::{Label, Web, settings::FILTERS},
    rules::short,
};

pub(crate) fn figure(webs: &[Arc<Web>]) -> Figure {
    let tables = vec![passing(webs), shares(webs), agreement(webs)];
    of_tables(tables)
}

/// Counts something of the pages of a site that are forecast.
type Count = fn(&[usize]) -> usize;

/// The number of pages that pass each filter.
fn passing(webs: &[Arc<Web>]) -> Table {
    let heads = ["site", "pages", "that live long enough", "history coalesced to"];
    let mut head = heads.map(str::to_owned).to_vec();
    head.extend(FILTERS.map(|(label, alpha)| format!("{}, {}", label.name(), short_share(alpha))));
    let mut rows: Vec<Vec<Cell>> = vec![];
    for web in webs {
        let mut row = vec![web.name.clone(), web.pages.to_string(), web.lasting.to_string()];
        row.push(web.coalesced.map_or_else(|| "–".to_owned(), |days| format!("{days} days")));
        row.extend(web.passing.iter().map(usize::to_string));
        rows.push(row.into_iter().map(Cell::text).collect());
    }
    let counts: [(&str, Count); 2] =
        [("sites that are forecast", |_| 1), ("pages that are forecast", <[usize]>::len)];
    for (name, count) in counts {
        let mut row = vec![name.to_owned(), String::new(), String::new(), String::new()];
        row.extend((0..FILTERS.len()).map(|filter| {
            let pages = webs.iter().filter_map(|web| web.forecast(filter));
            pages.map(|(_, pages)| count(pages)).sum::<usize>().to_string()
        }));
        rows.push(row.into_iter().map(Cell::text).collect());
    }
    let title = "pages whose label turns on at least this share of the days".to_owned();
    Table { title, head, rows }
}

/// The share of changes by label.
fn shares(webs: &[Arc<Web>]) -> Table {
    let mut head = vec!["site".to_owned()];
    head.extend(Label::ALL.map(|(name, _)| name.to_owned()));
    let row = |web: &Arc<Web>| {
        let mut row = vec![Cell::text(&web.name)];
        row.extend(web.changed.map(|share| Cell::text(short(share))));
        row
    };
    let title = "share of days on which a page changed, mean over pages".to_owned();
    Table { title, head, rows: webs.iter().map(row).collect() }
}

/// How the test on stored words agrees with that on whole texts.
fn agreement(webs: &[Arc<Web>]) -> Table {
    let heads = ["site", "changed texts", "significant by text", "by kept words", "agreed"];
    let row = |web: &Arc<Web>| {
        let of = web.agreement;
        let share = |part: usize| match of.pairs {
            0 => "–".to_owned(),
            pairs => short(part as f64 / pairs as f64),
        };
        let cells = [
            web.name.clone(),
            of.pairs.to_string(),
            share(of.by_text),
            share(of.by_words),
            share(of.agreed),
        ];
        texts(cells)
    };
    let title = "significance by whole texts and by the words that a crawler keeps";
    table(title, heads, webs.iter().map(row).collect())
}

fn short_share(share: f64) -> String {
    lab::report::words::short(share)
}
