//! `sanderling lab names`: everything that can be named in an experiment.
use std::fmt::{self, Write};

use flow::detect;
use lab::{metric::METRICS, oracle::ORACLES, synthetic::KINDS};

use crate::{failure::Failure, output};

pub(crate) fn print() -> Result<(), Failure> {
    let mut text = String::new();
    write(&mut text).expect("writing to a string cannot fail");
    output::print(text.trim_end())
}

fn write(out: &mut impl Write) -> fmt::Result {
    writeln!(out, "Policies")?;
    for entry in policy::ALL {
        line(out, entry.name, entry.idea)?;
    }
    writeln!(out, "\nOracles (they know the truth: upper bounds, not rivals)")?;
    for (name, idea) in ORACLES {
        line(out, name, idea)?;
    }
    writeln!(out, "\nMetrics")?;
    for metric in METRICS {
        line(out, metric.name, metric.meaning)?;
    }
    let detectors: Vec<&str> = detect::ALL.iter().map(|&(name, _)| name).collect();
    writeln!(out, "\nDetectors\n  {}", detectors.join(", "))?;
    let kinds: Vec<&str> = KINDS.iter().map(|&(name, _)| name).collect();
    writeln!(out, "\nKinds of synthetic web\n  {}", kinds.join(", "))
}

fn line(out: &mut impl Write, name: &str, idea: &str) -> fmt::Result {
    writeln!(out, "  {name:<27} {idea}")
}
