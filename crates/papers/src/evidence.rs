//! The measurements on one kind of web, by part, policy, budget and cycles.
//!
//! Claims never see runs: they query a [`Sample`] of a metric by site.
use std::ops::RangeInclusive;

use crawl::Span;
use lab::{
    metric::{by_name, over_cycles},
    report::figure::{Figure, Series},
    results::{Results, RunRecord},
};

use crate::{
    paper::Paper,
    plan::{LabelledPolicy, Part, Runs, WebKind, Work},
    sample::{Estimate, Sample},
};

/// The result of one part on one kind of web.
#[derive(Clone, Debug)]
pub enum Measured {
    /// Runs, by cycle length as in the part.
    Runs(Vec<(Span, Results)>),
    /// A figure, whose lines claims query by name.
    Analysis(Figure),
    /// Nothing, and why.
    Nothing(String),
}

/// All measurements on one kind of web.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// The kind.
    pub kind: WebKind,
    parts: Vec<(&'a Part, &'a Measured)>,
}

/// A quantity that a claim is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The part, by name.
    pub part: String,
    /// The policy, by its label.
    pub label: String,
    /// The value of the parameter on the axis, if there is one.
    pub x: Option<i64>,
    /// The metric, by name.
    pub metric: &'static str,
    /// Which of the part's budgets, from small to large.
    pub budget: usize,
    /// Which of the part's cycle lengths, from short to long.
    pub cycle: usize,
    /// Which cycles, the first being 1; `None` for all.
    pub cycles: Option<RangeInclusive<usize>>,
}

impl Query {
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
    /// The measurements on webs of `kind`.
    pub fn new(kind: WebKind, parts: Vec<(&'a Part, &'a Measured)>) -> Self {
        Self { kind, parts }
    }

    /// The quantity by site, for a claim.
    ///
    /// # Errors
    /// The reason why there is no such quantity, or why it is irrelevant to the claim.
    pub fn sample(&self, query: &Query) -> Result<Sample, String> {
        self.find(query)?;
        if self.kind == WebKind::Sites && self.samples_sites(query) {
            return Err("on one site alone sampling by site has nothing to choose".to_owned());
        }
        self.measured(query)
    }

    /// Whether a policy chooses among sites, so that a single site cannot test it.
    pub(crate) fn samples_sites(&self, query: &Query) -> bool {
        let Ok((Part { work: Work::Runs(runs), .. }, _)) = self.part(&query.part) else {
            return false;
        };
        let samples_sites = |entry: &LabelledPolicy| {
            entry.policy.as_policy().is_some_and(|spec| spec.entry().name == "site-sample")
        };
        runs.policies.iter().any(|entry| entry.label == query.label && samples_sites(entry))
    }

    /// The quantity by site, for figures.
    ///
    /// # Errors
    /// The reason why there is no such quantity.
    pub fn measured(&self, query: &Query) -> Result<Sample, String> {
        let (runs, entry, results) = self.find(query)?;
        let metric = by_name(query.metric).ok_or_else(|| format!("no metric {}", query.metric))?;
        let budget = runs.budgets[query.budget];
        let policy = entry.policy.name();
        let found =
            |run: &&RunRecord| run.policy == policy && run.budget.total_cmp(&budget).is_eq();
        let records: Vec<&RunRecord> = results.runs.iter().filter(found).collect();
        if records.is_empty() {
            return Err(format!("{} was not run in {}", query.label, query.part));
        }
        affordable(entry, &records)?;
        // Full cycles at the beginning belong to no policy.
        let full = runs.paper.full_cycles;
        let longest = records.iter().map(|run| run.cycles.len()).max().unwrap_or_default();
        let longest = longest.saturating_sub(full);
        let cycles = query.cycles.clone().unwrap_or(1..=longest);
        if *cycles.end() > longest || *cycles.start() < 1 {
            return Err(format!(
                "the runs of {} have {longest} cycles, not {}",
                query.part,
                cycles.end()
            ));
        }
        let cycles = full + cycles.start() - 1..full + cycles.end();
        let values = by_web(results, &records, metric, cycles).ok_or_else(|| {
            format!("{} is not defined for {} in {}", query.metric, query.label, query.part)
        })?;
        Ok(match self.kind {
            WebKind::Together if values.len() > 1 => Sample::Halves(values),
            _ => Sample::Values(values),
        })
    }

    /// A metric by cycle: the mean over runs, and over webs where there are several.
    ///
    /// # Errors
    /// As [`sample`](Self::sample).
    pub fn by_cycle(&self, query: &Query) -> Result<Vec<Option<f64>>, String> {
        let (runs, entry, results) = self.find(query)?;
        let metric = by_name(query.metric).ok_or_else(|| format!("no metric {}", query.metric))?;
        let budget = runs.budgets[query.budget];
        let mut all = by_cycle(results, entry, budget, metric);
        all.drain(..runs.paper.full_cycles.min(all.len()));
        Ok(all)
    }

    /// The runs of a part; `None` if it was not done.
    pub(crate) fn runs(&self, part: &str) -> Option<&'a Runs> {
        match &self.part(part).ok()?.0.work {
            Work::Runs(runs) => Some(runs),
            Work::Analysis { .. } => None,
        }
    }

    /// The runs of a part as they were done, or else as the paper's own file has them: a claim has as many
    /// parts, whatever was measured.
    pub(crate) fn runs_of(&self, paper: &Paper, part: &str) -> Option<Runs> {
        let done = self.runs(part).cloned();
        done.or_else(|| {
            let plan = crate::parse(paper.experiment).ok()?;
            let part = plan.parts.into_iter().find(|other| other.name == part)?;
            match part.work {
                Work::Runs(runs) => Some(runs),
                Work::Analysis { .. } => None,
            }
        })
    }

    /// A line of an analysis.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn series(&self, part: &str, name: &str) -> Result<&'a Series, String> {
        match self.part(part)?.1 {
            Measured::Analysis(figure) => figure
                .plots
                .iter()
                .flat_map(|plot| &plot.lines)
                .find(|line| line.name == name)
                .ok_or_else(|| format!("{part} has no line {name:?}")),
            Measured::Nothing(why) => Err(why.clone()),
            Measured::Runs(_) => Err(format!("{part} is not an analysis")),
        }
    }

    /// The value of a line of an analysis at `x`, with its interval.
    ///
    /// # Errors
    /// If there is none.
    pub fn value(&self, part: &str, line: &str, x: f64) -> Result<Estimate, String> {
        let series = self.series(part, line)?;
        let point = series.points.iter().find(|point| point.x.total_cmp(&x).is_eq());
        let value = point.and_then(|point| Some((point.y?, point.interval)));
        let (value, interval) = value.ok_or_else(|| format!("{line} has no value there"))?;
        Ok(Estimate { value, interval })
    }

    fn part(&self, name: &str) -> Result<(&'a Part, &'a Measured), String> {
        let found = self.parts.iter().find(|(part, _)| part.name == name);
        found.copied().ok_or_else(|| format!("{name} was not done on {}", self.kind))
    }

    fn find(&self, query: &Query) -> Result<(&'a Runs, &'a LabelledPolicy, &'a Results), String> {
        let (part, measured) = self.part(&query.part)?;
        let results = match measured {
            Measured::Runs(results) => results,
            Measured::Nothing(why) => return Err(why.clone()),
            Measured::Analysis(_) => return Err(format!("{} runs no policies", query.part)),
        };
        let Work::Runs(runs) = &part.work else {
            return Err(format!("{} runs no policies", query.part));
        };
        let wanted = |entry: &&LabelledPolicy| {
            entry.label == query.label && (query.x.is_none() || entry.x == query.x)
        };
        let entry = runs.policies.iter().find(wanted).ok_or_else(|| {
            let x = query.x.map_or_else(String::new, |x| format!(" at {x}"));
            format!("{} has no policy labelled {:?}{x}", query.part, query.label)
        })?;
        let (_, results) = results
            .get(query.cycle)
            .ok_or_else(|| format!("{} has fewer cycle lengths", query.part))?;
        if query.budget >= runs.budgets.len() {
            return Err(format!("{} has fewer budgets", query.part));
        }
        Ok((runs, entry, results))
    }
}

/// A metric of one policy by cycle: the mean over runs of each web, then over webs.
pub(crate) fn by_cycle(
    results: &Results,
    entry: &LabelledPolicy,
    budget: f64,
    metric: usize,
) -> Vec<Option<f64>> {
    let policy = entry.policy.name();
    let records: Vec<&RunRecord> = results
        .runs
        .iter()
        .filter(|run| run.policy == policy && run.budget.total_cmp(&budget).is_eq())
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

/// The least visits a cluster with which cluster sampling samples and has as many left to spend.
const VISITS_A_CLUSTER: u32 = 10;

/// Whether a policy that samples clusters has visits enough for the clusters it is to have: with fewer
/// it makes fewer clusters, which is another policy than the paper's.
fn affordable(entry: &LabelledPolicy, records: &[&RunRecord]) -> Result<(), String> {
    let Some(spec) = entry.policy.as_policy() else { return Ok(()) };
    if spec.entry().name != "cluster-sample" {
        return Ok(());
    }
    let clusters = spec.parameters().whole("clusters");
    let fewest = records.iter().map(|run| run.visits).min().unwrap_or_default();
    if i64::from(fewest) < clusters * i64::from(VISITS_A_CLUSTER) {
        return Err(format!(
            "{fewest} visits a cycle are fewer than {VISITS_A_CLUSTER} for each of {clusters} clusters"
        ));
    }
    Ok(())
}

/// A value for each web, if any has one: the mean over its runs of the means over cycles.
fn by_web(
    results: &Results,
    records: &[&RunRecord],
    metric: usize,
    cycles: std::ops::Range<usize>,
) -> Option<Vec<Option<f64>>> {
    let of_run = |run: &&RunRecord| over_cycles(metric, run.cycles.get(cycles.clone())?);
    let value = |web: &str| mean(records.iter().filter(|run| run.trace == web).filter_map(of_run));
    let values: Vec<Option<f64>> = results.webs.iter().map(|web| value(&web.trace)).collect();
    values.iter().any(Option::is_some).then_some(values)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
