//! Offices: notices that hardly ever change, and an old host from which everything has moved.
use std::fmt::Write as _;
use std::sync::Arc;

use super::{Era, add_fixed, edited, slug};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::day_words;
use crate::page::{Block, Form, Page};
use crate::phrases::Voice;
use crate::site::{Manners, Site, SitemapKind, Validators};
use crate::words::{BIRDS, BOATS, GEAR, Topic};

/// One office.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    /// The folder of its notices.
    folder: &'static str,
    /// Notices at the start.
    notices: usize,
    /// Notices that come in a day.
    per_day: f64,
    /// Of all notices, how many are amended at all while the web lasts.
    amended: f64,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "harbour-office.example",
        name: "The harbour office",
        about: "Orders, fees and warnings to mariners.",
        folder: "/notices/",
        notices: 75,
        per_day: 0.1,
        amended: 0.04,
        manners: Manners {
            validators: Validators::Date,
            cache_control: Some("max-age=86400"),
            private: &["/internal/"],
            crawl_delay: Some("0.05"),
            sitemap: SitemapKind::Plain,
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "tide-tables.example",
        name: "Tide tables",
        about: "Heights and hours for every landing on this coast.",
        folder: "/stations/",
        notices: 45,
        per_day: 0.0,
        amended: 0.0,
        manners: Manners { validators: Validators::Tag, robots: false, ..Manners::PLAIN },
    },
];

/// The host that everything of the first office has moved from.
const OLD_HOST: &str = "old-harbour.example";

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    site.navigate(spec.folder, "All of them");
    let mut draws = chance.of("births").draws();
    let mut births: Vec<_> = (0..spec.notices).map(|_| era.before(400.0 * draws.unit())).collect();
    births.sort_unstable();
    births.extend(draws.instants(spec.per_day, era.start, era.end));
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    for (number, born) in births.into_iter().enumerate() {
        let chance = chance.of("notices").at(number as u64);
        let mut draws = chance.of("notice").draws();
        let subjects = [BIRDS, BOATS, GEAR][draws.below(3)];
        let topic = Topic::draw(&mut draws, subjects);
        let title = Voice::Notice.title(&topic, &mut draws);
        let path = site.free_path(format!("{}{}", spec.folder, slug(&title)));
        let edits = if draws.happens(spec.amended) {
            draws.instants(0.04, era.start.max(born), era.end)
        } else {
            Vec::new()
        };
        let blocks = vec![
            Block::Fixed(format!("<p>Given at the office on {}.</p>", day_words(born))),
            edited(chance, Voice::Notice, &topic, draws.between(2, 4), edits),
            Block::Fixed(table(chance)),
        ];
        let entry = Entry { from: born, ..(*Entry::fixed(&path, &title)).clone() };
        site.add(Page::html(path, title, born, blocks));
        entries.push(Arc::new(entry));
    }
    let list = Block::List(List::new("", entries.clone(), Order::Newest).dated());
    site.add(Page::html(spec.folder, "All of them", era.long_ago(), vec![list]));
    let mut house = [("/about", "About the office"), ("/hours", "Hours")].to_vec();
    if spec.manners.private.contains(&"/internal/") {
        house.push(("/internal/keys", "Who has the keys"));
    }
    let house = add_fixed(&mut site, era, Voice::Notice, &house);
    let front = vec![
        Block::List(List::new("Newest", entries, Order::Newest).limit(12).dated()),
        Block::List(List::new("The house", house, Order::Given)),
        Block::Fixed(format!(
            "<p>Until last year we were at <a href=\"http://{OLD_HOST}/\">our old address</a>.</p>"
        )),
    ];
    site.add(Page::html("/", spec.name, era.long_ago(), front));
    site
}

/// The old host: every page leads to the same path of the new one.
pub(super) fn moved(era: &Era) -> Site {
    let about = "The harbour office as it was; every page leads to the new one.";
    let mut site = Site::new(OLD_HOST, "The old harbour office", about, Manners::PLAIN);
    for path in ["/", "/notices/", "/about", "/hours"] {
        let targets = vec![(era.long_ago(), format!("http://{}{path}", SPECS[0].host))];
        site.add(Page::new(path, "", era.long_ago(), Form::Redirect(301, targets)));
    }
    site
}

/// Heights of the tide for ten days.
fn table(chance: Chance) -> String {
    let mut draws = chance.of("table").draws();
    let mut table = String::from("<table>\n<tr><th>Day</th><th>High</th><th>Low</th></tr>\n");
    for day in 1..=10 {
        let (high, low) = (draws.between(38, 64), draws.between(2, 19));
        let _ = writeln!(
            table,
            "<tr><td>{day}</td><td>{}.{} m</td><td>{}.{} m</td></tr>",
            high / 10,
            high % 10,
            low / 10,
            low % 10
        );
    }
    table.push_str("</table>");
    table
}
