//! A policy of your own, run in the lab beside round robin.
//!
//! Run it with `cargo run --release -p lab --example own_policy`. To make it part of Sanderling, put it
//! into `crates/policy/src/refresh/` and add a line to `policy::ALL` (see `CONTRIBUTING.md`).
use std::{error::Error, path::Path, sync::atomic::AtomicBool};

use flow::{Budget, Known, Observation, Plan, Policy, Reason, Visit};
use lab::{
    metric,
    quality::Queries,
    synthetic::{Kind, Spec, USUAL_WEEKS},
    tournament::{Experiment, PageSet, PreparedWeb, Setup, Start, WebSource},
};

/// Pages in turn, but a page that was found changed last time counts its wait twice.
#[derive(Default)]
struct OnceBitten {
    /// By page: whether its last visit found a change.
    changed: Vec<bool>,
}

impl Policy for OnceBitten {
    fn name(&self) -> &'static str {
        "once-bitten"
    }

    /// What is known comes in `known`; time is `known.now`, never a clock.
    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page: flow::PageNo| {
            let waited =
                known.pages.last_seen(page).map_or(f64::MAX, |then| (known.now - then).days());
            let bitten = self.changed.get(page.index()).is_some_and(|&changed| changed);
            let score = if bitten { 2.0 * waited } else { waited };
            Visit { page, score, reason: Reason::Refresh }
        };
        Plan::best(budget, known.due().map(visit).collect(), known.pages)
    }

    /// Everything a policy keeps must come from here, so that it can be rebuilt from the log.
    fn learn(&mut self, seen: &Observation) {
        let row = seen.page.index();
        self.changed.resize(self.changed.len().max(row + 1), false);
        self.changed[row] = seen.changed() == Some(true);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // A web whose pages change at random, watched for a year; a trace file works the same way.
    let spec = Spec { kind: Kind::Poisson, pages: 500, seed: 1, weeks: USUAL_WEEKS };
    let experiment = Experiment {
        webs: vec![WebSource::Synthetic(spec)],
        cycle: flow::Span::from_days(1),
        cycles: None,
        warm_up: 84,
        budgets: vec![],
        policies: vec![],
        seeds: vec![],
        detector: "digest".to_owned(),
        pages: PageSet::Fixed,
        start: Start::Synchronised,
        queries: Queries::None,
        halves: false,
        weighted: true,
        settings: vec![],
    };
    let web = PreparedWeb::open(&experiment.webs[0], Path::new("unused"))?.load(&experiment)?;
    let setup = Setup::new(web.truth, experiment.pages, &experiment.start)?;
    let freshness = metric::by_name("freshness").ok_or("there is a metric of this name")?;

    let round_robin = policy::by_name("round-robin").ok_or("there is a policy of this name")?;
    for mut policy in [Box::new(OnceBitten::default()) as Box<dyn Policy>, round_robin.usual(1)] {
        let cycles = setup.run(policy.as_mut(), Budget(50), &AtomicBool::new(false))?;
        let cycles = cycles.ok_or("nothing stops it")?;
        let measured: Vec<f64> =
            cycles[experiment.warm_up..].iter().filter_map(|cycle| cycle[freshness]).collect();
        let mean = measured.iter().sum::<f64>() / measured.len() as f64;
        println!("{:<12} freshness {mean:.3}", policy.name());
    }
    Ok(())
}
