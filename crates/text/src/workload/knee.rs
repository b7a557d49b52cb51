//! Knee detection in a falling curve.

/// The least distance from the chord that counts as a knee, with both axes scaled to 1: far above
/// rounding errors, far below what is visible.
const LEAST_BEND: f64 = 1e-6;

/// The value at the knee of positive `values` in descending order: of the points (rank, ln value), the
/// one farthest from the chord between the first and the last. Ties go to the lowest value.
///
/// `None` where there is no knee: fewer than three values, equal values, or a geometric sequence.
///
/// The rule is ours. Pandey and Olston cut their workload by eye, at "a knee in the distribution". This
/// is the idea of Kneedle (Satopää et al. 2011) without its smoothing. It uses logarithms, because sums
/// of TF-IDF span several powers of ten: on a linear scale only the first few queries would stand out,
/// and the knee would be next to them. Of the TREC 2005 Terabyte queries that have an answer in the
/// traces boost, boostjp, kafka, nlab-full and openoffice, it leaves 8 to 21 in 100.
pub fn knee(values: &[f64]) -> Option<f64> {
    let [first, .., last] = values else { return None };
    let (top, bottom) = (first.ln(), last.ln());
    let steps = (values.len() - 1) as f64;
    // With both axes scaled to 1, the distance from the chord is proportional to the vertical one.
    let bend = |rank: usize, value: f64| {
        let height = (value.ln() - bottom) / (top - bottom);
        (height - (1.0 - rank as f64 / steps)).abs()
    };
    let mut farthest = None;
    let mut most = LEAST_BEND;
    for (rank, &value) in values.iter().enumerate() {
        let bend = bend(rank, value);
        if bend >= most {
            (most, farthest) = (bend, Some(value));
        }
    }
    farthest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_knee_of_two_lines_is_where_they_meet() {
        // ln value: 8, 6, 4, 2 | 1.9, 1.8, 1.7, 1.6, 1.5, 1.4.
        let steep = (0..4).map(|rank| 8.0 - 2.0 * f64::from(rank));
        let flat = (1..7).map(|rank| 2.0 - 0.1 * f64::from(rank));
        let values: Vec<f64> = steep.chain(flat).map(f64::exp).collect();
        assert_eq!(knee(&values), Some(2.0_f64.exp()));
    }

    #[test]
    fn a_plateau_before_a_fall_is_kept() {
        // By hand, with both axes 1 long: heights 1, 0.99, 0.98, 0.97, 0; chord 1, 0.75, 0.5, 0.25, 0.
        let values = [1.0, 0.99, 0.98, 0.97, 0.0].map(f64::exp);
        assert_eq!(knee(&values), Some(0.97_f64.exp()));
    }

    #[test]
    fn a_power_law_over_ten_thousand_ranks_is_cut_at_a_ninth() {
        // ln value = -a ln rank: the slope is that of the chord at rank n / ln n, here 1086.
        let values: Vec<f64> = (1..=10_000).map(|rank| f64::from(rank).powf(-1.3)).collect();
        let at_knee = knee(&values).unwrap();
        let kept = values.iter().filter(|&&value| value >= at_knee).count();
        assert!((1_080..=1_090).contains(&kept), "{kept}");
    }

    #[test]
    fn without_a_bend_there_is_no_knee() {
        let halves: Vec<f64> = (0..50).map(|rank| 0.5_f64.powi(rank)).collect();
        for values in [&[][..], &[5.0], &[5.0, 1.0], &[5.0; 9], &halves] {
            assert_eq!(knee(values), None, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn the_knee_is_one_of_the_values_and_does_not_depend_on_their_unit(
            mut values in prop::collection::vec(1e-9_f64..1e9, 0..60),
        ) {
            values.sort_by(|a, b| b.total_cmp(a));
            if let Some(at_knee) = knee(&values) {
                prop_assert!(values.contains(&at_knee));
                let doubled: Vec<f64> = values.iter().map(|value| value * 2.0).collect();
                let again = knee(&doubled).map_or(0.0, |value| value / 2.0);
                prop_assert!((again - at_knee).abs() <= at_knee * 1e-9);
            }
        }
    }
}
