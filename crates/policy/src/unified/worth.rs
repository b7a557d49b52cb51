//! The worth of a visit: the time that a copy is expected to be fresh because of it.
//!
//! The rate of change has a Gamma distribution. The index is that of the freshness kernel under it
//! (`docs/papers.md` D2). A signal counts as the longer wait that would raise the same doubt.

/// The longest wait that is told apart, in weeks.
const LONGEST: f64 = 400.0;

/// The distribution of a page's rate of change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    /// Its shape, above 1 once a change was found.
    pub(super) shape: f64,
    /// Its scale: weeks watched.
    pub(super) weeks: f64,
}

impl Belief {
    /// Expected changes per week.
    pub(super) fn rate(self) -> f64 {
        self.shape / self.weeks
    }

    /// This belief and a share of another.
    pub(super) fn mixed(self, other: Self, share: f64) -> Self {
        let mix = |one: f64, two: f64| one + share * (two - one);
        Self { shape: mix(self.shape, other.shape), weeks: mix(self.weeks, other.weeks) }
    }

    /// The mean probability of being unchanged over a time.
    pub(super) fn mean_survival(self, time: f64) -> f64 {
        let Self { shape: a, weeks: b } = self;
        let ratio = b / (b + time);
        let sum =
            if a < 1.001 { -b * ratio.ln() } else { b / (a - 1.0) * (1.0 - ratio.powf(a - 1.0)) };
        sum / time
    }

    /// The probability that the page is unchanged after a wait.
    pub(super) fn survival(self, wait: f64) -> f64 {
        (self.weeks / (self.weeks + wait)).powf(self.shape)
    }
}

/// The worth of a visit to a page that is unchanged with probability `fresh`, where cycles are
/// `interval` weeks apart.
pub(super) fn worth(belief: Belief, fresh: f64, interval: f64) -> f64 {
    let Belief { shape: a, weeks: b } = belief;
    // The wait after which it is unchanged with this probability.
    let wait = b * (fresh.powf(-1.0 / a) - 1.0);
    let (wait, fresh) =
        if wait > LONGEST { (LONGEST, belief.survival(LONGEST)) } else { (wait, fresh) };
    let ratio = (b + wait) / b;
    let gained = if a < 1.001 { b * ratio.ln() } else { b / (a - 1.0) * (1.0 - fresh * ratio) };
    gained + 0.5 * interval * (1.0 - fresh) - wait * fresh
}
