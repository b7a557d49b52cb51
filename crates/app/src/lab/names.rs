//! `sanderling lab names`: everything that can be named in an experiment.
use std::io::Write;

use flow::detect;
use lab::{metric::METRICS, oracle::ORACLES, synthetic::KINDS};

use crate::failure::Failure;

pub(crate) fn print() -> Result<(), Failure> {
    let mut text = String::from("Policies\n");
    let mut line = |name: &str, idea: &str| text.push_str(&format!("  {name:<27} {idea}\n"));
    for entry in policy::ALL {
        line(entry.name, entry.idea);
    }
    text.push_str("\nOracles (they know the truth: upper bounds, not rivals)\n");
    let mut line = |name: &str, idea: &str| text.push_str(&format!("  {name:<27} {idea}\n"));
    for (name, idea) in ORACLES {
        line(name, idea);
    }
    text.push_str("\nMetrics\n");
    let mut line = |name: &str, idea: &str| text.push_str(&format!("  {name:<27} {idea}\n"));
    for metric in METRICS {
        line(metric.name, metric.meaning);
    }
    let detectors: Vec<&str> = detect::ALL.iter().map(|&(name, _)| name).collect();
    let kinds: Vec<&str> = KINDS.iter().map(|&(name, _)| name).collect();
    text.push_str(&format!("\nDetectors\n  {}\n", detectors.join(", ")));
    text.push_str(&format!("\nKinds of synthetic web\n  {}\n", kinds.join(", ")));
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::Ours(format!("cannot print: {error}")))
}
