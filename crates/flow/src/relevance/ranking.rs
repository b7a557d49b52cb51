//! In which order results are shown, and how likely each is to be looked at.

/// Orders results, given as page and score: the highest score first, ties by page number.
pub fn rank(results: &mut [(u32, f64)]) {
    results.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// The chance that a user looks at the result of this rank, the first being 1: rank^-1.5, in units
/// of the first's (I of Pandey and Olston 2005, W of Tan and Mitra 2010; both leave the constant
/// open, and it cancels in every metric made of it).
pub fn view_chance(rank: usize) -> f64 {
    debug_assert!(rank > 0, "ranks begin with 1");
    let rank = rank.max(1) as f64;
    1.0 / (rank * rank.sqrt())
}

/// [`view_chance`] and its sums, looked up.
#[derive(Clone, Debug)]
pub struct ViewChances {
    chances: Vec<f64>,
    /// Of the first so many ranks.
    sums: Vec<f64>,
}

impl ViewChances {
    /// Of the ranks 1 to `ranks`.
    pub fn new(ranks: usize) -> Self {
        let mut chances = Self { chances: Vec::with_capacity(ranks), sums: vec![0.0] };
        chances.grow(ranks);
        chances
    }

    /// Takes in further ranks, so that there are at least `ranks`.
    pub fn grow(&mut self, ranks: usize) {
        for rank in self.chances.len() + 1..=ranks {
            let chance = view_chance(rank);
            self.chances.push(chance);
            self.sums.push(self.sums[rank - 1] + chance);
        }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.chances.len()
    }

    /// The chance of the result of this rank, the first being 1.
    ///
    /// # Panics
    /// If the rank is 0, or beyond what is here.
    pub fn at(&self, rank: usize) -> f64 {
        self.chances[rank - 1]
    }

    /// The sum over the first so many ranks.
    ///
    /// # Panics
    /// If they are more than are here.
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
    fn chances_fall_with_the_rank_to_the_power_of_one_and_a_half() {
        let chances: Vec<f64> = [1, 4, 9, 100].map(view_chance).into();
        assert_eq!(chances, [1.0, 1.0 / 8.0, 1.0 / 27.0, 1.0 / 1_000.0]);
    }

    #[test]
    fn sums_are_those_of_the_specification() {
        // Spec A3.2, 4: ranks 5 to 50.
        let mut chances = ViewChances::new(3);
        chances.grow(50);
        chances.grow(10);
        assert_eq!(chances.ranks(), 50);
        assert!((chances.sum(50) - chances.sum(4) - 0.659_936).abs() < 5e-7);
        let looked_up: Vec<f64> = (1..=50).map(|rank| chances.at(rank)).collect();
        assert_eq!(looked_up, (1..=50).map(view_chance).collect::<Vec<_>>());
    }
}
