//! Forums: a thread is hot for a day or two, then cold; boards show the threads touched last first.
use std::sync::Arc;

use flow::Time;

use super::{Era, add_fixed, add_paged, slug, still};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{HOUR, day_words, later};
use crate::page::{Block, Noindex, Page};
use crate::phrases::Voice;
use crate::prose::{Replies, count_of};
use crate::site::{Manners, Site, Validators};
use crate::words::{FIRST_NAMES, LAST_NAMES, Topic};

/// One forum.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    boards: &'static [(&'static str, &'static str)],
    /// Threads a day.
    per_day: f64,
    /// How far back threads go at the start, in days.
    back: f64,
    members: usize,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "pier-talk.example",
        name: "Pier talk",
        about: "Ask the pier. Somebody will know, somebody else will know better.",
        boards: &[("boats", "Boats"), ("birds", "Birds"), ("weather", "Weather"), ("food", "Food")],
        per_day: 1.6,
        back: 45.0,
        members: 15,
        manners: Manners {
            cache_control: Some("no-store"),
            slow: 0.03,
            private: &["/login", "/reply"],
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "boatyard-forum.example",
        name: "The boatyard",
        about: "Old boats and those who cannot leave them alone.",
        boards: &[("wood", "Wood"), ("engines", "Engines")],
        per_day: 0.7,
        back: 60.0,
        members: 8,
        manners: Manners {
            validators: Validators::Tag,
            gzip: true,
            private: &["/login", "/reply"],
            ..Manners::PLAIN
        },
    },
];

/// Threads on one page of a board.
const BOARD: usize = 30;
/// No thread gets more replies than this.
const MOST_REPLIES: f64 = 120.0;

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    for (path, label) in spec.boards {
        site.navigate(&format!("/board/{path}"), label);
    }
    site.navigate("/members/", "Members");
    site.asides = vec![("/login", "Log in")];

    let births = chance.of("births").draws().instants(spec.per_day, era.before(spec.back), era.end);
    let mut boards: Vec<Vec<Arc<Entry>>> = vec![Vec::new(); spec.boards.len()];
    let mut all = Vec::new();
    for (number, born) in births.into_iter().enumerate() {
        let chance = chance.of("threads").at(number as u64);
        let board = chance.of("board").draws().below(spec.boards.len());
        let entry = add_thread(&mut site, era, chance, number, born, spec.members);
        boards[board].push(Arc::clone(&entry));
        all.push(entry);
    }
    for ((path, label), entries) in spec.boards.iter().zip(boards) {
        let list = List::new("", entries, Order::Touched);
        add_paged(&mut site, &format!("/board/{path}"), label, &list, BOARD, era.long_ago());
    }
    add_members(&mut site, era, chance, spec.members);
    add_fixed(&mut site, era, Voice::Talk, &[("/login", "Log in")]);
    let rules = add_fixed(&mut site, era, Voice::Notice, &[("/rules", "Rules of this house")]);
    let front = vec![
        Block::List(List::new("Touched last", all, Order::Touched).limit(20)),
        Block::List(List::new("The house", rules, Order::Given)),
    ];
    site.add(Page::html("/", spec.name, era.long_ago(), front));
    site
}

fn add_thread(
    site: &mut Site,
    era: &Era,
    chance: Chance,
    number: usize,
    born: Time,
    members: usize,
) -> Arc<Entry> {
    let mut draws = chance.of("thread").draws();
    let topic = Topic::any(&mut draws);
    let title = Voice::Talk.title(&topic, &mut draws);
    let path = format!("/thread/{}-{}", 100 + number, slug(&title));
    // Each answer makes the next come later: a thread cools.
    let count = (2.0 * draws.heavy(0.9)).min(MOST_REPLIES) as usize;
    let mut times: Vec<Time> = Vec::with_capacity(count);
    let mut at = born;
    let pace = HOUR as f64 * 0.3 * draws.heavy(0.6).min(150.0);
    for reply in 0..count {
        at = later(at, draws.gap(pace * (1.0 + reply as f64 * 0.35)).max(30_000));
        times.push(at);
    }
    times.retain(|at| *at < era.end);
    let notes = times.iter().enumerate();
    let notes = notes.map(|(number, at)| (*at, count_of(number + 1, "reply"))).collect();
    let member = draws.below(members);
    let reply = Entry::fixed(&format!("/reply?thread={}", 100 + number), "Answer this");
    let mut answer = List::new("", vec![reply], Order::Given);
    answer.nofollow = true;
    let blocks = vec![
        Block::Fixed(format!(
            "<p class=\"who\"><a href=\"/members/{}\">A member</a> asked on {}</p>",
            member + 1,
            day_words(born)
        )),
        still(chance, Voice::Talk, &topic, 2),
        Block::Replies(Replies { chance: chance.of("replies"), topic, noun: "reply", times }),
        Block::List(answer),
    ];
    site.add(Page::html(path.clone(), title.clone(), born, blocks));
    Arc::new(Entry { target: path, title, teaser: String::new(), from: born, until: None, notes })
}

/// Adds a page for each member, which asks in a header not to be indexed, and a list of them.
fn add_members(site: &mut Site, era: &Era, chance: Chance, members: usize) {
    let mut entries = Vec::new();
    for number in 1..=members {
        let chance = chance.of("members").at(number as u64);
        let mut draws = chance.of("name").draws();
        let name = format!("{} {}", draws.pick(FIRST_NAMES), draws.pick(LAST_NAMES));
        let path = format!("/members/{number}");
        let topic = Topic::any(&mut draws);
        entries.push(Entry::fixed(&path, &name));
        let blocks = vec![still(chance, Voice::Diary, &topic, 1)];
        site.add(Page::html(path, name, era.long_ago(), blocks).noindex(Noindex::Header));
    }
    let list = Block::List(List::new("", entries, Order::Given));
    site.add(Page::html("/members/", "Members", era.long_ago(), vec![list]));
}
