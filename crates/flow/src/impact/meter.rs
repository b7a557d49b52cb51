//! The meter: curves of all words, kept for a while, and what visits do by them.
use super::{
    Measure,
    curve::{self, Curve},
    part::{self, NO_SCORE, Page, Parts},
    shift::{self, Place},
};
use crate::{
    Links, PageNo, Pages, State, page_rank,
    relevance::{Profile, Scoring, WordNo},
    workload::PreparedWorkload,
};

/// The curves are made anew when so large a part of as many pages as are held was put.
const PUT_SHARE: f64 = 0.5;
/// Of words that many pages hold, results in the last piece of the curve are taken not to be looked at,
/// where that begins after so many ranks. They are most of what pages hold, and hardly anybody gets there.
const LOOKED_AT: f64 = 100.0;

/// Measures what visits do to answers.
#[derive(Debug)]
pub struct Meter {
    measure: Measure,
    /// By word, how often it is asked for; rounded to two bytes.
    frequencies: Vec<Half>,
    /// By word, the highest part by TF-IDF; only the blend needs it.
    highest: Vec<Half>,
    /// By word, how many pages held it when the curves were made.
    results: Vec<u32>,
    /// By word, its knots, one after the other.
    knots: Vec<f32>,
    /// How many pages there were, and how many words they had on average.
    pages: u32,
    average_length: f64,
    /// What all answers together are worth; 0 until curves are made.
    worth: f64,
    /// The chance that a look at results falls on any page, times how often anybody looks.
    looks: f64,
    /// Words with more results than this have some that are not looked at.
    many: u32,
    standings: Standings,
    exposures: Vec<f32>,
    /// How many pages were put since the curves were made.
    put: u32,
}

/// How pages stand among others by the links to them, by page number; empty where the scoring function
/// does not ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings(Vec<f32>);

/// What a visit did to answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// What answers gained, as a share of what all are worth. Below 0 only because curves are not exact.
    pub gain: f32,
    /// The share of all looks at results that falls on the page as it is now.
    pub exposure: f32,
}

/// The upper half of a number: right to 0.4 %, which is more than a curve is.
#[derive(Clone, Copy, Debug, Default)]
struct Half(u16);

impl From<f32> for Half {
    fn from(number: f32) -> Self {
        Self((number.to_bits().saturating_add(1 << 15) >> 16) as u16)
    }
}

impl From<Half> for f32 {
    fn from(half: Half) -> Self {
        Self::from_bits(u32::from(half.0) << 16)
    }
}

impl Standings {
    /// How the held `pages` stand, as `scoring` asks.
    pub fn of(scoring: Scoring, pages: &Pages, links: &Links) -> Self {
        if matches!(scoring, Scoring::TfIdf | Scoring::Bm25) {
            return Self::default();
        }
        let mut in_links = vec![0_u32; pages.len()];
        let is_held = |page: PageNo| pages.state(page) == State::Held;
        for page in pages.numbers().filter(|&page| is_held(page)) {
            for &to in links.of(page).iter().filter(|&&to| to != page && is_held(to)) {
                in_links[to.index()] += 1;
            }
        }
        let ranks = match scoring {
            Scoring::Blend => page_rank(pages, links, &[]),
            _ => vec![0.0; pages.len()],
        };
        let highest = ranks.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let standing = |(links, rank): (u32, f64)| part::standing(scoring, links, rank / highest);
        Self(in_links.into_iter().zip(ranks).map(standing).collect())
    }

    fn of_page(&self, page: PageNo) -> f32 {
        self.0.get(page.index()).copied().unwrap_or(0.0)
    }
}

impl Meter {
    /// For what is asked. Each query is broken into its words, and a word is asked for as often as all
    /// queries that hold it.
    pub fn new(workload: &PreparedWorkload, measure: Measure) -> Self {
        let words = workload.vocabulary.len();
        let mut frequencies = vec![0.0; words];
        for query in &workload.queries {
            for &word in &query.words {
                frequencies[word as usize] += query.frequency;
            }
        }
        let all: f64 = frequencies.iter().sum();
        let share = |frequency: f64| Half::from((frequency / all.max(f64::MIN_POSITIVE)) as f32);
        Self {
            measure,
            frequencies: frequencies.into_iter().map(share).collect(),
            highest: match measure.scoring {
                Scoring::Blend => vec![Half::default(); words],
                _ => vec![],
            },
            results: vec![0; words],
            knots: vec![0.0; words * (measure.pieces + 1)],
            pages: 0,
            average_length: 0.0,
            worth: 0.0,
            looks: 0.0,
            many: many(measure.pieces),
            standings: Standings::default(),
            exposures: vec![],
            put: 0,
        }
    }

    /// How impact is measured.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Whether the curves should be made, or made anew: there are none, or many pages were put since.
    pub fn is_due(&self) -> bool {
        self.pages == 0 || f64::from(self.put) >= PUT_SHARE * f64::from(self.pages)
    }

    /// Makes the curves from all pages that can be found.
    pub fn fit<'p>(
        &mut self,
        held: impl Iterator<Item = (PageNo, &'p Profile)> + Clone,
        standings: Standings,
    ) {
        self.standings = standings;
        self.put = 0;
        self.count(held.clone().map(|(_, profile)| profile));
        let begins = begins(&self.results);
        let mut scores = vec![0.0; begins[self.results.len()]];
        let mut next = begins.clone();
        let mut parts = self.parts();
        for (page, profile) in held.clone() {
            parts.turn_to(self.page(page, profile));
            for &(word, count) in profile.counts() {
                let place = &mut next[word as usize];
                scores[*place] = parts.of(count, self.highest(word)) as f32;
                *place += 1;
            }
        }
        let stride = self.measure.pieces + 1;
        for (word, knots) in self.knots.chunks_exact_mut(stride).enumerate() {
            let scores = &mut scores[begins[word]..next[word]];
            // A page that nobody links to is no result where links are all that counts.
            let mut ranked = 0;
            for place in 0..scores.len() {
                if scores[place].is_finite() {
                    scores.swap(place, ranked);
                    ranked += 1;
                }
            }
            self.results[word] = ranked as u32;
            if ranked > 0 {
                curve::fit(&mut scores[..ranked], knots);
            }
        }
        self.sum_up();
        self.expose(held);
    }

    /// Counts pages, words and holders, and for the blend the highest parts.
    fn count<'p>(&mut self, held: impl Iterator<Item = &'p Profile>) {
        self.results.fill(0);
        let mut highest = vec![0.0_f32; self.highest.len()];
        let (mut pages, mut words) = (0_u32, 0_u64);
        for profile in held {
            pages += 1;
            words += u64::from(profile.length);
            for &(word, count) in profile.counts() {
                self.results[word as usize] += 1;
                if let Some(highest) = highest.get_mut(word as usize) {
                    *highest = highest.max((count as f32 / profile.length.max(1) as f32).sqrt());
                }
            }
        }
        self.highest = highest.into_iter().map(Half::from).collect();
        self.pages = pages;
        self.average_length = words as f64 / f64::from(pages.max(1));
    }

    /// What all answers are worth, and how often results are looked at.
    fn sum_up(&mut self) {
        let (mut worth, mut looks) = (0.0, 0.0);
        for word in (0..self.results.len() as WordNo).filter(|&word| self.curve(word).results > 0) {
            let curve = self.curve(word);
            let frequency = self.frequency(word);
            worth += frequency * self.weight(word) * shift::worth_of_all(&curve);
            looks += frequency * shift::looks(curve.results);
        }
        (self.worth, self.looks) = (worth, looks);
    }

    /// How much searchers look at every page.
    fn expose<'p>(&mut self, held: impl Iterator<Item = (PageNo, &'p Profile)>) {
        let mut exposures = vec![];
        for (page, profile) in held {
            if exposures.len() <= page.index() {
                exposures.resize(page.index() + 1, 0.0);
            }
            exposures[page.index()] = self.exposure(page, profile);
        }
        self.exposures = exposures;
    }

    /// By page number, the share of all looks at results that falls on it. What is beyond the end, or
    /// cannot be found, has none.
    pub fn exposures(&self) -> &[f32] {
        &self.exposures
    }

    /// What a visit does that finds a page so `after` it was held so `before`; `None` is a page that is
    /// not found. `None` until curves are made.
    pub fn visit(
        &mut self,
        page: PageNo,
        before: Option<&Profile>,
        after: Option<&Profile>,
    ) -> Option<Moved> {
        self.put += u32::from(before != after);
        if self.pages == 0 {
            return None;
        }
        let moved = self.moved(page, before, after);
        if self.exposures.len() <= page.index() {
            self.exposures.resize(page.index() + 1, 0.0);
        }
        self.exposures[page.index()] = moved.exposure;
        Some(moved)
    }

    /// The share of all looks at results that falls on a page.
    fn exposure(&self, page: PageNo, profile: &Profile) -> f32 {
        let mut parts = self.parts();
        parts.turn_to(self.page(page, profile));
        let mut looks = 0.0;
        for &(word, count) in profile.counts() {
            let score = parts.of(count, self.highest(word));
            if score > NO_SCORE && !self.is_not_looked_at(word, score) {
                looks += self.frequency(word) * shift::chance(self.curve(word).rank(score));
            }
        }
        share(looks, self.looks)
    }

    fn moved(&self, page: PageNo, before: Option<&Profile>, after: Option<&Profile>) -> Moved {
        let [mut old, mut new] = [self.parts(), self.parts()];
        let nothing = Profile::default();
        let [before, after] = [before, after].map(|profile| profile.unwrap_or(&nothing));
        old.turn_to(self.page(page, before));
        new.turn_to(self.page(page, after));
        let (mut gain, mut looks) = (0.0, 0.0);
        for (word, counts) in both(before.counts(), after.counts()) {
            let highest = self.highest(word);
            let [was, is] = [old.of(counts[0], highest), new.of(counts[1], highest)];
            if self.is_not_looked_at(word, was.max(is)) {
                continue;
            }
            let curve = self.curve(word);
            let place = |score: f64| (score > NO_SCORE).then(|| curve.rank(score));
            let (from, to): (Place, Place) = (place(was), place(is));
            let frequency = self.frequency(word);
            looks += to.map_or(0.0, |rank| frequency * shift::chance(rank));
            if from != to {
                let worth = shift::worth(&curve, from, to, is.exp());
                gain += frequency * self.weight(word) * worth;
            }
        }
        Moved { gain: share(gain, self.worth), exposure: share(looks, self.looks) }
    }

    fn parts(&self) -> Parts {
        Parts::new(self.measure.scoring, self.average_length)
    }

    fn page(&self, page: PageNo, profile: &Profile) -> Page {
        Page { length: profile.length, standing: self.standings.of_page(page) }
    }

    fn curve(&self, word: WordNo) -> Curve<'_> {
        let (word, stride) = (word as usize, self.measure.pieces + 1);
        Curve::new(self.results[word], &self.knots[word * stride..][..stride])
    }

    /// Whether a score is so low among many that nobody gets there.
    fn is_not_looked_at(&self, word: WordNo, log_score: f64) -> bool {
        let (word, pieces) = (word as usize, self.measure.pieces);
        let last_piece = || self.knots[word * (pieces + 1) + pieces - 1];
        self.results[word] > self.many && (log_score as f32) < last_piece()
    }

    fn frequency(&self, word: WordNo) -> f64 {
        f64::from(f32::from(self.frequencies[word as usize]))
    }

    fn highest(&self, word: WordNo) -> f32 {
        self.highest.get(word as usize).map_or(0.0, |&half| half.into())
    }

    /// What a word weighs in scores. Holders are those when the curves were made.
    fn weight(&self, word: WordNo) -> f64 {
        self.measure.scoring.weight(self.pages, self.results[word as usize])
    }
}

/// With more results than this the last of so many pieces begins after [`LOOKED_AT`] ranks.
fn many(pieces: usize) -> u32 {
    match pieces {
        0 | 1 => u32::MAX,
        pieces => LOOKED_AT.powf(pieces as f64 / (pieces - 1) as f64) as u32,
    }
}

/// A part of all; nothing where there is nothing.
fn share(part: f64, of: f64) -> f32 {
    if of > 0.0 { (part / of) as f32 } else { 0.0 }
}

/// Where the scores of each word begin, and where the last end.
fn begins(results: &[u32]) -> Vec<usize> {
    let mut begins = Vec::with_capacity(results.len() + 1);
    let mut sum = 0;
    begins.push(0);
    for &results in results {
        sum += results as usize;
        begins.push(sum);
    }
    begins
}

/// The words of either list, in order, with how often each of them has it.
fn both<'c>(
    mut one: &'c [(WordNo, u32)],
    mut other: &'c [(WordNo, u32)],
) -> impl Iterator<Item = (WordNo, [u32; 2])> + 'c {
    std::iter::from_fn(move || {
        let word = match (one.first(), other.first()) {
            (Some(&(one, _)), Some(&(other, _))) => one.min(other),
            (Some(&(word, _)), None) | (None, Some(&(word, _))) => word,
            (None, None) => return None,
        };
        let mut counts = [0; 2];
        for (list, found) in [&mut one, &mut other].into_iter().zip(&mut counts) {
            if let Some((&(first, count), rest)) = list.split_first()
                && first == word
            {
                (*found, *list) = (count, rest);
            }
        }
        Some((word, counts))
    })
}

#[cfg(test)]
mod tests;
