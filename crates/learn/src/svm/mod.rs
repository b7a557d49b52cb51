//! A support vector machine for binary classification.
//!
//! C-SVC by sequential minimal optimisation (SMO) with second-order working set selection by Fan, Chen
//! and Lin ("Working set selection using second order information", JMLR 6, 2005), as in libsvm, on a
//! precomputed kernel. Departures from libsvm: weights carry the sign of their class, so that one rule
//! serves both classes; there is no shrinking and no cache, since the training sets are small.
//! `bench/svm.py` compares decisions and speed with scikit-learn.

mod kernel;
mod platt;
#[cfg(test)]
mod tests;

pub use self::{
    kernel::Kernel,
    platt::{Platt, change_probability},
};

/// The stopping tolerance on the gradient, as in libsvm and scikit-learn.
const TOLERANCE: f64 = 1e-3;
/// The least curvature; it is 0 for two equal examples.
const LEAST_CURVATURE: f64 = 1e-12;
/// The most steps. Fifty examples take some hundreds.
const MOST_STEPS: usize = 1_000_000;

/// A decision boundary between two classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    /// The support vectors and their weights, positive for the positive class.
    support: Vec<(u32, f64)>,
    bias: f64,
}

impl Svm {
    /// Fits the decision boundary. `costs` is the upper bound of each example's weight; examples with cost
    /// 0 are ignored. Where all others are in one class, every example is classified as that class.
    pub fn fit(kernel: &Kernel, labels: &[bool], costs: &[f64]) -> Self {
        let mut solver = Solver::new(kernel, labels);
        solver.solve(costs);
        solver.svm()
    }

    /// A classifier that always decides for `class`.
    pub fn constant(class: bool) -> Self {
        Self { support: vec![], bias: sign(class) }
    }

    /// The decision value of an example, positive for the positive class. `kernel` is the kernel of the
    /// example and a training example.
    pub fn decision(&self, kernel: impl Fn(usize) -> f64) -> f64 {
        let terms = self.support.iter().map(|&(row, weight)| weight * kernel(row as usize));
        terms.sum::<f64>() + self.bias
    }

    /// The support vectors, in order, and their weights, positive for the positive class.
    pub fn support(&self) -> impl Iterator<Item = (usize, f64)> {
        self.support.iter().map(|&(row, weight)| (row as usize, weight))
    }

    /// The bias: the decision value where the kernel is 0 with all support vectors.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The same boundary with other numbers of the examples.
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        for (row, _) in &mut self.support {
            *row = number(*row as usize) as u32;
        }
        self
    }
}

/// A class as a number: 1 or -1.
pub fn sign(class: bool) -> f64 {
    if class { 1.0 } else { -1.0 }
}

/// An SMO solver. It fits the same examples for ascending costs, each time from the previous weights.
pub struct Solver<'a> {
    kernel: &'a Kernel,
    labels: &'a [bool],
    /// For every pair of examples, the inverse of the curvature along the exchange of their weights.
    /// Precomputed, because a division in every step would dominate the running time.
    inverse_curvature: Vec<f64>,
    /// The weight of each example, and its bounds.
    weights: Vec<f64>,
    lows: Vec<f64>,
    highs: Vec<f64>,
    /// The gradient of the objective by each weight.
    gradient: Vec<f64>,
    /// Added to the gradient to exclude examples at their upper or lower bound: infinite for these, 0
    /// otherwise. It avoids branches in the inner loops.
    at_high: Vec<f64>,
    at_low: Vec<f64>,
}

impl<'a> Solver<'a> {
    /// A solver for these examples, with all weights 0.
    pub fn new(kernel: &'a Kernel, labels: &'a [bool]) -> Self {
        let size = kernel.size();
        let own: Vec<f64> = (0..size).map(|row| kernel.row(row)[row]).collect();
        let mut inverse_curvature = Vec::with_capacity(size * size);
        for (row, &square) in own.iter().enumerate() {
            let values = kernel.row(row).iter().zip(&own);
            inverse_curvature.extend(
                values.map(|(value, other)| {
                    1.0 / (square + other - 2.0 * value).max(LEAST_CURVATURE)
                }),
            );
        }
        Self {
            kernel,
            labels,
            inverse_curvature,
            weights: vec![0.0; size],
            lows: vec![0.0; size],
            highs: vec![0.0; size],
            gradient: labels.iter().map(|&label| sign(label)).collect(),
            at_high: vec![0.0; size],
            at_low: vec![0.0; size],
        }
    }

    /// Finds the weights for these costs. None may be below the cost of the previous call.
    pub fn solve(&mut self, costs: &[f64]) {
        for (row, (&label, &cost)) in self.labels.iter().zip(costs).enumerate() {
            (self.lows[row], self.highs[row]) = if label { (0.0, cost) } else { (-cost, 0.0) };
            self.update_bounds(row);
        }
        for _ in 0..MOST_STEPS {
            let Some((up, down)) = self.working_set() else { return };
            self.step(up, down);
        }
    }

    /// Multiplies all weights, before solving for costs that are higher by the same factor: examples at
    /// their bound mostly stay there.
    pub fn scale(&mut self, factor: f64) {
        for (row, &label) in self.labels.iter().enumerate() {
            self.weights[row] *= factor;
            // The gradient is the label minus a linear function of the weights.
            self.gradient[row] = factor * self.gradient[row] + (1.0 - factor) * sign(label);
        }
    }

    fn update_bounds(&mut self, row: usize) {
        let weight = self.weights[row];
        self.at_high[row] = if weight < self.highs[row] { 0.0 } else { f64::NEG_INFINITY };
        self.at_low[row] = if weight > self.lows[row] { 0.0 } else { f64::INFINITY };
    }

    /// The example with the highest gradient, and the example whose weight to reduce for the largest
    /// gain; `None` at the optimum.
    fn working_set(&self) -> Option<(usize, usize)> {
        let size = self.gradient.len();
        let gradient = &self.gradient[..size];
        let (at_high, at_low) = (&self.at_high[..size], &self.at_low[..size]);
        let [steepest] = highest(size, |row| [gradient[row] + at_high[row]]);
        if steepest == f64::NEG_INFINITY {
            return None;
        }
        let up = (0..size).find(|&row| gradient[row] + at_high[row] >= steepest)?;
        let inverse_curvature = &self.inverse_curvature[up * size..(up + 1) * size];
        let gain = |row: usize| {
            let difference = (steepest - (gradient[row] + at_low[row])).max(0.0);
            [difference * difference * inverse_curvature[row], difference]
        };
        let [best, widest] = highest(size, gain);
        if widest < TOLERANCE {
            return None;
        }
        Some((up, (0..size).find(|&row| gain(row)[0] >= best)?))
    }

    /// Moves the optimal weight from one example to the other, within the bounds.
    fn step(&mut self, up: usize, down: usize) {
        let inverse_curvature = self.inverse_curvature[up * self.gradient.len() + down];
        let best = (self.gradient[up] - self.gradient[down]) * inverse_curvature;
        let room_up = self.highs[up] - self.weights[up];
        let room_down = self.weights[down] - self.lows[down];
        let moved = best.min(room_up).min(room_down);
        // Exactly at the bound, without rounding errors.
        self.weights[up] = if moved < room_up { self.weights[up] + moved } else { self.highs[up] };
        self.weights[down] =
            if moved < room_down { self.weights[down] - moved } else { self.lows[down] };
        self.update_bounds(up);
        self.update_bounds(down);
        let kernels = self.kernel.row(up).iter().zip(self.kernel.row(down));
        for (gradient, (of_up, of_down)) in self.gradient.iter_mut().zip(kernels) {
            *gradient -= moved * (of_up - of_down);
        }
    }

    /// The decision boundary of the present weights.
    pub fn svm(&self) -> Svm {
        let has_examples = |class| {
            let mut rows = self.labels.iter().zip(self.lows.iter().zip(&self.highs));
            rows.any(|(&label, (low, high))| label == class && low < high)
        };
        let (has_positive, has_negative) = (has_examples(true), has_examples(false));
        if !has_positive || !has_negative {
            return Svm::constant(has_positive);
        }
        let support = self.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        let support = support.map(|(row, &weight)| (row as u32, weight)).collect();
        Svm { support, bias: self.bias() }
    }

    /// The mean gradient of the free support vectors, whose weights are not at a bound. Without any, the
    /// middle between the highest gradient that may rise and the lowest that may fall.
    fn bias(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        let (mut steepest, mut flattest) = (f64::NEG_INFINITY, f64::INFINITY);
        for (row, &gradient) in self.gradient.iter().enumerate() {
            let (above, below) =
                (self.weights[row] > self.lows[row], self.weights[row] < self.highs[row]);
            if above && below {
                sum += gradient;
                count += 1.0;
            }
            if below {
                steepest = f64::max(steepest, gradient);
            }
            if above {
                flattest = f64::min(flattest, gradient);
            }
        }
        if count > 0.0 { sum / count } else { f64::midpoint(steepest, flattest) }
    }
}

/// The maximum of each of some values over all rows, in four lanes so that the CPU can overlap them.
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

/// Raises each maximum where the value is higher.
#[inline]
fn raise<const KINDS: usize>(highest: &mut [f64; KINDS], values: [f64; KINDS]) {
    for (highest, value) in highest.iter_mut().zip(values) {
        *highest = if value > *highest { value } else { *highest };
    }
}
