//! The counts of a word by day in a sliding window.
use super::correlation::{Moment, squares, sum};

/// A word that varies within the window.
#[derive(Clone, Debug)]
pub(super) struct SlidingSeries {
    pub counts: Vec<u16>,
    sum: u64,
    squares: u64,
    /// The count that left the window last.
    left: u16,
}

impl SlidingSeries {
    pub(super) fn new(counts: Vec<u16>) -> Self {
        let (sum, squares) = (sum(&counts), squares(&counts));
        Self { counts, sum, squares, left: 0 }
    }

    /// Moves the window by a day, at the end of which the word has this count.
    pub(super) fn slide(&mut self, count: u16) {
        let square = |count: u16| u64::from(count) * u64::from(count);
        self.left = self.counts.remove(0);
        self.counts.push(count);
        self.sum = self.sum + u64::from(count) - u64::from(self.left);
        self.squares = self.squares + square(count) - square(self.left);
    }

    pub(super) fn is_constant(&self) -> bool {
        self.counts.iter().all(|&count| count == self.counts[0])
    }

    /// Of all but the first days.
    pub(super) fn tail(&self, lag: usize) -> Moment {
        self.without(&self.counts[..lag])
    }

    /// Of all but the last days.
    pub(super) fn head(&self, lag: usize) -> Moment {
        self.without(&self.counts[self.counts.len() - lag..])
    }

    fn without(&self, counts: &[u16]) -> Moment {
        let days = self.counts.len() - counts.len();
        Moment::new(days, self.sum - sum(counts), self.squares - squares(counts))
    }

    /// The product that enters the sum of a lag when the windows of a page and an expert slide, and the one that
    /// leaves it.
    pub(super) fn entering_and_leaving(&self, expert: &Self, lag: usize) -> (u64, u64) {
        let days = self.counts.len();
        let product = |one: u16, other: u16| u64::from(one) * u64::from(other);
        let first = if lag == 0 { self.left } else { self.counts[lag - 1] };
        let enters = product(self.counts[days - 1], expert.counts[days - 1 - lag]);
        (enters, product(first, expert.left))
    }
}
