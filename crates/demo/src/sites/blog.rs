//! Diaries: a post now and then, comments while it is young, an archive by month.
use std::sync::Arc;

use flow::Time;

use super::{Era, Period, add_archive, add_fixed, slug, still};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{DAY, day_words, later};
use crate::page::{Block, Form, Noindex, Page};
use crate::phrases::Voice;
use crate::prose::Replies;
use crate::site::{Manners, Site, SitemapKind, Validators};
use crate::words::{BIRDS, BOATS, PLANTS, Topic};

/// One diary.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    subjects: &'static [&'static str],
    /// Posts a day.
    per_day: f64,
    /// How far back the posts go at the start, in days.
    back: f64,
    /// How many comments a post gets: mostly about this many, now and then far more.
    comments: f64,
    /// Whether each post has a page for printing, which names the post as the proper one.
    prints: bool,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "wader-notes.example",
        name: "Wader notes",
        about: "Somebody counts small birds at the edge of the water.",
        subjects: BIRDS,
        per_day: 0.4,
        back: 90.0,
        comments: 2.0,
        prints: false,
        manners: Manners { validators: Validators::Both, ..Manners::PLAIN },
    },
    Spec {
        host: "salt-letters.example",
        name: "Salt letters",
        about: "Letters from a boat that seldom leaves.",
        subjects: BOATS,
        per_day: 0.25,
        back: 140.0,
        comments: 3.0,
        prints: true,
        manners: Manners { slow: 0.04, sitemap: SitemapKind::Plain, ..Manners::PLAIN },
    },
    Spec {
        host: "marsh-diary.example",
        name: "Marsh diary",
        about: "What grows where the land is not quite land.",
        subjects: PLANTS,
        per_day: 0.15,
        back: 220.0,
        comments: 1.0,
        prints: false,
        manners: Manners { validators: Validators::Date, robots: false, ..Manners::PLAIN },
    },
];

/// How long a post is young, in milliseconds: the mean delay of a comment.
const YOUNG: f64 = 3.0 * DAY as f64;

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    site.feed = Some(("/atom.xml", "atom"));
    site.navigate("/archive/", "Archive");
    site.navigate("/tags/", "Tags");
    site.navigate("/about", "About");

    let births = chance.of("births").draws().instants(spec.per_day, era.before(spec.back), era.end);
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    let mut tags: Vec<(String, Vec<Arc<Entry>>)> = Vec::new();
    for (number, born) in births.into_iter().enumerate() {
        let chance = chance.of("posts").at(number as u64);
        let (entry, tag) = add_post(&mut site, era, spec, chance, born, entries.last());
        match tags.iter_mut().find(|(known, _)| *known == tag) {
            Some((_, tagged)) => tagged.push(Arc::clone(&entry)),
            None => tags.push((tag, vec![Arc::clone(&entry)])),
        }
        entries.push(entry);
    }
    add_tags(&mut site, era, tags);
    add_archive(&mut site, era, "/archive/", Period::Month, &entries);
    let friends = SPECS.iter().filter(|other| other.host != spec.host);
    let friends =
        friends.map(|other| Entry::fixed(&format!("http://{}/", other.host), other.name)).collect();
    add_fixed(&mut site, era, Voice::Diary, &[("/about", "About me")]);
    let front = vec![
        Block::List(List::new("Posts", entries.clone(), Order::Newest).limit(8).dated()),
        Block::List(List::new("Friends", friends, Order::Given)),
    ];
    site.add(Page::html("/", spec.name, era.long_ago(), front));
    let feed = List::new("", entries, Order::Newest).limit(10);
    site.add(Page::new("/atom.xml", "", era.long_ago(), Form::Atom(feed)));
    site
}

fn add_post(
    site: &mut Site,
    era: &Era,
    spec: &Spec,
    chance: Chance,
    born: Time,
    before: Option<&Arc<Entry>>,
) -> (Arc<Entry>, String) {
    let mut draws = chance.of("post").draws();
    let topic = Topic::draw(&mut draws, spec.subjects);
    let title = Voice::Diary.title(&topic, &mut draws);
    let teaser = Voice::Diary.sentence(&topic, &mut draws);
    let path = site.free_path(format!("/posts/{}", slug(&title)));
    let count = (spec.comments * draws.heavy(1.2) * draws.unit()).min(40.0) as usize;
    let mut times: Vec<Time> =
        (0..count).map(|_| later(born, draws.gap(YOUNG).max(60_000))).collect();
    times.retain(|at| *at < era.end);
    times.sort_unstable();
    times.dedup();
    let mut blocks = vec![
        Block::Fixed(format!("<p class=\"date\">{}</p>", day_words(born))),
        still(chance, Voice::Diary, &topic, draws.between(3, 6)),
    ];
    let mut links = vec![Entry::fixed(&format!("/tags/{}", slug(&topic.subject)), &topic.subject)];
    links.extend(before.map(|entry| Entry::fixed(&entry.target, &entry.title)));
    blocks.push(Block::List(List::new("See also", links, Order::Given)));
    let plain = blocks.clone();
    let comments =
        Replies { chance: chance.of("comments"), topic: topic.clone(), noun: "comment", times };
    blocks.push(Block::Replies(comments));
    if spec.prints {
        let print = format!("{path}/print");
        let link = Entry::fixed(&print, "A page for printing");
        blocks.push(Block::List(List::new("", vec![link], Order::Given)));
        let mut page = Page::html(print, title.clone(), born, plain);
        page.canonical = Some(path.clone());
        site.add(page);
    }
    site.add(Page::html(path.clone(), title.clone(), born, blocks));
    let entry = Entry { target: path, title, teaser, from: born, until: None, notes: Vec::new() };
    (Arc::new(entry), topic.subject)
}

/// Adds a page for each tag and one that lists them; tag pages ask not to be indexed.
fn add_tags(site: &mut Site, era: &Era, tags: Vec<(String, Vec<Arc<Entry>>)>) {
    let mut index = Vec::new();
    for (tag, tagged) in tags {
        let path = format!("/tags/{}", slug(&tag));
        let from = tagged[0].from;
        index.push(Arc::new(Entry { from, ..(*Entry::fixed(&path, &tag)).clone() }));
        let list = Block::List(List::new("", tagged, Order::Newest).dated());
        let title = format!("Posts about the {tag}");
        site.add(Page::html(path, title, from, vec![list]).noindex(Noindex::Meta));
    }
    index.sort_by(|a, b| a.title.cmp(&b.title));
    let list = Block::List(List::new("", index, Order::Given));
    site.add(Page::html("/tags/", "Tags", era.long_ago(), vec![list]));
}
