//! A support vector machine: of two classes, on which side of the widest border an example lies.
//!
//! C-SVC by sequential minimal optimisation with the choice of pairs by second order of Fan, Chen and
//! Lin ("Working set selection using second order information", JMLR 6, 2005), as in libsvm, on a
//! kernel that is computed beforehand. Departures from libsvm: weights carry the sign of their class,
//! so that one rule fits both classes; there is no shrinking and no cache, since windows are small.
//! `bench/svm.py` compares decisions and speed with scikit-learn's.

use super::kernel::Kernel;

/// How far the slopes of two examples may differ where nothing is to be gained any more: that of
/// libsvm and scikit-learn.
pub(super) const TOLERANCE: f64 = 1e-3;
/// The least curvature: two equal examples have none.
const LEAST_CURVATURE: f64 = 1e-12;
/// Steps after which what was found has to do. Windows of fifty examples take some hundreds.
const MOST_STEPS: usize = 1_000_000;

/// A border between two classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    /// The examples that hold the border and their weights, positive where they are of the class.
    support: Vec<(u32, f64)>,
    bias: f64,
}

impl Svm {
    /// The border between examples that are of a class and those that are not. `costs` says of each what
    /// it may weigh at most; one that costs nothing is left out. Where all others are of one class, every
    /// example is taken for one of it.
    pub fn fit(kernel: &Kernel, labels: &[bool], costs: &[f64]) -> Self {
        let mut solver = Solver::new(kernel, labels);
        solver.solve(costs);
        solver.svm()
    }

    /// One that decides for the same class always.
    pub(super) fn constant(class: bool) -> Self {
        Self { support: vec![], bias: sign(class) }
    }

    /// How far an example lies from the border, on the side of the class where positive: `kernel` is its
    /// value with one of those learned from.
    pub fn decision(&self, kernel: impl Fn(usize) -> f64) -> f64 {
        let held = self.support.iter().map(|&(row, weight)| weight * kernel(row as usize));
        held.sum::<f64>() + self.bias
    }

    /// The examples that hold the border, in order, and their weights: positive of the class.
    pub fn support(&self) -> impl Iterator<Item = (usize, f64)> {
        self.support.iter().map(|&(row, weight)| (row as usize, weight))
    }

    /// What is decided of an example that is like none of those learned from.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The same, where the examples have other numbers.
    #[must_use]
    pub(super) fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        for (row, _) in &mut self.support {
            *row = number(*row as usize) as u32;
        }
        self
    }
}

/// What a class counts as.
pub(super) fn sign(class: bool) -> f64 {
    if class { 1.0 } else { -1.0 }
}

/// Finds borders between the same examples for several costs, each starting from the one before.
pub(super) struct Solver<'a> {
    kernel: &'a Kernel,
    labels: &'a [bool],
    /// Of every two examples one over what their weights' exchange curves the gain by: asked in every step, a
    /// division for each would cost more than all else.
    per_curvature: Vec<f64>,
    /// Of each example what it weighs, at least and at most.
    weights: Vec<f64>,
    lows: Vec<f64>,
    highs: Vec<f64>,
    /// What is gained by more weight on each.
    slopes: Vec<f64>,
    /// What is added to slopes so that examples that can bear no more, or no less, are never the steepest, or
    /// the flattest: infinite for these, otherwise 0. It keeps questions out of the loops over examples.
    full: Vec<f64>,
    empty: Vec<f64>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(kernel: &'a Kernel, labels: &'a [bool]) -> Self {
        let size = kernel.size();
        let own: Vec<f64> = (0..size).map(|row| kernel.row(row)[row]).collect();
        let mut per_curvature = Vec::with_capacity(size * size);
        for (row, &square) in own.iter().enumerate() {
            let values = kernel.row(row).iter().zip(&own);
            per_curvature.extend(
                values.map(|(value, other)| {
                    1.0 / (square + other - 2.0 * value).max(LEAST_CURVATURE)
                }),
            );
        }
        Self {
            kernel,
            labels,
            per_curvature,
            weights: vec![0.0; size],
            lows: vec![0.0; size],
            highs: vec![0.0; size],
            slopes: labels.iter().map(|&label| sign(label)).collect(),
            full: vec![0.0; size],
            empty: vec![0.0; size],
        }
    }

    /// Finds the weights for these costs, none of which may be below those it was asked for last.
    pub(super) fn solve(&mut self, costs: &[f64]) {
        for (row, (&label, &cost)) in self.labels.iter().zip(costs).enumerate() {
            (self.lows[row], self.highs[row]) = if label { (0.0, cost) } else { (-cost, 0.0) };
            self.mark(row);
        }
        for _ in 0..MOST_STEPS {
            let Some((more, less)) = self.pair() else { return };
            self.shift(more, less);
        }
    }

    /// Multiplies all weights, for costs that are as many times as high: what weighs all it may mostly goes on
    /// to.
    pub(super) fn scale(&mut self, factor: f64) {
        for (row, &label) in self.labels.iter().enumerate() {
            self.weights[row] *= factor;
            // A slope is the label less what all weights make of it.
            self.slopes[row] = factor * self.slopes[row] + (1.0 - factor) * sign(label);
        }
    }

    fn mark(&mut self, row: usize) {
        let weight = self.weights[row];
        self.full[row] = if weight < self.highs[row] { 0.0 } else { f64::NEG_INFINITY };
        self.empty[row] = if weight > self.lows[row] { 0.0 } else { f64::INFINITY };
    }

    /// The example that gains most by more weight, and that from which to take it so that most is gained
    /// by both; `None` where nothing is.
    fn pair(&self) -> Option<(usize, usize)> {
        let size = self.slopes.len();
        let (slopes, full, empty) = (&self.slopes[..size], &self.full[..size], &self.empty[..size]);
        let [steepest] = highest(size, |row| [slopes[row] + full[row]]);
        if steepest == f64::NEG_INFINITY {
            return None;
        }
        let more = (0..size).find(|&row| slopes[row] + full[row] >= steepest)?;
        let per_curvature = &self.per_curvature[more * size..(more + 1) * size];
        let gain = |row: usize| {
            let difference = (steepest - (slopes[row] + empty[row])).max(0.0);
            [difference * difference * per_curvature[row], difference]
        };
        let [best, widest] = highest(size, gain);
        if widest < TOLERANCE {
            return None;
        }
        Some((more, (0..size).find(|&row| gain(row)[0] >= best)?))
    }

    /// Takes weight from one example and gives it to another, as much as gains most.
    fn shift(&mut self, more: usize, less: usize) {
        let per_curvature = self.per_curvature[more * self.slopes.len() + less];
        let best = (self.slopes[more] - self.slopes[less]) * per_curvature;
        let room = self.highs[more] - self.weights[more];
        let stock = self.weights[less] - self.lows[less];
        let moved = best.min(room).min(stock);
        // At a bound exactly, whatever the rounding.
        self.weights[more] =
            if moved < room { self.weights[more] + moved } else { self.highs[more] };
        self.weights[less] =
            if moved < stock { self.weights[less] - moved } else { self.lows[less] };
        self.mark(more);
        self.mark(less);
        let (gaining, losing) = (self.kernel.row(more), self.kernel.row(less));
        for (slope, (gains, loses)) in self.slopes.iter_mut().zip(gaining.iter().zip(losing)) {
            *slope -= moved * (gains - loses);
        }
    }

    /// The border that the weights make.
    pub(super) fn svm(&self) -> Svm {
        let counted = |class| {
            let mut rows = self.labels.iter().zip(self.lows.iter().zip(&self.highs));
            rows.any(|(&label, (low, high))| label == class && low < high)
        };
        let (some, others) = (counted(true), counted(false));
        if !some || !others {
            return Svm::constant(some);
        }
        let support = self.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        let support = support.map(|(row, &weight)| (row as u32, weight)).collect();
        Svm { support, bias: self.bias() }
    }

    /// The slope of the examples whose weight is bound by nothing; where there is none, midway between
    /// those that would gain by more and those that would gain by less.
    fn bias(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        let (mut steepest, mut flattest) = (f64::NEG_INFINITY, f64::INFINITY);
        for (row, &slope) in self.slopes.iter().enumerate() {
            let (above, below) =
                (self.weights[row] > self.lows[row], self.weights[row] < self.highs[row]);
            if above && below {
                sum += slope;
                count += 1.0;
            }
            if below {
                steepest = f64::max(steepest, slope);
            }
            if above {
                flattest = f64::min(flattest, slope);
            }
        }
        if count > 0.0 { sum / count } else { f64::midpoint(steepest, flattest) }
    }
}

/// The highest of each of some values over all rows, four rows at a time so that none waits for another.
#[inline]
fn highest<const KINDS: usize>(size: usize, value: impl Fn(usize) -> [f64; KINDS]) -> [f64; KINDS] {
    const LANES: usize = 4;
    let mut lanes = [[f64::NEG_INFINITY; KINDS]; LANES];
    let mut row = 0;
    while row + LANES <= size {
        for (lane, so_far) in lanes.iter_mut().enumerate() {
            raise(so_far, value(row + lane));
        }
        row += LANES;
    }
    let [mut highest, others @ ..] = lanes;
    let rest = (row..size).map(value);
    others.into_iter().chain(rest).for_each(|values| raise(&mut highest, values));
    highest
}

/// Each to another value where that is higher.
#[inline]
fn raise<const KINDS: usize>(highest: &mut [f64; KINDS], values: [f64; KINDS]) {
    for (highest, value) in highest.iter_mut().zip(values) {
        *highest = if value > *highest { value } else { *highest };
    }
}
