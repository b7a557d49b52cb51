//! Statistics of comparisons: means over webs, bootstrap intervals by site, paired differences.
//!
//! The unit is the web, never the page or the cycle (docs/papers.md, E6): pages of one site change
//! together, so they are not independent. Seeds of one web are averaged first. With several webs
//! the interval is a cluster bootstrap over webs: draw as many webs as there are, with replacement,
//! [`RESAMPLES`] times, and take the middle 95 % of the means. One web says nothing about other
//! webs, so its range over seeds is shown instead.
use crate::{metric::Better, rng::Rng};

/// The number of bootstrap resamples.
pub const RESAMPLES: usize = 10_000;

/// The seed of the bootstrap. It is fixed, so that reports are reproducible and all comparisons use
/// the same draws.
pub const SEED: u64 = 1;

/// Resamples outside of the interval at each end: 2.5 %.
const TAIL: usize = RESAMPLES / 40;

/// Differences of shares up to half a percentage point count as equal (docs/papers.md, E6).
pub const SHARE_MARGIN: f64 = 0.005;

/// The true difference, in standard errors, that a two-sided test at 5 % detects with a power of
/// 0.8: 1.96 + 0.84.
const DETECTABLE_ERRORS: f64 = 2.8;

/// The seeds and values of the runs of one policy and budget on one web.
pub type WebRuns = Vec<(u64, f64)>;

/// An interval from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` is in the interval, which includes its ends.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    fn around(values: &[f64]) -> Self {
        values.iter().fold(Self { low: f64::INFINITY, high: f64::NEG_INFINITY }, |so_far, value| {
            Self { low: so_far.low.min(*value), high: so_far.high.max(*value) }
        })
    }
}

/// The uncertainty of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// One web and one seed: unknown.
    Unknown,
    /// One web: the range over its seeds.
    Seeds(Interval),
    /// Several webs: the 95 % bootstrap interval by site.
    Sites(Interval),
}

impl Spread {
    /// The interval, by seeds or by sites.
    pub fn interval(self) -> Option<Interval> {
        match self {
            Self::Unknown => None,
            Self::Seeds(interval) | Self::Sites(interval) => Some(interval),
        }
    }
}

/// The mean of a metric over webs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over webs of the means over seeds.
    pub mean: f64,
    /// Its uncertainty.
    pub spread: Spread,
    /// The number of webs.
    pub webs: usize,
}

/// The difference between a policy and a baseline, paired by web.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The mean difference over webs.
    pub mean: f64,
    /// Its uncertainty.
    pub spread: Spread,
    /// The difference of each web, in the order of the webs.
    pub by_web: Vec<f64>,
    /// Wins, ties and losses; only with several webs.
    pub score: Option<Score>,
    /// The smallest true difference that would be detected with a power of 0.8; only with several
    /// webs.
    pub detectable: Option<f64>,
}

/// The number of webs on which a policy was better than the baseline, equal, or worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Webs where it was better by more than the margin.
    pub wins: usize,
    /// Webs where the difference was within the margin.
    pub ties: usize,
    /// Webs where it was worse by more than the margin.
    pub losses: usize,
}

/// The draws of the bootstrap for a number of webs, shared by all metrics.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    webs: usize,
    draws: Vec<u32>,
}

impl Bootstrap {
    /// Draws for means over `webs` webs.
    pub fn new(webs: usize) -> Self {
        let mut rng = Rng::new(SEED);
        let count = if webs < 2 { 0 } else { RESAMPLES * webs };
        let draws = (0..count).map(|_| rng.below(webs) as u32).collect();
        Self { webs, draws }
    }

    /// The 95 % interval of the mean of `values`, one per web; `None` for fewer than two.
    pub fn interval(&self, values: &[f64]) -> Option<Interval> {
        if values.len() < 2 {
            return None;
        }
        if values.len() != self.webs {
            return Self::new(values.len()).interval(values);
        }
        let means = self.draws.chunks_exact(values.len()).map(|draw| sum(values, draw)).collect();
        let Interval { low, high } = middle(means);
        let count = values.len() as f64;
        Some(Interval { low: low / count, high: high / count })
    }

    /// The 95 % interval of the ratio of the mean of `above` to the mean of `below`, both one per web in
    /// the same order; `None` for fewer than two, or if a draw has nothing to divide by.
    pub fn ratio(&self, above: &[f64], below: &[f64]) -> Option<Interval> {
        if above.len() < 2 || above.len() != below.len() {
            return None;
        }
        if above.len() != self.webs {
            return Self::new(above.len()).ratio(above, below);
        }
        let ratios = self.draws.chunks_exact(above.len()).map(|draw| {
            let (above, below) = (sum(above, draw), sum(below, draw));
            (below > 0.0).then_some(above / below)
        });
        ratios.collect::<Option<Vec<f64>>>().map(middle)
    }
}

/// The sum of the values of the drawn webs.
fn sum(values: &[f64], draw: &[u32]) -> f64 {
    draw.iter().map(|web| values[*web as usize]).sum()
}

/// The middle 95 % of the resamples: from the TAIL-th smallest to the TAIL-th largest.
fn middle(mut resamples: Vec<f64>) -> Interval {
    let low = *resamples.select_nth_unstable_by(TAIL - 1, f64::total_cmp).1;
    let high = *resamples.select_nth_unstable_by(RESAMPLES - TAIL, f64::total_cmp).1;
    Interval { low, high }
}

/// The mean over webs that have runs; `None` if none has.
pub fn estimate(webs: &[WebRuns], bootstrap: &Bootstrap) -> Option<Estimate> {
    let means: Vec<f64> = webs.iter().filter_map(mean_of_runs).collect();
    let spread = match bootstrap.interval(&means) {
        Some(interval) => Spread::Sites(interval),
        None => over_seeds(webs.iter().flatten().map(|run| run.1)),
    };
    Some(Estimate { mean: mean(&means)?, spread, webs: means.len() })
}

/// The difference between `policy` and `baseline`, both by web in the same order. Webs that only
/// one of them has are left out; `None` if they have no web in common.
///
/// `margin` is the largest difference that counts as equal.
pub fn difference(
    policy: &[WebRuns],
    baseline: &[WebRuns],
    better: Better,
    margin: f64,
    bootstrap: &Bootstrap,
) -> Option<Difference> {
    let pairs: Vec<(&WebRuns, &WebRuns, f64)> = policy
        .iter()
        .zip(baseline)
        .filter_map(|(ours, theirs)| {
            Some((ours, theirs, mean_of_runs(ours)? - mean_of_runs(theirs)?))
        })
        .collect();
    let by_web: Vec<f64> = pairs.iter().map(|pair| pair.2).collect();
    let several = by_web.len() > 1;
    let spread = match bootstrap.interval(&by_web) {
        Some(interval) => Spread::Sites(interval),
        None => over_seeds(pairs.iter().flat_map(|(ours, theirs, _)| by_seed(ours, theirs))),
    };
    Some(Difference {
        mean: mean(&by_web)?,
        spread,
        score: several.then(|| score(&by_web, better, margin)),
        detectable: several.then(|| detectable(&by_web)),
        by_web,
    })
}

/// The mean; `None` if there are no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn mean_of_runs(runs: &WebRuns) -> Option<f64> {
    (!runs.is_empty()).then(|| runs.iter().map(|run| run.1).sum::<f64>() / runs.len() as f64)
}

fn over_seeds(values: impl Iterator<Item = f64>) -> Spread {
    let values: Vec<f64> = values.collect();
    if values.len() < 2 { Spread::Unknown } else { Spread::Seeds(Interval::around(&values)) }
}

/// Differences of runs with the same seed. A deterministic baseline may have one seed only; its
/// mean replaces missing seeds.
fn by_seed(ours: &WebRuns, theirs: &WebRuns) -> Vec<f64> {
    let fallback = mean_of_runs(theirs).unwrap_or_default();
    let same = |seed| theirs.iter().find(|run| run.0 == seed).map_or(fallback, |run| run.1);
    ours.iter().map(|(seed, value)| value - same(*seed)).collect()
}

/// Counts wins, ties and losses; differences up to `margin` are ties.
pub fn score(differences: &[f64], better: Better, margin: f64) -> Score {
    let mut score = Score::default();
    for difference in differences {
        let ahead = if better == Better::Lower { -difference } else { *difference };
        // Floating-point subtraction is inexact; a difference that equals the margin is a tie.
        if ahead.abs() <= margin + 1e-12 {
            score.ties += 1;
        } else if ahead > 0.0 {
            score.wins += 1;
        } else {
            score.losses += 1;
        }
    }
    score
}

/// The smallest true difference that this number of webs would detect with a power of 0.8.
pub fn detectable(differences: &[f64]) -> f64 {
    DETECTABLE_ERRORS * standard_error(differences)
}

fn standard_error(values: &[f64]) -> f64 {
    let center = mean(values).unwrap_or_default();
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    let count = values.len() as f64;
    (squares / (count - 1.0) / count).sqrt()
}
