//! Disjoint sets (union-find) with path halving; the lowest member represents its set.

/// Numbers from 0 in disjoint sets; each is alone at first.
#[derive(Clone, Debug)]
pub(super) struct DisjointSets {
    above: Vec<u32>,
}

impl DisjointSets {
    pub(super) fn new(count: usize) -> Self {
        Self { above: (0..count as u32).collect() }
    }

    /// The lowest member of a number's set.
    pub(super) fn find(&mut self, mut number: u32) -> u32 {
        while self.above[number as usize] != number {
            let above = self.above[number as usize];
            self.above[number as usize] = self.above[above as usize];
            number = above;
        }
        number
    }

    /// Merges the sets of two numbers.
    pub(super) fn union(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.above[one.max(other) as usize] = one.min(other);
    }
}
