//! What was measured on one kind of web, asked for by part, policy, budget and cycles.
//!
//! Claims never see runs: they ask for a [`Sample`] of a metric, which is by site.
use std::ops::RangeInclusive;

use flow::Span;

use super::{
    figure::{Figure, Series},
    plan::{Entry, Part, Runs, WebKind, Work},
    sample::Sample,
};
use crate::{
    metric::{METRICS, by_name, over_cycles},
    results::{HostRecord, HostSums, Results, RunRecord},
};

/// What came out of one part on one kind of web.
#[derive(Clone, Debug)]
pub enum Measured {
    /// Runs, by cycle length as in the part.
    Runs(Vec<(Span, Results)>),
    /// A figure, whose lines claims may ask for by name.
    Survey(Figure),
    /// Nothing, and why.
    Nothing(String),
}

/// Everything that was measured on one kind of web.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// The kind.
    pub kind: WebKind,
    parts: Vec<(&'a Part, &'a Measured)>,
}

/// A quantity that a claim is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// The part, by name.
    pub part: String,
    /// The policy, by its label.
    pub label: String,
    /// The value of the parameter on the axis, where there is one.
    pub x: Option<i64>,
    /// The metric, by name.
    pub metric: &'static str,
    /// Which of the part's budgets, from small to large.
    pub budget: usize,
    /// Which of the part's cycle lengths, from short to long.
    pub cycle: usize,
    /// Which cycles, the first being 1; all where not given.
    pub cycles: Option<RangeInclusive<usize>>,
}

impl Pick {
    /// The change ratio of a policy with the smallest budget and the shortest cycles, over all of
    /// them.
    pub fn new(part: &str, label: &str) -> Self {
        Self {
            part: part.to_owned(),
            label: label.to_owned(),
            x: None,
            metric: "change_ratio",
            budget: 0,
            cycle: 0,
            cycles: None,
        }
    }

    /// At one value of the parameter on the axis.
    #[must_use]
    pub fn at(self, x: i64) -> Self {
        Self { x: Some(x), ..self }
    }

    /// Of another metric.
    #[must_use]
    pub fn metric(self, metric: &'static str) -> Self {
        Self { metric, ..self }
    }

    /// With another budget.
    #[must_use]
    pub fn budget(self, budget: usize) -> Self {
        Self { budget, ..self }
    }

    /// With cycles of another length.
    #[must_use]
    pub fn cycle(self, cycle: usize) -> Self {
        Self { cycle, ..self }
    }

    /// Over some of the cycles.
    #[must_use]
    pub fn cycles(self, cycles: RangeInclusive<usize>) -> Self {
        Self { cycles: Some(cycles), ..self }
    }
}

impl<'a> Evidence<'a> {
    /// What was measured on webs of `kind`.
    pub fn new(kind: WebKind, parts: Vec<(&'a Part, &'a Measured)>) -> Self {
        Self { kind, parts }
    }

    /// The quantity by site, for a claim.
    ///
    /// # Errors
    /// Says why there is no such quantity, or why it says nothing about the claim.
    pub fn sample(&self, pick: &Pick) -> Result<Sample, String> {
        self.find(pick)?;
        if self.kind == WebKind::Sites && self.samples_sites(pick) {
            return Err("on one site alone sampling by site has nothing to choose".to_owned());
        }
        self.measured(pick)
    }

    /// Whether a policy chooses among sites, so that one site alone says nothing about it.
    pub(super) fn samples_sites(&self, pick: &Pick) -> bool {
        let Ok((Part { work: Work::Runs(runs), .. }, _)) = self.part(&pick.part) else {
            return false;
        };
        let is_so = |entry: &Entry| entry.policy.starts_with("site-sample");
        runs.policies.iter().any(|entry| entry.label == pick.label && is_so(entry))
    }

    /// The quantity by site, whatever it is worth.
    ///
    /// # Errors
    /// Says why there is no such quantity.
    pub fn measured(&self, pick: &Pick) -> Result<Sample, String> {
        let (runs, entry, results) = self.find(pick)?;
        let metric = by_name(pick.metric).ok_or_else(|| format!("no metric {}", pick.metric))?;
        let budget = runs.budgets[pick.budget];
        let found =
            |run: &&RunRecord| run.policy == entry.policy && run.budget.total_cmp(&budget).is_eq();
        let records: Vec<&RunRecord> = results.runs.iter().filter(found).collect();
        if records.is_empty() {
            return Err(format!("{} was not run in {}", pick.label, pick.part));
        }
        let longest = records.iter().map(|run| run.cycles.len()).max().unwrap_or_default();
        let cycles = pick.cycles.clone().unwrap_or(1..=longest);
        if *cycles.end() > longest || *cycles.start() < 1 {
            return Err(format!(
                "the runs of {} have {longest} cycles, not {}",
                pick.part,
                cycles.end()
            ));
        }
        let cycles = cycles.start() - 1..*cycles.end();
        let sample = match self.kind {
            WebKind::Together => together(&records, metric, cycles),
            WebKind::Sites | WebKind::Clustered => by_web(results, &records, metric, cycles),
        };
        sample.ok_or_else(|| {
            format!("{} is not defined for {} in {}", pick.metric, pick.label, pick.part)
        })
    }

    /// A metric by cycle: the mean over runs, and over webs where there are several.
    ///
    /// # Errors
    /// As [`sample`](Self::sample).
    pub fn by_cycle(&self, pick: &Pick) -> Result<Vec<Option<f64>>, String> {
        let (runs, entry, results) = self.find(pick)?;
        let metric = by_name(pick.metric).ok_or_else(|| format!("no metric {}", pick.metric))?;
        let budget = runs.budgets[pick.budget];
        Ok(by_cycle(results, entry, budget, metric))
    }

    /// A line of a survey.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn series(&self, part: &str, name: &str) -> Result<&'a Series, String> {
        match self.part(part)?.1 {
            Measured::Survey(figure) => figure
                .plots
                .iter()
                .flat_map(|plot| &plot.lines)
                .find(|line| line.name == name)
                .ok_or_else(|| format!("{part} has no line {name:?}")),
            Measured::Nothing(why) => Err(why.clone()),
            Measured::Runs(_) => Err(format!("{part} is no survey")),
        }
    }

    fn part(&self, name: &str) -> Result<(&'a Part, &'a Measured), String> {
        let found = self.parts.iter().find(|(part, _)| part.name == name);
        found.copied().ok_or_else(|| format!("{name} was not done on {}", self.kind))
    }

    fn find(&self, pick: &Pick) -> Result<(&'a Runs, &'a Entry, &'a Results), String> {
        let (part, measured) = self.part(&pick.part)?;
        let results = match measured {
            Measured::Runs(results) => results,
            Measured::Nothing(why) => return Err(why.clone()),
            Measured::Survey(_) => return Err(format!("{} runs no policies", pick.part)),
        };
        let Work::Runs(runs) = &part.work else {
            return Err(format!("{} runs no policies", pick.part));
        };
        let wanted =
            |entry: &&Entry| entry.label == pick.label && (pick.x.is_none() || entry.x == pick.x);
        let entry = runs.policies.iter().find(wanted).ok_or_else(|| {
            let x = pick.x.map_or_else(String::new, |x| format!(" at {x}"));
            format!("{} has no policy labelled {:?}{x}", pick.part, pick.label)
        })?;
        let (_, results) = results
            .get(pick.cycle)
            .ok_or_else(|| format!("{} has fewer cycle lengths", pick.part))?;
        if pick.budget >= runs.budgets.len() {
            return Err(format!("{} has fewer budgets", pick.part));
        }
        Ok((runs, entry, results))
    }
}

/// A metric of one policy by cycle: the mean over runs of each web, then over webs.
pub(super) fn by_cycle(
    results: &Results,
    entry: &Entry,
    budget: f64,
    metric: usize,
) -> Vec<Option<f64>> {
    let records: Vec<&RunRecord> = results
        .runs
        .iter()
        .filter(|run| run.policy == entry.policy && run.budget.total_cmp(&budget).is_eq())
        .collect();
    let longest = records.iter().map(|run| run.cycles.len()).max().unwrap_or_default();
    (0..longest)
        .map(|cycle| {
            let of_web = |web: &str| {
                let runs = records.iter().filter(|run| run.trace == web);
                mean(runs.filter_map(|run| run.cycles.get(cycle)?[metric]))
            };
            mean(results.webs.iter().filter_map(|web| of_web(&web.trace)))
        })
        .collect()
}

/// A value for each web: the mean over its runs of the means over cycles.
fn by_web(
    results: &Results,
    records: &[&RunRecord],
    metric: usize,
    cycles: std::ops::Range<usize>,
) -> Option<Sample> {
    let of_run = |run: &&RunRecord| over_cycles(metric, run.cycles.get(cycles.clone())?);
    let value = |web: &str| mean(records.iter().filter(|run| run.trace == web).filter_map(of_run));
    let values: Vec<Option<f64>> = results.webs.iter().map(|web| value(&web.trace)).collect();
    values.iter().any(Option::is_some).then_some(Sample::Values(values))
}

/// What is divided by what in a metric of one host.
type Ratio = fn(&HostSums) -> (f64, f64);

/// The sums of every host, by run and cycle; a value by run where the metric has no sums by host.
fn together(
    records: &[&RunRecord],
    metric: usize,
    cycles: std::ops::Range<usize>,
) -> Option<Sample> {
    let ratio: Option<Ratio> = match METRICS[metric].name {
        "change_ratio" => Some(|sums| (f64::from(sums.found), f64::from(sums.compared))),
        "weighted_change_ratio" => Some(|sums| (sums.weight_found, f64::from(sums.compared))),
        "weighted_change_ratio_2010" => Some(|sums| (sums.weight_found, f64::from(sums.found))),
        "freshness" => Some(|sums| (f64::from(sums.fresh), f64::from(sums.held))),
        _ => None,
    };
    let Some(ratio) = ratio.filter(|_| records.iter().all(|run| !run.hosts.is_empty())) else {
        let of_run = |run: &&RunRecord| over_cycles(metric, run.cycles.get(cycles.clone())?);
        let values: Vec<f64> = records.iter().filter_map(of_run).collect();
        return (!values.is_empty()).then_some(Sample::Whole(values));
    };
    let mut names: Vec<&str> = records[0].hosts.iter().map(|host| host.host.as_str()).collect();
    names.sort_unstable();
    let of_run = |run: &&RunRecord| {
        let host = |name: &&str| run.hosts.iter().find(|host| host.host == **name);
        let hosts: Option<Vec<_>> = names.iter().map(host).collect();
        let hosts = hosts?;
        let sums = |cycle: usize| {
            let of_host =
                move |host: &&HostRecord| host.cycles.get(cycle).map_or((0.0, 0.0), &ratio);
            hosts.iter().map(of_host).collect::<Vec<_>>()
        };
        Some(cycles.clone().flat_map(sums).collect::<Vec<_>>())
    };
    let runs: Option<Vec<_>> = records.iter().map(of_run).collect();
    Some(Sample::Ratios { sites: names.len(), runs: runs? })
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
