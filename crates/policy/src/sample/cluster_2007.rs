//! Which pages are near to a sample by their features: those of its cluster, then of the clusters
//! nearest to that.
//!
//! CB of Tan, Zhuang, Mitra and Giles 2007, section 4.3: distance 0 is the sample's own cluster, 1 the
//! one with the nearest centroid, and so on. There is no other side of 0.
use flow::{Known, PageNo};

use super::{BATCH, CHANCE, Neighbourhood};
use crate::{
    Kind, Parameter, Parameters,
    features::{FeatureSettings, Grouping, parameters},
};

/// What can be set; the features are those that the paper names.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "d",
        meaning: "how many clusters further than its own a sample leads",
        default: "0",
        kind: Kind::Whole(0, 10_000),
    },
    CHANCE,
    BATCH,
    parameters::features("content-words+content+url-words+url+linkage"),
    parameters::DIMENSIONS,
    parameters::DOMAINS,
    parameters::KEYWORDS,
    parameters::CLUSTERS,
    parameters::RESTARTS,
];

/// A cluster of fewer pages than this is hardly a neighbourhood. The paper's had about 3,000 pages,
/// a hundredth of all; small webs have fewer clusters.
const PAGES_IN_A_CLUSTER: usize = 10;

/// Clusters of pages as neighbourhoods.
#[derive(Debug)]
pub(crate) struct ClustersNear {
    grouping: Grouping,
    /// The most clusters.
    clusters: usize,
}

impl ClustersNear {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let restarts = parameters.whole("restarts") as usize;
        Self {
            grouping: Grouping::new(FeatureSettings::of(parameters), restarts),
            clusters: parameters.whole("clusters") as usize,
        }
    }
}

impl Neighbourhood for ClustersNear {
    fn prepare(&mut self, known: &Known<'_>) {
        let count = (known.pages.len() / PAGES_IN_A_CLUSTER).clamp(1, self.clusters);
        self.grouping.update(known, count);
    }

    fn within(&mut self, seed: PageNo, d: i32, _known: &Known<'_>) -> Vec<(i32, PageNo)> {
        let Some(own) = self.grouping.of(seed) else { return vec![] };
        let near = (0..=d).zip(self.grouping.nearest(own));
        let pages = near.flat_map(|(distance, number)| {
            self.grouping.pages(number).iter().map(move |&page| (distance, page))
        });
        pages.filter(|&(_, page)| page != seed).collect()
    }

    fn needs_features(&self) -> bool {
        true
    }
}
