//! Seeded chance without a generator to carry along: a draw is a function of what it is for, so a
//! policy rebuilt from the log draws what one that lived through it would have drawn.
use flow::PageId;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A number in [0, 1) for one page in one cycle, uniform over pages and cycles.
pub(crate) fn unit(seed: u64, cycle: u32, page: PageId) -> f64 {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&page.0.to_le_bytes());
    bytes[8..].copy_from_slice(&cycle.to_le_bytes());
    // The upper 53 bits are as many as the fraction of a double can hold.
    (xxh3_64_with_seed(&bytes, seed) >> 11) as f64 / (1_u64 << 53) as f64
}
