//! The results of a tournament as plain values, from which reports and files are made.
use serde::{Deserialize, Serialize};

use crate::metric::over_cycles;

/// The runs of one experiment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Results {
    /// The settings, with the keys of an experiment file.
    pub settings: Vec<(String, String)>,
    /// The webs, in the order of the experiment.
    pub webs: Vec<WebFacts>,
    /// The finished runs by web, policy, budget and seed, in the order of the experiment.
    pub runs: Vec<RunRecord>,
    /// Certified upper bounds, each for one web and budget.
    pub bounds: Vec<BoundRecord>,
    /// The number of runs of the experiment, finished or not.
    pub planned: usize,
}

/// The description of one web.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebFacts {
    /// The name used in results.
    pub trace: String,
    /// A description of its origin.
    pub source: String,
    /// Pages alive at the start.
    pub pages_at_start: usize,
    /// All pages that ever existed.
    pub pages: usize,
    /// Versions, including those at the start.
    pub versions: usize,
    /// The workload, if there is one.
    pub workload: Option<WorkloadFacts>,
}

/// The workload that was used on one web.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadFacts {
    /// A description of its origin.
    pub source: String,
    /// Whether the queries are pseudo-queries, made from the pages of the web itself.
    pub is_pseudo: bool,
    /// The number of queries before they were fitted to the web.
    #[serde(rename = "asked")]
    pub queries: usize,
    /// How many of them have a result at the start.
    pub answered: usize,
    /// How many were used.
    pub kept: usize,
    /// The least sum of TF-IDF over the pages at the start for a query to be used; `None` if there
    /// was no such limit.
    pub threshold: Option<f64>,
}

/// One run: one policy on one web with one budget and one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The web's name.
    pub trace: String,
    /// The policy's name.
    pub policy: String,
    /// The budget as written: a share of the pages if below 1, else visits per cycle.
    pub budget: f64,
    /// The budget as visits per cycle.
    pub visits: u32,
    /// The seed.
    pub seed: u64,
    /// The number of cycles at the beginning that are not measured.
    pub warm_up: usize,
    /// By cycle (the first is cycle 1), then by metric as in [`METRICS`](crate::metric::METRICS);
    /// `None` if a metric is undefined in a cycle, such as a ratio of no visits.
    pub cycles: Vec<Vec<Option<f64>>>,
}

/// A certified bound on one web with one budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundRecord {
    /// The web's name.
    pub trace: String,
    /// The budget as written.
    pub budget: f64,
    /// The name of the bounded metric.
    pub metric: String,
    /// The bound on the aggregate of the metric over the measured cycles.
    pub value: f64,
}

impl RunRecord {
    /// The value of a metric over the measured cycles; `None` if it is undefined in all of them.
    pub fn value(&self, metric: usize) -> Option<f64> {
        over_cycles(metric, self.cycles.get(self.warm_up..).unwrap_or_default())
    }
}
