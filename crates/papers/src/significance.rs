//! Significance tests: Wilcoxon's signed-rank test by site, Holm's correction over the comparisons
//! of a paper, and the test of the papers, which treats cycles as independent.

/// The two-sided p-value of Wilcoxon's signed-rank test that `differences` lie around 0; `None`
/// where all are 0.
///
/// Exact for any size and with ties: all assignments of signs to ranks are counted. Zeros are
/// dropped, as Wilcoxon did, and equal sizes share their mean rank.
pub fn wilcoxon(differences: &[f64]) -> Option<f64> {
    let mut values: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    if values.is_empty() {
        return None;
    }
    values.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    // Twice the rank, so that shared ranks are whole numbers too.
    let mut ranks = vec![0_usize; values.len()];
    let mut first = 0;
    while first < values.len() {
        let size = values[first].abs();
        let equal = values[first..].iter().take_while(|value| value.abs() <= size).count();
        ranks[first..first + equal].fill(2 * first + equal + 1);
        first += equal;
    }
    let total: usize = ranks.iter().sum();
    let positive: usize =
        ranks.iter().zip(&values).filter(|(_, value)| **value > 0.0).map(|(rank, _)| rank).sum();
    let extreme = positive.min(total - positive);
    // By sum of positive ranks: the share of assignments of signs that give it.
    let mut shares = vec![0.0; total + 1];
    shares[0] = 1.0;
    for rank in &ranks {
        for sum in (0..=total).rev() {
            let with = if sum >= *rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    let tail: f64 = shares[..=extreme].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// Holm's adjusted p-values, which control the probability of any false positive among the
/// comparisons.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut adjusted = vec![0.0; values.len()];
    let mut highest = 0.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        highest = highest.max(values[index] * (values.len() - place) as f64).min(1.0);
        adjusted[index] = highest;
    }
    adjusted
}

/// The two-sample t of two means over cycles (Tan and Mitra 2010, section 6.3.5), which the papers
/// compare with 1.96; `None` if neither varies.
///
/// Cycles of one web are not independent, so this finds too many differences: printed for
/// comparison, never used in a verdict.
pub fn two_sample_t(one: &[f64], other: &[f64]) -> Option<f64> {
    let moments = |values: &[f64]| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (count - 1.0) / count)
    };
    if one.len() < 2 || other.len() < 2 {
        return None;
    }
    let ((mean, variance), (other_mean, other_variance)) = (moments(one), moments(other));
    let error = (variance + other_variance).sqrt();
    // Values that differ only in their last bits do not vary.
    (error > 1e-12 * (mean.abs() + other_mean.abs())).then(|| (mean - other_mean) / error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    #[test]
    fn five_of_five_in_one_direction_has_two_chances_in_thirty_two() {
        near(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap(), 2.0 / 32.0);
        near(wilcoxon(&[-0.1, -0.2, -0.3, -0.4, -0.5]).unwrap(), 2.0 / 32.0);
    }

    #[test]
    fn the_smallest_difference_against_the_others_leaves_a_rank_sum_of_one() {
        // Sums of at most 1: no rank, or rank 1 alone. Two of 32, on both sides.
        near(wilcoxon(&[-0.1, 0.2, 0.3, 0.4, 0.5]).unwrap(), 4.0 / 32.0);
    }

    #[test]
    fn zeros_are_dropped_and_ties_share_their_rank() {
        assert_eq!(wilcoxon(&[0.0, 0.0]), None);
        near(wilcoxon(&[0.0, 0.1, 0.2]).unwrap(), 2.0 / 4.0);
        // Ranks 1.5, 1.5, 3; the negative one has 1.5. Sums of at most 1.5: none, either of the
        // two: three of eight, on both sides.
        near(wilcoxon(&[-0.1, 0.1, 0.3]).unwrap(), 6.0 / 8.0);
    }

    #[test]
    fn holm_multiplies_by_what_is_left_and_never_falls() {
        let adjusted = holm(&[0.04, 0.01, 0.03]);
        near(adjusted[1], 0.03);
        near(adjusted[2], 0.06);
        near(adjusted[0], 0.06);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn t_is_the_difference_in_its_standard_errors() {
        // Means 2 and 5; both variances 1, so the error is the root of 1/3 + 1/3.
        let t = two_sample_t(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
        near(t, -3.0 / (2.0_f64 / 3.0).sqrt());
        assert_eq!(two_sample_t(&[1.0, 1.0], &[2.0, 2.0]), None);
    }
}
