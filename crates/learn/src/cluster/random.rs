//! Seeded random numbers without generator state: a number is a hash of its seed and purpose.
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What a random number is for. The discriminant is part of the hash.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// Which row of a chunk is sampled.
    Sample = 0,
    /// The first of two rows to start from.
    First = 1,
    /// The second of two rows to start from.
    Second = 2,
    /// The fold of a row.
    Fold = 3,
}

/// The seed of a part, derived from the seed of the whole.
pub(crate) fn derive_seed(seed: u64, number: u64) -> u64 {
    xxh3_64_with_seed(&number.to_le_bytes(), seed)
}

/// 64 uniform bits for one number of one purpose.
pub(crate) fn bits(seed: u64, purpose: Purpose, number: u64) -> u64 {
    let mut bytes = [0; 9];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes[8] = purpose as u8;
    xxh3_64_with_seed(&bytes, seed)
}

/// A uniform number in [0, 1).
pub(crate) fn unit(seed: u64, purpose: Purpose, number: u64) -> f64 {
    // The fraction of a double has 53 bits.
    (bits(seed, purpose, number) >> 11) as f64 / (1_u64 << 53) as f64
}
