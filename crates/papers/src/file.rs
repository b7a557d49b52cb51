//! Experiment files: TOML, parsed and checked, with the place of every error.
//!
//! [`RawFile`] is what is written, [`Plan`] what it means. Unknown keys are errors.
use std::{
    fmt,
    ops::{Range, RangeInclusive},
};

use extract::detect;
use lab::{
    metric,
    synthetic::{KINDS, Kind, USUAL_WEEKS},
    tournament::{Contender, PageSet, PaperSetting, cycle_length},
};
use serde::Deserialize;
use toml::Spanned;

use crate::{
    analysis::WebFilter,
    paper,
    plan::{Axis, LabelledPolicy, Part, Plan, Repositories, Runs, WebKind, Work, World},
    range::{self, RawPolicy},
};

/// The default detector.
const USUAL_DETECTOR: &str = "digest";
/// The default seeds of the world of a paper.
const USUAL_SEEDS: RangeInclusive<u64> = 1..=10;
/// The default repositories: ten, of at most 60 pages a site.
const USUAL_REPOSITORIES: Repositories = Repositories { pairs: 5, pages: 60 };
/// The default filter of runs with growing pages.
const USUAL_GROWING_FILTER: &str = "discoverable";
/// The name for no filter.
const NO_FILTER: &str = "none";

/// An error in an experiment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Line and column, both from 1, if it is known.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for FileError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    paper: Option<Spanned<String>>,
    detector: Option<Spanned<String>>,
    // The name of files written before worlds were of other kinds than clustered ones.
    #[serde(alias = "clustered")]
    world: Option<Spanned<RawWorld>>,
    repositories: Option<Spanned<RawRepositories>>,
    #[serde(default)]
    part: Vec<Spanned<RawPart>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWorld {
    kind: Option<Spanned<String>>,
    pages: Option<usize>,
    seeds: Option<Vec<u64>>,
    weeks: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRepositories {
    pairs: usize,
    pages: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPart {
    name: Spanned<String>,
    title: String,
    figure: String,
    #[serde(default)]
    note: String,
    webs: Vec<Spanned<String>>,
    survey: Option<Spanned<String>>,
    cycle: Option<Spanned<Vec<Spanned<String>>>>,
    cycles: Option<Spanned<usize>>,
    budgets: Option<Spanned<Vec<f64>>>,
    seeds: Option<Spanned<Vec<u64>>>,
    policies: Option<Spanned<Vec<Spanned<String>>>>,
    axis: Option<Spanned<String>>,
    metrics: Option<Spanned<Vec<Spanned<String>>>>,
    queries: Option<Spanned<usize>>,
    query_halves: Option<bool>,
    pages: Option<Spanned<String>>,
    filter: Option<Spanned<String>>,
    #[serde(default)]
    full_cycles: usize,
    #[serde(default)]
    only_changed: bool,
    #[serde(default)]
    fixed_in_links: bool,
    #[serde(default)]
    two_step_relevance: bool,
}

/// Parses an experiment file.
///
/// # Errors
/// If it is not TOML, has unknown keys, lacks required ones, or has invalid values.
pub fn parse(text: &str) -> Result<Plan, FileError> {
    let at = |span: Range<usize>, why: String| FileError { place: Some(place(text, span)), why };
    let raw: RawFile = toml::from_str(text).map_err(|error: toml::de::Error| FileError {
        place: error.span().map(|span| place(text, span)),
        why: error.message().replace('\n', " "),
    })?;
    let paper = raw.paper.map(|id| {
        let ids: Vec<&str> = paper::PAPERS.iter().map(|paper| paper.id).collect();
        paper::by_id(id.get_ref()).ok_or_else(|| {
            at(
                id.span(),
                format!("no paper is called {:?}; there are: {}", id.get_ref(), ids.join(", ")),
            )
        })
    });
    let detector = match raw.detector {
        None => USUAL_DETECTOR.to_owned(),
        Some(name) if detect::by_name(name.get_ref()).is_some() => name.into_inner(),
        Some(name) => {
            return Err(at(name.span(), format!("no detector is called {:?}", name.get_ref())));
        }
    };
    let world = world(raw.world, &at)?;
    let repositories = match raw.repositories.map(|raw| (raw.span(), raw.into_inner())) {
        None => USUAL_REPOSITORIES,
        Some((span, RawRepositories { pairs, pages })) if pairs == 0 || pages == 0 => {
            return Err(at(span, "repositories needs pairs and pages above 0".to_owned()));
        }
        Some((_, RawRepositories { pairs, pages })) => Repositories { pairs, pages },
    };
    let mut parts: Vec<Part> = vec![];
    for raw in raw.part {
        let name = raw.get_ref().name.clone();
        if parts.iter().any(|part| part.name == *name.get_ref()) {
            return Err(at(name.span(), format!("two parts are called {:?}", name.get_ref())));
        }
        let part = part(raw, &at)?;
        if part.webs.contains(&WebKind::World) && world.seeds.is_empty() {
            return Err(at(
                name.span(),
                "is done on synthetic webs, but the file has no world = { pages = …, seeds = … }"
                    .to_owned(),
            ));
        }
        parts.push(part);
    }
    if parts.is_empty() {
        return Err(FileError { place: None, why: "there is no [[part]]".to_owned() });
    }
    Ok(Plan { paper: paper.transpose()?, detector, world, repositories, parts })
}

/// The synthetic webs; none by default.
fn world(
    raw: Option<Spanned<RawWorld>>,
    at: &dyn Fn(Range<usize>, String) -> FileError,
) -> Result<World, FileError> {
    let Some(raw) = raw else {
        return Ok(World { kind: Kind::Clustered, pages: 0, seeds: vec![], weeks: USUAL_WEEKS });
    };
    let (span, RawWorld { kind, pages, seeds, weeks }) = (raw.span(), raw.into_inner());
    let kind = kind.map_or(Ok(Kind::Clustered), |word| {
        let found = KINDS.iter().find(|(name, _)| name == word.get_ref());
        found.map(|&(_, kind)| kind).ok_or_else(|| {
            let names: Vec<&str> = KINDS.iter().map(|&(name, _)| name).collect();
            let why = format!("is not a kind of synthetic web; there are: {}", names.join(", "));
            at(word.span(), format!("{:?} {why}", word.get_ref()))
        })
    })?;
    // The world of a paper has its own size and length, and ten seeds.
    let usual = kind.full_scale();
    let pages = pages.or(usual.map(|usual| usual.0)).unwrap_or_default();
    let usual_seeds = || usual.map_or_else(Vec::new, |_| USUAL_SEEDS.collect());
    let seeds = seeds.unwrap_or_else(usual_seeds);
    if pages == 0 || seeds.is_empty() {
        return Err(at(span, "world needs pages and at least one seed".to_owned()));
    }
    Ok(World { kind, pages, seeds, weeks: weeks.unwrap_or(usual.map_or(USUAL_WEEKS, |it| it.1)) })
}

fn part(
    raw: Spanned<RawPart>,
    at: &dyn Fn(Range<usize>, String) -> FileError,
) -> Result<Part, FileError> {
    let raw = raw.into_inner();
    let name = raw.name.span();
    let mut webs = vec![];
    for web in &raw.webs {
        webs.push(WebKind::by_name(web.get_ref()).ok_or_else(|| {
            let kinds = WebKind::ALL.map(WebKind::name).join(", ");
            at(
                web.span(),
                format!("no kind of web is called {:?}; there are: {kinds}", web.get_ref()),
            )
        })?);
    }
    if webs.is_empty() {
        return Err(at(name, "webs names no kind of web".to_owned()));
    }
    let work = match &raw.survey {
        None => Work::Runs(runs(&raw, at)?),
        Some(survey) => {
            let Some(analysis) = paper::analysis(survey.get_ref()) else {
                let names: Vec<&str> = paper::analyses().map(|analysis| analysis.name).collect();
                let why = format!(
                    "no survey is called {:?}; there are: {}",
                    survey.get_ref(),
                    names.join(", ")
                );
                return Err(at(survey.span(), why));
            };
            if raw.policies.is_some()
                || raw.cycle.is_some()
                || raw.budgets.is_some()
                || raw.pages.is_some()
                || raw.filter.is_some()
            {
                let why = "a survey runs no policies: it has no policies, cycle, budgets, pages and filter";
                return Err(at(survey.span(), why.to_owned()));
            }
            let queries = raw.queries.as_ref().map_or(0, |queries| *queries.get_ref());
            Work::Analysis { analysis, queries }
        }
    };
    let RawPart { name, title, figure, note, .. } = raw;
    Ok(Part { name: name.into_inner(), title, figure, note, webs, work })
}

#[expect(clippy::too_many_lines, reason = "one check for each key of a part")]
fn runs(raw: &RawPart, at: &dyn Fn(Range<usize>, String) -> FileError) -> Result<Runs, FileError> {
    let name = || raw.name.span();
    let missing = |key: &str| at(name(), format!("a part that runs policies needs {key}"));
    let cycle = raw.cycle.as_ref().ok_or_else(|| missing("cycle"))?;
    let mut lengths = vec![];
    for word in cycle.get_ref() {
        lengths.push(cycle_length(word.get_ref()).ok_or_else(|| {
            at(
                word.span(),
                format!("{:?} is not a length of time such as 1d or 2w", word.get_ref()),
            )
        })?);
    }
    lengths.sort_unstable();
    let cycles = raw.cycles.as_ref().map(|cycles| *cycles.get_ref());
    if cycles == Some(0) {
        return Err(at(name(), "cycles must be 1 or more".to_owned()));
    }
    if let (Some(cycles), true) = (&raw.cycles, lengths.len() > 1) {
        let why = "with cycles of several lengths each goes to the end of its webs";
        return Err(at(cycles.span(), why.to_owned()));
    }
    let budgets = raw.budgets.as_ref().ok_or_else(|| missing("budgets"))?;
    if let Some(wrong) = budgets.get_ref().iter().find(|budget| budget.is_nan() || **budget <= 0.0)
    {
        return Err(at(budgets.span(), format!("{wrong} is not a budget; it must be above 0")));
    }
    let mut shares = budgets.get_ref().clone();
    shares.sort_by(f64::total_cmp);
    let seeds = raw.seeds.as_ref().map_or_else(|| vec![1], |seeds| seeds.get_ref().clone());
    let axis = match raw.axis.as_ref().map(|axis| axis.get_ref().as_str()) {
        None | Some("policy") => Axis::Policy,
        Some("cycle") => Axis::Cycle,
        Some("budget") => Axis::Budget,
        Some(parameter) => Axis::Parameter(parameter.to_owned()),
    };
    let parameter = match &axis {
        Axis::Parameter(parameter) => Some(parameter.as_str()),
        _ => None,
    };
    let mut policies = vec![];
    for text in raw.policies.as_ref().ok_or_else(|| missing("policies"))?.get_ref() {
        let expanded =
            range::expand(text.get_ref(), parameter).map_err(|why| at(text.span(), why))?;
        for RawPolicy { label, policy, x } in expanded {
            let policy = Contender::parse(&policy);
            let policy = policy.map_err(|error| at(text.span(), error.to_string()))?;
            let entry = LabelledPolicy { label, policy, x };
            if policies.contains(&entry) {
                return Err(at(text.span(), format!("{:?} appears twice", entry.policy.name())));
            }
            policies.push(entry);
        }
    }
    let mut metrics = vec![];
    for word in raw.metrics.as_ref().ok_or_else(|| missing("metrics"))?.get_ref() {
        let row = metric::by_name(word.get_ref());
        metrics.push(
            row.ok_or_else(|| {
                at(word.span(), format!("no metric is called {:?}", word.get_ref()))
            })?,
        );
    }
    for (key, is_empty) in [
        ("a cycle length", lengths.is_empty()),
        ("a budget", shares.is_empty()),
        ("a seed", seeds.is_empty()),
        ("a policy", policies.is_empty()),
        ("a metric", metrics.is_empty()),
    ] {
        if is_empty {
            return Err(missing(&format!("at least {key}")));
        }
    }
    if let (Some(parameter), false) = (parameter, policies.iter().any(|entry| entry.x.is_some())) {
        return Err(at(name(), format!("no policy has the parameter {parameter:?} of the axis")));
    }
    let queries = raw.queries.as_ref().map_or(0, |queries| *queries.get_ref());
    let halves = raw.query_halves.unwrap_or_default();
    let pages = match raw.pages.as_ref().map(|pages| (pages.get_ref().as_str(), pages.span())) {
        None | Some(("fixed", _)) => PageSet::Fixed,
        Some(("growing", _)) => PageSet::Growing,
        Some((word, span)) => {
            return Err(at(span, format!("pages cannot be {word:?}; it is fixed or growing")));
        }
    };
    let filter = filter(raw, pages, at)?;
    Ok(Runs {
        cycle: lengths,
        cycles,
        budgets: shares,
        seeds,
        policies,
        axis,
        metrics,
        queries,
        halves,
        pages,
        paper: PaperSetting {
            full_cycles: raw.full_cycles,
            only_changed: raw.only_changed,
            fixed_in_links: raw.fixed_in_links,
            two_step_relevance: raw.two_step_relevance,
        },
        filter,
    })
}

/// The filter of the webs; the default depends on the set of pages.
fn filter(
    raw: &RawPart,
    pages: PageSet,
    at: &dyn Fn(Range<usize>, String) -> FileError,
) -> Result<Option<&'static WebFilter>, FileError> {
    let Some(name) = &raw.filter else {
        return Ok(match pages {
            PageSet::Fixed => None,
            PageSet::Growing => paper::filter(USUAL_GROWING_FILTER),
        });
    };
    let (name, span) = (name.get_ref(), name.span());
    if name == NO_FILTER {
        return Ok(None);
    }
    paper::filter(name).map(Some).ok_or_else(|| {
        let names: Vec<&str> = paper::filters().map(|filter| filter.name).collect();
        let names = names.join(", ");
        at(span, format!("no filter is called {name:?}; there are: {NO_FILTER}, {names}"))
    })
}

/// Line and column of the start of a span.
fn place(text: &str, span: Range<usize>) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(span.start)];
    let line = before.matches('\n').count() + 1;
    (line, before.chars().rev().take_while(|&c| c != '\n').count() + 1)
}
