//! Newspapers: the front page changes many times a day. Articles are corrected in their first hours,
//! and on one site they vanish.
use super::prelude::*;
use crate::phrases::filled;

/// The parameters of a newspaper.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    /// New articles a day.
    per_day: f64,
    /// The age of the oldest article at the start, in days.
    back: f64,
    /// The days after which articles vanish.
    lifetime: Option<f64>,
    /// Changes of the weather line a day.
    weather: f64,
}

/// The share of articles that are corrected.
const CORRECTED: f64 = 0.35;
/// The mean time from publication to a correction.
const CORRECTION_MILLIS: f64 = 2.0 * HOUR as f64;

pub(super) fn fill(site: &mut Site, params: &Params) {
    let (spec, born) = (site.spec, site.era.long_ago());
    let births = births(site, params.per_day, params.back);
    let items = add_items(site, births, ("articles", "section"), |site, item| {
        add_article(site, params, &item)
    });
    let mut front = Vec::new();
    if params.weather > 0.0 {
        front.push(Block::Value("Off the pier", weather(site, params)));
    }
    let latest = List::new("Latest", items.all.clone(), Order::Newest).limit(14).dated();
    front.extend([Block::List(latest), site.house()]);
    site.add_front("Front page", front);
    for (group, listed) in items.groups.into_iter().enumerate() {
        let list = List::new("", listed, Order::Newest).limit(25).dated();
        site.add_list(&spec.group_path(group), &spec.groups[group].1, born, list);
    }
    add_archive(site, ("%Y-%m-%d", "%-d %B %Y"), &items.all);
    let feed = List::new("", items.all, Order::Newest).limit(20);
    site.add(Page::new("/feed.xml", "", born, Form::Rss(feed)));
}

fn add_article(site: &mut Site, params: &Params, item: &Item<'_>) -> Entry {
    let &Item { random, born, .. } = item;
    let mut draws = random.of("article").draws();
    let topic = Topic::draw_from(&mut draws, &["bird", "boat", "bird", "boat", "plant"]);
    let title = Voice::News.title(&topic, &mut draws);
    let teaser = Voice::News.sentence(&topic, &mut draws);
    let label = &site.spec.groups[item.group].1;
    let folder = site.spec.group_path(item.group);
    let path = format!("{folder}{}/{}", civil(born).strftime("%Y/%m"), slug(&title));
    let path = site.free_path(path);

    let mut edits = Vec::new();
    if draws.happens(CORRECTED) {
        let mut at = born;
        for _ in 0..draws.between(1, 3) {
            at = later(at, draws.gap(CORRECTION_MILLIS).max(60_000));
            edits.push(at);
        }
    }
    let end = params.lifetime.map(|days| {
        let at = later(born, (days * DAY as f64) as i64);
        (at, if draws.happens(0.5) { End::Gone } else { End::Missing })
    });
    let author = person(&mut draws);
    let byline = format!("<p class=\"byline\">{label}. By {author}, {}</p>", day_words(born));
    let corrections = edits.iter().enumerate();
    let corrections =
        corrections.map(|(number, at)| (*at, format!("{} on {}", number + 1, day_words(*at))));
    let corrections = Block::Value("Corrections", corrections.collect());
    let related = item.earlier.iter().rev().skip(draws.below(3)).step_by(2).take(3);
    // Related links are written once, and stay when the other article vanishes.
    let related = related.map(|entry| Entry::fixed(&entry.target, &entry.title));
    let related = Block::List(List::new(&format!("More from {label}"), related, Order::Given));
    let text = edited(random, Voice::News, &topic, draws.between(3, 6), edits);
    let blocks = vec![Block::Fixed(byline), text, corrections, related];
    let until = end.as_ref().map(|(at, _)| *at);
    let entry = Entry { teaser, until, ..Entry::new(&path, &title, born) };
    site.add(Page::html(path, title, born, blocks).until(end));
    entry
}

/// The weather line of the front page.
fn weather(site: &Site, params: &Params) -> Vec<(Time, String)> {
    let mut draws = site.random.of("weather").draws();
    let times = draws.instants(params.weather, site.era.before(2.0), site.era.end);
    let line = |(number, at): (usize, Time)| {
        let mut draws = site.random.of("weather lines").at(number as u64).draws();
        let topic = Topic::any(&mut draws);
        (at, filled("{weather}, {n} feet of water at the {tide}", &topic, &mut draws))
    };
    times.into_iter().enumerate().map(line).collect()
}
