//! A set of page numbers, one bit each.
use crate::by_page::row_mut;

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct BitSet {
    words: Vec<u64>,
    count: usize,
}

impl BitSet {
    pub(super) fn contains(&self, number: u32) -> bool {
        let word = self.words.get(number as usize / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn insert(&mut self, number: u32) {
        let row = number as usize / 64;
        self.count += usize::from(!self.contains(number));
        *row_mut(&mut self.words, row) |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: u32) {
        if self.contains(number) {
            self.words[number as usize / 64] &= !(1 << (number % 64));
            self.count -= 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in_and_not_taken_out() {
        let mut bits = BitSet::default();
        assert!(bits.is_empty() && !bits.contains(7));
        bits.remove(7);
        for number in [0, 63, 64, 1000, 64] {
            bits.insert(number);
        }
        bits.remove(63);
        bits.remove(63);
        let held: Vec<u32> = (0..2000).filter(|&number| bits.contains(number)).collect();
        assert_eq!(held, [0, 64, 1000]);
        for number in [0, 64, 1000] {
            bits.remove(number);
        }
        assert!(bits.is_empty());
    }
}
