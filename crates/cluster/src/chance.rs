//! Seeded chance without a generator to carry along: a draw is a function of what it is for.
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What draws are for; the number is part of what is hashed.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// Which row of a piece stands for it where few stand for all.
    Thin = 0,
    /// The first of two rows to start from.
    First = 1,
    /// The second of two rows to start from.
    Second = 2,
    /// Which fold a row is in.
    Fold = 3,
}

/// The seed of all draws for one thing, made from the seed of what it is a part of.
pub(crate) fn seed(of: u64, number: u64) -> u64 {
    xxh3_64_with_seed(&number.to_le_bytes(), of)
}

/// Sixty-four even bits for one number of one purpose.
pub(crate) fn bits(seed: u64, purpose: Purpose, number: u64) -> u64 {
    let mut bytes = [0; 9];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes[8] = purpose as u8;
    xxh3_64_with_seed(&bytes, seed)
}

/// A number in [0, 1), uniform over numbers and purposes.
pub(crate) fn unit(seed: u64, purpose: Purpose, number: u64) -> f64 {
    // The upper 53 bits are as many as the fraction of a double can hold.
    (bits(seed, purpose, number) >> 11) as f64 / (1_u64 << 53) as f64
}
