//! Results as CSV (RFC 4180, with `\n` line ends) in long format: one number per row.
//!
//! Numbers are written in the shortest form that parses to the same number. Undefined values are
//! left out.
use std::fmt;
use std::io::{self, BufWriter, Write};

use crate::metric::METRICS;
use crate::results::{Results, WorkloadFacts};

/// The name of bounds in the column of policies.
pub const BOUND: &str = "upper-bound";

/// Writes `results.csv`: a row for each run and metric over the measured cycles, then a row without
/// a seed for each certified bound.
///
/// # Errors
/// If `out` fails.
pub fn results(results: &Results, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(out, "trace,policy,budget,seed,metric,value")?;
    for run in &results.runs {
        for (index, metric) in METRICS.iter().enumerate() {
            if let Some(value) = run.value(index) {
                let (trace, policy) = (Field(&run.trace), Field(&run.policy));
                let (budget, seed, name) = (run.budget, run.seed, metric.name);
                writeln!(out, "{trace},{policy},{budget},{seed},{name},{value}")?;
            }
        }
    }
    for bound in &results.bounds {
        let (trace, metric) = (Field(&bound.trace), Field(&bound.metric));
        writeln!(out, "{trace},{BOUND},{},,{metric},{}", bound.budget, bound.value)?;
    }
    out.flush()
}

/// Writes `cycles.csv`: a row for each run, cycle and metric, including the warm-up. The first
/// cycle is 1.
///
/// # Errors
/// If `out` fails.
pub fn cycles(results: &Results, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(out, "trace,policy,budget,seed,cycle,metric,value")?;
    for run in &results.runs {
        let (trace, policy) = (Field(&run.trace), Field(&run.policy));
        let start = format!("{trace},{policy},{},{}", run.budget, run.seed);
        for (cycle, values) in run.cycles.iter().enumerate() {
            for (metric, value) in METRICS.iter().zip(values) {
                if let Some(value) = value {
                    writeln!(out, "{start},{},{},{value}", cycle + 1, metric.name)?;
                }
            }
        }
    }
    out.flush()
}

/// Writes `webs.csv`: a row for each web. The columns of the workload are empty if there is none.
///
/// # Errors
/// If `out` fails.
pub fn webs(results: &Results, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(
        out,
        "trace,source,pages_at_start,pages,versions,queries,pseudo,queries_asked,queries_answered,\
         queries_kept,threshold"
    )?;
    for web in &results.webs {
        let (trace, source) = (Field(&web.trace), Field(&web.source));
        write!(out, "{trace},{source},{},{},{},", web.pages_at_start, web.pages, web.versions)?;
        match &web.workload {
            None => writeln!(out, ",,,,,")?,
            Some(WorkloadFacts { source, is_pseudo, queries, answered, kept, threshold }) => {
                let (source, threshold) = (Field(source), threshold.map(|sum| sum.to_string()));
                let threshold = threshold.unwrap_or_default();
                writeln!(out, "{source},{is_pseudo},{queries},{answered},{kept},{threshold}")?;
            }
        }
    }
    out.flush()
}

/// A field, quoted if necessary.
pub(crate) struct Field<'a>(pub(crate) &'a str);

impl fmt::Display for Field<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains([',', '"', '\n', '\r']) {
            write!(formatter, "\"{}\"", self.0.replace('"', "\"\""))
        } else {
            formatter.write_str(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_only_where_a_field_needs_it() {
        assert_eq!(Field("plain name").to_string(), "plain name");
        assert_eq!(Field("a,b").to_string(), "\"a,b\"");
        assert_eq!(Field("say \"hi\"").to_string(), "\"say \"\"hi\"\"\"");
        assert_eq!(Field("two\nlines").to_string(), "\"two\nlines\"");
    }
}
