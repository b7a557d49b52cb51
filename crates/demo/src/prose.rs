//! Text with edits: each edit rewrites or adds sentences.
use std::fmt::Write as _;

use crawl::Time;

use crate::moments::minute_words;
use crate::phrases::{Voice, fill};
use crate::random::Random;
use crate::words::{Topic, person};

/// Edits do not make a paragraph longer than this many sentences.
const LONGEST_PARAGRAPH: usize = 9;

/// A text and its edits.
#[derive(Clone, Debug)]
pub(crate) struct Prose {
    pub(crate) random: Random,
    pub(crate) voice: Voice,
    pub(crate) topic: Topic,
    pub(crate) paragraphs: usize,
    /// In order.
    pub(crate) edits: Vec<Time>,
}

impl Prose {
    /// Writes the text at `now` as HTML.
    pub(crate) fn write(&self, now: Time, out: &mut String) {
        let patterns = self.voice.patterns();
        let first = (self.random.bits() % patterns.len() as u64) as usize;
        let mut count = 0;
        for sentences in self.sentences(now) {
            out.push_str("<p>");
            for (number, version) in sentences.into_iter().enumerate() {
                if number > 0 {
                    out.push(' ');
                }
                let mut draws = self.random.at(version).draws();
                // The first version uses every pattern once before it repeats one.
                let pattern = if version < FIRST_EDIT {
                    patterns[(first + count) % patterns.len()]
                } else {
                    draws.pick(patterns)
                };
                let begin = out.len();
                fill(pattern, &self.topic, &mut draws, out);
                mark_code(out, begin);
                count += 1;
            }
            out.push_str("</p>\n");
        }
    }

    /// For each sentence of each paragraph, the number that its random words come from.
    fn sentences(&self, now: Time) -> Vec<Vec<u64>> {
        let mut draws = self.random.of("shape").draws();
        let mut next = 0;
        let mut paragraphs: Vec<Vec<u64>> = Vec::with_capacity(self.paragraphs);
        for _ in 0..self.paragraphs.max(1) {
            let length = draws.between(3, 6);
            paragraphs.push((next..next + length as u64).collect());
            next += length as u64;
        }
        let edits = self.edits.partition_point(|at| *at <= now);
        for edit in 0..edits as u64 {
            let mut draws = self.random.of("edits").at(edit).draws();
            let count = paragraphs.len();
            let paragraph = &mut paragraphs[draws.below(count)];
            let version = FIRST_EDIT + edit * LONGEST_PARAGRAPH as u64;
            match draws.below(8) {
                // A new paragraph.
                0 => {
                    for (number, sentence) in paragraph.iter_mut().enumerate() {
                        *sentence = version + number as u64;
                    }
                }
                1 | 2 if paragraph.len() < LONGEST_PARAGRAPH => paragraph.push(version),
                3 if paragraph.len() > 3 => {
                    paragraph.pop();
                    let last = paragraph.len() - 1;
                    paragraph[last] = version;
                }
                _ => {
                    let number = draws.below(paragraph.len());
                    paragraph[number] = version;
                }
            }
        }
        paragraphs
    }
}

/// The first number of a sentence from an edit; smaller numbers are those of the first version.
const FIRST_EDIT: u64 = 1 << 20;

/// Turns text between backticks after `begin` into `<code>`.
fn mark_code(out: &mut String, begin: usize) {
    while let Some(open) = out[begin..].find('`').map(|at| begin + at) {
        let Some(close) = out[open + 1..].find('`').map(|at| open + 1 + at) else { return };
        out.replace_range(close..=close, "</code>");
        out.replace_range(open..=open, "<code>");
    }
}

/// Replies of people below a text.
#[derive(Clone, Debug)]
pub(crate) struct Replies {
    pub(crate) random: Random,
    pub(crate) topic: Topic,
    /// As in `comment` or `reply`.
    pub(crate) noun: &'static str,
    /// In order.
    pub(crate) times: Vec<Time>,
}

/// The number of replies shown, the newest.
const REPLIES_SHOWN: usize = 12;

impl Replies {
    /// Writes the replies at `now` as HTML.
    pub(crate) fn write(&self, now: Time, out: &mut String) {
        let count = self.times.partition_point(|at| *at <= now);
        let heading = count_of(count, self.noun);
        let _ = writeln!(out, "<section class=\"replies\">\n<h2>{heading}</h2>");
        let hidden = count.saturating_sub(REPLIES_SHOWN);
        for (number, at) in self.times[..count].iter().enumerate().skip(hidden) {
            let mut draws = self.random.at(number as u64).draws();
            let _ = write!(
                out,
                "<article id=\"r{number}\"><p class=\"who\">{}, {}</p>\n<p>",
                person(&mut draws),
                minute_words(*at)
            );
            for sentence in 0..draws.between(1, 3) {
                if sentence > 0 {
                    out.push(' ');
                }
                let pattern = draws.pick(Voice::Talk.patterns());
                fill(pattern, &self.topic, &mut draws, out);
            }
            out.push_str("</p></article>\n");
        }
        out.push_str("</section>\n");
    }
}

/// As in `no comments`, `1 reply`, `3 replies`.
pub(crate) fn count_of(count: usize, noun: &str) -> String {
    let many = match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    };
    match count {
        0 => format!("no {many}"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose() -> Prose {
        let random = Random::new(4, "page");
        let topic = Topic::any(&mut random.draws());
        let edits = (1..50).map(|hour| Time::from_millis(hour * 3_600_000)).collect();
        Prose { random, voice: Voice::Manual, topic, paragraphs: 4, edits }
    }

    fn text(hours: i64) -> String {
        let mut out = String::new();
        prose().write(Time::from_millis(hours * 3_600_000), &mut out);
        out
    }

    #[test]
    fn every_edit_changes_the_text() {
        assert!((1..50).all(|hour| text(hour) != text(hour - 1)));
    }

    #[test]
    fn an_edit_leaves_most_of_the_text_alone() {
        let before = text(0);
        let kept = text(1).split("</p>").filter(|part| before.contains(part)).count();
        assert!(kept >= 4, "{kept} of 5 parts kept");
    }

    #[test]
    fn what_stands_between_backticks_is_code() {
        let mut out = "run `a b` now".to_owned();
        mark_code(&mut out, 0);
        assert_eq!(out, "run <code>a b</code> now");
    }

    #[test]
    fn replies_are_counted_in_words() {
        assert_eq!(count_of(0, "comment"), "no comments");
        assert_eq!(count_of(2, "reply"), "2 replies");
    }
}
