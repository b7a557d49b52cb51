//! Pages of a site change together: how far off predictions of whole cycles were.
/// How far off the prediction of a whole cycle is before any was checked, as a standard deviation, and the
/// weight of that in cycles.
const FIRST_SHOCK: f64 = 0.1;
const FIRST_CYCLES: f64 = 2.0;
/// A cycle with so many checks has half the weight of one with very many.
const CHECKS_OF_A_CYCLE: f64 = 8.0;
/// Cycles longer ago than about this fade.
const CYCLES_IN_MIND: f64 = 30.0;

/// How far off the predictions of whole cycles were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shocks {
    /// The cycle under way: its number, its checks, the sum of fresh minus predicted, and the variance of
    /// that sum if pages changed independently.
    cycle: u32,
    checks: f64,
    error: f64,
    variance: f64,
    /// Faded sums over the cycles before: of weights, and of the weighted excess of squared errors.
    weight: f64,
    excess: f64,
    /// Faded sums over all checks: their number and their waits in days.
    waits: f64,
    days: f64,
}

impl Shocks {
    /// Whether an observation of this cycle begins another one.
    pub(crate) fn is_over(&self, cycle: u32) -> bool {
        cycle != self.cycle
    }

    pub(crate) fn add(&mut self, cycle: u32, probability: f64, changed: bool, days: f64) {
        if self.is_over(cycle) {
            *self = Self { cycle, checks: 0.0, error: 0.0, variance: 0.0, ..self.closed() };
        }
        self.checks += 1.0;
        self.error += f64::from(u8::from(!changed)) - probability;
        self.variance += probability * (1.0 - probability);
        let kept = 1.0 - 1.0 / 1_000.0;
        self.waits = self.waits * kept + 1.0;
        self.days = self.days * kept + days;
    }

    /// With the cycle under way among those before.
    fn closed(self) -> Self {
        if self.checks == 0.0 {
            return self;
        }
        let weight = self.checks / (self.checks + CHECKS_OF_A_CYCLE);
        let excess = (self.error.powi(2) - self.variance) / self.checks.powi(2);
        let kept = 1.0 - 1.0 / CYCLES_IN_MIND;
        Self {
            weight: self.weight * kept + weight,
            excess: self.excess * kept + weight * excess,
            ..self
        }
    }

    /// The variance of the error that all predictions of a cycle have in common.
    pub(crate) fn variance(&self) -> f64 {
        let closed = self.closed();
        let first = FIRST_SHOCK.powi(2) * FIRST_CYCLES;
        ((first + closed.excess) / (FIRST_CYCLES + closed.weight)).clamp(0.0, 0.25)
    }

    /// The usual wait before a check, in days.
    pub(crate) fn typical_days(&self) -> f64 {
        (self.days / self.waits.max(1.0)).max(1e-6)
    }
}
