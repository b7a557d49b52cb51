//! Pages that matter to searchers in different ways: the web of Pandey and Olston, "User-centric web
//! crawling", WWW 2005. `docs/worlds.md` has the sentence behind each parameter.
use crawl::Time;

use super::{
    Spec, change,
    model::Model,
    words::{Weights, common, html, links, noun, on_day, past, weighted, zipf},
};
use crate::{history::Window, rng::Rng};

/// Pages and weeks: about half of the paper's 19,000 pages, for its 48 weeks.
pub(super) const FULL_SCALE: (usize, u32) = (10_000, 48);

/// Sites of the paper's second data set.
const SITES: usize = 15;
/// The fewest pages of a site, where there are fewer pages in all.
const FEWEST_PAGES: usize = 20;
/// The shares of the classes: advertisements, news, slow, and very slow for the rest.
const SHARES: [f64; 3] = [0.3, 0.1, 0.2];
/// Weeks from one change to the next, of slow and of very slow pages.
const WEEKS: (f64, f64) = (8.0, 40.0);
/// Words that are asked for, as many as queries.
const ASKED: usize = 2_000;
/// The exponents of how often queries are asked, and of how often pages use the words.
const EXPONENTS: (f64, f64) = (1.0, 0.5);
/// Of ten queries, how many have one word; the others have two.
const OF_ONE_WORD: usize = 7;
/// Identifying words of a page, which it keeps.
const IDENTIFYING: usize = 3;
/// Asked words of the news of a page; every week one of them is replaced.
const NEWS: usize = 2;
/// The chance that a change of a slow page replaces an identifying word.
const REPLACES: f64 = 0.25;
/// Words of a page that nobody asks for, and of an advertisement.
const WORDS: (usize, usize) = (100, 150);
/// Links of a page, beside that to the front page; the front page links to some of its site.
const LINKS: (usize, usize) = (5, 50);

/// The web.
#[derive(Debug)]
pub(super) struct Searched {
    seed: u64,
    window: Window,
    pages: Vec<Page>,
    /// How often pages use each of the asked words.
    use_of_words: Weights,
}

/// How a page changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Advertisement,
    News,
    Slow,
    VerySlow,
}

#[derive(Debug)]
struct Page {
    address: String,
    class: Class,
    links: Vec<usize>,
    changes: Vec<Time>,
}

impl Searched {
    pub(super) fn new(spec: Spec, window: Window) -> Self {
        let sites = (spec.pages / FEWEST_PAGES).clamp(1, SITES);
        let per_site = spec.pages.div_ceil(sites);
        let mut pages: Vec<Page> =
            (0..spec.pages).map(|number| page(spec, window, number, per_site)).collect();
        for (number, page) in pages.iter_mut().enumerate() {
            page.links = linked(spec, number, per_site);
        }
        let use_of_words = Weights::new(&zipf(ASKED, EXPONENTS.1));
        Self { seed: spec.seed, window, pages, use_of_words }
    }

    /// The asked words of a page at a revision, and how often each occurs.
    fn asked(&self, page: &Page, revision: usize) -> Vec<(usize, usize)> {
        let draw = |name: &str| {
            let mut rng = Rng::named(self.seed, &format!("{} {name}", page.address));
            (self.use_of_words.draw(&mut rng), rng)
        };
        let mut words = vec![];
        for place in 0..IDENTIFYING {
            let last = match page.class {
                Class::Slow | Class::VerySlow => self.replaced(page, revision, place),
                _ => 0,
            };
            let (word, mut rng) = draw(&format!("identifying {place} of {last}"));
            words.push((word, 1 + rng.below(3)));
        }
        if page.class == Class::News {
            for place in 0..NEWS {
                // They are replaced in turn.
                let last = revision.saturating_sub((revision + NEWS - place) % NEWS);
                let (word, mut rng) = draw(&format!("news {place} of {last}"));
                words.push((word, 2 + rng.below(3)));
            }
        }
        words
    }

    /// The last revision that replaced an identifying word.
    fn replaced(&self, page: &Page, revision: usize, place: usize) -> usize {
        let replaces = |revision: &usize| {
            let mut rng =
                Rng::named(self.seed, &format!("{} replaces at {revision}", page.address));
            rng.unit() < REPLACES && rng.below(IDENTIFYING) == place
        };
        (1..=revision).rev().find(replaces).unwrap_or(0)
    }
}

fn page(spec: Spec, window: Window, number: usize, per_site: usize) -> Page {
    let (site, place) = (number / per_site, number % per_site);
    let name = if place == 0 { String::new() } else { format!("p{place:05}.html") };
    let address = format!("https://searched{site:02}.example/{name}");
    let mut rng = Rng::named(spec.seed, &address);
    let class = match weighted(&mut rng, &[SHARES[0], SHARES[1], SHARES[2], rest()]) {
        0 => Class::Advertisement,
        1 => Class::News,
        2 => Class::Slow,
        _ => Class::VerySlow,
    };
    let weeks = f64::from(spec.weeks);
    let mut changes = match class {
        Class::Advertisement | Class::News => {
            let within = |week| on_day(window, 7.0 * (f64::from(week) + 0.02 + 0.96 * rng.unit()));
            (0..spec.weeks).map(within).collect()
        }
        Class::Slow => change::poisson(&mut rng, 1.0 / (7.0 * WEEKS.0), window),
        Class::VerySlow => change::poisson(&mut rng, 1.0 / (7.0 * WEEKS.1), window),
    };
    if changes.is_empty() {
        // Every page of the paper changed at least once.
        changes.push(on_day(window, 7.0 * weeks * (0.01 + 0.98 * rng.unit())));
    }
    Page { address, class, links: vec![], changes }
}

/// The share of very slow pages.
fn rest() -> f64 {
    1.0 - SHARES.iter().sum::<f64>()
}

/// Links within a site, to some pages much more often than to others.
fn linked(spec: Spec, number: usize, per_site: usize) -> Vec<usize> {
    let mut rng = Rng::named(spec.seed, &format!("links of page {number}"));
    let front = number / per_site * per_site;
    let count = per_site.min(spec.pages - front);
    let links = if number == front { LINKS.1 } else { LINKS.0 };
    let mut linked = vec![front];
    for _ in 0..links {
        let draw = rng.unit();
        linked.push(front + (draw * draw * count as f64) as usize);
    }
    linked.retain(|&to| to != number);
    linked.sort_unstable();
    linked.dedup();
    linked
}

impl Model for Searched {
    fn pages(&self) -> usize {
        self.pages.len()
    }

    fn address(&self, page: usize) -> &str {
        &self.pages[page].address
    }

    fn change_times(&self, page: usize) -> Vec<Time> {
        let changes = self.pages[page].changes.iter().copied();
        std::iter::once(self.window.start).chain(changes).collect()
    }

    fn render(&self, page: usize, at: Time) -> Option<String> {
        if at < self.window.start {
            return None;
        }
        let page = &self.pages[page];
        let revision = past(&page.changes, at);
        let asked = self.asked(page, revision);
        let mut body = String::new();
        for (word, times) in &asked {
            let word = noun(*word);
            body.push_str("<p>");
            for _ in 0..*times {
                body.push_str(&word);
                body.push(' ');
            }
            body.push_str("</p>\n");
        }
        let mut paragraph = |name: &str, words: usize| {
            body.push_str("<p>");
            let mut rng = Rng::named(self.seed, &format!("{} {name}", page.address));
            common(&mut rng, words, &mut body);
            body.push_str("</p>\n");
        };
        match page.class {
            Class::Advertisement => {
                paragraph("text", WORDS.0);
                paragraph(&format!("advertisement {revision}"), WORDS.1);
            }
            Class::News => paragraph("text", WORDS.0 + WORDS.1),
            Class::Slow | Class::VerySlow => {
                paragraph("text", WORDS.1);
                paragraph(&format!("text {revision}"), WORDS.0);
            }
        }
        links(&mut body, page.links.iter().map(|&to| self.pages[to].address.as_str()));
        let mut title = String::new();
        common(&mut Rng::named(self.seed, &format!("{} title", page.address)), 3, &mut title);
        Some(html(title.trim_end(), &body))
    }

    fn queries(&self) -> Option<Vec<(String, f64)>> {
        let mut rng = Rng::named(self.seed, "queries");
        let frequencies = zipf(ASKED, EXPONENTS.0);
        let second = Weights::new(&frequencies);
        let query = |(rank, frequency): (usize, f64)| {
            let mut text = noun(rank);
            if rank % 10 >= OF_ONE_WORD {
                text = format!("{text} {}", noun(second.draw(&mut rng)));
            }
            (text, frequency)
        };
        Some(frequencies.iter().copied().enumerate().map(query).collect())
    }
}
