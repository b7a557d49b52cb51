//! A quantity of a policy on one kind of web, by site, so that sites can be resampled.
//!
//! Where each trace is a web, a site is a web and the quantity is a mean over webs, as in
//! [`report::stats`](lab::report::stats). Where all traces are one web, all sites share a run: the
//! quantity is the one of the papers, in each cycle the ratio of sums over sites, then the mean
//! over cycles, and a site that is drawn twice counts twice.
use lab::{
    report::stats::{Interval, RESAMPLES, SEED},
    rng::Rng,
};
use rayon::prelude::*;

/// Resamples cut off at each end: 2.5 %.
const TAIL: usize = RESAMPLES / 40;

/// One quantity by site.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// A value for each site, `None` if it is not defined there.
    Values(Vec<Option<f64>>),
    /// Runs of all sites together.
    Ratios {
        /// How many sites there are.
        sites: usize,
        /// By run: dividends and divisors, by cycle, then by site.
        runs: Vec<Vec<(f64, f64)>>,
    },
    /// Runs of all sites together, of a quantity that belongs to no single site: a value by run.
    Whole(Vec<f64>),
}

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its 95 % interval by site; `None` with fewer than two sites.
    pub interval: Option<Interval>,
}

impl Sample {
    /// The mean of several samples of the same sites, with equal weights.
    pub fn mean_of(samples: Vec<Self>) -> Option<Self> {
        let mut samples = samples.into_iter();
        let mut first = samples.next()?;
        let mut count = 1.0;
        for next in samples {
            count += 1.0;
            match (&mut first, next) {
                (Self::Values(sums), Self::Values(values)) => {
                    for (sum, value) in sums.iter_mut().zip(values) {
                        *sum = sum.zip(value).map(|(sum, value)| sum + value);
                    }
                }
                (Self::Ratios { runs, .. }, Self::Ratios { runs: more, .. }) => runs.extend(more),
                (Self::Whole(runs), Self::Whole(more)) => runs.extend(more),
                _ => return None,
            }
        }
        if let Self::Values(sums) = &mut first {
            sums.iter_mut().flatten().for_each(|sum| *sum /= count);
        }
        Some(first)
    }

    /// The number of sites; 0 if the quantity belongs to none.
    pub fn sites(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Ratios { sites, .. } => *sites,
            Self::Whole(_) => 0,
        }
    }

    /// The quantity with each site weighted by `counts`, over the sites in `counted`.
    fn weighted(&self, counts: &[f64], counted: &[bool]) -> Option<f64> {
        match self {
            Self::Values(values) => {
                let (mut sum, mut number) = (0.0, 0.0);
                for ((value, count), counted) in values.iter().zip(counts).zip(counted) {
                    if let (Some(value), true) = (value, counted) {
                        sum += count * value;
                        number += count;
                    }
                }
                (number > 0.0).then(|| sum / number)
            }
            Self::Ratios { runs, sites } => mean(runs.iter().filter_map(|cycles| {
                mean(cycles.chunks_exact(*sites).filter_map(|sites| {
                    let (mut part, mut whole) = (0.0, 0.0);
                    for ((above, below), count) in sites.iter().zip(counts) {
                        part += count * above;
                        whole += count * below;
                    }
                    (whole > 0.0).then(|| part / whole)
                }))
            })),
            Self::Whole(runs) => mean(runs.iter().copied()),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// The values of several samples of the same sites. Sites that one of them lacks are left out of
/// all. `None` if one of them has no value.
pub fn values(samples: &[&Sample]) -> Option<Vec<f64>> {
    let counted = counted(samples);
    let counts = vec![1.0; counted.len()];
    samples.iter().map(|sample| sample.weighted(&counts, &counted)).collect()
}

/// A function of several samples, with an interval by site: every resample draws the same sites for
/// all of them. `None` if one of them has no value, or the result is not finite.
pub fn combined(samples: &[&Sample], of: impl Fn(&[f64]) -> f64 + Sync) -> Option<Estimate> {
    let estimate = Some(of(&values(samples)?)).filter(|value| value.is_finite())?;
    let counted = counted(samples);
    let sites = counted.len();
    let belongs_to_sites = samples.iter().all(|sample| sample.sites() == sites) && sites > 1;
    let several = counted.iter().filter(|counted| **counted).count() > 1;
    let again = |counts: &[f64]| -> Option<f64> {
        let values: Option<Vec<f64>> =
            samples.iter().map(|sample| sample.weighted(counts, &counted)).collect();
        Some(of(&values?)).filter(|value| value.is_finite())
    };
    let interval = if belongs_to_sites && several {
        middle(draws(sites).par_chunks_exact(sites).filter_map(again).collect())
    } else {
        None
    };
    Some(Estimate { value: estimate, interval })
}

/// By site, whether every sample has it.
fn counted(samples: &[&Sample]) -> Vec<bool> {
    let sites = samples.iter().map(|sample| sample.sites()).max().unwrap_or_default();
    let has = |sample: &&Sample, site: usize| match sample {
        Sample::Values(values) => values.get(site).is_some_and(Option::is_some),
        _ => true,
    };
    (0..sites).map(|site| samples.iter().all(|sample| has(sample, site))).collect()
}

/// The middle 95 % of the resamples; `None` if too few of them have a value.
fn middle(mut values: Vec<f64>) -> Option<Interval> {
    if values.len() < RESAMPLES / 2 {
        return None;
    }
    let tail = TAIL * values.len() / RESAMPLES;
    let last = values.len() - tail;
    let low = *values.select_nth_unstable_by(tail - 1, f64::total_cmp).1;
    let high = *values.select_nth_unstable_by(last, f64::total_cmp).1;
    Some(Interval { low, high })
}

/// How often each site is drawn, by resample: the draws of
/// [`Bootstrap`](lab::report::stats::Bootstrap).
fn draws(sites: usize) -> Vec<f64> {
    let mut rng = Rng::new(SEED);
    let mut counts = vec![0.0; RESAMPLES * sites];
    for draw in counts.chunks_exact_mut(sites) {
        (0..sites).for_each(|_| draw[rng.below(sites)] += 1.0);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::report::stats::Bootstrap;

    fn ratios(sites: &[(f64, f64)]) -> Sample {
        Sample::Ratios { sites: sites.len(), runs: vec![sites.to_vec()] }
    }

    fn first(values: &[f64]) -> f64 {
        values[0]
    }

    #[test]
    fn the_ratio_of_sums_is_not_the_mean_of_ratios() {
        // 1 of 10 and 1 of 2: 2 of 12 together.
        let estimate = combined(&[&ratios(&[(1.0, 10.0), (1.0, 2.0)])], first).unwrap();
        assert!((estimate.value - 2.0 / 12.0).abs() < 1e-12);
        // A quarter of the draws has only the first, a quarter only the second.
        assert_eq!(estimate.interval, Some(Interval { low: 0.1, high: 0.5 }));
    }

    #[test]
    fn cycles_are_averaged_and_those_without_visits_left_out() {
        let cycles = [[(1.0, 2.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)], [(0.0, 4.0), (4.0, 4.0)]];
        let sample = Sample::Ratios { sites: 2, runs: vec![cycles.concat()] };
        let estimate = combined(&[&sample], first).unwrap();
        assert!((estimate.value - 0.5).abs() < 1e-12);
        // Only the second site: its cycle 3 alone, 1. Only the first: (1/2 + 0) / 2.
        assert_eq!(estimate.interval, Some(Interval { low: 0.25, high: 1.0 }));
    }

    #[test]
    fn four_sites_of_which_one_changes_are_the_binomials() {
        // All of one size: the ratio of a draw is a quarter of how often the last site is in it, so
        // it is binomial with n = 4, p = 1/4: P(4) = 0.004 is inside the tail of 0.025, P(3 or
        // more) = 0.051 is not.
        let sites = [(0.0, 5.0), (0.0, 5.0), (0.0, 5.0), (5.0, 5.0)];
        let estimate = combined(&[&ratios(&sites)], first).unwrap();
        assert_eq!(estimate.interval, Some(Interval { low: 0.0, high: 0.75 }));
    }

    #[test]
    fn a_large_site_counts_by_its_size() {
        // A draw that has the large site at all is at least 900 of 1,300 of it.
        let sites = [(900.0, 1000.0), (0.0, 100.0), (0.0, 100.0), (0.0, 100.0)];
        let estimate = combined(&[&ratios(&sites)], first).unwrap();
        assert!((estimate.value - 900.0 / 1300.0).abs() < 1e-12);
        let interval = estimate.interval.unwrap();
        assert!(interval.low < 1e-12 && (interval.high - 2700.0 / 3100.0).abs() < 1e-12);
    }

    #[test]
    fn values_by_site_have_the_interval_of_the_report() {
        let values = [0.1, 0.4, 0.35, 0.2, 0.05];
        let sample = Sample::Values(values.iter().copied().map(Some).collect());
        let estimate = combined(&[&sample], first).unwrap();
        let interval = Bootstrap::new(5).interval(&values).unwrap();
        let found = estimate.interval.unwrap();
        assert!((found.low - interval.low).abs() < 1e-12);
        assert!((found.high - interval.high).abs() < 1e-12);
    }

    #[test]
    fn differences_are_of_the_sites_that_both_have() {
        let one = Sample::Values(vec![Some(0.5), Some(0.3), None]);
        let other = Sample::Values(vec![Some(0.1), Some(0.1), Some(0.9)]);
        let difference = combined(&[&one, &other], |both| both[0] - both[1]).unwrap();
        assert!((difference.value - 0.3).abs() < 1e-12);
        let interval = difference.interval.unwrap();
        assert!((interval.low - 0.2).abs() < 1e-12 && (interval.high - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_belongs_to_no_site_has_no_interval() {
        let estimate = combined(&[&Sample::Whole(vec![0.5, 0.7])], first).unwrap();
        assert!((estimate.value - 0.6).abs() < 1e-12);
        assert_eq!(estimate.interval, None);
        assert_eq!(combined(&[&Sample::Values(vec![Some(0.5)])], first).unwrap().interval, None);
        assert_eq!(combined(&[&Sample::Values(vec![None, None])], first), None);
    }

    #[test]
    fn the_mean_of_samples_is_that_of_their_values() {
        let one = Sample::Values(vec![Some(0.5), Some(0.25), Some(1.0)]);
        let other = Sample::Values(vec![Some(0.25), Some(0.75), None]);
        let mean = Sample::mean_of(vec![one, other]).unwrap();
        assert_eq!(mean, Sample::Values(vec![Some(0.375), Some(0.5), None]));
        let both = Sample::mean_of(vec![ratios(&[(1.0, 2.0)]), ratios(&[(0.0, 2.0)])]).unwrap();
        assert!((combined(&[&both], first).unwrap().value - 0.25).abs() < 1e-12);
        assert_eq!(Sample::mean_of(vec![Sample::Whole(vec![]), ratios(&[])]), None);
    }
}
