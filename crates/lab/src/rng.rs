//! Seeded random numbers: `SplitMix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", 2014). Implemented here so that results do not depend on the version of a crate.

/// A deterministic random number generator.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// An independent generator for each name under one seed.
    pub fn named(seed: u64, name: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64_with_seed(name.as_bytes(), seed))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A uniform number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A uniform integer below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // Multiply and shift: the bias is below limit / 2^64.
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// An exponential number with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// A log-uniform number between `low` and `high`.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        (low.ln() + self.unit() * (high / low).ln()).exp()
    }

    /// A number of the Gamma distribution with this shape and scale 1 (Marsaglia and Tsang 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let part = (1.0 - self.unit()).powf(1.0 / shape.max(1e-9));
            return part * self.gamma(shape + 1.0);
        }
        let third = shape - 1.0 / 3.0;
        loop {
            let normal = self.normal();
            let cube = (1.0 + normal / (9.0 * third).sqrt()).powi(3);
            let bound =
                normal * normal / 2.0 + third - third * cube + third * cube.max(1e-300).ln();
            if cube > 0.0 && (1.0 - self.unit()).ln() < bound {
                return third * cube;
            }
        }
    }

    /// A normal number with mean 0 and standard deviation 1.
    pub fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_numbers_have_their_mean_and_variance() {
        for shape in [0.3, 1.0, 4.5] {
            let mut rng = Rng::new(3);
            let drawn: Vec<f64> = (0..20_000).map(|_| rng.gamma(shape)).collect();
            let mean = drawn.iter().sum::<f64>() / 20_000.0;
            let variance = drawn.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape}: {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape}: {variance}");
        }
    }

    #[test]
    fn the_generator_gives_the_published_numbers() {
        // The first outputs for seed 0, as in the reference implementation.
        let mut rng = Rng::new(0);
        assert_eq!(rng.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(rng.bits(), 0x6e78_9e6a_a1b9_65f4);
    }
}
