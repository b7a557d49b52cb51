//! Forums: a thread is hot for a day or two, then cold. Boards list the last touched threads first.
use super::prelude::*;
use crate::prose::{Replies, count_of};

/// The parameters of a forum.
#[derive(Debug, Deserialize)]
pub(crate) struct Params {
    /// New threads a day.
    per_day: f64,
    /// The age of the oldest thread at the start, in days.
    back: f64,
    members: usize,
}

/// Threads on one page of a board.
const BOARD: usize = 30;
/// No thread gets more replies than this.
const MOST_REPLIES: f64 = 120.0;

pub(super) fn fill(site: &mut Site, params: &Params) {
    let births = births(site, params.per_day, params.back);
    let items = add_items(site, births, ("threads", "board"), |site, item| {
        add_thread(site, &item, params.members)
    });
    add_paged(site, items.groups, Order::Touched, BOARD);
    add_members(site, params.members);
    let touched = List::new("Touched last", items.all, Order::Touched).limit(20);
    site.add_front(&site.spec.name, vec![Block::List(touched), site.house()]);
}

fn add_thread(site: &mut Site, item: &Item<'_>, members: usize) -> Entry {
    let &Item { random, born, .. } = item;
    let number = 100 + item.number;
    let mut draws = random.of("thread").draws();
    let topic = Topic::any(&mut draws);
    let title = Voice::Talk.title(&topic, &mut draws);
    let path = format!("/thread/{number}-{}", slug(&title));
    // Each reply delays the next: a thread cools.
    let count = (2.0 * draws.heavy(0.9)).min(MOST_REPLIES) as usize;
    let mut times: Vec<Time> = Vec::with_capacity(count);
    let mut at = born;
    let pace = HOUR as f64 * 0.3 * draws.heavy(0.6).min(150.0);
    for reply in 0..count {
        at = later(at, draws.gap(pace * (1.0 + reply as f64 * 0.35)).max(30_000));
        times.push(at);
    }
    times.retain(|at| *at < site.era.end);
    let notes = times.iter().enumerate();
    let notes = notes.map(|(number, at)| (*at, count_of(number + 1, "reply"))).collect();
    let member = draws.below(members);
    let reply = Entry::fixed(&format!("/reply?thread={number}"), "Answer this");
    let answer = List { nofollow: true, ..List::new("", [reply], Order::Given) };
    let blocks = vec![
        Block::Fixed(format!(
            "<p class=\"who\"><a href=\"/members/{}\">A member</a> asked on {}</p>",
            member + 1,
            day_words(born)
        )),
        still(random, Voice::Talk, &topic, 2),
        Block::Replies(Replies { random: random.of("replies"), topic, noun: "reply", times }),
        Block::List(answer),
    ];
    let entry = Entry { notes, ..Entry::new(&path, &title, born) };
    site.add(Page::html(path, title, born, blocks));
    entry
}

/// Adds a list of the members and a page for each, which asks in a header not to be indexed.
fn add_members(site: &mut Site, members: usize) {
    let born = site.era.long_ago();
    let mut entries = Vec::new();
    for number in 1..=members {
        let random = site.random.of("members").at(number as u64);
        let mut draws = random.of("name").draws();
        let name = person(&mut draws);
        let path = format!("/members/{number}");
        let topic = Topic::any(&mut draws);
        entries.push(Entry::fixed(&path, &name));
        let blocks = vec![still(random, Voice::Diary, &topic, 1)];
        site.add(Page::html(path, name, born, blocks).noindex(Noindex::Header));
    }
    site.add_list("/members/", "Members", born, List::new("", entries, Order::Given));
}
