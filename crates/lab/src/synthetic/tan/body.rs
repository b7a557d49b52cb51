//! The body of a page: words, images and tables of its topic. A change replaces a paragraph.
use std::fmt::Write as _;

use crawl::Time;

use super::Tan;
use crate::{
    rng::Rng,
    synthetic::words::{common, html, links, past},
};

/// Paragraphs of a page.
const PARAGRAPHS: usize = 4;
/// The share of words that are of the page's topic.
const ON_TOPIC: f64 = 0.7;

pub(super) fn render(web: &Tan, number: usize, at: Time) -> String {
    let page = &web.pages[number];
    let topic = &web.topics[page.topic];
    let revision = past(&page.changes, at);
    let mut rng = Rng::named(web.seed, &format!("looks of {}", page.address));
    let words = topic.length * (0.8 + 0.4 * rng.unit()) / PARAGRAPHS as f64;
    let title: Vec<String> = (0..3).map(|_| topic.word(&mut rng)).collect();
    let mut body = String::new();
    for paragraph in 0..PARAGRAPHS {
        let mut rng = Rng::named(
            web.seed,
            &format!("{} {paragraph} of {}", page.address, shown(revision, paragraph)),
        );
        body.push_str("<p>");
        for _ in 0..words as usize {
            if rng.unit() < ON_TOPIC {
                body.push_str(&topic.word(&mut rng));
                body.push(' ');
            } else {
                common(&mut rng, 1, &mut body);
            }
        }
        body.push_str("</p>\n");
    }
    for image in 0..topic.images {
        let _ = writeln!(body, "<img src=\"/i{image}.png\" alt=\"\">");
    }
    for _ in 0..topic.tables {
        body.push_str("<table><tr><td>1</td></tr></table>\n");
    }
    links(&mut body, page.links.iter().map(|&to| web.pages[to].address.as_str()));
    html(&title.join(" "), &body)
}

/// The last revision that replaced a paragraph: they are replaced in turn.
fn shown(revision: usize, paragraph: usize) -> usize {
    let last = revision % PARAGRAPHS;
    let back = (last + PARAGRAPHS - paragraph) % PARAGRAPHS;
    revision.saturating_sub(back)
}
