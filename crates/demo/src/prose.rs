//! Text that is edited: paragraphs of sentences, each edit a rewritten or an added sentence.
use std::fmt::Write as _;

use flow::Time;

use crate::chance::Chance;
use crate::moments::minute_words;
use crate::phrases::{Voice, fill};
use crate::words::{FIRST_NAMES, LAST_NAMES, Topic};

/// A paragraph that edits have made this long grows no more.
const LONGEST_PARAGRAPH: usize = 9;

/// A text and its edits.
#[derive(Clone, Debug)]
pub(crate) struct Prose {
    /// Decides every word.
    pub(crate) chance: Chance,
    /// Who speaks.
    pub(crate) voice: Voice,
    /// Of what.
    pub(crate) topic: Topic,
    /// How many paragraphs.
    pub(crate) paragraphs: usize,
    /// When it is edited, in order.
    pub(crate) edits: Vec<Time>,
}

impl Prose {
    /// Writes the text as it stands at `now`, as HTML.
    pub(crate) fn write(&self, now: Time, out: &mut String) {
        let patterns = self.voice.patterns();
        let first = (self.chance.bits() % patterns.len() as u64) as usize;
        let mut count = 0;
        for sentences in self.sentences(now) {
            out.push_str("<p>");
            for (number, version) in sentences.into_iter().enumerate() {
                if number > 0 {
                    out.push(' ');
                }
                let mut draws = self.chance.at(version).draws();
                // As first written, no pattern comes twice before all have come once.
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

    /// For each paragraph, for each sentence, the number its words are drawn with.
    fn sentences(&self, now: Time) -> Vec<Vec<u64>> {
        let mut draws = self.chance.of("shape").draws();
        let mut next = 0;
        let mut paragraphs: Vec<Vec<u64>> = Vec::with_capacity(self.paragraphs);
        for _ in 0..self.paragraphs.max(1) {
            let length = draws.between(3, 6);
            paragraphs.push((next..next + length as u64).collect());
            next += length as u64;
        }
        let edits = self.edits.partition_point(|at| *at <= now);
        for edit in 0..edits as u64 {
            let mut draws = self.chance.of("edits").at(edit).draws();
            let count = paragraphs.len();
            let paragraph = &mut paragraphs[draws.below(count)];
            let version = FIRST_EDIT + edit * LONGEST_PARAGRAPH as u64;
            match draws.below(8) {
                // A whole paragraph anew.
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

/// Versions of sentences count edits from here; below are the sentences as first written.
const FIRST_EDIT: u64 = 1 << 20;

/// Turns what stands between backticks after `begin` into code.
fn mark_code(out: &mut String, begin: usize) {
    while let Some(open) = out[begin..].find('`').map(|at| begin + at) {
        let Some(close) = out[open + 1..].find('`').map(|at| open + 1 + at) else { return };
        out.replace_range(close..=close, "</code>");
        out.replace_range(open..=open, "<code>");
    }
}

/// What people answer below a text, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Replies {
    /// Decides every word.
    pub(crate) chance: Chance,
    /// Of what.
    pub(crate) topic: Topic,
    /// As in `comment` or `reply`.
    pub(crate) noun: &'static str,
    /// When they came, in order.
    pub(crate) times: Vec<Time>,
}

/// Only this many replies are shown, the newest.
const REPLIES_SHOWN: usize = 12;

impl Replies {
    /// Writes the replies there are at `now`, as HTML.
    pub(crate) fn write(&self, now: Time, out: &mut String) {
        let count = self.times.partition_point(|at| *at <= now);
        let heading = count_of(count, self.noun);
        let _ = writeln!(out, "<section class=\"replies\">\n<h2>{heading}</h2>");
        for (number, at) in
            self.times[..count].iter().enumerate().skip(count.saturating_sub(REPLIES_SHOWN))
        {
            let mut draws = self.chance.at(number as u64).draws();
            let _ = write!(
                out,
                "<article id=\"r{number}\"><p class=\"who\">{} {}, {}</p>\n<p>",
                draws.pick(FIRST_NAMES),
                draws.pick(LAST_NAMES),
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
        let chance = Chance::new(4, "page");
        let topic = Topic::any(&mut chance.draws());
        let edits = (1..50).map(|hour| Time::from_millis(hour * 3_600_000)).collect();
        Prose { chance, voice: Voice::Manual, topic, paragraphs: 4, edits }
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
