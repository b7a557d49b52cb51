//! Topics that are active for some days, then quiet: the web of Radinsky and Bennett, "Predicting
//! content change on the web", WSDM 2013. `docs/worlds.md` has the sentence behind each parameter.
use std::fmt::Write as _;

use crawl::Time;

use super::{
    Spec,
    model::Model,
    words::{common, html, links, noun, on_day},
};
use crate::{history::Window, rng::Rng};

/// Pages and weeks: six topics, and the paper's half year.
pub(super) const FULL_SCALE: (usize, u32) = (192, 26);

/// Pages of a topic: more than the 20 experts of the paper, so that all of them can be good.
const PAGES_PER_TOPIC: usize = 32;
/// Topics of a subject: their pages use the same words, but are active at different times.
const TOPICS_PER_SUBJECT: usize = 2;
/// The chance that a topic is tomorrow as active as it is today.
const STAYS: f64 = 0.85;
/// The chance of a change on a day on which the topic is active, and on which it is quiet.
const CHANGES: (f64, f64) = (0.8, 0.1);
/// Links of a page, and the share of them that stays within its topic.
const LINKS: (usize, f64) = (12, 0.2);
/// Words of a subject that its pages always have, and how often each is repeated.
const SUBJECT_WORDS: (usize, usize) = (6, 10);
/// Words of a page that are its own.
const OWN_WORDS: usize = 20;
/// Words in which the events of a topic are told.
const EVENT_WORDS: usize = 12;
/// Words of a day, and how often each is repeated: often enough for a test on word counts to be
/// significant, where words with expected counts below five are taken together.
const DAY_WORDS: (usize, usize) = (4, 12);

/// The web.
#[derive(Debug)]
pub(super) struct Topics {
    seed: u64,
    window: Window,
    pages: Vec<Page>,
    /// By topic and day: whether it is active.
    activity: Vec<Vec<bool>>,
}

#[derive(Debug)]
struct Page {
    address: String,
    topic: usize,
    links: Vec<usize>,
    /// The day of each change, and its instant.
    changes: Vec<(usize, Time)>,
}

impl Topics {
    pub(super) fn new(spec: Spec, window: Window) -> Self {
        let days = 7 * spec.weeks as usize;
        let topics = (spec.pages / PAGES_PER_TOPIC).max(2);
        let activity: Vec<Vec<bool>> = (0..topics)
            .map(|topic| activity(&mut Rng::named(spec.seed, &format!("topic {topic}")), days))
            .collect();
        let mut pages: Vec<Page> =
            (0..spec.pages).map(|number| page(spec, window, number, &activity)).collect();
        for (number, page) in pages.iter_mut().enumerate() {
            page.links = linked(spec, number, topics);
        }
        Self { seed: spec.seed, window, pages, activity }
    }

    /// The words of a page after its change of a day; before the first, those of a quiet day.
    fn day_words(&self, page: &Page, day: Option<usize>) -> [usize; DAY_WORDS.0] {
        let is_active = day.is_some_and(|day| self.activity[page.topic][day]);
        let day = day.map_or(-1, |day| day as i64);
        // An event is the same for all pages of a topic; what else changes is a page's own.
        let (of, first, count) = if is_active {
            (format!("topic {} on day {day}", page.topic), page.topic * EVENT_WORDS, EVENT_WORDS)
        } else {
            (format!("{} on day {day}", page.address), 1_000_000, 500)
        };
        let mut rng = Rng::named(self.seed, &of);
        let mut chosen = [usize::MAX; DAY_WORDS.0];
        for place in 0..DAY_WORDS.0 {
            let mut word = first + rng.below(count);
            while chosen.contains(&word) {
                word = first + rng.below(count);
            }
            chosen[place] = word;
        }
        chosen
    }
}

/// By day, whether a topic is active.
fn activity(rng: &mut Rng, days: usize) -> Vec<bool> {
    let mut is_active = rng.unit() < 0.5;
    let next = |_| {
        is_active = if rng.unit() < STAYS { is_active } else { !is_active };
        is_active
    };
    (0..days).map(next).collect()
}

fn page(spec: Spec, window: Window, number: usize, activity: &[Vec<bool>]) -> Page {
    let address = format!("https://topics.example/p{number:05}.html");
    let topic = number % activity.len();
    let mut rng = Rng::named(spec.seed, &address);
    let mut changes = vec![];
    for (day, &is_active) in activity[topic].iter().enumerate() {
        let chance = if is_active { CHANGES.0 } else { CHANGES.1 };
        let (draw, hour) = (rng.unit(), rng.unit());
        if draw < chance {
            changes.push((day, on_day(window, day as f64 + 0.01 + 0.98 * hour)));
        }
    }
    Page { address, topic, links: vec![], changes }
}

/// Links that say little about topics.
fn linked(spec: Spec, number: usize, topics: usize) -> Vec<usize> {
    let mut rng = Rng::named(spec.seed, &format!("links of page {number}"));
    let mut linked = vec![];
    for _ in 0..LINKS.0 {
        let to = if rng.unit() < LINKS.1 {
            number % topics + topics * rng.below(spec.pages.div_ceil(topics))
        } else {
            rng.below(spec.pages)
        };
        if to < spec.pages && to != number && !linked.contains(&to) {
            linked.push(to);
        }
    }
    linked
}

impl Model for Topics {
    fn pages(&self) -> usize {
        self.pages.len()
    }

    fn address(&self, page: usize) -> &str {
        &self.pages[page].address
    }

    fn change_times(&self, page: usize) -> Vec<Time> {
        let changes = self.pages[page].changes.iter().map(|&(_, at)| at);
        std::iter::once(self.window.start).chain(changes).collect()
    }

    fn render(&self, page: usize, at: Time) -> Option<String> {
        if at < self.window.start {
            return None;
        }
        let page = &self.pages[page];
        let subject = page.topic / TOPICS_PER_SUBJECT;
        let so_far = page.changes.partition_point(|&(_, change)| change <= at);
        let day = so_far.checked_sub(1).map(|last| page.changes[last].0);
        let repeated = |words: &[usize], times: usize| {
            let words: Vec<String> = words.iter().map(|&word| noun(word)).collect();
            vec![words.join(" "); times].join(" ")
        };
        let subject_words: Vec<usize> =
            (0..SUBJECT_WORDS.0).map(|word| 2_000_000 + subject * SUBJECT_WORDS.0 + word).collect();
        let mut body = format!("<p>{}</p>\n<p>", repeated(&subject_words, SUBJECT_WORDS.1));
        common(&mut Rng::named(self.seed, &page.address), OWN_WORDS, &mut body);
        let today = self.day_words(page, day);
        let _ = write!(body, "</p>\n<p>{}</p>\n", repeated(&today, DAY_WORDS.1));
        links(&mut body, page.links.iter().map(|&to| self.pages[to].address.as_str()));
        Some(html(&repeated(&subject_words[..2], 1), &body))
    }
}
