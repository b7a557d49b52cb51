//! The meter: the curves of all words, and the effects of visits computed from them.
use super::{
    Measure,
    curve::{self, Curve},
    score_part::{self, NO_SCORE, PageInputs, ScoreParts},
    shift::{self, Rank},
};
use crawl::{Links, PageNo, Pages, State, page_rank};
use text::{
    relevance::{Profile, Scoring, WordNo},
    workload::PreparedWorkload,
};

/// The curves are fitted again when this share of the pages has changed.
const CHANGED_SHARE: f64 = 0.5;
/// For words with many results, those in the last piece of the curve count as not viewed, if it begins
/// after this rank. They are most of the work, and hardly anybody views them.
const VIEWED_RANKS: f64 = 100.0;

/// Measures the effects of visits on search results.
#[derive(Clone, Debug)]
pub struct Meter {
    measure: Measure,
    /// Whether the exposures were given and are never measured.
    is_fixed: bool,
    /// By word, its frequency; rounded to two bytes.
    frequencies: Vec<Half>,
    /// By word, the highest TF-IDF part; only the blend needs it.
    highest: Vec<Half>,
    /// By word, the number of results when the curves were fitted.
    results: Vec<u32>,
    /// By word, its knots, one after the other.
    knots: Vec<f32>,
    /// The number of pages, and their average number of words.
    pages: u32,
    average_length: f64,
    /// The total value of all results; 0 until curves are fitted.
    total_value: f64,
    /// The expected number of views of all results.
    total_views: f64,
    /// Words with more results than this have some that are not viewed.
    many: u32,
    link_scores: LinkScores,
    exposures: Vec<f32>,
    /// The number of pages that changed since the curves were fitted.
    changed: u32,
}

/// The scores of pages by their links, by page number; empty where the scoring function does not use
/// links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkScores(Vec<f32>);

/// The effect of a visit on search results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VisitEffect {
    /// The gain in value, as a share of the total. Negative only because curves are approximate.
    pub gain: f32,
    /// The share of all views of results that falls on the page now.
    pub exposure: f32,
}

/// The upper half of an `f32`, as in bfloat16: precise to 0.4 %, more than a curve.
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

impl LinkScores {
    /// The link scores of the held `pages` that `scoring` uses.
    pub fn compute(scoring: Scoring, pages: &Pages, links: &Links) -> Self {
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
        let score =
            |(links, rank): (u32, f64)| score_part::link_score(scoring, links, rank / highest);
        Self(in_links.into_iter().zip(ranks).map(score).collect())
    }

    fn of(&self, page: PageNo) -> f32 {
        self.0.get(page.index()).copied().unwrap_or(0.0)
    }
}

impl Meter {
    /// A meter for a workload. The frequency of a word is that of all queries that contain it.
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
            is_fixed: false,
            frequencies: frequencies.into_iter().map(share).collect(),
            highest: match measure.scoring {
                Scoring::Blend => vec![Half::default(); words],
                _ => vec![],
            },
            results: vec![0; words],
            knots: vec![0.0; words * (measure.pieces + 1)],
            pages: 0,
            average_length: 0.0,
            total_value: 0.0,
            total_views: 0.0,
            many: many(measure.pieces),
            link_scores: LinkScores::default(),
            exposures: vec![],
            changed: 0,
        }
    }

    /// A meter with fixed exposures.
    pub(super) fn fixed(exposures: Vec<f32>) -> Self {
        let measure = Measure::by(Scoring::Bm25);
        Self { exposures, is_fixed: true, ..Self::new(&PreparedWorkload::default(), measure) }
    }

    /// Whether its exposures were given and are never measured.
    pub(super) fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// How impact is measured.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Whether the curves should be fitted: there are none, or many pages have changed since.
    pub fn needs_fit(&self) -> bool {
        self.pages == 0 || f64::from(self.changed) >= CHANGED_SHARE * f64::from(self.pages)
    }

    /// Fits the curves to all pages that search can find.
    pub fn fit<'p>(
        &mut self,
        held: impl Iterator<Item = (PageNo, &'p Profile)> + Clone,
        link_scores: LinkScores,
    ) {
        self.link_scores = link_scores;
        self.changed = 0;
        self.count(held.clone().map(|(_, profile)| profile));
        let begins = begins(&self.results);
        let mut scores = vec![0.0; begins[self.results.len()]];
        let mut next = begins.clone();
        let mut parts = self.parts();
        for (page, profile) in held.clone() {
            parts.set_page(self.inputs(page, profile));
            for &(word, count) in profile.counts() {
                let at = &mut next[word as usize];
                scores[*at] = parts.log_part(count, self.highest(word)) as f32;
                *at += 1;
            }
        }
        let stride = self.measure.pieces + 1;
        for (word, knots) in self.knots.chunks_exact_mut(stride).enumerate() {
            let scores = &mut scores[begins[word]..next[word]];
            // Where only links count, a page without incoming links is not a result.
            let mut ranked = 0;
            for at in 0..scores.len() {
                if scores[at].is_finite() {
                    scores.swap(at, ranked);
                    ranked += 1;
                }
            }
            self.results[word] = ranked as u32;
            if ranked > 0 {
                curve::fit(&mut scores[..ranked], knots);
            }
        }
        self.compute_totals();
        self.compute_exposures(held);
    }

    /// Counts pages, words and results, and for the blend the highest parts.
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

    /// Computes the total value of all results, and the expected number of views.
    fn compute_totals(&mut self) {
        let (mut value, mut views) = (0.0, 0.0);
        for word in (0..self.results.len() as WordNo).filter(|&word| self.curve(word).results > 0) {
            let curve = self.curve(word);
            let frequency = self.frequency(word);
            value += frequency * self.weight(word) * shift::total_value(&curve);
            views += frequency * shift::total_views(curve.results);
        }
        (self.total_value, self.total_views) = (value, views);
    }

    /// Computes the exposure of every page.
    fn compute_exposures<'p>(&mut self, held: impl Iterator<Item = (PageNo, &'p Profile)>) {
        let mut exposures = vec![];
        for (page, profile) in held {
            if exposures.len() <= page.index() {
                exposures.resize(page.index() + 1, 0.0);
            }
            exposures[page.index()] = self.exposure(page, profile);
        }
        self.exposures = exposures;
    }

    /// By page number, its share of all views of results. Pages beyond the end, and pages that search
    /// cannot find, have none.
    pub fn exposures(&self) -> &[f32] {
        &self.exposures
    }

    /// The effect of a visit that changes a page's profile from `before` to `after`, each `None` where
    /// search cannot find the page. Returns `None` until curves are fitted.
    pub fn visit(
        &mut self,
        page: PageNo,
        before: Option<&Profile>,
        after: Option<&Profile>,
    ) -> Option<VisitEffect> {
        self.changed += u32::from(before != after);
        if self.pages == 0 {
            return None;
        }
        let effect = self.effect(page, before, after);
        if self.exposures.len() <= page.index() {
            self.exposures.resize(page.index() + 1, 0.0);
        }
        self.exposures[page.index()] = effect.exposure;
        Some(effect)
    }

    /// The share of all views of results that falls on a page.
    fn exposure(&self, page: PageNo, profile: &Profile) -> f32 {
        let mut parts = self.parts();
        parts.set_page(self.inputs(page, profile));
        let mut views = 0.0;
        for &(word, count) in profile.counts() {
            let score = parts.log_part(count, self.highest(word));
            if score > NO_SCORE && !self.is_not_viewed(word, score) {
                views +=
                    self.frequency(word) * shift::view_probability(self.curve(word).rank(score));
            }
        }
        share(views, self.total_views)
    }

    fn effect(
        &self,
        page: PageNo,
        before: Option<&Profile>,
        after: Option<&Profile>,
    ) -> VisitEffect {
        let [mut old, mut new] = [self.parts(), self.parts()];
        let nothing = Profile::default();
        let [before, after] = [before, after].map(|profile| profile.unwrap_or(&nothing));
        old.set_page(self.inputs(page, before));
        new.set_page(self.inputs(page, after));
        let (mut gain, mut views) = (0.0, 0.0);
        for (word, counts) in both(before.counts(), after.counts()) {
            let highest = self.highest(word);
            let [was, is] = [old.log_part(counts[0], highest), new.log_part(counts[1], highest)];
            if self.is_not_viewed(word, was.max(is)) {
                continue;
            }
            let curve = self.curve(word);
            let rank = |score: f64| (score > NO_SCORE).then(|| curve.rank(score));
            let (from, to): (Rank, Rank) = (rank(was), rank(is));
            let frequency = self.frequency(word);
            views += to.map_or(0.0, |rank| frequency * shift::view_probability(rank));
            if from != to {
                let value = shift::value(&curve, from, to, is.exp());
                gain += frequency * self.weight(word) * value;
            }
        }
        VisitEffect {
            gain: share(gain, self.total_value),
            exposure: share(views, self.total_views),
        }
    }

    fn parts(&self) -> ScoreParts {
        ScoreParts::new(self.measure.scoring, self.average_length)
    }

    fn inputs(&self, page: PageNo, profile: &Profile) -> PageInputs {
        PageInputs { length: profile.length, link_score: self.link_scores.of(page) }
    }

    fn curve(&self, word: WordNo) -> Curve<'_> {
        let (word, stride) = (word as usize, self.measure.pieces + 1);
        Curve::new(self.results[word], &self.knots[word * stride..][..stride])
    }

    /// Whether a score is so low among many results that nobody views it.
    fn is_not_viewed(&self, word: WordNo, log_score: f64) -> bool {
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

    /// The weight of a word in scores, with the results when the curves were fitted.
    fn weight(&self, word: WordNo) -> f64 {
        self.measure.scoring.weight(self.pages, self.results[word as usize])
    }
}

/// With more results than this, the last of this many pieces begins after [`VIEWED_RANKS`].
fn many(pieces: usize) -> u32 {
    match pieces {
        0 | 1 => u32::MAX,
        pieces => VIEWED_RANKS.powf(pieces as f64 / (pieces - 1) as f64) as u32,
    }
}

/// A share of a total; 0 where the total is 0.
fn share(part: f64, of: f64) -> f32 {
    if of > 0.0 { (part / of) as f32 } else { 0.0 }
}

/// Where the scores of each word begin, and the end of the last.
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

/// The words of either list, in order, with the counts in both.
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
