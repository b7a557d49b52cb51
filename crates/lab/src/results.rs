//! What a tournament found out, as plain values: the report and the files are made from these.
use serde::{Deserialize, Serialize};

use crate::metric::over_cycles;

/// The runs of one experiment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Results {
    /// The settings that made it, each with its key as it is written in an experiment file.
    pub settings: Vec<(String, String)>,
    /// The webs, in the order of the experiment.
    pub webs: Vec<WebFacts>,
    /// The runs that are finished, by web, policy, budget and seed in the experiment's order.
    pub runs: Vec<RunRecord>,
    /// Upper bounds that no policy can pass, each certified for one web and budget.
    pub bounds: Vec<BoundRecord>,
    /// Runs that the experiment names, finished or not.
    pub planned: usize,
}

/// One web, in numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebFacts {
    /// The name used in results.
    pub trace: String,
    /// Where it comes from, in words.
    pub source: String,
    /// Pages alive at the start.
    pub pages_at_start: usize,
    /// Every page there ever was.
    pub pages: usize,
    /// Versions, those at the start included.
    pub versions: usize,
    /// What was asked of it, where anything was.
    pub workload: Option<WorkloadFacts>,
}

/// The workload that was used on one web.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadFacts {
    /// Where its queries come from, in words.
    pub source: String,
    /// Whether nobody ever asked them: they were made from the web's own pages.
    pub is_pseudo: bool,
    /// How many queries there were before they were fitted to the web.
    pub asked: usize,
    /// How many of them any page answers at the start.
    pub answered: usize,
    /// How many were used.
    pub kept: usize,
    /// The sum of TF-IDF over the pages at the start that a query needed to be used; `None` where
    /// none was needed.
    pub threshold: Option<f64>,
}

/// One run: one policy on one web with one budget and one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The web's name.
    pub trace: String,
    /// The policy's name.
    pub policy: String,
    /// The budget as it was written: a share of the pages if below 1, else visits per cycle.
    pub budget: f64,
    /// The visits per cycle that this came to.
    pub visits: u32,
    /// The seed.
    pub seed: u64,
    /// How many cycles at the beginning are not measured.
    pub warm_up: usize,
    /// By cycle (the first is cycle 1), then by metric as in [`METRICS`](crate::metric::METRICS); `None` where a metric is
    /// not defined in a cycle, such as a ratio of no visits.
    pub cycles: Vec<Vec<Option<f64>>>,
    /// By host, where the run was on more than one: what it found and held there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRecord>,
}

/// What a run found and held on one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostRecord {
    /// The host's name.
    pub host: String,
    /// By cycle, warm-up included.
    pub cycles: Vec<HostSums>,
}

/// What the metrics of one cycle are made from, summed over the pages of one host: adding up hosts
/// and dividing then gives the metrics of any set of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, f64, u32, u32)", into = "(u32, u32, f64, u32, u32)")]
pub struct HostSums {
    /// Visits that compared what they found with what was held.
    pub compared: u32,
    /// Those that found a change.
    pub found: u32,
    /// The `PageRank` of the changed pages found, as it stood when the cycle began.
    pub weight_found: f64,
    /// Pages held just after the visits.
    pub held: u32,
    /// Those of them that were as on the live web.
    pub fresh: u32,
}

impl From<(u32, u32, f64, u32, u32)> for HostSums {
    fn from((compared, found, weight_found, held, fresh): (u32, u32, f64, u32, u32)) -> Self {
        Self { compared, found, weight_found, held, fresh }
    }
}

impl From<HostSums> for (u32, u32, f64, u32, u32) {
    fn from(sums: HostSums) -> Self {
        (sums.compared, sums.found, sums.weight_found, sums.held, sums.fresh)
    }
}

/// A number that no policy can pass on one web with one budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundRecord {
    /// The web's name.
    pub trace: String,
    /// The budget as it was written.
    pub budget: f64,
    /// The metric it bounds, by its name.
    pub metric: String,
    /// The bound on the metric's aggregate over measured cycles.
    pub value: f64,
}

impl RunRecord {
    /// The value of a metric over the measured cycles; `None` where it is defined in none.
    pub fn value(&self, metric: usize) -> Option<f64> {
        over_cycles(metric, self.cycles.get(self.warm_up..).unwrap_or_default())
    }
}
