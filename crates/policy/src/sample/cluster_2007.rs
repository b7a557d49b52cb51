//! Neighbours of a sample by features: the pages of its cluster, then of the nearest clusters.
//!
//! CB of Tan, Zhuang, Mitra and Giles 2007, section 4.3: distance 0 is the sample's own cluster, 1 the one
//! with the nearest centroid, and so on. There are no negative distances.
use crawl::{Known, Needs, PageNo};
use instruments::features::FeatureNeeds;

use super::{BATCH, CHANCE, COUNT, Neighbourhood, Sampling};
use crate::{
    Kind, Parameter, Parameters, PolicyEntry,
    features::{FeatureSettings, PageClusters, parameters},
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    is_random: |_| true,
    parameters: PARAMETERS,
    ..PolicyEntry::new(
        "cluster-sample-2007",
        "pages drawn at random, and the clusters by features of those that have changed",
        |seed, parameters| {
            let near = ClustersNear::new(parameters);
            Box::new(Sampling::new("cluster-sample-2007", seed, parameters, near))
        },
    )
};

/// The parameters; the features are those that the paper names.
const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "d",
        meaning: "how many clusters beyond its own a sample leads to",
        default: "0",
        kind: Kind::Whole(0, 10_000),
    },
    CHANCE,
    COUNT,
    BATCH,
    parameters::features("content-words+content+url-words+url+linkage"),
    parameters::DIMENSIONS,
    parameters::DOMAINS,
    parameters::KEYWORDS,
    parameters::CLUSTERS,
    parameters::RESTARTS,
];

/// The least pages per cluster. The paper's clusters had about 3,000 pages, a hundredth of all; small webs
/// have fewer clusters.
const PAGES_IN_A_CLUSTER: usize = 10;

/// Clusters of pages as neighbourhoods.
#[derive(Clone, Debug)]
struct ClustersNear {
    grouping: PageClusters,
    /// The most clusters.
    clusters: usize,
}

impl ClustersNear {
    fn new(parameters: &Parameters) -> Self {
        let restarts = parameters.whole("restarts") as usize;
        Self {
            grouping: PageClusters::new(FeatureSettings::from_parameters(parameters), restarts),
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
        let Some(own) = self.grouping.cluster(seed) else { return vec![] };
        let near = (0..=d).zip(self.grouping.nearest(own));
        let pages = near.flat_map(|(distance, number)| {
            self.grouping.pages(number).iter().map(move |&page| (distance, page))
        });
        pages.filter(|&(_, page)| page != seed).collect()
    }

    fn needs(&self) -> Needs {
        Needs::none().with(FeatureNeeds { look_back: 0 })
    }
}
