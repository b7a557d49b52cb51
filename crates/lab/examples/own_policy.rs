//! A policy of your own, run in the lab beside round robin.
//!
//! Run it with `cargo run --release -p lab --example own_policy`. With trace files as arguments it takes
//! part in the benchmark (`docs/benchmark.md`). To make it part of Sanderling, put it into
//! `crates/policy/src/refresh/` and add a line to `policy::ALL` (see `CONTRIBUTING.md`).
use crawl::{Budget, Known, Observation, PageNo, Plan, Policy, Reason, Span, Visit};
use lab::{
    bench::{self, Entrant, Protocol},
    synthetic::{Kind, Spec, USUAL_WEEKS},
    tournament::{Dataset, Run, TournamentError, Unwatched, WebSource},
};

/// Pages in turn, but a page that had changed at its last visit counts its wait twice.
#[derive(Clone, Default)]
struct OnceBitten {
    changed: Vec<bool>,
}

impl Policy for OnceBitten {
    fn name(&self) -> &'static str {
        "once-bitten"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page: PageNo| {
            let waited = known.pages.last_seen(page).map_or(f64::MAX, |at| (known.now - at).days());
            let is_bitten = self.changed.get(page.index()) == Some(&true);
            let score = if is_bitten { 2.0 * waited } else { waited };
            Visit { page, score, reason: Reason::Refresh }
        };
        Plan::best(budget, known.due().map(visit).collect(), known.pages)
    }

    fn learn(&mut self, seen: &Observation) {
        let row = seen.page.index();
        self.changed.resize(self.changed.len().max(row + 1), false);
        self.changed[row] = seen.changed() == Some(true);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// Runs the benchmark on these traces, with a policy of the project beside this one.
fn benchmark(traces: &[WebSource]) -> Result<(), TournamentError> {
    let unified = Entrant::parse("unified").expect("it is in policy::ALL");
    let entrants = [Entrant::new("once-bitten", Box::new(OnceBitten::default())), unified];
    let readings = std::env::temp_dir().join("sanderling-readings");
    let scores = Protocol::V1.run(traces, &entrants, &readings, &Unwatched)?;
    println!("{}", bench::table(&scores));
    Ok(())
}

fn main() -> Result<(), TournamentError> {
    let traces: Vec<_> =
        std::env::args().skip(1).map(|path| WebSource::Trace(path.into())).collect();
    if !traces.is_empty() {
        return benchmark(&traces);
    }
    // 500 pages that change at random, for a year; `WebSource::Trace` replays a recorded site.
    let spec = Spec { kind: Kind::Poisson, pages: 500, seed: 1, weeks: USUAL_WEEKS };
    let dataset = Dataset::load(&WebSource::Synthetic(spec), Span::from_days(1))?;
    let round_robin =
        policy::by_name("round-robin").expect("it is in policy::ALL").with_defaults(1);
    for policy in [Box::new(OnceBitten::default()), round_robin] {
        let name = policy.name();
        let freshness = Run::new(&dataset, policy, Budget(50)).play()?.value("freshness", 84);
        println!("{name:<12} freshness {:.3}", freshness.unwrap_or_default());
    }
    Ok(())
}
