//! The order of results, and how likely each is to be viewed.

/// Sorts results, given as page and score: the highest score first, ties by page number.
pub fn rank(results: &mut [(u32, f64)]) {
    results.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// The probability that a user views the result at this rank, counted from 1: rank^-1.5, relative to
/// the first rank (I of Pandey and Olston 2005, W of Tan and Mitra 2010; both leave the constant open,
/// and it cancels in every metric).
pub fn view_probability(rank: usize) -> f64 {
    debug_assert!(rank > 0, "ranks begin with 1");
    let rank = rank.max(1) as f64;
    1.0 / (rank * rank.sqrt())
}

/// A table of [`view_probability`] and its sums.
#[derive(Clone, Debug)]
pub struct ViewProbabilities {
    probabilities: Vec<f64>,
    /// By number of ranks, the sum over the first ones.
    sums: Vec<f64>,
}

impl ViewProbabilities {
    /// A table for the ranks 1 to `ranks`.
    pub fn new(ranks: usize) -> Self {
        let mut table = Self { probabilities: Vec::with_capacity(ranks), sums: vec![0.0] };
        table.grow(ranks);
        table
    }

    /// Extends the table to at least `ranks` ranks.
    pub fn grow(&mut self, ranks: usize) {
        for rank in self.probabilities.len() + 1..=ranks {
            let probability = view_probability(rank);
            self.probabilities.push(probability);
            self.sums.push(self.sums[rank - 1] + probability);
        }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.probabilities.len()
    }

    /// The probability at this rank, counted from 1.
    ///
    /// # Panics
    /// If the rank is 0 or not in the table.
    pub fn at(&self, rank: usize) -> f64 {
        self.probabilities[rank - 1]
    }

    /// The sum over the first `ranks` ranks.
    ///
    /// # Panics
    /// If they are not in the table.
    pub fn sum(&self, ranks: usize) -> f64 {
        self.sums[ranks]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_score_comes_first_and_ties_go_by_page() {
        let mut results = vec![(7, 1.0), (3, 0.5), (9, 2.0), (2, 1.0), (1, 0.0)];
        rank(&mut results);
        assert_eq!(results, [(9, 2.0), (2, 1.0), (7, 1.0), (3, 0.5), (1, 0.0)]);
    }

    #[test]
    fn probabilities_fall_with_the_rank_to_the_power_of_one_and_a_half() {
        let probabilities: Vec<f64> = [1, 4, 9, 100].map(view_probability).into();
        assert_eq!(probabilities, [1.0, 1.0 / 8.0, 1.0 / 27.0, 1.0 / 1_000.0]);
    }

    #[test]
    fn sums_are_those_of_the_specification() {
        // Spec A3.2, 4: ranks 5 to 50.
        let mut table = ViewProbabilities::new(3);
        table.grow(50);
        table.grow(10);
        assert_eq!(table.ranks(), 50);
        assert!((table.sum(50) - table.sum(4) - 0.659_936).abs() < 5e-7);
        let looked_up: Vec<f64> = (1..=50).map(|rank| table.at(rank)).collect();
        assert_eq!(looked_up, (1..=50).map(view_probability).collect::<Vec<_>>());
    }
}
