//! Model selection: the cost of errors whose decision boundary is right most often on held-out examples.
//!
//! The window is cut into five folds in order of time: neighbouring days are alike, and a shuffled cut would
//! leak answers. The decisions on held-out examples are kept to calibrate probabilities.
use std::ops::Range;

use learn::svm::{Kernel, Solver, Svm, sign};

use super::feature_block::cubic;

/// The costs tried, the least first: of equally good ones the smoothest boundary wins.
const COSTS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
const FOLDS: usize = 5;

/// The SVM with the best cost.
#[derive(Clone, Debug)]
pub(super) struct TrainedSvm {
    pub(super) svm: Svm,
    pub(super) cost: f64,
    /// The examples with the decision on each by an SVM that had not seen it.
    pub(super) held_out: Vec<(usize, f64)>,
}

/// Trains on some of the examples, given their products; `None` if there are none. Examples of one class
/// give a constant decision.
pub(super) fn select(products: &Kernel, labels: &[bool], rows: &[usize]) -> Option<TrainedSvm> {
    let first = *labels.get(*rows.first()?)?;
    let labels: Vec<bool> = rows.iter().map(|&row| labels[row]).collect();
    let numbered = |decisions: Vec<f64>| rows.iter().copied().zip(decisions).collect();
    if labels.iter().all(|&label| label == first) {
        let held_out = numbered(vec![sign(first); rows.len()]);
        return Some(TrainedSvm { svm: Svm::constant(first), cost: COSTS[0], held_out });
    }
    let everything = rows.len() == products.size();
    let kernel = if everything { cubic(products) } else { cubic(&products.select(rows)) };
    let mut tried = try_costs(&kernel, &labels);
    let best = best_cost(&tried, &labels);
    let svm = Svm::fit(&kernel, &labels, &vec![COSTS[best]; rows.len()]);
    Some(TrainedSvm {
        svm: svm.renumbered(|row| rows[row]),
        cost: COSTS[best],
        held_out: numbered(tried.swap_remove(best)),
    })
}

/// The folds of a window, in order. Some folds of a short window are empty.
pub(super) fn folds(size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..FOLDS).map(move |fold| fold * size / FOLDS..(fold + 1) * size / FOLDS)
}

/// The examples outside a fold.
pub(super) fn rest(size: usize, fold: &Range<usize>) -> Vec<usize> {
    (0..fold.start).chain(fold.end..size).collect()
}

/// For each cost, the decisions on every example by SVMs trained on the other folds.
fn try_costs(kernel: &Kernel, labels: &[bool]) -> Vec<Vec<f64>> {
    let mut decisions = vec![vec![0.0; labels.len()]; COSTS.len()];
    for fold in folds(labels.len()).filter(|fold| !fold.is_empty()) {
        let rest = rest(labels.len(), &fold);
        let seen: Vec<bool> = rest.iter().map(|&row| labels[row]).collect();
        let among = kernel.select(&rest);
        let mut solver = Solver::new(&among, &seen);
        let mut before = COSTS[0];
        for (&cost, decisions) in COSTS.iter().zip(&mut decisions) {
            solver.scale(cost / before);
            solver.solve(&vec![cost; rest.len()]);
            before = cost;
            let svm = solver.svm();
            for row in fold.clone() {
                decisions[row] = svm.decision(|other| kernel.row(row)[rest[other]]);
            }
        }
    }
    decisions
}

fn best_cost(tried: &[Vec<f64>], labels: &[bool]) -> usize {
    let right = |decisions: &[f64]| {
        let decided = decisions.iter().zip(labels);
        decided.filter(|(decision, label)| (**decision > 0.0) == **label).count()
    };
    let scores: Vec<usize> = tried.iter().map(|decisions| right(decisions)).collect();
    (1..scores.len()).fold(0, |best, next| if scores[next] > scores[best] { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_order_and_leave_nothing_out() {
        assert_eq!(folds(7).collect::<Vec<_>>(), [0..1, 1..2, 2..4, 4..5, 5..7]);
        assert_eq!(folds(2).collect::<Vec<_>>(), [0..0, 0..0, 0..1, 1..1, 1..2]);
        assert_eq!(rest(5, &(1..3)), [0, 3, 4]);
    }

    #[test]
    fn the_least_of_equally_good_costs_is_taken() {
        let labels = [true, false, true];
        let tried = [vec![1.0, 1.0, -1.0], vec![1.0, -1.0, 0.1], vec![2.0, -2.0, 2.0]];
        assert_eq!(best_cost(&tried, &labels), 1);
        assert_eq!(best_cost(&tried[..1], &labels), 0);
    }

    /// Alternating examples at two opposite points.
    fn taking_turns(size: usize) -> (Kernel, Vec<bool>) {
        let place = |row: usize| if row.is_multiple_of(2) { 1.0 } else { -1.0 };
        let products = Kernel::new(size, |one, other| place(one) * place(other));
        (products, (0..size).map(|row| row.is_multiple_of(2)).collect())
    }

    #[test]
    fn what_is_decided_of_an_example_is_not_learned_from_it() {
        let (products, mut labels) = taking_turns(20);
        // One has the wrong label for its point: an SVM trained on it would know.
        labels[7] = true;
        let trained = select(&products, &labels, &(0..20).collect::<Vec<_>>()).unwrap();
        assert_eq!(trained.held_out.len(), 20);
        for &(row, decision) in &trained.held_out {
            assert_eq!(decision > 0.0, row.is_multiple_of(2), "{row}");
        }
    }

    #[test]
    fn examples_keep_their_numbers() {
        let (products, labels) = taking_turns(12);
        let rows = [2, 3, 6, 7, 10];
        let trained = select(&products, &labels, &rows).unwrap();
        assert!(trained.svm.support().all(|(row, _)| rows.contains(&row)));
        assert_eq!(trained.held_out.iter().map(|&(row, _)| row).collect::<Vec<_>>(), rows);
    }

    #[test]
    fn a_part_whose_rest_is_of_one_class_is_taken_for_it() {
        let (products, _) = taking_turns(10);
        let mut labels = vec![false; 10];
        labels[0] = true;
        let trained = select(&products, &labels, &(0..10).collect::<Vec<_>>()).unwrap();
        // The first fold has the only example of its class.
        assert_eq!(trained.held_out[..2], [(0, -1.0), (1, -1.0)]);
    }

    #[test]
    fn one_class_or_one_example_is_all_that_is_known() {
        let (products, labels) = taking_turns(10);
        let trained = select(&products, &labels, &[1, 3, 5]).unwrap();
        assert_eq!(trained.held_out, [(1, -1.0), (3, -1.0), (5, -1.0)]);
        assert!(trained.svm.decision(|_| 1.0) < 0.0);
        assert!(select(&products, &labels, &[4]).unwrap().svm.decision(|_| 1.0) > 0.0);
        assert!(select(&products, &labels, &[]).is_none());
    }
}
