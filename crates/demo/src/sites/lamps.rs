//! A museum of lamps whose pages never say anything new, although their bytes change all day: a
//! counter, a token and the time of rendering stand in the markup.
use flow::Time;

use super::{Era, slug, still};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{HOUR, later};
use crate::page::{Block, Page};
use crate::phrases::Voice;
use crate::site::{Manners, Site, Validators};
use crate::words::Topic;

const HOST: &str = "lamp-room.example";
const PAGES: usize = 40;
/// How often the markup of a page changes.
const EVERY: i64 = 6 * HOUR;

pub(super) fn site(era: &Era) -> Site {
    let chance = Chance::new(era.seed, HOST);
    let about = "A museum of ships' lamps. Nothing has been moved since it was opened.";
    let manners = Manners { validators: Validators::Tag, ..Manners::PLAIN };
    let mut site = Site::new(HOST, "The lamp room", about, manners);
    site.navigate("/", "All lamps");
    let mut entries = Vec::new();
    for number in 1..=PAGES {
        let chance = chance.of("lamps").at(number as u64);
        let mut draws = chance.of("lamp").draws();
        let topic = Topic::draw(&mut draws, LAMPS);
        let mut title = format!("{} from {}", topic.subject, topic.place);
        title[..1].make_ascii_uppercase();
        let path = format!("/lamps/{number}-{}", slug(&title));
        entries.push(Entry::fixed(&path, &title));
        let blocks = vec![
            still(chance, Voice::Lexicon, &topic, draws.between(2, 4)),
            Block::Noise(chance.of("noise"), ticks(era, chance)),
        ];
        site.add(Page::html(path, title, era.long_ago(), blocks));
    }
    let front = vec![
        Block::List(List::new("The lamps", entries, Order::Given)),
        Block::Noise(chance.of("noise"), ticks(era, chance)),
    ];
    site.add(Page::html("/", "The lamp room", era.long_ago(), front));
    site
}

const LAMPS: &[&str] = &[
    "masthead lamp",
    "stern lamp",
    "harbour lantern",
    "binnacle lamp",
    "riding light",
    "signal lamp",
    "anchor light",
    "pilot's lantern",
];

/// When the markup changes: evenly, each page at its own minute.
fn ticks(era: &Era, chance: Chance) -> Vec<Time> {
    let offset = (chance.of("offset").bits() % EVERY as u64) as i64;
    let first = later(era.start, offset - EVERY);
    let ticks = (0..).map(|tick| Time::from_millis(first.millis() + tick * EVERY));
    ticks.take_while(|at| *at < era.end).collect()
}
