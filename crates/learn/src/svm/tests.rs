//! Decision boundaries computed by hand, and their general properties.
use proptest::prelude::*;

use super::{Kernel, Solver, Svm, TOLERANCE, sign};

fn cubic(rows: &[Vec<f64>]) -> Kernel {
    Kernel::new(rows.len(), |one, other| cubed(&rows[one], &rows[other]))
}

fn cubed(one: &[f64], other: &[f64]) -> f64 {
    (one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>() + 1.0).powi(3)
}

#[test]
fn two_points_are_separated_in_the_middle() {
    // Points 1 and 3 with the kernel x.y: the boundary is at 2. The decision is -1 and 1 at the points,
    // so it is f(x) = x - 2. By w = 1 * a * (3 - 1): a = 1/2.
    let places = [1.0, 3.0];
    let kernel = Kernel::new(2, |one, other| places[one] * places[other]);
    let svm = Svm::fit(&kernel, &[false, true], &[10.0; 2]);
    let at = |x: f64| svm.decision(|row| places[row] * x);
    for (x, expected) in [(1.0, -1.0), (2.0, 0.0), (3.0, 1.0), (10.0, 8.0)] {
        assert!((at(x) - expected).abs() < 1e-9, "{x}: {}", at(x));
    }
    assert_eq!(svm.support().collect::<Vec<_>>(), [(0, -0.5), (1, 0.5)]);
    assert!((svm.bias() + 2.0).abs() < 1e-9);
}

#[test]
fn a_cost_limits_the_weights() {
    // The same points with weights of at most 1/8: w = 1/4. The bias is midway between y - w x of the
    // two, which are -1 - 1/4 and 1 - 3/4, so it is -1/2.
    let places = [1.0, 3.0];
    let kernel = Kernel::new(2, |one, other| places[one] * places[other]);
    let svm = Svm::fit(&kernel, &[false, true], &[0.125; 2]);
    assert_eq!(svm.support().collect::<Vec<_>>(), [(0, -0.125), (1, 0.125)]);
    assert!((svm.bias() + 0.5).abs() < 1e-12);
}

#[test]
fn a_cubic_kernel_separates_xor() {
    // Four corners, opposite ones in the same class: K is 27 with itself, 1 with its two neighbours and
    // -1 with the opposite. By symmetry all have the same weight a, the bias is 0, and
    // 1 = a (27 - 1 - 2 * 1) gives a = 1/24.
    let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]].map(|it| it.to_vec());
    let svm = Svm::fit(&cubic(&corners), &[true, false, true, false], &[100.0; 4]);
    for (row, weight) in svm.support() {
        let expected = if row % 2 == 0 { 1.0 / 24.0 } else { -1.0 / 24.0 };
        assert!((weight - expected).abs() < 1e-4, "{weight}");
    }
    assert!(svm.bias().abs() < 1e-3);
    let at = |point: &[f64]| svm.decision(|row| cubed(&corners[row], point));
    assert!(at(&[0.5, 0.7]) > 0.0 && at(&[0.5, -0.7]) < 0.0);
}

#[test]
fn with_one_class_the_classifier_is_constant() {
    let kernel = cubic(&[vec![0.0], vec![1.0], vec![0.5]]);
    for class in [false, true] {
        let svm = Svm::fit(&kernel, &[class; 3], &[1.0; 3]);
        assert_eq!(svm, Svm::constant(class));
    }
    // The only example of the other class has cost 0.
    let svm = Svm::fit(&kernel, &[true, false, true], &[1.0, 0.0, 1.0]);
    assert_eq!(svm, Svm::constant(true));
    assert_eq!(Svm::fit(&Kernel::new(0, |_, _| 0.0), &[], &[]), Svm::constant(false));
}

#[test]
fn equal_examples_of_both_classes_are_outvoted() {
    let kernel = cubic(&[vec![1.0], vec![1.0], vec![1.0]]);
    let svm = Svm::fit(&kernel, &[true, true, false], &[1.0; 3]);
    assert!(svm.decision(|_| 8.0) > 0.0);
}

fn problems() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<bool>, f64)> {
    (2_usize..40, 1_usize..6).prop_flat_map(|(rows, columns)| {
        let values = prop::collection::vec(prop::collection::vec(-1.0..1.0, columns), rows);
        let cost = prop::sample::select(vec![0.1, 1.0, 10.0, 100.0]);
        (values, prop::collection::vec(any::<bool>(), rows), cost)
    })
}

fn is_mixed(labels: &[bool]) -> bool {
    labels.contains(&true) && labels.contains(&false)
}

/// The numbers of examples from the last to the first, starting somewhere.
fn turned(size: usize, turn: usize) -> Vec<usize> {
    (0..size).rev().map(|row| (row + turn) % size).collect()
}

/// The dual objective.
fn objective(kernel: &Kernel, labels: &[bool], svm: &Svm) -> f64 {
    let product = |row: usize| svm.decision(|other| kernel.row(row)[other]) - svm.bias();
    let terms =
        svm.support().map(|(row, weight)| weight * (sign(labels[row]) - 0.5 * product(row)));
    terms.sum()
}

/// Whether two objectives are equal within the stopping tolerance.
fn is_as_good(objectives: [f64; 2], size: usize, cost: f64) -> bool {
    (objectives[0] - objectives[1]).abs() <= TOLERANCE * cost * size as f64
}

#[test]
fn decisions_do_not_depend_on_the_order() {
    let rows: Vec<Vec<f64>> =
        (0..60).map(|row| vec![(f64::from(row)).sin(), (1.7 * f64::from(row)).cos()]).collect();
    let labels: Vec<bool> =
        rows.iter().enumerate().map(|(row, it)| (it[0] * it[1] > 0.1) != (row % 9 == 0)).collect();
    let kernel = cubic(&rows);
    let svm = Svm::fit(&kernel, &labels, &[1.0; 60]);
    for turn in [0, 7, 31] {
        let turned = turned(60, turn);
        let turned_labels: Vec<bool> = turned.iter().map(|&row| labels[row]).collect();
        let other = Svm::fit(&kernel.select(&turned), &turned_labels, &[1.0; 60]);
        let other = other.renumbered(|row| turned[row]);
        for row in 0..60 {
            let at = |svm: &Svm| svm.decision(|other| kernel.row(row)[other]);
            assert!((at(&svm) - at(&other)).abs() < 0.01, "{} {}", at(&svm), at(&other));
        }
    }
}

proptest! {
    /// The conditions of Karush, Kuhn and Tucker: an example with weight 0 lies beyond the margin, one
    /// at its upper bound within, all others on it.
    #[test]
    fn weights_are_optimal((rows, labels, cost) in problems()) {
        prop_assume!(is_mixed(&labels));
        let kernel = cubic(&rows);
        let svm = Svm::fit(&kernel, &labels, &vec![cost; rows.len()]);
        let mut weights = vec![0.0; rows.len()];
        for (row, weight) in svm.support() {
            weights[row] = weight;
        }
        prop_assert!(weights.iter().sum::<f64>().abs() < 1e-9 * cost);
        for (row, &label) in labels.iter().enumerate() {
            let margin = sign(label) * svm.decision(|other| kernel.row(row)[other]);
            let weight = sign(label) * weights[row];
            prop_assert!((0.0..=cost).contains(&weight));
            prop_assert!(weight > 0.0 || margin >= 1.0 - 2.0 * TOLERANCE, "{margin}");
            prop_assert!(weight < cost || margin <= 1.0 + 2.0 * TOLERANCE, "{margin}");
        }
    }

    #[test]
    fn the_order_of_examples_does_not_matter(
        (rows, labels, cost) in problems(),
        turn in 0_usize..40,
    ) {
        prop_assume!(is_mixed(&labels));
        let turned = turned(rows.len(), turn);
        let (kernel, costs) = (cubic(&rows), vec![cost; rows.len()]);
        let svm = Svm::fit(&kernel, &labels, &costs);
        let turned_labels: Vec<bool> = turned.iter().map(|&row| labels[row]).collect();
        let other = Svm::fit(&kernel.select(&turned), &turned_labels, &costs);
        let other = other.renumbered(|row| turned[row]);
        let objectives = [svm, other].map(|it| objective(&kernel, &labels, &it));
        prop_assert!(is_as_good(objectives, rows.len(), cost), "{objectives:?}");
    }

    #[test]
    fn starting_from_a_smaller_cost_ends_at_the_same(
        (rows, labels, _) in problems(),
        is_scaled in any::<bool>(),
    ) {
        prop_assume!(is_mixed(&labels));
        let kernel = cubic(&rows);
        let mut solver = Solver::new(&kernel, &labels);
        for cost in [0.1, 1.0, 10.0] {
            if is_scaled && cost > 0.1 {
                solver.scale(10.0);
            }
            solver.solve(&vec![cost; rows.len()]);
            let svm = Svm::fit(&kernel, &labels, &vec![cost; rows.len()]);
            let objectives = [svm, solver.svm()].map(|it| objective(&kernel, &labels, &it));
            prop_assert!(is_as_good(objectives, rows.len(), cost), "{objectives:?}");
        }
    }

    /// An example with twice the cost is equivalent to two examples.
    #[test]
    fn costs_count_examples((rows, labels, cost) in problems()) {
        prop_assume!(is_mixed(&labels));
        let kernel = cubic(&rows);
        let mut costs = vec![cost; rows.len()];
        costs[0] = 2.0 * cost;
        let once = Svm::fit(&kernel, &labels, &costs);
        let double: Vec<usize> = (0..rows.len()).chain([0]).collect();
        let double_labels: Vec<bool> = double.iter().map(|&row| labels[row]).collect();
        let twice = Svm::fit(&kernel.select(&double), &double_labels, &vec![cost; double.len()]);
        let twice = twice.renumbered(|row| double[row]);
        let objectives = [once, twice].map(|it| objective(&kernel, &labels, &it));
        prop_assert!(is_as_good(objectives, rows.len() + 1, cost), "{objectives:?}");
    }
}
