//! A museum of lamps. Its text never changes, but its bytes change all day: the markup contains a
//! counter, a token and the time of rendering.
use super::prelude::*;

const PAGES: usize = 40;
/// The time between changes of a page's markup.
const INTERVAL: i64 = 6 * HOUR;

pub(super) fn fill(site: &mut Site) {
    let era = site.era;
    let mut entries = Vec::new();
    for number in 1..=PAGES {
        let random = site.random.of("lamps").at(number as u64);
        let mut draws = random.of("lamp").draws();
        let topic = Topic::draw(&mut draws, "lamp");
        let mut title = format!("{} from {}", topic.subject, topic.place);
        title[..1].make_ascii_uppercase();
        let path = format!("/lamps/{number}-{}", slug(&title));
        entries.push(Entry::fixed(&path, &title));
        let text = still(random, Voice::Lexicon, &topic, draws.between(2, 4));
        site.add(Page::html(path, title, era.long_ago(), vec![text, noise(era, random)]));
    }
    let list = Block::List(List::new("The lamps", entries, Order::Given));
    site.add_front(&site.spec.name, vec![list, noise(era, site.random)]);
}

/// Markup that changes at even intervals, on each page at another minute.
fn noise(era: Era, random: Random) -> Block {
    let offset = (random.of("offset").bits() % INTERVAL as u64) as i64;
    let first = later(era.start, offset - INTERVAL);
    let ticks = (0..).map(|tick| Time::from_millis(first.millis() + tick * INTERVAL));
    Block::Noise(random.of("noise"), ticks.take_while(|at| *at < era.end).collect())
}
