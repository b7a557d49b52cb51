//! The sites, and which of them can be used to study discovery by links.
use lab::report::figure::Figure;

use crate::{
    dasgupta_2007::site::Site,
    draw::{of_tables, table, texts},
    rules::short,
};

pub(crate) fn figure(sites: &[&Site]) -> Figure {
    let head = [
        "site",
        "pages at the start",
        "weeks",
        "weeks with new pages",
        "new pages",
        "that no old page leads to in their first week",
        "linked from another page at any time",
        "used",
    ];
    let row = |site: &&Site| {
        let new = site.new_pages();
        let share = |part: usize| match new {
            0 => "–".to_owned(),
            new => short(part as f64 / new as f64),
        };
        let news = site.births.iter().filter(|births| !births.new.is_empty()).count();
        let used = match (new, site.is_usable()) {
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
        texts(cells)
    };
    of_tables(vec![table("sites", head, sites.iter().map(row).collect())])
}
