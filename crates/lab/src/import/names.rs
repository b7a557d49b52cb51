//! Texts that occur often, each kept once.
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Interned texts, by number.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let (name, number) = (Arc::<str>::from(name), self.names.len() as u32);
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// For each name its rank in byte order.
    pub(super) fn rank(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_unstable_by_key(|&number| &self.names[number as usize]);
        let mut rank = vec![0; order.len()];
        for (place, number) in order.into_iter().enumerate() {
            rank[number as usize] = place as u32;
        }
        rank
    }
}
