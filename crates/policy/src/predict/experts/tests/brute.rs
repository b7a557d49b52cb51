//! The weights of experts by their definitions, without optimisation.
use super::*;

fn count(words: Option<&WordCounts>, term: TermHash) -> f64 {
    words.map_or(0.0, |words| f64::from(words.count(term)))
}

/// The count of a word at the last visit at or before the end of each day.
pub(super) fn series(visits: &[VisitRecord], now: Time, days: usize, term: TermHash) -> Vec<f64> {
    (0..days)
        .map(|place| {
            let end = now.millis() - Span::from_days((days - 1 - place) as i64).millis();
            let seen = visits.iter().rev().find(|visit| visit.at.millis() <= end);
            count(seen.map(|visit| visit.words.as_ref()), term)
        })
        .collect()
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let days = one.len() as f64;
    let mean = |series: &[f64]| series.iter().sum::<f64>() / days;
    let means = (mean(one), mean(other));
    let deviation = |series: &[f64], mean: f64| {
        (series.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / days).sqrt()
    };
    let deviations = (deviation(one, means.0), deviation(other, means.1));
    if deviations.0 < 1e-12 || deviations.1 < 1e-12 {
        return 0.0;
    }
    let together =
        one.iter().zip(other).map(|(a, b)| (a - means.0) * (b - means.1)).sum::<f64>() / days;
    together / (deviations.0 * deviations.1)
}

fn best_correlation(page: &[f64], expert: &[f64], lags: usize) -> f64 {
    let lags = lags.min(page.len() / 4);
    let at = |lag: usize| correlation(&page[lag..], &expert[..page.len() - lag]);
    (0..=lags).map(at).fold(0.0, f64::max)
}

/// The whole matrix; its first row and column are infinite except for the corner.
pub(super) fn warped(one: &[f64], other: &[f64], band: usize) -> f64 {
    let days = one.len();
    let mut costs = vec![vec![f64::INFINITY; days + 1]; days + 1];
    costs[0][0] = 0.0;
    for row in 1..=days {
        for column in 1..=days {
            if row.abs_diff(column) <= band {
                let before = costs[row - 1][column]
                    .min(costs[row][column - 1])
                    .min(costs[row - 1][column - 1]);
                costs[row][column] = (one[row - 1] - other[column - 1]).abs() + before;
            }
        }
    }
    costs[days][days]
}

/// All pages at an instant.
pub(super) struct Web<'a> {
    pub settings: &'a ExpertSettings,
    pub histories: &'a [Vec<VisitRecord>],
    pub now: Time,
}

impl Web<'_> {
    fn latest(&self, page: usize) -> Option<&WordCounts> {
        let seen = self.histories[page].iter().rev().find(|visit| visit.at <= self.now);
        seen.map(|visit| visit.words.as_ref())
    }

    fn rarity(&self, term: TermHash) -> f64 {
        let seen = (0..self.histories.len()).filter_map(|page| self.latest(page));
        let holders = seen.clone().filter(|words| words.count(term) > 0).count();
        (1.0 + seen.count() as f64 / holders as f64).ln()
    }

    fn scores(&self, page: usize) -> Vec<(TermHash, f64)> {
        let words = self.latest(page).map(WordCounts::counts).unwrap_or_default();
        words.iter().map(|&(term, count)| (term, f64::from(count) * self.rarity(term))).collect()
    }

    fn over_words(&self, page: usize, other: usize, value: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
        let scores = self.scores(page);
        let sum: f64 = scores.iter().map(|word| word.1).sum();
        let days = self.settings.days.max(1);
        let series = |page: usize, term| series(&self.histories[page], self.now, days, term);
        let part = |&(term, score): &(TermHash, f64)| {
            score / sum * value(&series(page, term), &series(other, term))
        };
        scores.iter().map(part).sum()
    }

    fn content(&self, page: usize, other: usize) -> f64 {
        let (mine, theirs) = (self.scores(page), self.scores(other));
        let length =
            |scores: &[(TermHash, f64)]| scores.iter().map(|it| it.1.powi(2)).sum::<f64>().sqrt();
        let both = mine.iter().flat_map(|mine| theirs.iter().map(move |theirs| (mine, theirs)));
        let product: f64 = both.filter(|(a, b)| a.0 == b.0).map(|(a, b)| a.1 * b.1).sum();
        if product > 0.0 { product / (length(&mine) * length(&theirs)) } else { 0.0 }
    }

    /// The weight of another page as an expert on a page.
    pub(super) fn weight(&self, page: usize, other: usize) -> f64 {
        if self.latest(page).is_none() || self.latest(other).is_none() {
            return 0.0;
        }
        let lags = self.settings.lags;
        match self.settings.relation {
            Relation::Links => 0.0,
            Relation::Content => self.content(page, other),
            Relation::Correlation => {
                self.over_words(page, other, |mine, theirs| best_correlation(mine, theirs, lags))
            }
            Relation::Warping => {
                let band = self.settings.band;
                self.over_words(page, other, |mine, theirs| match (scaled(mine), scaled(theirs)) {
                    (Some(mine), Some(theirs)) => 1.0 / (1.0 + warped(&mine, &theirs, band)),
                    _ => 0.0,
                })
            }
        }
    }

    /// The weight of a page as its own expert.
    pub(super) fn self_weight(&self, page: usize) -> f64 {
        match (self.settings.relation, self.latest(page)) {
            (_, None) => 0.0,
            (Relation::Correlation, _) => {
                self.over_words(page, page, |mine, _| correlation(mine, mine))
            }
            (Relation::Warping, _) => self
                .over_words(page, page, |mine, _| if scaled(mine).is_some() { 1.0 } else { 0.0 }),
            _ => 1.0,
        }
    }
}

/// A series in thousandths of its range; `None` if it does not vary.
fn scaled(series: &[f64]) -> Option<Vec<f64>> {
    let least = series.iter().copied().fold(f64::INFINITY, f64::min);
    let range = series.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
    let scaled = |value: &f64| ((value - least) * 1_000.0 / range + 1e-9).floor() / 1_000.0;
    (range > 0.0).then(|| series.iter().map(scaled).collect())
}
