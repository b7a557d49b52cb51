//! Results indexed by policy, budget and web, for tables and charts.
use std::collections::BTreeMap;

use super::stats::{self, Bootstrap, Difference, Estimate, WebRuns};
use super::words;
use crate::metric::{Better, METRICS};
use crate::results::Results;

/// The policy that every other one is compared with.
pub(crate) const BASELINE: &str = "round-robin";

/// Results indexed by policy, budget and web. All three are positions in `policies`, `budgets` and
/// `webs`.
pub(crate) struct Summary<'a> {
    pub(crate) results: &'a Results,
    /// In the order of the experiment, including oracles.
    pub(crate) policies: Vec<&'a str>,
    /// Ascending.
    pub(crate) budgets: Vec<f64>,
    /// In the order of the experiment.
    pub(crate) webs: Vec<&'a str>,
    /// Runs by policy, budget and web.
    cells: BTreeMap<(usize, usize, usize), Vec<usize>>,
    /// By run, then by metric.
    values: Vec<Vec<Option<f64>>>,
    /// By budget, the webs over which means are taken.
    averaged: Vec<Vec<usize>>,
    bootstrap: Bootstrap,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(results: &'a Results) -> Self {
        let mut policies: Vec<&str> = Vec::new();
        let mut webs: Vec<&str> = results.webs.iter().map(|web| web.trace.as_str()).collect();
        let mut budgets: Vec<f64> = Vec::new();
        for run in &results.runs {
            note(&mut policies, run.policy.as_str());
            note(&mut webs, run.trace.as_str());
            note(&mut budgets, run.budget);
        }
        budgets.sort_by(f64::total_cmp);
        let mut cells: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, run) in results.runs.iter().enumerate() {
            let key = (
                position(&policies, &run.policy.as_str()),
                position(&budgets, &run.budget),
                position(&webs, &run.trace.as_str()),
            );
            cells.entry(key).or_default().push(index);
        }
        let values = results
            .runs
            .iter()
            .map(|run| (0..METRICS.len()).map(|metric| finite(run.value(metric))).collect())
            .collect();
        let averaged: Vec<Vec<usize>> = (0..budgets.len())
            .map(|budget| averaged_webs(&cells, policies.len(), budget, webs.len()))
            .collect();
        let bootstrap = Bootstrap::new(averaged.iter().map(Vec::len).max().unwrap_or_default());
        Self { results, policies, budgets, webs, cells, values, averaged, bootstrap }
    }

    /// The webs over which the means of a budget are taken.
    pub(crate) fn averaged(&self, budget: usize) -> &[usize] {
        &self.averaged[budget]
    }

    /// The policies, or the oracles, that have runs with a budget, by descending freshness.
    pub(crate) fn ranked(&self, budget: usize, oracles: bool) -> Vec<usize> {
        let freshness = words::metric("freshness");
        let mut ranked: Vec<(usize, f64)> = (0..self.policies.len())
            .filter(|policy| words::is_oracle(self.policies[*policy]) == oracles)
            .filter(|policy| self.has_runs(*policy, budget))
            .map(|policy| (policy, self.mean(policy, budget, freshness).unwrap_or(f64::MIN)))
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        ranked.into_iter().map(|(policy, _)| policy).collect()
    }

    pub(crate) fn baseline(&self) -> Option<usize> {
        self.policies.iter().position(|policy| *policy == BASELINE)
    }

    /// The largest number of seeds of any policy, budget and web.
    pub(crate) fn seeds(&self) -> usize {
        self.cells.values().map(Vec::len).max().unwrap_or_default()
    }

    /// The mean with its uncertainty.
    pub(crate) fn estimate(&self, policy: usize, budget: usize, metric: usize) -> Option<Estimate> {
        stats::estimate(&self.samples(policy, budget, metric), &self.bootstrap)
    }

    /// The mean only, without a bootstrap.
    pub(crate) fn mean(&self, policy: usize, budget: usize, metric: usize) -> Option<f64> {
        let webs: Vec<f64> = self.averaged[budget]
            .iter()
            .filter_map(|web| self.web_mean(policy, budget, *web, metric))
            .collect();
        stats::mean(&webs)
    }

    /// The mean over the seeds of one web.
    pub(crate) fn web_mean(
        &self,
        policy: usize,
        budget: usize,
        web: usize,
        metric: usize,
    ) -> Option<f64> {
        let runs = self.runs(policy, budget, web);
        let values: Vec<f64> = runs.iter().filter_map(|run| self.values[*run][metric]).collect();
        stats::mean(&values)
    }

    /// The difference from round robin, paired by web; `None` for round robin itself.
    pub(crate) fn difference(
        &self,
        policy: usize,
        budget: usize,
        metric: usize,
    ) -> Option<Difference> {
        let baseline = self.baseline().filter(|baseline| *baseline != policy)?;
        stats::difference(
            &self.samples(policy, budget, metric),
            &self.samples(baseline, budget, metric),
            METRICS[metric].better,
            words::margin(metric),
            &self.bootstrap,
        )
    }

    /// The mean of the certified bounds over the webs of the means. `None` unless all of them have
    /// one: a mean over fewer webs would not be a bound.
    pub(crate) fn bound(&self, budget: usize, metric: usize) -> Option<f64> {
        let bounds: Option<Vec<f64>> = self.averaged[budget]
            .iter()
            .map(|web| self.web_bound(*web, self.budgets[budget], metric))
            .collect();
        stats::mean(&bounds?)
    }

    /// The certified bound of one web.
    pub(crate) fn web_bound(&self, web: usize, budget: f64, metric: usize) -> Option<f64> {
        self.results
            .bounds
            .iter()
            .find(|bound| {
                bound.trace == self.webs[web]
                    && bound.budget.total_cmp(&budget).is_eq()
                    && bound.metric == METRICS[metric].name
            })
            .and_then(|bound| finite(Some(bound.value)))
    }

    /// The best of the values of policies; `None` if all are equal.
    pub(crate) fn best(metric: usize, values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
        let mut values: Vec<f64> = values.flatten().collect();
        values.sort_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        match METRICS[metric].better {
            Better::Neither => None,
            _ if least.total_cmp(&greatest).is_eq() => None,
            Better::Higher => Some(greatest),
            Better::Lower => Some(least),
        }
    }

    /// A metric by cycle: the mean over seeds, then over the webs that have this cycle.
    pub(crate) fn by_cycle(&self, policy: usize, budget: usize, metric: usize) -> Vec<Option<f64>> {
        let mut sums: Vec<(f64, usize)> = Vec::new();
        for web in &self.averaged[budget] {
            let mut of_web: Vec<(f64, usize)> = Vec::new();
            for run in self.runs(policy, budget, *web) {
                for (cycle, values) in self.results.runs[*run].cycles.iter().enumerate() {
                    add(&mut of_web, cycle, finite(values.get(metric).copied().flatten()));
                }
            }
            for (cycle, value) in of_web.iter().map(quotient).enumerate() {
                add(&mut sums, cycle, value);
            }
        }
        sums.iter().map(quotient).collect()
    }

    /// The least and the greatest value of `of` over the runs of the means.
    pub(crate) fn range_of_runs(
        &self,
        budget: usize,
        of: impl Fn(&crate::results::RunRecord) -> usize,
    ) -> (usize, usize) {
        let runs = (0..self.policies.len()).flat_map(|policy| {
            self.averaged[budget].iter().flat_map(move |web| self.runs(policy, budget, *web))
        });
        let values: Vec<usize> = runs.map(|run| of(&self.results.runs[*run])).collect();
        let least = values.iter().min().copied().unwrap_or_default();
        (least, values.iter().max().copied().unwrap_or_default())
    }

    fn has_runs(&self, policy: usize, budget: usize) -> bool {
        self.averaged[budget].iter().any(|web| !self.runs(policy, budget, *web).is_empty())
    }

    fn runs(&self, policy: usize, budget: usize, web: usize) -> &[usize] {
        self.cells.get(&(policy, budget, web)).map_or(&[], Vec::as_slice)
    }

    fn samples(&self, policy: usize, budget: usize, metric: usize) -> Vec<WebRuns> {
        let of_web = |web: &usize| {
            let runs = self.runs(policy, budget, *web).iter();
            let run =
                |run: &usize| Some((self.results.runs[*run].seed, self.values[*run][metric]?));
            runs.filter_map(run).collect()
        };
        self.averaged[budget].iter().map(of_web).collect()
    }
}

/// The webs that every policy has finished, so that all means are over the same webs; if there is
/// none, all webs with a run.
fn averaged_webs(
    cells: &BTreeMap<(usize, usize, usize), Vec<usize>>,
    policies: usize,
    budget: usize,
    webs: usize,
) -> Vec<usize> {
    let has = |policy: usize, web: usize| cells.contains_key(&(policy, budget, web));
    let present: Vec<usize> =
        (0..policies).filter(|policy| (0..webs).any(|web| has(*policy, web))).collect();
    let common: Vec<usize> =
        (0..webs).filter(|web| present.iter().all(|policy| has(*policy, *web))).collect();
    if common.is_empty() {
        (0..webs).filter(|web| present.iter().any(|policy| has(*policy, *web))).collect()
    } else {
        common
    }
}

fn note<T: PartialEq>(seen: &mut Vec<T>, value: T) {
    if !seen.contains(&value) {
        seen.push(value);
    }
}

fn position<T: PartialEq>(seen: &[T], value: &T) -> usize {
    seen.iter().position(|known| known == value).unwrap_or_default()
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

fn add(sums: &mut Vec<(f64, usize)>, cycle: usize, value: Option<f64>) {
    if sums.len() <= cycle {
        sums.resize(cycle + 1, (0.0, 0));
    }
    if let Some(value) = value {
        sums[cycle].0 += value;
        sums[cycle].1 += 1;
    }
}

fn quotient((sum, count): &(f64, usize)) -> Option<f64> {
    (*count > 0).then(|| sum / *count as f64)
}
