//! What the live crawl of a demonstration achieved, beside other policies on exactly the same
//! history: all computed by the lab.
use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use flow::{Budget, Policy, Span};
use lab::{
    metric,
    oracle::Clairvoyant,
    quality::Queries,
    recorded::Recorded,
    tournament::{Experiment, PageSet, PreparedWeb, Setup, Start, WebSource},
};

use crate::failure::Failure;

/// The metrics of the final table.
pub(super) const SHOWN: [(&str, &str); 4] = [
    ("freshness", "fresh"),
    ("new_coverage", "new pages held"),
    ("age", "days stale"),
    ("changes_caught", "changes caught"),
];

/// One line of the final table.
pub(super) struct Judged {
    pub(super) name: String,
    /// By [`SHOWN`].
    pub(super) values: Vec<Option<f64>>,
}

/// Judges the recorded crawl, the same policy replayed, round robin and the oracle; and what no
/// sequence of visits can pass.
pub(super) fn judge(
    trace: &Path,
    cache: &Path,
    cycles: u32,
    budget: u32,
    choice: &policy::Choice,
    seed: u64,
    visited: Vec<Vec<String>>,
) -> Result<Vec<Judged>, Failure> {
    let experiment = Experiment {
        webs: vec![WebSource::Trace(trace.to_owned())],
        cycle: Span::from_days(1),
        cycles: Some(cycles as usize),
        warm_up: 0,
        budgets: vec![f64::from(budget)],
        policies: vec![],
        seeds: vec![seed],
        detector: "digest".to_owned(),
        pages: PageSet::Growing,
        start: Start::Synchronised,
        queries: Queries::None,
        halves: false,
        weighted: true,
        settings: vec![],
    };
    let web = PreparedWeb::open(&experiment.webs[0], cache)?;
    web.read(&|_, _| ())?;
    let loaded = web.load(&experiment)?;
    let truth = Arc::clone(&loaded.truth);
    let features = loaded.features(&[&*choice.make(seed)])?;
    let setup = Setup::featured(truth, PageSet::Growing, &Start::Synchronised, features)?;
    let live = format!("{choice}, live");
    let replayed = format!("{choice}, replayed");
    let round_robin = policy::by_name("round-robin").map(|entry| entry.usual(seed));
    let mut rivals: Vec<(String, Box<dyn Policy>)> =
        vec![(live, Box::new(Recorded::new(visited))), (replayed, choice.make(seed))];
    rivals.extend(round_robin.map(|policy| ("round-robin".to_owned(), policy)));
    let clairvoyant = Clairvoyant::freshness(Arc::clone(&loaded.truth));
    rivals.push(("oracle-freshness, which knows the future".to_owned(), Box::new(clairvoyant)));
    let mut judged = vec![];
    for (name, mut policy) in rivals {
        let values = setup.run(policy.as_mut(), Budget(budget), &AtomicBool::new(false))?;
        let values = values.ok_or_else(|| Failure::Ours("a replay did not finish".to_owned()))?;
        judged.push(Judged {
            name,
            values: SHOWN.map(|(metric, _)| over_time(&values, metric)).into(),
        });
    }
    Ok(judged)
}

/// One value of a run from those of its cycles.
fn over_time(cycles: &[Vec<Option<f64>>], name: &str) -> Option<f64> {
    metric::over_cycles(metric::by_name(name)?, cycles)
}
