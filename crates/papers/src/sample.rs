//! A quantity of a policy on one kind of web, by web or by site, so that its interval can be told.
//!
//! Where each trace or seed is a web, the unit is the web and the quantity is a mean over webs, as in
//! [`report::stats`](lab::report::stats). Sums of single sites that ran by themselves are resampled
//! by site, and a site that is drawn twice counts twice. A repository of many sites is run as a whole:
//! its unit is the repository, and repositories come as pairs of halves of all sites.
use lab::{
    report::stats::{Interval, RESAMPLES, SEED},
    rng::Rng,
};
use rayon::prelude::*;

/// Resamples cut off at each end: 2.5 %.
const TAIL: usize = RESAMPLES / 40;

/// With fewer webs, resampling is too sure: two that agree by chance, every second time, would decide. Their
/// interval is Student's, from what leaving each out changes (jackknife).
const FEWEST_RESAMPLED: usize = 20;

/// One quantity by site.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// A value for each site, `None` if it is not defined there.
    Values(Vec<Option<f64>>),
    /// Sums of sites, each of which was measured by itself.
    Ratios {
        /// How many sites there are.
        sites: usize,
        /// By run: dividends and divisors, by cycle, then by site.
        runs: Vec<Vec<(f64, f64)>>,
    },
    /// A value for each repository of half of the sites. One with an even number and the one after it
    /// have all sites between them (half-samples, `McCarthy` 1969).
    Halves(Vec<Option<f64>>),
}

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its 95 % interval; `None` with fewer than two webs or pairs of repositories.
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
                (Self::Values(sums), Self::Values(values))
                | (Self::Halves(sums), Self::Halves(values)) => {
                    for (sum, value) in sums.iter_mut().zip(values) {
                        *sum = sum.zip(value).map(|(sum, value)| sum + value);
                    }
                }
                (Self::Ratios { runs, .. }, Self::Ratios { runs: more, .. }) => runs.extend(more),
                _ => return None,
            }
        }
        if let Self::Values(sums) | Self::Halves(sums) = &mut first {
            sums.iter_mut().flatten().for_each(|sum| *sum /= count);
        }
        Some(first)
    }

    /// The number of webs, sites or repositories.
    pub fn units(&self) -> usize {
        match self {
            Self::Values(values) | Self::Halves(values) => values.len(),
            Self::Ratios { sites, .. } => *sites,
        }
    }

    /// The quantity with each site weighted by `counts`, over the sites in `counted`.
    fn weighted(&self, counts: &[f64], counted: &[bool]) -> Option<f64> {
        match self {
            Self::Values(values) | Self::Halves(values) => {
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

/// A function of several samples, with its interval: every resample draws the same sites for all of
/// them. `None` if one of them has no value, or the result is not finite.
pub fn combined(samples: &[&Sample], of: impl Fn(&[f64]) -> f64 + Sync) -> Option<Estimate> {
    let estimate = Some(of(&values(samples)?)).filter(|value| value.is_finite())?;
    let counted = counted(samples);
    let units = counted.len();
    let again = |counts: &[f64]| -> Option<f64> {
        let values: Option<Vec<f64>> =
            samples.iter().map(|sample| sample.weighted(counts, &counted)).collect();
        Some(of(&values?)).filter(|value| value.is_finite())
    };
    let are_halves = |sample: &&Sample| matches!(sample, Sample::Halves(_));
    let measured: Vec<usize> =
        (0..units).filter(|&unit| counted[unit] && has_any(samples, unit)).collect();
    let interval = if samples.iter().any(|sample| sample.units() != units) || measured.len() < 2 {
        None
    } else if samples.iter().all(are_halves) {
        let alone = |unit: usize| {
            let mut counts = vec![0.0; units];
            counts[unit] = 1.0;
            again(&counts)
        };
        by_halves(estimate, &(0..units).map(alone).collect::<Vec<_>>())
    } else if measured.len() < FEWEST_RESAMPLED {
        let without = |unit: usize| {
            let mut counts = vec![1.0; units];
            counts[unit] = 0.0;
            again(&counts)
        };
        let left: Option<Vec<f64>> = measured.iter().copied().map(without).collect();
        left.and_then(|left| by_leaving_out(estimate, &left))
    } else {
        by_resampling(units, again)
    };
    Some(Estimate { value: estimate, interval })
}

/// The 95 % interval around a value from its values on pairs of halves: within a pair they are off by
/// the same, in opposite directions. `None` with fewer than two whole pairs.
fn by_halves(value: f64, halves: &[Option<f64>]) -> Option<Interval> {
    let off = |pair: &[Option<f64>]| Some((pair.first()?.as_ref()? - pair.get(1)?.as_ref()?) / 2.0);
    let squares: Vec<f64> = halves.chunks(2).filter_map(off).map(|off: f64| off.powi(2)).collect();
    if squares.len() < 2 {
        return None;
    }
    let error = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    let wide = student(squares.len()) * error;
    Some(Interval { low: value - wide, high: value + wide })
}

/// The 95 % interval around a value from its values without each of the units; for a mean it is Student's.
fn by_leaving_out(value: f64, left: &[f64]) -> Option<Interval> {
    let units = left.len() as f64;
    let center = mean(left.iter().copied())?;
    let squares: f64 = left.iter().map(|value| (value - center).powi(2)).sum();
    let wide = student(left.len() - 1) * (squares * (units - 1.0) / units).sqrt();
    Some(Interval { low: value - wide, high: value + wide })
}

/// The 97.5 % quantile of Student's distribution.
fn student(degrees: usize) -> f64 {
    const TABLE: [f64; 20] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    ];
    // Beyond the table right to three digits.
    TABLE.get(degrees.saturating_sub(1)).copied().unwrap_or(1.96 + 2.5 / degrees as f64)
}

/// By site, whether every sample has it.
fn counted(samples: &[&Sample]) -> Vec<bool> {
    let units = samples.iter().map(|sample| sample.units()).max().unwrap_or_default();
    let has = |sample: &&Sample, unit: usize| match sample {
        Sample::Values(values) | Sample::Halves(values) => {
            values.get(unit).is_some_and(Option::is_some)
        }
        Sample::Ratios { .. } => true,
    };
    (0..units).map(|site| samples.iter().all(|sample| has(sample, site))).collect()
}

/// The interval of a function of how often each unit is drawn.
fn by_resampling(
    units: usize,
    again: impl Fn(&[f64]) -> Option<f64> + Sync + Send,
) -> Option<Interval> {
    middle(draws(units).par_chunks_exact(units).filter_map(again).collect())
}

/// Whether anything was measured on a unit: sums of a site without pages to count are 0 of 0.
fn has_any(samples: &[&Sample], unit: usize) -> bool {
    samples.iter().any(|sample| match sample {
        Sample::Values(_) | Sample::Halves(_) => true,
        Sample::Ratios { runs, sites } => {
            runs.iter().flatten().skip(unit).step_by(*sites).any(|(_, whole)| *whole > 0.0)
        }
    })
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

    /// The interval of a sample by resampling, however few its units are.
    fn resampled(sample: &Sample) -> Option<Interval> {
        let all = vec![true; sample.units()];
        by_resampling(sample.units(), |counts| sample.weighted(counts, &all))
    }

    #[test]
    fn two_seeds_that_agree_do_not_decide() {
        // Resampled, the interval would be from one to the other, and lie above 0.
        let sample = Sample::Values(vec![Some(0.01), Some(0.03)]);
        let interval = combined(&[&sample], first).unwrap().interval.unwrap();
        assert!(interval.low < 0.0 && interval.high > 0.04, "{interval:?}");
    }

    #[test]
    fn sites_without_anything_to_count_add_no_degrees_of_freedom() {
        let some = ratios(&[(1.0, 2.0), (3.0, 4.0)]);
        let more = ratios(&[(1.0, 2.0), (0.0, 0.0), (3.0, 4.0), (0.0, 0.0)]);
        let interval = |sample: &Sample| combined(&[sample], first).unwrap().interval.unwrap();
        let (one, other) = (interval(&some), interval(&more));
        assert!((one.low - other.low).abs() < 1e-12 && (one.high - other.high).abs() < 1e-12);
    }

    #[test]
    fn the_interval_of_a_mean_over_few_seeds_is_students() {
        // Standard deviation 1, standard error 1/√3, 4.303 with two degrees of freedom.
        let sample = Sample::Values([1.0, 2.0, 3.0].map(Some).into());
        let interval = combined(&[&sample], first).unwrap().interval.unwrap();
        let wide = 4.303 / 3.0_f64.sqrt();
        assert!((interval.low - (2.0 - wide)).abs() < 1e-9, "{interval:?}");
        assert!((interval.high - (2.0 + wide)).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn the_ratio_of_sums_is_not_the_mean_of_ratios() {
        // 1 of 10 and 1 of 2: 2 of 12 together.
        let sample = ratios(&[(1.0, 10.0), (1.0, 2.0)]);
        let estimate = combined(&[&sample], first).unwrap();
        assert!((estimate.value - 2.0 / 12.0).abs() < 1e-12);
        // A quarter of the draws has only the first, a quarter only the second.
        assert_eq!(resampled(&sample), Some(Interval { low: 0.1, high: 0.5 }));
    }

    #[test]
    fn cycles_are_averaged_and_those_without_visits_left_out() {
        let cycles = [[(1.0, 2.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)], [(0.0, 4.0), (4.0, 4.0)]];
        let sample = Sample::Ratios { sites: 2, runs: vec![cycles.concat()] };
        let estimate = combined(&[&sample], first).unwrap();
        assert!((estimate.value - 0.5).abs() < 1e-12);
        // Only the second site: its cycle 3 alone, 1. Only the first: (1/2 + 0) / 2.
        assert_eq!(resampled(&sample), Some(Interval { low: 0.25, high: 1.0 }));
    }

    #[test]
    fn four_sites_of_which_one_changes_are_the_binomials() {
        // All of one size: the ratio of a draw is a quarter of how often the last site is in it, so
        // it is binomial with n = 4, p = 1/4: P(4) = 0.004 is inside the tail of 0.025, P(3 or
        // more) = 0.051 is not.
        let sites = [(0.0, 5.0), (0.0, 5.0), (0.0, 5.0), (5.0, 5.0)];
        assert_eq!(resampled(&ratios(&sites)), Some(Interval { low: 0.0, high: 0.75 }));
    }

    #[test]
    fn a_large_site_counts_by_its_size() {
        // A draw that has the large site at all is at least 900 of 1,300 of it.
        let sites = [(900.0, 1000.0), (0.0, 100.0), (0.0, 100.0), (0.0, 100.0)];
        let estimate = combined(&[&ratios(&sites)], first).unwrap();
        assert!((estimate.value - 900.0 / 1300.0).abs() < 1e-12);
        let interval = resampled(&ratios(&sites)).unwrap();
        assert!(interval.low < 1e-12 && (interval.high - 2700.0 / 3100.0).abs() < 1e-12);
    }

    #[test]
    fn values_by_site_have_the_interval_of_the_report() {
        let values: Vec<f64> = (0..FEWEST_RESAMPLED).map(|site| (site as f64).sin()).collect();
        let sample = Sample::Values(values.iter().copied().map(Some).collect());
        let estimate = combined(&[&sample], first).unwrap();
        let interval = Bootstrap::new(values.len()).interval(&values).unwrap();
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
        // 0.4 and 0.2: the standard error is 0.1, with one degree of freedom.
        let interval = difference.interval.unwrap();
        assert!((interval.high - (0.3 + 1.2706)).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn halves_that_differ_within_pairs_have_half_of_it_as_their_error() {
        // Off by 0.1, 0.2 and 0.2 in three pairs around 0.5: the error is the root of 0.03.
        let halves = [0.4, 0.6, 0.7, 0.3, 0.3, 0.7].map(Some);
        let estimate = combined(&[&Sample::Halves(halves.into())], first).unwrap();
        assert!((estimate.value - 0.5).abs() < 1e-12);
        let wide = 3.182 * 0.03_f64.sqrt();
        let interval = estimate.interval.unwrap();
        assert!((interval.low - (0.5 - wide)).abs() < 1e-9, "{interval:?}");
        assert!((interval.high - (0.5 + wide)).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn a_policy_that_gains_by_leaving_a_site_out_keeps_its_gain() {
        // One policy is 0.2 better on every repository, whatever its sites: the difference is sure,
        // although both vary from one repository to the next.
        let ours = Sample::Halves([0.7, 0.5, 0.9, 0.4].map(Some).into());
        let theirs = Sample::Halves([0.5, 0.3, 0.7, 0.2].map(Some).into());
        let difference = combined(&[&ours, &theirs], |both| both[0] - both[1]).unwrap();
        let interval = difference.interval.unwrap();
        assert!(interval.low > 0.19 && interval.high < 0.21, "{interval:?}");
    }

    #[test]
    fn one_web_or_one_pair_has_no_interval() {
        assert_eq!(combined(&[&Sample::Values(vec![Some(0.5)])], first).unwrap().interval, None);
        assert_eq!(combined(&[&Sample::Values(vec![None, None])], first), None);
        let pair = Sample::Halves(vec![Some(0.5), Some(0.7)]);
        let estimate = combined(&[&pair], first).unwrap();
        assert!((estimate.value - 0.6).abs() < 1e-12);
        assert_eq!(estimate.interval, None);
        let broken = Sample::Halves(vec![Some(0.5), Some(0.7), Some(0.1), None]);
        assert_eq!(combined(&[&broken], first).unwrap().interval, None);
    }

    #[test]
    fn the_mean_of_samples_is_that_of_their_values() {
        let one = Sample::Values(vec![Some(0.5), Some(0.25), Some(1.0)]);
        let other = Sample::Values(vec![Some(0.25), Some(0.75), None]);
        let mean = Sample::mean_of(vec![one, other]).unwrap();
        assert_eq!(mean, Sample::Values(vec![Some(0.375), Some(0.5), None]));
        let both = Sample::mean_of(vec![ratios(&[(1.0, 2.0)]), ratios(&[(0.0, 2.0)])]).unwrap();
        assert!((combined(&[&both], first).unwrap().value - 0.25).abs() < 1e-12);
        assert_eq!(Sample::mean_of(vec![Sample::Halves(vec![]), ratios(&[])]), None);
    }
}
