//! The directory of all sites: where a crawl of the demo web begins.
use super::prelude::*;

pub(super) fn fill(site: &mut Site, others: &[Site]) {
    let born = site.era.long_ago();
    let entry = |other: &Site| {
        let address = format!("http://{}/", other.spec.host);
        Entry { teaser: other.spec.about.clone(), ..Entry::fixed(&address, &other.spec.name) }
    };
    let mut entries: Vec<Entry> = others.iter().map(entry).collect();
    entries.sort_by(|a, b| a.title.cmp(&b.title));
    let mut cards = Vec::new();
    for other in others {
        let path = format!("/sites/{}", other.spec.host.trim_end_matches(".example"));
        cards.push(Entry::fixed(&path, &other.spec.name));
        let blocks = vec![
            Block::Fixed(format!("<p>{}</p>", other.spec.about)),
            Block::List(List::new("Go there", [entry(other)], Order::Given)),
        ];
        site.add(Page::html(path, other.spec.name.clone(), born, blocks));
    }
    let cards = List::new("", cards, Order::Given);
    site.add_list("/sites/", "What the sites are", born, cards);
    let front = vec![
        Block::Value("Site of the week", weeks(site, others)),
        Block::List(List::new("Sites", entries, Order::Given)),
        site.house(),
    ];
    site.add_front(&site.spec.name, front);
}

/// A site of the week from each Monday, eight in the morning.
fn weeks(site: &Site, others: &[Site]) -> Vec<(Time, String)> {
    // The first of January 1970 was a Thursday, so the first Monday was the fifth day.
    let monday = 4 * DAY + 8 * HOUR;
    let first = (site.era.start.millis() - monday).div_euclid(7 * DAY) * 7 * DAY + monday;
    let mut draws = site.random.of("weeks").draws();
    let mondays = (0..).map(|week| Time::from_millis(first + week * 7 * DAY));
    let mut weeks: Vec<(Time, String)> = mondays
        .take_while(|at| *at < site.era.end)
        .map(|at| (at, draws.pick(others).spec.name.clone()))
        .collect();
    weeks.dedup_by(|next, before| next.1 == before.1);
    weeks
}
