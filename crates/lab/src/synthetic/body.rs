//! The body of a page of a synthetic web at an instant: HTML, or RSS for feeds.
use std::fmt::Write;

use crawl::Time;

use super::{
    site::{Role, Site, SitePage},
    words::word,
};
use crate::rng::Rng;

/// Paragraphs of a page; a change replaces one of them.
const PARAGRAPHS: usize = 4;
const WORDS_PER_PARAGRAPH: usize = 30;
/// Distinct words of the news of a group, distinct words of a page's own note, and how often each
/// is repeated: often enough for a test on word counts to be significant.
const NEWS_WORDS: usize = 4;
const NOTE_WORDS: usize = 2;
const TIMES: usize = 12;
/// The number of distinct words.
const LEXICON: usize = 2_000;

/// The body of a page at an instant; `None` if it does not exist then.
pub(super) fn render(site: &Site, seed: u64, number: usize, at: Time) -> Option<String> {
    let page = &site.pages[number];
    if !page.is_alive(at) {
        return None;
    }
    let listed = site.listed(number, at);
    Some(match page.role {
        Role::Feed => feed(site, seed, number, &listed, at),
        _ => html(site, seed, number, &listed, at),
    })
}

fn html(site: &Site, seed: u64, number: usize, listed: &[usize], at: Time) -> String {
    let page = &site.pages[number];
    let host = &site.hosts[page.host];
    let so_far = |times: &[Time]| times.partition_point(|&time| time <= at);
    let revision = so_far(&page.changes);
    let layout = so_far(&host.shocks)
        + page.directory().map_or(0, |directory| so_far(&host.directory_shocks[directory]));
    let title = title(page);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">\n</head>\n<body>\n<nav>"
    );
    for address in menu(site, number) {
        push(&mut html, &format!("<a href=\"{address}\">{address}</a> "));
    }
    push(&mut html, &format!("</nav>\n<main>\n<h1>{title}</h1>\n"));
    for paragraph in 0..PARAGRAPHS {
        let words = paragraph_words(seed, &page.address, paragraph, revision);
        push(&mut html, &format!("<p>{words}</p>\n"));
    }
    if let Some(news) = &page.news {
        let issue = format!("{} issue {}", news.group, so_far(&news.times));
        let note = format!("{} note {revision}", page.address);
        push(&mut html, &format!("<p>{}</p>\n", repeated(seed, &issue, NEWS_WORDS)));
        push(&mut html, &format!("<p>{}</p>\n", repeated(seed, &note, NOTE_WORDS)));
    }
    if !listed.is_empty() {
        push(&mut html, "<ul>\n");
        for &leaf in listed {
            let leaf = &site.pages[leaf];
            let item = format!("<li><a href=\"{}\">{}</a></li>\n", leaf.address, self::title(leaf));
            push(&mut html, &item);
        }
        push(&mut html, "</ul>\n");
    }
    push(
        &mut html,
        &format!(
            "<p>Revision {revision}</p>\n</main>\n<footer>Layout {layout}</footer>\n</body>\n</html>\n"
        ),
    );
    html
}

/// The fixed links of a page: to its hubs, its neighbour and the next host.
fn menu(site: &Site, number: usize) -> Vec<String> {
    let page = &site.pages[number];
    let host = &site.hosts[page.host].pages;
    let address = |number: usize| site.pages[number].address.clone();
    let mut links: Vec<String> = vec!["/".into()];
    for directory in
        host.iter().filter(|&&other| matches!(site.pages[other].role, Role::Directory(_)))
    {
        links.push(address(*directory));
    }
    if page.role == Role::Front {
        let next = &site.hosts[(page.host + 1) % site.hosts.len()].pages;
        links.extend(next.first().map(|&front| address(front)));
    }
    if matches!(page.role, Role::Leaf(_)) {
        let place = host.partition_point(|&other| other < number);
        let always = |other: &&usize| site.pages[**other].born <= page.born && **other != number;
        links.extend(host[place..].iter().find(always).map(|&next| address(next)));
        links.extend(host[..place].iter().rev().find(always).map(|&before| address(before)));
    }
    links
}

fn feed(site: &Site, seed: u64, number: usize, listed: &[usize], at: Time) -> String {
    let page = &site.pages[number];
    let revision = page.changes.partition_point(|&time| time <= at);
    let mut feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel>\
         <title>News, revision {revision}</title>\n<description>{}</description>\n",
        paragraph_words(seed, &page.address, 0, revision)
    );
    for &leaf in listed {
        let leaf = &site.pages[leaf];
        let date = rfc2822(leaf.born);
        push(
            &mut feed,
            &format!(
                "<item><title>{}</title><link>{}</link><pubDate>{date}</pubDate></item>\n",
                title(leaf),
                leaf.address
            ),
        );
    }
    feed.push_str("</channel></rss>\n");
    feed
}

fn rfc2822(at: Time) -> String {
    let stamp = jiff::Timestamp::from_millisecond(at.millis());
    let stamp = stamp.expect("synthetic webs live in this century");
    jiff::fmt::rfc2822::to_string(&stamp.to_zoned(jiff::tz::TimeZone::UTC))
        .expect("a date of this century can be written")
}

fn title(page: &SitePage) -> String {
    let mut rng = Rng::named(1, &page.address);
    let words: Vec<String> = (0..3).map(|_| word(rng.below(LEXICON))).collect();
    words.join(" ")
}

/// The words of a paragraph at a revision: those of the last revision that replaced it.
fn paragraph_words(seed: u64, address: &str, paragraph: usize, revision: usize) -> String {
    let replaced = |revision: &usize| {
        let mut rng = Rng::named(seed, &format!("{address} revision {revision}"));
        rng.below(PARAGRAPHS) == paragraph
    };
    let last = (1..=revision).rev().find(replaced).unwrap_or(0);
    let mut rng = Rng::named(seed, &format!("{address} paragraph {paragraph} of {last}"));
    let mut text = String::new();
    for place in 0..WORDS_PER_PARAGRAPH {
        if place > 0 {
            text.push(' ');
        }
        // Squaring makes some words much more frequent than others, as in natural language.
        let draw = rng.unit();
        text.push_str(&word((draw * draw * LEXICON as f64) as usize));
    }
    text.push('.');
    text
}

/// A few random words that depend on `name`, repeated.
fn repeated(seed: u64, name: &str, words: usize) -> String {
    let mut rng = Rng::named(seed, name);
    let words: Vec<String> = (0..words).map(|_| word(rng.below(LEXICON))).collect();
    vec![words.join(" "); TIMES].join(" ") + "."
}

fn push(text: &mut String, more: &str) {
    text.write_str(more).expect("writing to a string cannot fail");
}
