//! The sites, and which of them say something about discovery by links.
use std::sync::Arc;

use super::super::{
    figure::{Cell, Figure, Table},
    rules::short,
};
use crate::discovery::site::Site;

pub(super) fn figure(sites: &[Arc<Site>]) -> Figure {
    let heads = [
        "site",
        "pages at the start",
        "weeks",
        "weeks with new pages",
        "new pages",
        "that no old page leads to in their first week",
        "linked from another page at any time",
        "used",
    ];
    let row = |site: &Arc<Site>| {
        let new = site.new_pages();
        let share = |part: usize| match new {
            0 => "–".to_owned(),
            new => short(part as f64 / new as f64),
        };
        let news = site.births.iter().filter(|births| !births.new.is_empty()).count();
        let used = match (new, site.tells()) {
            (_, true) => "yes",
            (0, false) => "no: nothing is new",
            (_, false) => "no",
        };
        let cells = [
            site.name.clone(),
            site.alive[0].iter().filter(|alive| **alive).count().to_string(),
            site.cycles().to_string(),
            news.to_string(),
            new.to_string(),
            share(site.orphans()),
            share(site.linked),
            used.to_owned(),
        ];
        cells.map(Cell::text).into()
    };
    let table = Table {
        title: "sites".to_owned(),
        head: heads.map(str::to_owned).into(),
        rows: sites.iter().map(row).collect(),
    };
    Figure { tables: vec![table], ..Figure::default() }
}
