//! Seeded random numbers without a generator to carry along. A draw is a function of its purpose, so a
//! policy rebuilt from the log draws the same numbers as one that lived through it.
use crawl::PageId;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A number in [0, 1) for one page in one cycle, uniform over pages and cycles.
pub(crate) fn unit(seed: u64, cycle: u32, page: PageId) -> f64 {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&page.0.to_le_bytes());
    bytes[8..].copy_from_slice(&cycle.to_le_bytes());
    // A double holds 53 bits of fraction.
    (xxh3_64_with_seed(&bytes, seed) >> 11) as f64 / (1_u64 << 53) as f64
}
