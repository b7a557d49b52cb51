//! Writes what the policy `unified` sees of pages, and the truth about them, for `bench/fit_unified.py`.
//!
//! `cargo run --release -p lab --example unified_rows -- TRACES BUDGETS OUT DETECTORS [CORRECTIONS]`. Each
//! site gives a file of little-endian `f32` rows: the columns of `policy::unified::COLUMNS`, then the rank of
//! the page by score in units of the budget, the place of the detector in the list, whether the copy is out of
//! date, and the share of the next 16 weeks in which a copy made now stays fresh (-1 where the trace ends
//! before). In each cycle the rows are those of one round, another in every cycle, so that the models know
//! what the policy sees in the middle of a cycle, too. With `CORRECTIONS`, a folder that
//! `bench/fit_unified.py` wrote, the policy runs with the corrections fitted without the site.
mod common;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use common::Error;
use crawl::{Budget, Expectation, Known, Needs, Observation, PageNo, Plan, Policy, Span};
use lab::{
    tournament::{PageSet, Run, visits_per_cycle},
    truth::{GroundTruth, HistoryNumbers},
};
use policy::{
    PolicySpec,
    unified::{COLUMNS, Unified},
};
use rayon::prelude::*;

/// The weeks over which a copy's life is measured.
const HORIZON: usize = 16;
/// Rows of one site, detector and budget, about.
const MOST_ROWS: usize = 4_000;
/// Rounds of a cycle from which the recorded one is chosen.
const ROUNDS: u32 = 8;

/// Runs the policy, and writes down a sample of what it sees in one round of each cycle.
#[derive(Clone)]
struct Recording {
    policy: Unified,
    truth: Arc<GroundTruth>,
    numbers: HistoryNumbers,
    /// Visits in a cycle.
    visits: usize,
    /// One in this many rows is kept.
    one_in: usize,
    /// The place of the detector among those given.
    detector: usize,
    cycle: Option<u32>,
    /// Rounds of this cycle so far.
    round: u32,
    rows: Arc<Mutex<Vec<f32>>>,
}

impl Recording {
    fn record(&mut self, known: &Known<'_>) {
        self.numbers.update(&self.truth, known.pages);
        let cycle = known.cycle as usize + 1;
        let grid = self.truth.grid();
        let mut out = self.rows.lock().expect("no thread panicked");
        // A different part of the pages in every cycle.
        let (one_in, visits) = (self.one_in, self.visits);
        let is_wanted = |page: PageNo, rank: usize| {
            // Pages that compete for visits matter most.
            let one_in = if rank < 4 * visits { one_in.div_ceil(5) } else { one_in };
            (page.index() * 31 + cycle * 17).is_multiple_of(one_in)
        };
        for (page, rank, row) in self.policy.rows(known, is_wanted) {
            let (Some(number), Some(seen)) = (self.numbers.get(page), known.pages.last_seen(page))
            else {
                continue;
            };
            let then = ((seen - grid.start).millis() / grid.cycle.millis()) as usize;
            let now = self.truth.reading(number, cycle);
            let stale = !self.truth.same(self.truth.reading(number, then), now);
            let life = (cycle + HORIZON <= grid.cycles).then(|| {
                let lasts = self.truth.lasts_until(number, cycle).min(cycle + HORIZON) - cycle;
                lasts as f32 / HORIZON as f32
            });
            out.extend(row);
            let life = if now.is_none() { Some(1.0) } else { life };
            out.extend([
                rank as f32 / visits as f32,
                self.detector as f32,
                f32::from(u8::from(stale)),
                life.unwrap_or(-1.0),
            ]);
        }
    }
}

impl Policy for Recording {
    fn name(&self) -> &'static str {
        "unified"
    }

    fn needs(&self) -> Needs {
        self.policy.needs()
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        if self.cycle != Some(known.cycle) {
            (self.cycle, self.round) = (Some(known.cycle), 0);
        }
        // 5 and 8 have no common divisor, so that every round has its turn.
        if self.round == known.cycle * 5 % ROUNDS.min(self.visits as u32) {
            self.record(known);
        }
        self.round += 1;
        self.policy.plan(known, budget)
    }

    fn expects(&self, page: PageNo) -> Option<Expectation> {
        self.policy.expects(page)
    }

    fn learn(&mut self, seen: &Observation) {
        self.policy.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// What is to be recorded.
struct Options {
    budgets: Vec<f64>,
    detectors: Vec<String>,
    out: PathBuf,
    corrections: Option<String>,
}

fn record(trace: &Path, options: &Options) -> Result<(), Error> {
    let name = common::name(trace);
    let policy = match &options.corrections {
        None => Unified::analytic(),
        Some(folder) => {
            let spec = PolicySpec::parse("unified")?;
            Unified::with_corrections(common::corrections(folder, &name)?, spec.parameters())
        }
    };
    let rows = Arc::new(Mutex::new(vec![]));
    for (detector, detected_by) in options.detectors.iter().enumerate() {
        let (dataset, truth) =
            common::load(trace, PageSet::Fixed, detected_by, Span::from_days(7))?;
        let pages = dataset.pages_at_start();
        for &share in &options.budgets {
            let visits = visits_per_cycle(share, pages);
            let policy = Recording {
                policy: policy.clone(),
                truth: Arc::clone(&truth),
                numbers: HistoryNumbers::default(),
                visits: visits as usize,
                one_in: (pages * truth.grid().cycles).div_ceil(MOST_ROWS).max(1),
                detector,
                cycle: None,
                round: 0,
                rows: Arc::clone(&rows),
            };
            Run::new(&dataset, Box::new(policy), Budget(visits)).play()?;
        }
    }
    let rows = rows.lock().map_err(|_| "a run panicked")?;
    let bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
    Ok(std::fs::write(options.out.join(format!("{name}.rows")), bytes)?)
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder with traces")?;
    let budgets = arguments.next().ok_or("no budgets")?;
    let out = PathBuf::from(arguments.next().ok_or("no folder for rows")?);
    let detectors = arguments.next().ok_or("no detectors")?;
    let options = Options {
        budgets: budgets.split(',').map(str::parse).collect::<Result<_, _>>()?,
        detectors: detectors.split(',').map(str::to_owned).collect(),
        out,
        corrections: arguments.next(),
    };
    std::fs::create_dir_all(&options.out)?;
    std::fs::write(options.out.join("columns.txt"), COLUMNS.join("\n"))?;
    let traces = common::traces(Path::new(&folder))?;
    traces.par_iter().try_for_each(|trace| record(trace, &options))
}
