//! Carries out a plan: part after part, on each kind of web; finished runs are kept.
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use crawl::Span;
use instruments::weights::Weights;
use lab::{
    quality::Queries,
    results::WebFacts,
    tournament::{
        self, Contender, Experiment, LeftOut, Start, TournamentError, Watcher, WebSource,
        distinct_traces,
    },
};

use crate::{
    analysis::{Context, Memo},
    evidence::{Evidence, Measured},
    plan::{Part, Plan, Runs, WebKind, Work},
    repositories,
};

/// The traces of a quick reproduction.
const QUICK_TRACES: usize = 3;
/// The same if a part may skip some of them.
const QUICK_TRACES_IF_SKIPPED: usize = 6;
/// The cycles of a quick reproduction if they are shorter than a week.
const QUICK_DAYS: usize = 60;
/// The synthetic webs of a quick reproduction, and their pages.
const QUICK_WORLD: (usize, usize) = (2, 150);

/// The inputs of a reproduction.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Trace files; without any, only synthetic webs are used.
    pub traces: Vec<PathBuf>,
    /// The folder for finished runs and the report.
    pub out: PathBuf,
    /// The cache folder of traces.
    pub cache: PathBuf,
    /// Queries from a file, in place of pseudo-queries.
    pub queries: Option<Queries>,
    /// Whether to use few webs and one seed only.
    pub is_quick: bool,
    /// The only part to do, by name.
    pub part: Option<String>,
}

/// Observes the progress of a reproduction.
pub trait Follower: Watcher {
    /// A part begins on a kind of web.
    fn part(&self, part: &Part, kind: WebKind);
}

/// An error of a reproduction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// There is no part of this name.
    #[error("there is no part {name:?}; there are: {}", parts.join(", "))]
    NoPart {
        /// The name.
        name: String,
        /// The parts there are.
        parts: Vec<String>,
    },
    /// A trace cannot be read.
    #[error("{}: cannot be read", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A part failed.
    #[error("{part} on {kind}")]
    Part {
        /// The part.
        part: String,
        /// The kind of web.
        kind: WebKind,
        /// The cause.
        #[source]
        source: TournamentError,
    },
    /// The traces could not be opened.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
}

/// The results of a plan.
#[derive(Debug)]
pub struct Reproduction {
    /// The plan.
    pub plan: Plan,
    /// Whether it was a quick reproduction.
    pub is_quick: bool,
    /// Traces that were not used, as others contain most of their pages.
    pub left_out: Vec<LeftOut>,
    /// The webs of each kind.
    pub webs: Vec<(WebKind, Vec<WebFacts>)>,
    /// By part as in the plan: the measurements on each of its kinds of web.
    pub measured: Vec<Vec<(WebKind, Measured)>>,
}

impl Reproduction {
    /// The measurements on one kind of web.
    pub fn evidence(&self, kind: WebKind) -> Evidence<'_> {
        let parts = self.plan.parts.iter().zip(&self.measured);
        let parts = parts.filter_map(|(part, measured)| {
            let found = measured.iter().find(|(measured_on, _)| *measured_on == kind)?;
            Some((part, &found.1))
        });
        Evidence::new(kind, parts.collect())
    }
}

/// Carries out a plan; `None` if it was stopped. Finished runs are kept, and the same call
/// continues from there.
///
/// # Errors
/// If a part does not fit the webs, or a file cannot be read or written.
pub fn carry_out(
    plan: &Plan,
    inputs: &Inputs,
    follower: &dyn Follower,
    stop: &AtomicBool,
) -> Result<Option<Reproduction>, ReproduceError> {
    let mut plan = plan.clone();
    if let Some(name) = &inputs.part {
        let parts: Vec<String> = plan.parts.iter().map(|part| part.name.clone()).collect();
        plan.parts.retain(|part| part.name == *name);
        if plan.parts.is_empty() {
            return Err(ReproduceError::NoPart { name: name.clone(), parts });
        }
    }
    let (kept, left_out) = distinct_traces(&inputs.traces).map_err(TournamentError::from)?;
    let mut traces: Vec<PathBuf> = kept.into_iter().map(|(path, _)| path).collect();
    if inputs.is_quick {
        let count = if plan.parts.iter().any(may_skip_webs) {
            QUICK_TRACES_IF_SKIPPED
        } else {
            QUICK_TRACES
        };
        traces = smallest(traces, count)?;
        reduce(&mut plan);
    }
    let mut webs: Vec<(WebKind, Vec<WebFacts>)> = vec![];
    let mut measured = vec![];
    let mut memo = Memo::default();
    for part in &plan.parts {
        let mut of_part = vec![];
        for &kind in &part.webs {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            follower.part(part, kind);
            let found = match sources(kind, &traces, &plan) {
                Err(why) => Measured::Nothing(why),
                Ok(sources) => {
                    let done = run_part(part, &plan, &sources, inputs, &mut memo, follower, stop);
                    let failed =
                        |source| ReproduceError::Part { part: part.name.clone(), kind, source };
                    match done.map_err(failed)? {
                        Some(found) => found,
                        None => return Ok(None),
                    }
                }
            };
            collect_webs(&mut webs, kind, &found);
            of_part.push((kind, found));
        }
        measured.push(of_part);
    }
    webs.sort_by_key(|(kind, _)| *kind);
    Ok(Some(Reproduction { plan, is_quick: inputs.is_quick, left_out, webs, measured }))
}

/// The webs of a kind, or why there are none.
fn sources(kind: WebKind, traces: &[PathBuf], plan: &Plan) -> Result<Vec<WebSource>, String> {
    match kind {
        WebKind::Together if traces.len() < 2 => {
            Err("fewer than two traces were given, so there are none to put together".to_owned())
        }
        WebKind::Together => Ok(repositories::draw(traces, plan.repositories)),
        WebKind::Sites if traces.is_empty() => Err("no traces were given".to_owned()),
        WebKind::Sites => Ok(traces.iter().cloned().map(WebSource::Trace).collect()),
        WebKind::World => Ok(plan.world.specs().into_iter().map(WebSource::Synthetic).collect()),
    }
}

/// Runs a part on the webs of one kind; `None` if it was stopped.
fn run_part(
    part: &Part,
    plan: &Plan,
    webs: &[WebSource],
    inputs: &Inputs,
    memo: &mut Memo,
    follower: &dyn Follower,
    stop: &AtomicBool,
) -> Result<Option<Measured>, TournamentError> {
    let limit = match &part.work {
        Work::Runs(runs) => runs.queries,
        Work::Analysis { queries, .. } => *queries,
    };
    let context = Context {
        webs,
        queries: queries(limit, inputs.queries.as_ref()),
        detector: &plan.detector,
        cache: &inputs.cache,
        watcher: follower,
        is_quick: inputs.is_quick,
    };
    let runs = match &part.work {
        Work::Runs(runs) => runs,
        Work::Analysis { analysis, .. } => return (analysis.run)(&context, memo).map(Some),
    };
    let webs = match runs.filter {
        None => webs.to_vec(),
        Some(filter) => {
            let webs = (filter.select)(&context, memo)?;
            if webs.is_empty() {
                return Ok(Some(Measured::Nothing(filter.nothing.to_owned())));
            }
            webs
        }
    };
    let mut all = vec![];
    for &cycle in &runs.cycle {
        let experiment = experiment(runs, cycle, &webs, &context);
        let results = tournament::runs(&experiment, &inputs.out, &inputs.cache, follower, stop)?;
        if results.runs.len() < results.planned {
            return Ok(None);
        }
        all.push((cycle, results));
    }
    Ok(Some(Measured::Runs(all)))
}

fn experiment(runs: &Runs, cycle: Span, webs: &[WebSource], context: &Context<'_>) -> Experiment {
    let mut policies: Vec<Contender> = vec![];
    for entry in &runs.policies {
        // Two labels may stand for one policy.
        if !policies.contains(&entry.policy) {
            policies.push(entry.policy.clone());
        }
    }
    Experiment {
        webs: webs.to_vec(),
        cycle,
        cycles: runs.cycles,
        warm_up: 0,
        budgets: runs.budgets.clone(),
        policies,
        seeds: runs.seeds.clone(),
        detector: context.detector.to_owned(),
        pages: runs.pages,
        start: Start::Synchronised,
        queries: context.queries.clone(),
        halves: runs.halves,
        weights: Weights::default(),
        weighted: runs.metric_names().iter().any(|name| needs_ranks(name)),
        paper: runs.paper,
        settings: vec![],
    }
}

/// Whether a metric needs the `PageRank` of pages, as a weight or in a blended score.
fn needs_ranks(metric: &str) -> bool {
    let beginnings = ["weighted", "quality_blend", "freshness_at", "precision_at"];
    beginnings.iter().any(|beginning| metric.starts_with(beginning))
}

/// At most `limit` queries: of the file, if there is one, else pseudo-queries.
fn queries(limit: usize, file: Option<&Queries>) -> Queries {
    match file {
        _ if limit == 0 => Queries::None,
        Some(Queries::File { workload, digest, .. }) => {
            Queries::File { workload: std::sync::Arc::clone(workload), digest: *digest, limit }
        }
        _ => Queries::Pseudo { limit },
    }
}

/// Whether a part may skip some webs.
fn may_skip_webs(part: &Part) -> bool {
    match &part.work {
        Work::Runs(runs) => runs.filter.is_some(),
        Work::Analysis { analysis, .. } => analysis.skips_webs,
    }
}

/// The traces with the smallest files, in the order of their names.
fn smallest(traces: Vec<PathBuf>, count: usize) -> Result<Vec<PathBuf>, ReproduceError> {
    let size = |path: &Path| {
        let failed = |source| ReproduceError::Trace { path: path.to_owned(), source };
        fs::metadata(path).map(|metadata| metadata.len()).map_err(failed)
    };
    let mut sized: Vec<(u64, PathBuf)> = vec![];
    for path in traces {
        sized.push((size(&path)?, path));
    }
    sized.sort();
    sized.truncate(count);
    let mut kept: Vec<PathBuf> = sized.into_iter().map(|(_, path)| path).collect();
    kept.sort();
    Ok(kept)
}

/// Reduces a plan to one seed, few small synthetic webs and few days.
fn reduce(plan: &mut Plan) {
    let (webs, pages) = QUICK_WORLD;
    plan.world.seeds.truncate(webs);
    plan.world.pages = plan.world.pages.min(pages);
    for part in &mut plan.parts {
        if let Work::Runs(runs) = &mut part.work {
            runs.seeds.truncate(1);
            if runs.cycle.iter().any(|cycle| *cycle < Span::from_days(7)) {
                runs.cycles = Some(QUICK_DAYS);
            }
        }
    }
}

/// Collects the facts about the webs of a kind, preferring those with a workload.
fn collect_webs(webs: &mut Vec<(WebKind, Vec<WebFacts>)>, kind: WebKind, measured: &Measured) {
    let Measured::Runs(all) = measured else { return };
    let Some((_, results)) = all.first() else { return };
    match webs.iter_mut().find(|(known, _)| *known == kind) {
        None => webs.push((kind, results.webs.clone())),
        Some((_, known)) => {
            for web in &results.webs {
                match known.iter_mut().find(|known| known.trace == web.trace) {
                    None => known.push(web.clone()),
                    Some(known) if known.workload.is_none() => *known = web.clone(),
                    Some(_) => {}
                }
            }
        }
    }
}
