//! Ensembles of decision boundaries: bagging (Breiman 1996) and AdaBoost.M1 (Freund and Schapire 1997), as
//! compared in section 5.3.3 of the paper.
//!
//! No example is copied to weigh it: one that counts several times costs several times as much, which gives
//! the same boundary. All use the cost that was best for the union of features.
use learn::svm::{Kernel, Svm, sign};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::model_selection::{folds, rest};

/// SVMs and the weights of their votes, which add up to one.
pub(super) type Voters = Vec<(f64, Svm)>;

/// The weighted vote: from -1, all against, to 1.
pub(super) fn vote(voters: &Voters, kernel: impl Fn(usize) -> f64) -> f64 {
    voters.iter().map(|(weight, svm)| weight * sign(svm.decision(&kernel) > 0.0)).sum()
}

/// SVMs trained on bootstrap samples of the examples. `stream` seeds the draws.
pub(super) fn bag(
    kernel: &Kernel,
    labels: &[bool],
    cost: f64,
    models: usize,
    seed: u64,
    stream: u64,
) -> Voters {
    let size = labels.len();
    let models = models.max(1);
    let voter = |model: usize| {
        let mut costs = vec![0.0; size];
        for draw in 0..size {
            costs[drawn(seed, [stream, model as u64, draw as u64], size)] += cost;
        }
        (1.0 / models as f64, Svm::fit(kernel, labels, &costs))
    };
    (0..models).map(voter).collect()
}

/// A uniform draw from `0..size`.
fn drawn(seed: u64, purpose: [u64; 3], size: usize) -> usize {
    let mut bytes = [0; 24];
    for (part, number) in bytes.chunks_exact_mut(8).zip(purpose) {
        part.copy_from_slice(&number.to_le_bytes());
    }
    // The upper half of the product of a hash and a size is below the size.
    ((u128::from(xxh3_64_with_seed(&bytes, seed)) * size as u128) >> 64) as usize
}

/// SVMs that each give most weight to the errors of those before. One without errors decides alone, as its
/// weight would be infinite. One that is wrong about half or more ends the sequence, unless it is the first,
/// which then decides alone.
pub(super) fn boost(kernel: &Kernel, labels: &[bool], cost: f64, models: usize) -> Voters {
    let size = labels.len();
    let mut shares = vec![1.0 / size as f64; size];
    let mut voters: Voters = vec![];
    for _ in 0..models.max(1) {
        let costs: Vec<f64> = shares.iter().map(|share| share * size as f64 * cost).collect();
        let svm = Svm::fit(kernel, labels, &costs);
        let wrong: Vec<bool> = (0..size)
            .map(|row| (svm.decision(|other| kernel.row(row)[other]) > 0.0) != labels[row])
            .collect();
        let Some(weight) = reweigh(&mut shares, &wrong) else {
            if voters.is_empty() || !wrong.contains(&true) {
                return vec![(1.0, svm)];
            }
            break;
        };
        voters.push((weight, svm));
    }
    let all: f64 = voters.iter().map(|(weight, _)| weight).sum();
    voters.into_iter().map(|(weight, svm)| (weight / all, svm)).collect()
}

/// The weight of a vote with these errors. Reweights the examples so that the wrong ones have half of the
/// total; `None` if there is no error, or half or more.
fn reweigh(shares: &mut [f64], wrong: &[bool]) -> Option<f64> {
    let error: f64 =
        shares.iter().zip(wrong).filter(|(_, wrong)| **wrong).map(|(share, _)| share).sum();
    if error <= 0.0 || error >= 0.5 {
        return None;
    }
    for (share, &wrong) in shares.iter_mut().zip(wrong) {
        *share /= 2.0 * if wrong { error } else { 1.0 - error };
    }
    Some(0.5 * ((1.0 - error) / error).ln())
}

/// The votes on every example by ensembles that `learn` from the other folds.
pub(super) fn held_out(
    kernel: &Kernel,
    labels: &[bool],
    learn: impl Fn(usize, &Kernel, &[bool]) -> Voters,
) -> Vec<f64> {
    let mut votes = vec![0.0; labels.len()];
    for (number, fold) in folds(labels.len()).enumerate().filter(|(_, fold)| !fold.is_empty()) {
        let rest = rest(labels.len(), &fold);
        let seen: Vec<bool> = rest.iter().map(|&row| labels[row]).collect();
        let learned = learn(number, &kernel.select(&rest), &seen);
        for row in fold {
            votes[row] = vote(&learned, |other| kernel.row(row)[rest[other]]);
        }
    }
    votes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(places: &[f64]) -> Kernel {
        Kernel::new(places.len(), |one, other| (places[one] * places[other] + 1.0).powi(3))
    }

    #[test]
    fn what_was_wrong_gets_half_of_the_attention() {
        // One of four wrong: error 1/4, weight ln(3)/2; the wrong one then has 1/2, the others 1/6 each.
        let mut shares = [0.25; 4];
        let weight = reweigh(&mut shares, &[false, true, false, false]).unwrap();
        assert!((weight - 3.0_f64.ln() / 2.0).abs() < 1e-12);
        for (share, expected) in shares.iter().zip([1.0 / 6.0, 0.5, 1.0 / 6.0, 1.0 / 6.0]) {
            assert!((share - expected).abs() < 1e-12);
        }
        // Next one of those right before: error 1/6, weight ln(5)/2; then 3/10, 1/10, 1/10 and 1/2.
        let weight = reweigh(&mut shares, &[false, false, false, true]).unwrap();
        assert!((weight - 5.0_f64.ln() / 2.0).abs() < 1e-12);
        for (share, expected) in shares.iter().zip([0.1, 0.3, 0.1, 0.5]) {
            assert!((share - expected).abs() < 1e-12, "{shares:?}");
        }
    }

    #[test]
    fn nothing_or_half_wrong_ends_it() {
        let mut shares = [0.25; 4];
        assert_eq!(reweigh(&mut shares, &[false; 4]), None);
        assert_eq!(reweigh(&mut shares, &[true, true, false, false]), None);
        assert!(shares.iter().all(|share| (share - 0.25).abs() < 1e-12));
    }

    #[test]
    fn a_border_that_is_right_about_all_decides_alone() {
        let kernel = points(&[-1.0, -0.9, 0.9, 1.0]);
        let voters = boost(&kernel, &[false, false, true, true], 100.0, 10);
        assert_eq!(voters.len(), 1);
        assert!((voters[0].0 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_first_border_that_is_half_wrong_decides_alone() {
        // Four examples at one point cannot be separated.
        let voters = boost(&points(&[0.5; 4]), &[true, false, true, false], 1.0, 10);
        assert_eq!(voters.len(), 1);
    }

    #[test]
    fn later_borders_mind_what_was_wrong() {
        // One of three at the same point has the opposite label: the first boundary is wrong about it (1/6), the
        // second about the other two (1/10 each, after it had half of the weight).
        let kernel = points(&[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
        let labels = [false, false, true, true, true, true];
        let voters = boost(&kernel, &labels, 1.0, 2);
        let (first, second) = (5.0_f64.ln() / 2.0, 4.0_f64.ln() / 2.0);
        assert_eq!(voters.len(), 2);
        assert!((voters[0].0 - first / (first + second)).abs() < 1e-12);
        assert!((voters[1].0 - second / (first + second)).abs() < 1e-12);
        // The vote follows the heavier one.
        assert!(vote(&voters, |other| kernel.row(2)[other]) < 0.0);
    }

    #[test]
    fn draws_are_even_and_repeatable() {
        let draw = |number| drawn(7, [1, 2, number], 5);
        let mut counts = [0; 5];
        for number in 0..5_000 {
            counts[draw(number)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        assert_eq!((0..50).map(draw).collect::<Vec<_>>(), (0..50).map(draw).collect::<Vec<_>>());
    }

    #[test]
    fn bags_vote_as_their_examples_do() {
        let kernel = points(&[-1.0, -0.9, -0.8, 0.8, 0.9, 1.0]);
        let labels = [false, false, false, true, true, true];
        let voters = bag(&kernel, &labels, 1.0, 10, 3, 0);
        assert_eq!(voters.len(), 10);
        assert!(vote(&voters, |other| kernel.row(0)[other]) < -0.5);
        assert!(vote(&voters, |other| kernel.row(5)[other]) > 0.5);
        let again = bag(&kernel, &labels, 1.0, 10, 3, 0);
        assert!(voters == again && voters != bag(&kernel, &labels, 1.0, 10, 4, 0));
    }

    #[test]
    fn votes_held_out_come_from_the_other_parts() {
        let kernel = points(&[-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
        let mut labels: Vec<bool> = (0..10).map(|row| row % 2 == 1).collect();
        labels[4] = true;
        let votes = held_out(&kernel, &labels, |_, kernel, labels| boost(kernel, labels, 1.0, 5));
        assert!(votes[4] < 0.0 && votes[5] > 0.0);
    }
}
