//! The topics: how often their pages change, and what these look like.
use crate::{
    rng::Rng,
    synthetic::words::{noun, weighted},
};

/// The number of topics: beyond 100 clusters the quality of clusterings hardly grows.
pub(super) const TOPICS: usize = 100;
/// Of 20 topics, how many change often, and how many sometimes; the others hardly ever do.
const OF_TWENTY: (usize, usize) = (2, 3);
/// Changes in eight weeks, of pages that change often, sometimes and hardly ever.
const CHANGES_IN_EIGHT_WEEKS: [f64; 3] = [2.2, 8.0 / 52.0, 0.003];
/// The standard deviation of the logarithm of the rates within a topic.
const SPREAD: f64 = 0.3;
/// The share of the pages that a topic may have, relative to an even share.
const SHARE: (f64, f64) = (0.28, 2.32);
/// Words that belong to a topic.
const WORDS: usize = 60;

/// How often the pages of a topic change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Often,
    Sometimes,
    HardlyEver,
}

/// A topic.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) pace: Pace,
    /// How many pages it has, relative to the others.
    pub(super) weight: f64,
    /// Words of a page, images of a page, tables of a page.
    pub(super) length: f64,
    pub(super) images: usize,
    pub(super) tables: usize,
    number: usize,
}

/// All topics of a web.
pub(super) fn all(seed: u64) -> Vec<Topic> {
    (0..TOPICS).map(|number| topic(seed, number)).collect()
}

fn topic(seed: u64, number: usize) -> Topic {
    let mut rng = Rng::named(seed, &format!("topic {number}"));
    let pace = match number % 20 {
        place if place < OF_TWENTY.0 => Pace::Often,
        place if place < OF_TWENTY.0 + OF_TWENTY.1 => Pace::Sometimes,
        _ => Pace::HardlyEver,
    };
    let weight = rng.log_uniform(SHARE.0, SHARE.1);
    let (length, images, tables) = (rng.log_uniform(80.0, 240.0), rng.below(6), rng.below(2));
    // Pages that change often are larger and have more images.
    let (larger, more) = if pace == Pace::Often { (1.5, 3) } else { (1.0, 0) };
    Topic { pace, weight, length: length * larger, images: images + more, tables, number }
}

impl Topic {
    /// The changes per day of one of its pages.
    pub(super) fn rate(&self, rng: &mut Rng) -> f64 {
        let in_eight_weeks = match self.pace {
            Pace::Often => CHANGES_IN_EIGHT_WEEKS[0],
            Pace::Sometimes => CHANGES_IN_EIGHT_WEEKS[1],
            Pace::HardlyEver => CHANGES_IN_EIGHT_WEEKS[2],
        };
        in_eight_weeks / 56.0 * (SPREAD * rng.normal()).exp()
    }

    /// One of its words; some are much more frequent than others.
    pub(super) fn word(&self, rng: &mut Rng) -> String {
        let draw = rng.unit();
        noun(self.number * WORDS + (draw * draw * WORDS as f64) as usize)
    }
}

/// Draws a topic; those that change often count `often` times.
pub(super) fn draw(rng: &mut Rng, topics: &[Topic], of: &[usize], often: f64) -> usize {
    let weight = |&topic: &usize| {
        let Topic { pace, weight, .. } = topics[topic];
        if pace == Pace::Often { weight * often } else { weight }
    };
    of[weighted(rng, &of.iter().map(weight).collect::<Vec<_>>())]
}
