//! Shops: prices and stock move, some every day and most never; items come and go.
use std::sync::Arc;

use flow::Time;

use super::{Era, add_fixed, add_paged, slug, still};
use crate::chance::{Chance, Draws};
use crate::list::{Entry, List, Order};
use crate::moments::{DAY, HOUR, later};
use crate::page::{Block, End, Form, Noindex, Page};
use crate::phrases::Voice;
use crate::site::{Manners, Site, SitemapKind, Validators};
use crate::words::{GEAR, Topic};

/// One shop.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    shelves: &'static [(&'static str, &'static str)],
    /// Items at the start.
    items: usize,
    /// Items that come in a day.
    per_day: f64,
    /// How long an item stays, in days, on average.
    stay: f64,
    /// Whether an item that is no longer sold leads to its shelf; otherwise it is missing.
    leads_on: bool,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "chandlery.example",
        name: "The Chandlery",
        about: "Rope, lamps and everything else a boat asks for.",
        shelves: &[
            ("rope", "Rope and line"),
            ("lamps", "Lamps"),
            ("deck", "On deck"),
            ("below", "Below deck"),
            ("clothes", "Clothes"),
            ("charts", "Charts and instruments"),
        ],
        items: 170,
        per_day: 1.5,
        stay: 150.0,
        leads_on: true,
        manners: Manners {
            validators: Validators::Tag,
            slow: 0.03,
            cache_control: Some("max-age=60"),
            private: &["/basket/"],
            sitemap: SitemapKind::Index,
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "tackle-and-twine.example",
        name: "Tackle and Twine",
        about: "Second-hand gear, mended and sold on.",
        shelves: &[("tackle", "Tackle"), ("twine", "Twine"), ("odd", "Odd things")],
        items: 90,
        per_day: 2.0,
        stay: 55.0,
        leads_on: false,
        manners: Manners { gzip: true, private: &["/basket/"], ..Manners::PLAIN },
    },
];

/// Items shown on one page of a shelf.
const SHELF: usize = 24;
/// Items that the front page links with a query, so that the same item has two addresses.
const FEATURED: usize = 15;

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    for (path, label) in spec.shelves {
        site.navigate(&format!("/shelf/{path}"), label);
    }
    site.asides = vec![("/basket/", "Your basket"), ("/compare", "Compare")];

    let mut draws = chance.of("births").draws();
    let mut births: Vec<Time> =
        (0..spec.items).map(|_| era.before(0.5 + 300.0 * draws.unit().powi(2))).collect();
    births.sort_unstable();
    births.extend(draws.instants(spec.per_day, era.start, era.end));
    let mut shelves: Vec<Vec<Arc<Entry>>> = vec![Vec::new(); spec.shelves.len()];
    let mut featured = Vec::new();
    let mut entries = Vec::new();
    for (number, born) in births.into_iter().enumerate() {
        let chance = chance.of("items").at(number as u64);
        let shelf = chance.of("shelf").draws().below(spec.shelves.len());
        let mut page = item(era, spec, chance, born, number, shelf);
        let entry = entry(&page);
        if number < FEATURED {
            let copy = page.copy(format!("{}?ref=front", page.path));
            featured.push(Arc::new(Entry { target: copy.path.clone(), ..(*entry).clone() }));
            site.add(copy);
        }
        site.add(page);
        shelves[shelf].push(Arc::clone(&entry));
        entries.push(entry);
    }
    for ((path, label), entries) in spec.shelves.iter().zip(shelves) {
        let list = List::new("", entries, Order::Newest);
        add_paged(&mut site, &format!("/shelf/{path}"), label, &list, SHELF, era.long_ago());
    }
    let house = [("/about", "Who we are"), ("/delivery", "Delivery"), ("/returns", "Returns")];
    let house = add_fixed(&mut site, era, Voice::Shop, &house);
    for (path, title) in [("/basket/", "Your basket"), ("/compare", "Compare")] {
        let blocks = vec![Block::Fixed("<p>Nothing here yet.</p>".to_owned())];
        site.add(Page::html(path, title, era.long_ago(), blocks).noindex(Noindex::Meta));
    }
    let front = vec![
        Block::List(List::new("New in the shop", entries, Order::Newest).limit(10).dated()),
        Block::List(List::new("We like these", featured, Order::Given)),
        Block::List(List::new("The house", house, Order::Given)),
    ];
    site.add(Page::html("/", spec.name, era.long_ago(), front));
    site
}

fn item(era: &Era, spec: &Spec, chance: Chance, born: Time, number: usize, shelf: usize) -> Page {
    let mut draws = chance.of("item").draws();
    let topic = Topic::draw(&mut draws, GEAR);
    let title = Voice::Shop.title(&topic, &mut draws);
    let path = format!("/item/{}-{}", 1_000 + number, slug(&title));
    let last = draws.gap(spec.stay * DAY as f64);
    let end = later(born.max(era.start), last.max(HOUR));
    let (shelf, label) = spec.shelves[shelf];
    let how = if spec.leads_on { End::Moved(301, format!("/shelf/{shelf}")) } else { End::Missing };
    let end = (end < era.end).then_some((end, how));
    let until = end.as_ref().map_or(era.end, |(at, _)| *at);
    // Six in ten prices stand still, three move about once a fortnight, one moves every day.
    let per_day = match draws.below(10) {
        0..=5 => 0.0,
        6..=8 => 0.04 + 0.06 * draws.unit(),
        _ => 0.5 + draws.unit(),
    };
    let sold_per_day = if draws.happens(0.25) { 0.02 * draws.heavy(0.9).min(50.0) } else { 0.0 };
    let blocks = vec![
        Block::Fixed(format!("<p>{label}, item {}</p>", 1_000 + number)),
        Block::Value("Price", prices(era, per_day, born, until, &mut draws)),
        Block::Value("In stock", stock(era, sold_per_day, born, until, &mut draws)),
        still(chance, Voice::Shop, &topic, draws.between(2, 4)),
    ];
    Page::html(path, title, born, blocks).until(end)
}

fn prices(
    era: &Era,
    per_day: f64,
    born: Time,
    until: Time,
    draws: &mut Draws,
) -> Vec<(Time, String)> {
    let mut price = draws.between(300, 20_000) as f64;
    let mut prices = vec![(born, crowns(price))];
    for at in draws.instants(per_day, era.start.max(born), until) {
        price *= 0.85 + 0.32 * draws.unit();
        prices.push((at, crowns(price)));
    }
    prices.dedup_by(|next, before| next.1 == before.1);
    prices
}

fn stock(
    era: &Era,
    per_day: f64,
    born: Time,
    until: Time,
    draws: &mut Draws,
) -> Vec<(Time, String)> {
    let mut left = draws.between(1, 40);
    let mut stock = vec![(born, left.to_string())];
    for at in draws.instants(per_day, era.start.max(born), until) {
        left = if left == 0 { draws.between(10, 40) } else { left - 1 };
        let words = if left == 0 { "sold out, more to come".to_owned() } else { left.to_string() };
        stock.push((at, words));
    }
    stock
}

fn crowns(price: f64) -> String {
    format!("{:.2} crowns", price / 100.0)
}

/// How shelves list an item: with its price.
fn entry(page: &Page) -> Arc<Entry> {
    let notes = match &page.form {
        Form::Html(blocks) => blocks.iter().find_map(|block| match block {
            Block::Value("Price", prices) => Some(prices.clone()),
            _ => None,
        }),
        _ => None,
    };
    Arc::new(Entry {
        from: page.born,
        until: page.ends(),
        notes: notes.unwrap_or_default(),
        ..(*Entry::fixed(&page.path, &page.title)).clone()
    })
}
