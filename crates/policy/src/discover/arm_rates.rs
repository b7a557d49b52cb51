//! The rates at which pages show new ones: Gamma priors by host and kind of page, and draws from the
//! posterior.
use std::f64::consts::TAU;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Arm, PageKind};

/// Shape of the prior (`docs/papers.md` D3.7): most pages show little, a few much.
const PRIOR_FOUND: f64 = 0.5;
/// Weight of the level above compared with a host's own evidence: a month of one page.
const PRIOR_DAYS: f64 = 30.0;
/// Half-life of evidence: half a year (D3.3).
const HALF_LIFE_DAYS: f64 = 182.0;
/// Number of page kinds.
const KINDS: usize = 3;

/// Found pages per day of a page before any evidence: a front page or feed shows one a week, another page
/// about one a year.
fn first_rate(kind: PageKind) -> f64 {
    match kind {
        PageKind::Front | PageKind::Dated => 1.0 / 7.0,
        PageKind::Page => 1.0 / 365.0,
    }
}

fn number(kind: PageKind) -> usize {
    match kind {
        PageKind::Front => 0,
        PageKind::Dated => 1,
        PageKind::Page => 2,
    }
}

/// The weight of evidence that is some days old; 0 for evidence that never was.
pub(super) fn kept(days: f64) -> f64 {
    (-days.max(0.0) / HALF_LIFE_DAYS).exp2()
}

/// Found pages per day of a typical page, by host and kind.
pub(super) struct Means {
    rates: Vec<[f64; KINDS]>,
}

impl Means {
    /// The means over these arms; `evidence` is found pages and days watched. Before any evidence the rates
    /// of the kinds count times `first`.
    pub(super) fn new(arms: &[Arm], first: f64, evidence: impl Fn(&Arm) -> (f64, f64)) -> Self {
        let hosts = arms.iter().map(|arm| arm.host as usize + 1).max().unwrap_or(0);
        let mut sums = vec![[(0.0, 0.0); KINDS]; hosts];
        for arm in arms {
            let (found, days) = evidence(arm);
            let sum: &mut (f64, f64) = &mut sums[arm.host as usize][number(arm.kind)];
            *sum = (sum.0 + found, sum.1 + days);
        }
        let rate = |(found, days): (f64, f64), above: f64| {
            (found + PRIOR_DAYS * above) / (days + PRIOR_DAYS)
        };
        let all: [f64; KINDS] = [PageKind::Front, PageKind::Dated, PageKind::Page].map(|kind| {
            let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
            let of_hosts = sums.iter().map(|host| host[number(kind)]);
            rate(of_hosts.fold((0.0, 0.0), add), first * first_rate(kind))
        });
        let host =
            |sums: &[(f64, f64); KINDS]| std::array::from_fn(|kind| rate(sums[kind], all[kind]));
        Self { rates: sums.iter().map(host).collect() }
    }

    /// The prior rate of a page, from its host and kind.
    pub(super) fn for_arm(&self, arm: &Arm) -> f64 {
        self.rates[arm.host as usize][number(arm.kind)]
    }
}

/// A rate drawn from the Gamma posterior after `evidence` (found pages, days), where the prior has this
/// mean. The draw is a function of the round and the page.
pub(super) fn draw(seed: u64, round: u64, page: u32, mean: f64, evidence: (f64, f64)) -> f64 {
    let mut random = Random { seed, round, page, drawn: 0 };
    gamma(PRIOR_FOUND + evidence.0, &mut random) / (PRIOR_FOUND / mean + evidence.1)
}

/// The mean of that posterior.
pub(super) fn mean_rate(mean: f64, evidence: (f64, f64)) -> f64 {
    (PRIOR_FOUND + evidence.0) / (PRIOR_FOUND / mean + evidence.1)
}

/// A generator of random numbers for one page in one round.
struct Random {
    seed: u64,
    round: u64,
    page: u32,
    drawn: u32,
}

impl Random {
    /// Uniform in (0, 1).
    fn unit(&mut self) -> f64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.round.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.page.to_le_bytes());
        bytes[12..].copy_from_slice(&self.drawn.to_le_bytes());
        self.drawn += 1;
        let upper = xxh3_64_with_seed(&bytes, self.seed) >> 11;
        (upper as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let (one, other) = (self.unit(), self.unit());
        (-2.0 * one.ln()).sqrt() * (TAU * other).cos()
    }
}

/// A draw from the Gamma distribution with this shape and scale 1: Marsaglia and Tsang, "A simple method for
/// generating gamma variables", TOMS 2000.
fn gamma(shape: f64, random: &mut Random) -> f64 {
    if shape < 1.0 {
        let less = random.unit().powf(1.0 / shape);
        return gamma(shape + 1.0, random) * less;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = random.normal();
        let v = (1.0 + c * normal).powi(3);
        if v > 0.0 && random.unit().ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(host: u32, kind: PageKind) -> Arm {
        Arm { key: 0, host, kind, waited: 1.0, exposure: 1.0 }
    }

    #[test]
    fn draws_have_the_mean_and_spread_that_is_believed() {
        // Prior mean 2 a day: shape 0.5, 0.25 days. With 4 found in 2 days: shape 4.5 and 2.25 days,
        // mean 2, variance 4.5 / 2.25^2 = 8/9. Without: mean 2, variance 0.5 / 0.25^2 = 8.
        for (evidence, variance) in [((4.0, 2.0), 8.0 / 9.0), ((0.0, 0.0), 8.0)] {
            let count = 100_000;
            let drawn: Vec<f64> = (0..count).map(|page| draw(1, 2, page, 2.0, evidence)).collect();
            let mean = drawn.iter().sum::<f64>() / f64::from(count);
            let spread =
                drawn.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / f64::from(count);
            assert!((mean - 2.0).abs() < 0.04, "{mean}");
            assert!((spread / variance - 1.0).abs() < 0.04, "{spread} against {variance}");
        }
    }

    #[test]
    fn draws_are_for_a_page_in_a_round() {
        let one = draw(1, 2, 3, 1.0, (0.0, 0.0));
        assert_eq!(one.to_bits(), draw(1, 2, 3, 1.0, (0.0, 0.0)).to_bits());
        for other in [(2, 2, 3), (1, 3, 3), (1, 2, 4)] {
            assert_ne!(one.to_bits(), draw(other.0, other.1, other.2, 1.0, (0.0, 0.0)).to_bits());
        }
    }

    #[test]
    fn means_are_of_host_and_kind_drawn_to_those_of_all() {
        let arms = [arm(0, PageKind::Front), arm(1, PageKind::Front), arm(1, PageKind::Page)];
        let means =
            Means::new(&arms, 1.0, |arm| if arm.host == 0 { (60.0, 30.0) } else { (0.0, 0.0) });
        // Fronts: (60 + 30/7) / (30 + 30) = 15/14; of host 0 (60 + 30 * 15/14) / 60.
        assert!((means.for_arm(&arms[1]) - 15.0 / 14.0).abs() < 1e-12);
        assert!((means.for_arm(&arms[0]) - (1.0 + 15.0 / 28.0)).abs() < 1e-12);
        assert!((means.for_arm(&arms[2]) - 1.0 / 365.0).abs() < 1e-12);
        assert_eq!(Means::new(&[], 1.0, |_| (1.0, 1.0)).rates.len(), 0);
    }

    #[test]
    fn evidence_fades_by_half_in_half_a_year() {
        assert!((kept(182.0) - 0.5).abs() < 1e-12);
        assert!((kept(0.0) - 1.0).abs() < 1e-12);
        assert!(kept(f64::INFINITY).abs() < 1e-12);
    }
}
