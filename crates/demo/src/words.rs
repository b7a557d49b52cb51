//! The word lists of the demo web: birds, boats, tides, weather and so on.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::random::Draws;

/// Lines of text by the name of their section.
type Sections = BTreeMap<&'static str, Vec<&'static str>>;

static WORDS: LazyLock<Sections> = LazyLock::new(|| sections(include_str!("../data/words.txt")));

/// Reads a data file: `[name]` starts a section, every other line that is not empty belongs to it.
pub(crate) fn sections(text: &'static str) -> Sections {
    let mut sections = Sections::new();
    let mut name = "";
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(section) => name = section,
            None => sections.entry(name).or_default().push(line),
        }
    }
    sections
}

/// The words of the list `name`; empty if there is no such list.
pub(crate) fn words(name: &str) -> &'static [&'static str] {
    WORDS.get(name).map_or(&[], Vec::as_slice)
}

/// A first and a last name at random.
pub(crate) fn person(draws: &mut Draws) -> String {
    format!("{} {}", draws.pick(words("first")), draws.pick(words("last")))
}

/// What a page is about. Its sentences come back to it.
#[derive(Clone, Debug)]
pub(crate) struct Topic {
    /// As in `oystercatcher` or `pilot boat`; reads well after "the".
    pub(crate) subject: String,
    /// As in `Grey Point`.
    pub(crate) place: String,
}

impl Topic {
    /// A subject from the word list `subjects`, at a random place.
    pub(crate) fn draw(draws: &mut Draws, subjects: &str) -> Self {
        let subject = (*draws.pick(words(subjects))).to_owned();
        Self { subject, place: (*draws.pick(words("otherplace"))).to_owned() }
    }

    /// A subject from one of the word lists `lists`, at a random place.
    pub(crate) fn draw_from(draws: &mut Draws, lists: &[&str]) -> Self {
        let subjects = lists[draws.below(lists.len())];
        Self::draw(draws, subjects)
    }

    /// A topic about birds, boats, plants or gear.
    pub(crate) fn any(draws: &mut Draws) -> Self {
        Self::draw_from(draws, &["bird", "boat", "bird", "plant", "gear"])
    }
}
