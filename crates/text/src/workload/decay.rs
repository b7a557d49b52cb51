//! Workloads from a query log, in which older queries count less.
use super::{Source, Workload};

/// The weight of a query asked `age` days ago: 1 now, 1/2 after `half_life` days, and so on.
///
/// A day in the future (clocks go wrong) counts as now. Without a positive half-life only queries of
/// now count; with an infinite one all count the same.
pub fn decay(age: f64, half_life: f64) -> f64 {
    if age <= 0.0 {
        1.0
    } else if half_life > 0.0 {
        0.5_f64.powf(age / half_life)
    } else {
        0.0
    }
}

impl Workload {
    /// The workload of a log. Each entry has its age in days, the query, and the count of that day.
    pub fn from_days(days: impl Iterator<Item = (f64, String, f64)>, half_life: f64) -> Self {
        let decayed = days.map(|(age, query, count)| (query, count * decay(age, half_life)));
        Self::new(Source::Log, decayed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frequencies(days: &[(f64, &str, f64)], half_life: f64) -> Vec<(String, f64)> {
        let days = days.iter().map(|&(age, query, count)| (age, query.to_owned(), count));
        let workload = Workload::from_days(days, half_life);
        assert_eq!(workload.source, Source::Log);
        workload.queries.into_iter().map(|query| (query.text, query.frequency)).collect()
    }

    #[test]
    fn a_count_halves_with_every_half_life_and_days_add_up() {
        // 8 / 4 + 3 = 5 against 4 / 2 = 2.
        let days = [(60.0, "Moon", 8.0), (0.0, "moon ", 3.0), (30.0, "sun", 4.0)];
        assert_eq!(frequencies(&days, 30.0), [("moon".into(), 5.0), ("sun".into(), 2.0)]);
    }

    #[test]
    fn new_queries_overtake_old_frequent_ones() {
        let days = [(365.0, "old", 1_000.0), (1.0, "new", 1.0)];
        assert_eq!(frequencies(&days, 30.0)[0].0, "new");
        assert_eq!(frequencies(&days, f64::INFINITY)[0].0, "old");
    }

    #[test]
    fn future_days_count_as_now_and_without_a_half_life_only_now_counts() {
        let days = [(-3.0, "ahead", 1.0), (0.5, "past", 1.0)];
        assert_eq!(frequencies(&days, 0.0), [("ahead".into(), 1.0)]);
        assert_eq!(frequencies(&days, f64::NAN), [("ahead".into(), 1.0)]);
    }

    #[test]
    fn queries_decayed_to_zero_are_dropped() {
        assert_eq!(frequencies(&[(1e9, "ancient", 5.0)], 1.0), []);
    }
}
