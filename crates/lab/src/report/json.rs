//! Results as one JSON document.
//!
//! `metrics` of a run has the values over the measured cycles, without undefined ones. `cycles` has an
//! array for each metric, beginning with cycle 1, with `null` for undefined values.
use std::io::{self, BufWriter, Write};

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::metric::{Aggregate, Better, METRICS};
use crate::results::{BoundRecord, Results, RunRecord, WebFacts};

/// Writes `results.json`.
///
/// # Errors
/// If `out` fails.
pub fn results(results: &Results, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let document = Document {
        planned: results.planned,
        finished: results.runs.len(),
        settings: Settings(&results.settings),
        metrics: METRICS.iter().map(Description::from).collect(),
        webs: &results.webs,
        runs: results.runs.iter().map(Run::from).collect(),
        bounds: &results.bounds,
    };
    serde_json::to_writer(&mut out, &document)?;
    out.write_all(b"\n")?;
    out.flush()
}

#[derive(Serialize)]
struct Document<'a> {
    planned: usize,
    finished: usize,
    settings: Settings<'a>,
    metrics: Vec<Description>,
    webs: &'a [WebFacts],
    bounds: &'a [BoundRecord],
    runs: Vec<Run<'a>>,
}

/// An object with keys in the order of the experiment file.
struct Settings<'a>(&'a [(String, String)]);

impl Serialize for Settings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[derive(Serialize)]
struct Description {
    name: &'static str,
    meaning: &'static str,
    aggregate: &'static str,
    better: &'static str,
}

impl From<&crate::metric::Metric> for Description {
    fn from(metric: &crate::metric::Metric) -> Self {
        Self {
            name: metric.name,
            meaning: metric.meaning,
            aggregate: match metric.aggregate {
                Aggregate::Mean => "mean",
                Aggregate::Sum => "sum",
                Aggregate::Quotient(..) => "quotient",
            },
            better: match metric.better {
                Better::Higher => "higher",
                Better::Lower => "lower",
                Better::Neither => "neither",
            },
        }
    }
}

#[derive(Serialize)]
struct Run<'a> {
    trace: &'a str,
    policy: &'a str,
    budget: f64,
    visits: u32,
    seed: u64,
    warm_up: usize,
    metrics: Aggregates<'a>,
    cycles: Cycles<'a>,
}

impl<'a> From<&'a RunRecord> for Run<'a> {
    fn from(run: &'a RunRecord) -> Self {
        Self {
            trace: &run.trace,
            policy: &run.policy,
            budget: run.budget,
            visits: run.visits,
            seed: run.seed,
            warm_up: run.warm_up,
            metrics: Aggregates(run),
            cycles: Cycles(run),
        }
    }
}

struct Aggregates<'a>(&'a RunRecord);

impl Serialize for Aggregates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            METRICS
                .iter()
                .enumerate()
                .filter_map(|(index, metric)| Some((metric.name, self.0.value(index)?))),
        )
    }
}

struct Cycles<'a>(&'a RunRecord);

impl Serialize for Cycles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            METRICS.iter().enumerate().map(|(index, metric)| (metric.name, Column(self.0, index))),
        )
    }
}

/// One metric of a run, by cycle.
struct Column<'a>(&'a RunRecord, usize);

impl Serialize for Column<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.cycles.len()))?;
        for cycle in &self.0.cycles {
            sequence.serialize_element(&cycle.get(self.1).copied().flatten())?;
        }
        sequence.end()
    }
}
