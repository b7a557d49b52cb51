//! Groups that only grow together: disjoint sets with path halving, the lowest member first.

/// Numbers from 0 in groups; each is alone at first.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    above: Vec<u32>,
}

impl Groups {
    pub(super) fn new(count: usize) -> Self {
        Self { above: (0..count as u32).collect() }
    }

    /// The lowest member of a number's group.
    pub(super) fn of(&mut self, mut number: u32) -> u32 {
        while self.above[number as usize] != number {
            let above = self.above[number as usize];
            self.above[number as usize] = self.above[above as usize];
            number = above;
        }
        number
    }

    /// Makes the groups of two numbers one.
    pub(super) fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.of(one), self.of(other));
        self.above[one.max(other) as usize] = one.min(other);
    }
}
