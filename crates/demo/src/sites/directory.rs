//! The directory of all sites: where a crawl of the demo web begins.
use std::sync::Arc;

use flow::Time;

use super::{Era, add_fixed};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{DAY, HOUR};
use crate::page::{Block, Page};
use crate::phrases::Voice;
use crate::site::{Manners, Site, SitemapKind, Validators};

/// Where the web begins.
pub(crate) const HOST: &str = "index.example";

pub(super) fn site(era: &Era, others: &[Site]) -> Site {
    let about = "Every site of this shore, and a line about each.";
    let manners =
        Manners { validators: Validators::Both, sitemap: SitemapKind::Plain, ..Manners::PLAIN };
    let mut site = Site::new(HOST, "The index", about, manners);
    site.navigate("/about", "About");
    site.navigate("/sites/", "What the sites are");
    let entry = |other: &Site| {
        let address = format!("http://{}/", other.host);
        let fixed = Entry::fixed(&address, &other.name);
        Arc::new(Entry { teaser: other.about.clone(), ..(*fixed).clone() })
    };
    let mut entries: Vec<Arc<Entry>> = others.iter().map(entry).collect();
    entries.sort_by(|a, b| a.title.cmp(&b.title));
    let house = [("/about", "About this index"), ("/how", "How to be listed")];
    let house = add_fixed(&mut site, era, Voice::Notice, &house);
    let mut cards = Vec::new();
    for other in others {
        let path = format!("/sites/{}", other.host.trim_end_matches(".example"));
        cards.push(Entry::fixed(&path, &other.name));
        let blocks = vec![
            Block::Fixed(format!("<p>{}</p>", other.about)),
            Block::List(List::new("Go there", vec![entry(other)], Order::Given)),
        ];
        site.add(Page::html(path, other.name.clone(), era.long_ago(), blocks));
    }
    let list = vec![Block::List(List::new("", cards, Order::Given))];
    site.add(Page::html("/sites/", "What the sites are", era.long_ago(), list));
    let front = vec![
        Block::Value("Site of the week", weeks(era, others)),
        Block::List(List::new("Sites", entries, Order::Given)),
        Block::List(List::new("The house", house, Order::Given)),
    ];
    site.add(Page::html("/", "The index", era.long_ago(), front));
    site
}

/// A site of the week from each Monday on, eight in the morning.
fn weeks(era: &Era, others: &[Site]) -> Vec<(Time, String)> {
    // The first of January 1970 was a Thursday, so the first Monday was its fifth day.
    let monday = 4 * DAY + 8 * HOUR;
    let first = (era.start.millis() - monday).div_euclid(7 * DAY) * 7 * DAY + monday;
    let mut draws = Chance::new(era.seed, HOST).of("weeks").draws();
    let mut weeks: Vec<(Time, String)> = Vec::new();
    for at in (0..).map(|week| Time::from_millis(first + week * 7 * DAY)) {
        if at >= era.end {
            break;
        }
        weeks.push((at, draws.pick(others).name.clone()));
    }
    weeks.dedup_by(|next, before| next.1 == before.1);
    weeks
}
