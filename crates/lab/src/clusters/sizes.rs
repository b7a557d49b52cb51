//! How evenly pages spread over groups (Tan and Mitra 2010, table II and figure 2).
use learn::cluster::{Options, bisect};
use policy::features::FeatureSettings;

use super::FeaturedWeb;

/// The sizes of groups of pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// In ascending order.
    pub sizes: Vec<u32>,
}

impl Sizes {
    fn new(mut sizes: Vec<u32>) -> Self {
        sizes.retain(|&size| size > 0);
        sizes.sort_unstable();
        Self { sizes }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.sizes.len()
    }

    /// The smallest.
    pub fn least(&self) -> u32 {
        self.sizes.first().copied().unwrap_or(0)
    }

    /// The largest.
    pub fn most(&self) -> u32 {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.sizes.iter().map(|&size| u64::from(size)).sum();
        if self.sizes.is_empty() { 0.0 } else { sum as f64 / self.sizes.len() as f64 }
    }

    /// The standard deviation divided by the mean: 0 if all groups have the same size.
    pub fn variation(&self) -> f64 {
        super::variation::variation_of(self.sizes.iter().map(|&size| f64::from(size)))
    }
}

/// The sizes of clusters by features.
pub fn cluster_sizes(web: &FeaturedWeb, settings: &FeatureSettings, options: &Options) -> Sizes {
    Sizes::new(bisect(web.table(settings).scaled(), options).sizes)
}

/// The number of held pages per site.
pub fn site_sizes(web: &FeaturedWeb) -> Sizes {
    let mut sizes = vec![0; web.pages.host_count()];
    for page in web.held() {
        sizes[web.pages.host(page).0 as usize] += 1;
    }
    Sizes::new(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_numbers() {
        let sizes = Sizes::new(vec![3, 0, 1, 8]);
        assert_eq!((sizes.groups(), sizes.least(), sizes.most(), sizes.mean()), (3, 1, 8, 4.0));
        // Deviations 1, 3 and 4 from 4: sqrt(26 / 3) / 4.
        assert!((sizes.variation() - (26.0_f64 / 3.0).sqrt() / 4.0).abs() < 1e-12);
        assert!(Sizes::new(vec![]).variation().abs() < 1e-12);
    }
}
