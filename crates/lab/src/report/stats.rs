//! What a difference between policies is worth: means over webs, intervals by site, paired
//! differences.
//!
//! The unit is the web, never the page or the cycle (docs/papers.md, E6): pages of one site change
//! together, so a thousand of them are not a thousand pieces of evidence. Seeds of one web are
//! averaged first. With several webs the interval is a cluster bootstrap over webs: draw as many
//! webs as there are, with replacement, [`RESAMPLES`] times, and take the middle 95 % of the means.
//! With one web nothing can be said about other webs, and the spread over seeds is shown instead.
use crate::{metric::Better, rng::Rng};

/// How often the webs are drawn again.
pub const RESAMPLES: usize = 10_000;

/// The generator's start. It is fixed so that a report of the same results is the same bytes, and
/// the same for all comparisons so that two policies are compared on the same draws.
pub const SEED: u64 = 1;

/// Resamples cut off at each end: 2.5 % of them.
const TAIL: usize = RESAMPLES / 40;

/// Differences of shares up to half a point count as equal (docs/papers.md, E6).
pub const SHARE_MARGIN: f64 = 0.005;

/// Standard errors that a true difference must measure to be seen in four experiments of five by a
/// two-sided test at 5 %: 1.96 + 0.84.
const DETECTABLE_ERRORS: f64 = 2.8;

/// The runs of one policy and budget on one web: seed and value.
pub type WebRuns = Vec<(u64, f64)>;

/// From `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies inside, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    fn around(values: &[f64]) -> Self {
        values.iter().fold(Self { low: f64::INFINITY, high: f64::NEG_INFINITY }, |so_far, value| {
            Self { low: so_far.low.min(*value), high: so_far.high.max(*value) }
        })
    }
}

/// How far a mean can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// One web, one seed: nothing is known.
    Unknown,
    /// One web: the least and the greatest value over its seeds.
    Seeds(Interval),
    /// Several webs: the 95 % interval of the mean by site.
    Sites(Interval),
}

impl Spread {
    /// The interval, whatever it is over.
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
    /// How far to trust it.
    pub spread: Spread,
    /// Over how many webs.
    pub webs: usize,
}

/// The difference of a policy to a baseline, paired by web.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The mean of the differences per web.
    pub mean: f64,
    /// How far to trust it.
    pub spread: Spread,
    /// The difference of each web, in the order of the webs.
    pub by_web: Vec<f64>,
    /// How often it went which way; only where there are several webs.
    pub score: Option<Score>,
    /// The smallest true difference that this many webs would show in four experiments of five;
    /// only where there are several webs.
    pub detectable: Option<f64>,
}

/// On how many webs a policy was ahead of the baseline, equal, or behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Webs where it was ahead by more than the margin.
    pub wins: usize,
    /// Webs where the difference was within the margin.
    pub ties: usize,
    /// Webs where it was behind by more than the margin.
    pub losses: usize,
}

/// The draws of the bootstrap, made once for a number of webs and used for every metric.
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

    /// The 95 % interval of the mean of `values`, one for each web; `None` for fewer than two.
    pub fn interval(&self, values: &[f64]) -> Option<Interval> {
        if values.len() < 2 {
            return None;
        }
        if values.len() != self.webs {
            return Self::new(values.len()).interval(values);
        }
        let mut means: Vec<f64> = self
            .draws
            .chunks_exact(values.len())
            .map(|draw| draw.iter().map(|web| values[*web as usize]).sum::<f64>())
            .collect();
        // The TAIL-th smallest and the TAIL-th largest, so that the interval is symmetric.
        let low = *means.select_nth_unstable_by(TAIL - 1, f64::total_cmp).1;
        let high = *means.select_nth_unstable_by(RESAMPLES - TAIL, f64::total_cmp).1;
        let count = values.len() as f64;
        Some(Interval { low: low / count, high: high / count })
    }
}

/// The mean over webs, webs without runs left out; `None` where there are no runs.
pub fn estimate(webs: &[WebRuns], bootstrap: &Bootstrap) -> Option<Estimate> {
    let means: Vec<f64> = webs.iter().filter_map(mean_of_runs).collect();
    let spread = match bootstrap.interval(&means) {
        Some(interval) => Spread::Sites(interval),
        None => over_seeds(webs.iter().flatten().map(|run| run.1)),
    };
    Some(Estimate { mean: mean(&means)?, spread, webs: means.len() })
}

/// The difference of `policy` to `baseline`, both by web in the same order. Webs that only one of
/// them has are left out; `None` where there is no web that both have.
///
/// `margin` is the greatest difference that still counts as equal.
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

/// The mean; `None` of nothing.
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

/// Differences of runs with the same seed. A baseline without chance in it may have been run with
/// one seed only: then its mean stands for the seeds that it lacks.
fn by_seed(ours: &WebRuns, theirs: &WebRuns) -> Vec<f64> {
    let fallback = mean_of_runs(theirs).unwrap_or_default();
    let same = |seed| theirs.iter().find(|run| run.0 == seed).map_or(fallback, |run| run.1);
    ours.iter().map(|(seed, value)| value - same(*seed)).collect()
}

/// How often differences went which way; those up to `margin` are ties.
pub fn score(differences: &[f64], better: Better, margin: f64) -> Score {
    let mut score = Score::default();
    for difference in differences {
        let ahead = if better == Better::Lower { -difference } else { *difference };
        // The subtraction of two shares is inexact in the last bits; a difference that is the
        // margin on paper is a tie.
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

/// The smallest true difference that so many webs would show in four experiments of five.
pub fn detectable(differences: &[f64]) -> f64 {
    DETECTABLE_ERRORS * standard_error(differences)
}

fn standard_error(values: &[f64]) -> f64 {
    let center = mean(values).unwrap_or_default();
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    let count = values.len() as f64;
    (squares / (count - 1.0) / count).sqrt()
}
