//! Made-up words, and draws that the kinds of synthetic webs share.
use crawl::{Span, Time};

use crate::{history::Window, rng::Rng};

/// A pronounceable word for each number.
pub(super) fn word(number: usize) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    let mut rest = number + 70;
    let mut word = String::new();
    while rest > 0 {
        word.push(char::from(CONSONANTS[rest % CONSONANTS.len()]));
        rest /= CONSONANTS.len();
        word.push(char::from(VOWELS[rest % VOWELS.len()]));
        rest /= VOWELS.len();
    }
    word
}

/// Another word for each number, never one of [`word`]. It ends in a consonant that no stemmer takes
/// off, so that different numbers stay different words.
pub(super) fn noun(number: usize) -> String {
    word(number) + "k"
}

/// Words that mean nothing in particular: as many as `count`, of a small vocabulary in which some
/// are much more frequent than others.
pub(super) fn common(rng: &mut Rng, count: usize, text: &mut String) {
    const LEXICON: f64 = 2_000.0;
    for _ in 0..count {
        let draw = rng.unit();
        text.push_str(&word((draw * draw * LEXICON) as usize));
        text.push(' ');
    }
}

/// Draws a place by its weight.
pub(super) fn weighted(rng: &mut Rng, weights: &[f64]) -> usize {
    let all: f64 = weights.iter().sum();
    let mut rest = rng.unit() * all;
    for (place, weight) in weights.iter().enumerate() {
        rest -= weight;
        if rest < 0.0 {
            return place;
        }
    }
    weights.len().saturating_sub(1)
}

/// Many weights, of which places are drawn often.
#[derive(Debug)]
pub(super) struct Weights(Vec<f64>);

impl Weights {
    pub(super) fn new(weights: &[f64]) -> Self {
        let mut all = 0.0;
        let sum = |weight: &f64| {
            all += weight;
            all
        };
        Self(weights.iter().map(sum).collect())
    }

    /// Draws a place by its weight.
    pub(super) fn draw(&self, rng: &mut Rng) -> usize {
        let drawn = rng.unit() * self.0.last().copied().unwrap_or_default();
        self.0.partition_point(|&until| until <= drawn).min(self.0.len().saturating_sub(1))
    }
}

/// The order of some addresses, and the place of each in it.
pub(super) fn order<'a>(addresses: impl Iterator<Item = &'a str>) -> (Vec<usize>, Vec<usize>) {
    let addresses: Vec<&str> = addresses.collect();
    let mut order: Vec<usize> = (0..addresses.len()).collect();
    order.sort_unstable_by_key(|&before| addresses[before]);
    let mut place = vec![0; addresses.len()];
    for (now, &before) in order.iter().enumerate() {
        place[before] = now;
    }
    (order, place)
}

/// Weights 1, 1/2^s, 1/3^s and so on.
pub(super) fn zipf(count: usize, exponent: f64) -> Vec<f64> {
    (1..=count).map(|rank| (rank as f64).powf(-exponent)).collect()
}

/// Divides `total` into whole parts in proportion to weights; the parts add up to it.
pub(super) fn divided(total: usize, weights: &[f64]) -> Vec<usize> {
    let all: f64 = weights.iter().sum();
    let (mut before, mut given) = (0.0, 0);
    let part = |weight: &f64| {
        before += weight;
        let until = (total as f64 * before / all).round() as usize;
        let part = until.saturating_sub(given);
        given += part;
        part
    };
    weights.iter().map(part).collect()
}

/// The instant some days after the start of a window.
pub(super) fn on_day(window: Window, day: f64) -> Time {
    window.start + Span::from_millis((day * 86_400_000.0) as i64)
}

/// How many of some instants, in order, are past.
pub(super) fn past(times: &[Time], at: Time) -> usize {
    times.partition_point(|&time| time <= at)
}

/// A page in HTML, from its title and what is in its body.
pub(super) fn html(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         </head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// Adds a list of links.
pub(super) fn links<'a>(body: &mut String, to: impl Iterator<Item = &'a str>) {
    body.push_str("<ul>\n");
    for address in to {
        // The address is the text: what a link is called must not give its page away.
        for part in ["<li><a href=\"", address, "\">", address, "</a></li>\n"] {
            body.push_str(part);
        }
    }
    body.push_str("</ul>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole_in_proportion() {
        assert_eq!(divided(10, &[1.0, 1.0, 2.0]), [3, 2, 5]);
        assert_eq!(divided(7, &[1.0, 0.0, 6.0]).iter().sum::<usize>(), 7);
    }

    #[test]
    fn draws_follow_their_weights() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[weighted(&mut rng, &[1.0, 0.0, 3.0])] += 1;
            counts[Weights::new(&[1.0, 0.0, 3.0]).draw(&mut rng)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((4_700..5_300).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn words_and_nouns_of_different_numbers_differ() {
        let all: std::collections::BTreeSet<String> =
            (0..5_000).flat_map(|number| [word(number), noun(number)]).collect();
        assert_eq!(all.len(), 10_000);
    }
}
