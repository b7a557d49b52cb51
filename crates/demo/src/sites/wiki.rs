//! Encyclopaedias: a few articles are edited all the time, many hardly ever.
use std::sync::Arc;

use flow::Time;

use super::{Era, add_fixed, edited, slug};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::minute_words;
use crate::page::{Block, End, Form, Noindex, Page};
use crate::phrases::Voice;
use crate::prose::{Replies, count_of};
use crate::site::{Manners, Site, SitemapKind, Validators};
use crate::words::{BIRDS, Topic};

/// One encyclopaedia.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    articles: usize,
    /// Articles that come in a day.
    per_day: f64,
    /// Edits a day of an ordinary article; a few have hundreds of times as many.
    edits: f64,
    /// How uneven the rates are: the shape of the Pareto law they follow.
    shape: f64,
    /// Whether every article is about one kind of bird in one place.
    birds: bool,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "coast-cyclopedia.example",
        name: "Coast cyclopedia",
        about: "The encyclopaedia of the shore that anybody may edit, and some do.",
        articles: 300,
        per_day: 0.8,
        edits: 0.014,
        shape: 0.75,
        birds: false,
        manners: Manners {
            validators: Validators::Both,
            cache_control: Some("private, must-revalidate"),
            slow: 0.02,
            private: &["/edit/"],
            sitemap: SitemapKind::True,
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "bird-index.example",
        name: "Bird index",
        about: "Which bird is where. Looked after by one careful person.",
        articles: 130,
        per_day: 0.1,
        edits: 0.006,
        shape: 0.9,
        birds: true,
        manners: Manners { validators: Validators::Date, gzip: true, ..Manners::PLAIN },
    },
];

/// No article is edited more often than this in a day.
const MOST_EDITS: f64 = 9.0;
/// One article in this many had another name once.
const RENAMED: usize = 20;
/// One article in this many is talked about on a page of its own.
const TALKED: usize = 12;
/// One article in this many is given up some day, and its page says so.
const GIVEN_UP: usize = 60;

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    site.navigate("/recent", "Recent changes");
    site.navigate("/letters/", "By letter");
    site.asides = vec![("/edit/new", "Write an article")];

    let mut births = vec![era.long_ago(); spec.articles];
    births.extend(chance.of("births").draws().instants(spec.per_day, era.start, era.end));
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    for (number, born) in births.into_iter().enumerate() {
        let chance = chance.of("articles").at(number as u64);
        let entry = add_article(&mut site, era, spec, chance, number, born, &entries);
        entries.push(entry);
    }
    add_letters(&mut site, era, &entries);
    let recent = List::new("", entries.clone(), Order::Touched).limit(30);
    site.add(Page::html("/recent", "Recent changes", era.long_ago(), vec![Block::List(recent)]));
    let house = [("/about", "About these pages"), ("/rules", "Rules for writers")];
    let house = add_fixed(&mut site, era, Voice::Lexicon, &house);
    let editor = [("/edit/new", "Write an article")];
    add_fixed(&mut site, era, Voice::Notice, &editor);
    let newest = entries.iter().filter(|entry| entry.from > era.start).cloned().collect();
    let front = vec![
        Block::List(List::new("New articles", newest, Order::Newest).limit(8).dated()),
        Block::List(List::new("Good articles", entries[..20].to_vec(), Order::Given)),
        Block::List(List::new("The house", house, Order::Given)),
    ];
    // Notes about edits belong to the list of recent changes, not to the front page.
    let front = front.into_iter().map(without_notes).collect();
    site.add(Page::html("/", spec.name, era.long_ago(), front));
    site
}

fn add_article(
    site: &mut Site,
    era: &Era,
    spec: &Spec,
    chance: Chance,
    number: usize,
    born: Time,
    earlier: &[Arc<Entry>],
) -> Arc<Entry> {
    let mut draws = chance.of("article").draws();
    let topic = if spec.birds { Topic::draw(&mut draws, BIRDS) } else { Topic::any(&mut draws) };
    let title = if spec.birds {
        let mut subject = topic.subject.clone();
        subject[..1].make_ascii_uppercase();
        format!("{subject} at {}", topic.place)
    } else {
        Voice::Lexicon.title(&topic, &mut draws)
    };
    let path = site.free_path(format!("/wiki/{}", slug(&title)));
    let end = (number % GIVEN_UP == GIVEN_UP - 1)
        .then(|| draws.instants(0.05, era.start.max(born), era.end).first().copied())
        .flatten();
    let until = end.unwrap_or(era.end);
    let rate = (spec.edits * draws.heavy(spec.shape)).min(MOST_EDITS);
    // What was edited before the start is told by one date only.
    let touched = if born < era.start { era.before(1.0 + 300.0 * draws.unit()) } else { born };
    let edits = draws.instants(rate, era.start.max(born), until);
    let said = |at: Time| (at, minute_words(at));
    let dates = [touched].iter().chain(&edits).map(|at| said(*at)).collect();
    let notes = edits.iter().enumerate().map(|(made, at)| {
        (*at, format!("{}, last on {}", count_of(made + 1, "edit"), minute_words(*at)))
    });
    let notes = notes.collect();

    let see_also = (0..draws.between(3, 6)).filter(|_| !earlier.is_empty());
    let mut see_also: Vec<Arc<Entry>> = see_also.map(|_| Arc::clone(draws.pick(earlier))).collect();
    see_also.sort_by(|a, b| a.target.cmp(&b.target));
    see_also.dedup_by(|a, b| a.target == b.target);
    let mut links: Vec<Arc<Entry>> =
        see_also.iter().map(|entry| Entry::fixed(&entry.target, &entry.title)).collect();
    if number % RENAMED == RENAMED - 1 {
        let old = path.replace("/wiki/", "/wiki/old-");
        links.push(Entry::fixed(&old, "The older name of this article"));
        let targets = vec![(born, path.clone())];
        site.add(Page::new(old, "", born, Form::Redirect(301, targets)));
    }
    if number.is_multiple_of(TALKED) {
        let talk = path.replace("/wiki/", "/talk/");
        links.push(Entry::fixed(&talk, "What is said about this article"));
        add_talk(
            site,
            chance,
            &talk,
            &title,
            &topic,
            born,
            draws.instants(rate, era.start.max(born), era.end),
        );
    }
    let blocks = vec![
        edited(chance, Voice::Lexicon, &topic, draws.between(3, 7), edits),
        Block::List(List::new("See also", links, Order::Given)),
        Block::Value("Last edited", dates),
    ];
    let page = Page::html(path.clone(), title.clone(), born, blocks);
    site.add(page.until(end.map(|at| (at, End::Gone))));
    Arc::new(Entry { target: path, title, teaser: String::new(), from: born, until: end, notes })
}

fn add_talk(
    site: &mut Site,
    chance: Chance,
    path: &str,
    title: &str,
    topic: &Topic,
    born: Time,
    times: Vec<Time>,
) {
    let replies =
        Replies { chance: chance.of("talk"), topic: topic.clone(), noun: "remark", times };
    let page = Page::html(path, format!("Talk: {title}"), born, vec![Block::Replies(replies)]);
    site.add(page.noindex(Noindex::Meta));
}

/// Adds a page for each first letter and one that lists the letters.
fn add_letters(site: &mut Site, era: &Era, entries: &[Arc<Entry>]) {
    let mut index = Vec::new();
    for letter in 'A'..='Z' {
        let mut under: Vec<Arc<Entry>> =
            entries.iter().filter(|entry| entry.title.starts_with(letter)).cloned().collect();
        if under.is_empty() {
            continue;
        }
        under.sort_by(|a, b| (&a.title, &a.target).cmp(&(&b.title, &b.target)));
        let path = format!("/letters/{}", letter.to_ascii_lowercase());
        let title = format!("Articles under {letter}");
        index.push(Entry::fixed(&path, &title));
        let list = without_notes(Block::List(List::new("", under, Order::Given)));
        site.add(Page::html(path, title, era.long_ago(), vec![list]));
    }
    let list = Block::List(List::new("", index, Order::Given));
    site.add(Page::html("/letters/", "By letter", era.long_ago(), vec![list]));
}

/// The same list, saying nothing beside its entries.
fn without_notes(block: Block) -> Block {
    let Block::List(mut list) = block else { return block };
    for entry in &mut list.entries {
        Arc::make_mut(entry).notes.clear();
    }
    Block::List(list)
}
