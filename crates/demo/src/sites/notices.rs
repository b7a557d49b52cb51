//! Offices: notices that hardly ever change.
use std::fmt::Write as _;

use super::prelude::*;

/// The parameters of an office.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    /// The folder of its notices.
    folder: String,
    /// Notices at the start.
    notices: usize,
    /// New notices a day.
    per_day: f64,
    /// The share of notices that are ever amended.
    amended: f64,
}

pub(super) fn fill(site: &mut Site, params: &Params) {
    let era = site.era;
    let births = births_with_stock(site, params.notices, params.per_day, |unit| 400.0 * unit);
    let items = add_items(site, births, ("notices", "group"), |site, item| {
        let (random, born) = (item.random, item.born);
        let mut draws = random.of("notice").draws();
        let topic = Topic::draw_from(&mut draws, &["bird", "boat", "gear"]);
        let title = Voice::Notice.title(&topic, &mut draws);
        let path = site.free_path(format!("{}{}", params.folder, slug(&title)));
        let edits = if draws.happens(params.amended) {
            draws.instants(0.04, era.start.max(born), era.end)
        } else {
            Vec::new()
        };
        let blocks = vec![
            Block::Fixed(format!("<p>Given at the office on {}.</p>", day_words(born))),
            edited(random, Voice::Notice, &topic, draws.between(2, 4), edits),
            Block::Fixed(table(random)),
        ];
        let entry = Entry::new(&path, &title, born);
        site.add(Page::html(path, title, born, blocks));
        entry
    });
    let list = List::new("", items.all.clone(), Order::Newest).dated();
    site.add_list(&params.folder, "All of them", era.long_ago(), list);
    let old = "<p>Until last year we were at <a href=\"http://old-harbour.example/\">our old address</a>.</p>";
    let front = vec![
        Block::List(List::new("Newest", items.all, Order::Newest).limit(12).dated()),
        site.house(),
        Block::Fixed(old.to_owned()),
    ];
    site.add_front(&site.spec.name, front);
}

/// Heights of the tide for ten days.
fn table(random: Random) -> String {
    let mut draws = random.of("table").draws();
    let mut table = String::from("<table>\n<tr><th>Day</th><th>High</th><th>Low</th></tr>\n");
    for day in 1..=10 {
        let (high, low) = (draws.between(38, 64), draws.between(2, 19));
        let metres = |height: usize| format!("<td>{}.{} m</td>", height / 10, height % 10);
        let _ = writeln!(table, "<tr><td>{day}</td>{}{}</tr>", metres(high), metres(low));
    }
    table.push_str("</table>");
    table
}
