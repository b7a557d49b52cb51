//! Hand-made results of papers' experiments.
pub(crate) mod values;

use lab::{
    metric::METRICS,
    results::{Results, RunRecord, WebFacts},
};
use papers::{
    Analysis, Measured, Part, Plan, Reproduction, Runs, WebKind, Work, by_id,
    figure::{Figure, Plot, Series},
    parse,
};

/// The arguments of a made-up value.
#[derive(Clone, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) part: &'a str,
    pub(crate) label: &'a str,
    pub(crate) x: Option<i64>,
    /// From small to large.
    pub(crate) budget: usize,
    /// From short to long.
    pub(crate) length: usize,
    /// The first is 1.
    pub(crate) cycle: usize,
    pub(crate) metric: &'a str,
}

/// How many sites there are.
pub(crate) const SITES: usize = 6;

/// The plan of a paper.
pub(crate) fn plan(id: &str) -> Plan {
    parse(by_id(id).unwrap().experiment).unwrap()
}

/// A paper's experiments with these values, which differ a little from site to site; `analysed` has
/// the lines of analyses.
pub(crate) fn made(
    plan: Plan,
    value: &dyn Fn(&Case<'_>) -> f64,
    analysed: &dyn Fn(&Analysis) -> Vec<Series>,
) -> Reproduction {
    let of_kind = |part: &Part, kind: WebKind| match &part.work {
        Work::Runs(runs) => {
            let all = (0..runs.cycle.len())
                .map(|length| (runs.cycle[length], results(part, runs, kind, length, value)));
            Measured::Runs(all.collect())
        }
        Work::Analysis { analysis, .. } if analysis.name == "examples" => {
            let examples = vec![values::example()];
            Measured::Analysis(Figure { examples, ..Figure::default() })
        }
        Work::Analysis { analysis, .. } => Measured::Analysis(Figure {
            plots: vec![Plot {
                title: "made".to_owned(),
                caption: String::new(),
                x_title: "k".to_owned(),
                is_share: false,
                lines: analysed(analysis),
            }],
            scatters: values::scatters(analysis),
            ..Figure::default()
        }),
    };
    let measured = plan
        .parts
        .iter()
        .map(|part| part.webs.iter().map(|&kind| (kind, of_kind(part, kind))).collect());
    let measured = measured.collect();
    Reproduction { plan, is_quick: false, left_out: vec![], webs: vec![], measured }
}

fn results(
    part: &Part,
    runs: &Runs,
    kind: WebKind,
    length: usize,
    value: &dyn Fn(&Case<'_>) -> f64,
) -> Results {
    let days = runs.cycle[length].millis() / (24 * 3_600_000);
    let cycles = runs.cycles.unwrap_or(52 * 7 / days as usize);
    // An even number: repositories come in pairs.
    let names: Vec<String> = (0..SITES).map(|site| format!("{kind} {site}")).collect();
    let mut made =
        Results { webs: names.iter().map(|name| facts(name)).collect(), ..Results::default() };
    for (site, name) in names.iter().enumerate() {
        for entry in &runs.policies {
            for (budget, share) in runs.budgets.iter().enumerate() {
                let at = |cycle: usize, metric: &str| {
                    let (label, x) = (entry.label.as_str(), entry.x);
                    let case = Case { part: &part.name, label, x, budget, length, cycle, metric };
                    // Webs differ by a tenth at most, all policies alike; a quality is below 1.
                    if metric.starts_with("quality") {
                        value(&case) - 1e-4 * site as f64
                    } else {
                        value(&case) * (1.0 + 0.02 * site as f64)
                    }
                };
                let metrics = |cycle: usize| {
                    METRICS.iter().map(|metric| Some(at(cycle, metric.name))).collect()
                };
                made.runs.push(RunRecord {
                    trace: name.clone(),
                    policy: entry.policy.name(),
                    budget: *share,
                    // Enough for the clusters of cluster sampling.
                    visits: 10_000,
                    seed: 1,
                    warm_up: 0,
                    cycles: (1..=cycles).map(metrics).collect(),
                });
            }
        }
    }
    made.planned = made.runs.len();
    made
}

fn facts(name: &str) -> WebFacts {
    WebFacts {
        trace: name.to_owned(),
        source: "made by hand".to_owned(),
        pages_at_start: 100,
        pages: 100,
        versions: 200,
        workload: None,
    }
}
