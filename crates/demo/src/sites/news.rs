//! Newspapers: a front page that changes many times a day, articles that are corrected in their first
//! hours and then stay as they are, and on one site vanish.
use std::sync::Arc;

use flow::Time;

use super::{Era, Period, add_archive, add_fixed, edited, slug};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{DAY, HOUR, civil, day_words, later};
use crate::page::{Block, End, Form, Page};
use crate::phrases::{Voice, fill};
use crate::site::{Manners, Site, SitemapKind, Validators};
use crate::words::{BIRDS, BOATS, FIRST_NAMES, LAST_NAMES, PLANTS, Topic};

/// One newspaper.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    sections: &'static [(&'static str, &'static str)],
    /// Articles a day.
    per_day: f64,
    /// How far back its articles go at the start, in days.
    back: f64,
    /// After how many days articles vanish.
    lifetime: Option<f64>,
    /// How often a day the line about the weather changes.
    weather: f64,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "daily-tide.example",
        name: "The Daily Tide",
        about: "News from the shore, printed on every tide since 1871.",
        sections: &[
            ("harbour", "Harbour"),
            ("birds", "Birds"),
            ("weather", "Weather"),
            ("people", "People"),
            ("council", "Council"),
        ],
        per_day: 4.0,
        back: 28.0,
        lifetime: None,
        weather: 4.0,
        manners: Manners {
            validators: Validators::Both,
            cache_control: Some("max-age=300"),
            slow: 0.01,
            private: &["/newsroom/"],
            sitemap: SitemapKind::True,
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "harbour-herald.example",
        name: "Harbour Herald",
        about: "Shipping, fish prices and gossip. Articles are kept for three weeks.",
        sections: &[("shipping", "Shipping"), ("fish", "Fish"), ("letters", "Letters")],
        per_day: 4.0,
        back: 21.0,
        lifetime: Some(21.0),
        weather: 0.0,
        manners: Manners {
            validators: Validators::Tag,
            gzip: true,
            cache_control: Some("no-cache"),
            private: &["/newsroom/"],
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "gull-gazette.example",
        name: "The Gull Gazette",
        about: "Two stories a day from the far end of the pier.",
        sections: &[("pier", "The pier"), ("sea", "The sea")],
        per_day: 1.2,
        back: 40.0,
        lifetime: None,
        weather: 0.0,
        manners: Manners { sitemap: SitemapKind::Plain, ..Manners::PLAIN },
    },
];

/// Of all articles, how many are corrected at all.
const CORRECTED: f64 = 0.35;
/// How long after publication corrections come, on average.
const CORRECTION_MILLIS: f64 = 2.0 * HOUR as f64;

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    site.feed = Some(("/feed.xml", "rss"));
    for (path, label) in spec.sections {
        site.navigate(&format!("/{path}/"), label);
    }
    site.navigate("/archive/", "Archive");

    let births = chance.of("births").draws().instants(spec.per_day, era.before(spec.back), era.end);
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    let mut sections: Vec<Vec<Arc<Entry>>> = vec![Vec::new(); spec.sections.len()];
    for (number, born) in births.into_iter().enumerate() {
        let chance = chance.of("articles").at(number as u64);
        let section = chance.of("section").draws().below(spec.sections.len());
        let entry = add_article(&mut site, spec, chance, born, section, &sections[section]);
        sections[section].push(Arc::clone(&entry));
        entries.push(entry);
    }

    let mut front = Vec::new();
    if spec.weather > 0.0 {
        front.push(Block::Value("Off the pier", weather(era, spec, chance)));
    }
    front.push(Block::List(List::new("Latest", entries.clone(), Order::Newest).limit(14).dated()));
    let mut about = add_fixed(
        &mut site,
        era,
        Voice::News,
        &[("/about", "About this newspaper"), ("/contact", "How to reach us")],
    );
    if spec.manners.private.contains(&"/newsroom/") {
        let rooms = [("/newsroom/diary", "Newsroom diary"), ("/newsroom/rota", "Rota of the week")];
        about.extend(add_fixed(&mut site, era, Voice::Diary, &rooms));
    }
    front.push(Block::List(List::new("The house", about, Order::Given)));
    site.add(Page::html("/", "Front page", era.long_ago(), front));
    for ((path, label), listed) in spec.sections.iter().zip(sections) {
        let list = List::new("", listed, Order::Newest).limit(25).dated();
        let path = format!("/{path}/");
        site.add(Page::html(path, *label, era.long_ago(), vec![Block::List(list)]));
    }
    add_archive(&mut site, era, "/archive/", Period::Day, &entries);
    let feed = List::new("", entries, Order::Newest).limit(20);
    site.add(Page::new("/feed.xml", "", era.long_ago(), Form::Rss(feed)));
    site
}

fn add_article(
    site: &mut Site,
    spec: &Spec,
    chance: Chance,
    born: Time,
    section: usize,
    earlier: &[Arc<Entry>],
) -> Arc<Entry> {
    let mut draws = chance.of("article").draws();
    let subjects = [BIRDS, BOATS, BIRDS, BOATS, PLANTS][draws.below(5)];
    let topic = Topic::draw(&mut draws, subjects);
    let title = Voice::News.title(&topic, &mut draws);
    let teaser = Voice::News.sentence(&topic, &mut draws);
    let (folder, label) = spec.sections[section];
    let date = civil(born);
    let path = format!("/{folder}/{}/{:02}/{}", date.year(), date.month(), slug(&title));
    let path = site.free_path(path);

    let mut edits = Vec::new();
    if draws.happens(CORRECTED) {
        let mut at = born;
        for _ in 0..draws.between(1, 3) {
            at = later(at, draws.gap(CORRECTION_MILLIS).max(60_000));
            edits.push(at);
        }
    }
    let end = spec.lifetime.map(|days| {
        let at = later(born, (days * DAY as f64) as i64);
        (at, if draws.happens(0.5) { End::Gone } else { End::Missing })
    });
    let byline = format!(
        "<p class=\"byline\">{label}. By {} {}, {}</p>",
        draws.pick(FIRST_NAMES),
        draws.pick(LAST_NAMES),
        day_words(born)
    );
    let corrections: Vec<(Time, String)> = edits
        .iter()
        .enumerate()
        .map(|(number, at)| (*at, format!("{} on {}", number + 1, day_words(*at))))
        .collect();
    let related = earlier.iter().rev().skip(draws.below(3)).step_by(2).take(3).cloned();
    // What is said to be related is said once, and stays even when the other article vanishes.
    let related = related.map(|entry| Entry::fixed(&entry.target, &entry.title)).collect();
    let blocks = vec![
        Block::Fixed(byline),
        edited(chance, Voice::News, &topic, draws.between(3, 6), edits),
        Block::Value("Corrections", corrections),
        Block::List(List::new(&format!("More from {label}"), related, Order::Given)),
    ];
    let until = end.as_ref().map(|(at, _)| *at);
    site.add(Page::html(path.clone(), title.clone(), born, blocks).until(end));
    Arc::new(Entry { target: path, title, teaser, from: born, until, notes: Vec::new() })
}

/// The line about the weather on the front page.
fn weather(era: &Era, spec: &Spec, chance: Chance) -> Vec<(Time, String)> {
    let times = chance.of("weather").draws().instants(spec.weather, era.before(2.0), era.end);
    let line = |(number, at): (usize, Time)| {
        let mut draws = chance.of("weather lines").at(number as u64).draws();
        let mut line = String::new();
        let topic = Topic::any(&mut draws);
        fill("{weather}, {n} feet of water at the {tide}", &topic, &mut draws, &mut line);
        (at, line)
    };
    times.into_iter().enumerate().map(line).collect()
}
