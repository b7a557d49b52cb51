//! The share of the gap between round robin and the oracle that a policy closes.
//!
//! It is (policy - round robin) / (oracle - round robin), each the mean over sites: 0 is round robin, 1 a
//! policy that knows the future. It is a ratio of means and not a mean of ratios, because on some sites
//! there is almost no gap, and a ratio there is noise. Its interval is a bootstrap over sites (E6): each
//! resample draws sites and gives one ratio of means.
use super::SiteOutcome;
use crate::report::stats::{Bootstrap, Interval, mean};

/// Sites whose difference to round robin is at most this count as equal.
pub const MARGIN: f64 = 0.01;

/// The outcomes of one budget, by site.
#[derive(Debug)]
pub struct Gap<'o> {
    outcomes: Vec<&'o SiteOutcome>,
    bootstrap: Bootstrap,
}

/// What a policy is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct GapClosed {
    /// The mean of its values over sites.
    pub mean: f64,
    /// The mean of its differences to round robin.
    pub gain: f64,
    /// The share of the gap that it closes; `None` if the oracle is not better than round robin, or has
    /// no value on some site.
    pub share: Option<f64>,
    /// The 95 % interval of the share, by site.
    pub interval: Option<Interval>,
    /// Sites where it is above round robin by more than [`MARGIN`].
    pub above: usize,
    /// Sites where it is below round robin by more than [`MARGIN`].
    pub below: usize,
    /// The site with the smallest difference to round robin, and that difference.
    pub worst: (String, f64),
}

impl<'o> Gap<'o> {
    /// The gap of these sites; `None` if there are none.
    pub fn new(outcomes: Vec<&'o SiteOutcome>) -> Option<Self> {
        let bootstrap = Bootstrap::new(outcomes.len());
        (!outcomes.is_empty()).then_some(Self { outcomes, bootstrap })
    }

    /// The number of sites.
    pub fn sites(&self) -> usize {
        self.outcomes.len()
    }

    /// The mean of round robin.
    pub fn round_robin(&self) -> f64 {
        self.mean(|outcome| outcome.round_robin)
    }

    /// The mean of the oracle; `None` if it has no value on some site.
    pub fn oracle(&self) -> Option<f64> {
        self.mean_of_all(|outcome| outcome.oracle)
    }

    /// The mean of the certified bounds; `None` if a site has none.
    pub fn bound(&self) -> Option<f64> {
        self.mean_of_all(|outcome| outcome.bound)
    }

    /// What the policy in this place is worth.
    pub fn closed(&self, policy: usize) -> GapClosed {
        let gains: Vec<f64> =
            self.outcomes.iter().map(|site| site.values[policy] - site.round_robin).collect();
        let gaps: Option<Vec<f64>> =
            self.outcomes.iter().map(|site| Some(site.oracle? - site.round_robin)).collect();
        let gain = mean(&gains).unwrap_or_default();
        let share = gaps.as_deref().and_then(mean).filter(|gap| *gap > 0.0).map(|gap| gain / gap);
        let interval =
            gaps.filter(|_| share.is_some()).and_then(|gaps| self.bootstrap.ratio(&gains, &gaps));
        let worst = gains.iter().enumerate().min_by(|one, other| one.1.total_cmp(other.1));
        GapClosed {
            mean: self.mean(|outcome| outcome.values[policy]),
            gain,
            share,
            interval,
            above: gains.iter().filter(|gain| **gain > MARGIN).count(),
            below: gains.iter().filter(|gain| **gain < -MARGIN).count(),
            worst: worst.map_or_else(Default::default, |(site, gain)| {
                (self.outcomes[site].site.clone(), *gain)
            }),
        }
    }

    fn mean(&self, value: impl Fn(&SiteOutcome) -> f64) -> f64 {
        self.outcomes.iter().map(|site| value(site)).sum::<f64>() / self.outcomes.len() as f64
    }

    fn mean_of_all(&self, value: impl Fn(&SiteOutcome) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> = self.outcomes.iter().map(|site| value(site)).collect();
        mean(&values?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str, round_robin: f64, oracle: f64, value: f64) -> SiteOutcome {
        SiteOutcome {
            site: name.to_owned(),
            pages: 60,
            round_robin,
            oracle: Some(oracle),
            bound: None,
            values: vec![value],
        }
    }

    #[test]
    fn the_share_is_a_ratio_of_means_and_not_a_mean_of_ratios() {
        // Shares of 0.5 and -1; the second site has a tenth of the gap of the first.
        let sites = [site("a", 0.5, 0.9, 0.7), site("b", 0.5, 0.54, 0.46)];
        let closed = Gap::new(sites.iter().collect()).unwrap().closed(0);
        assert!((closed.share.unwrap() - 0.16 / 0.44).abs() < 1e-12);
        assert_eq!((closed.above, closed.below), (1, 1));
        assert_eq!(closed.worst.0, "b");
        assert!((closed.worst.1 + 0.04).abs() < 1e-12);
    }

    #[test]
    fn its_interval_is_that_of_the_drawn_sites_together() {
        // Every draw of sites with equal shares has that share.
        let sites = [site("a", 0.5, 0.9, 0.6), site("b", 0.2, 0.4, 0.25)];
        let interval = Gap::new(sites.iter().collect()).unwrap().closed(0).interval.unwrap();
        assert!((interval.low - 0.25).abs() < 1e-12 && (interval.high - 0.25).abs() < 1e-12);
        // With two sites, a draw is of one, of the other, or of both.
        let sites = [site("a", 0.5, 0.9, 0.7), site("b", 0.5, 0.54, 0.46)];
        let interval = Gap::new(sites.iter().collect()).unwrap().closed(0).interval.unwrap();
        assert!((interval.low + 1.0).abs() < 1e-9 && (interval.high - 0.5).abs() < 1e-9);
    }

    #[test]
    fn without_a_gap_there_is_no_share() {
        let sites = [site("a", 0.9, 0.9, 0.95)];
        let closed = Gap::new(sites.iter().collect()).unwrap().closed(0);
        assert_eq!((closed.share, closed.interval), (None, None));
        assert!(Gap::new(vec![]).is_none());
    }
}
