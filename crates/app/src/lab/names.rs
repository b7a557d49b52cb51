//! `sanderling lab names`: the names that experiments can use.
use std::fmt::{self, Write};

use clap::Args;
use extract::detect;
use lab::{metric::METRICS, oracle::ORACLES, synthetic::KINDS};
use policy::Parameter;
use serde_json::{Value, json};

use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn print(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.json {
        return output::print(&format!("{:#}", json()));
    }
    let mut text = String::new();
    write(&mut text).expect("writing to a string cannot fail");
    output::print(text.trim_end())
}

fn json() -> Value {
    let named = |name: &str, idea: &str| json!({ "name": name, "idea": idea });
    let policies = policy::ALL.iter().map(|entry| {
        let parameters: Vec<Value> = entry.parameters.iter().map(parameter).collect();
        json!({ "name": entry.name, "idea": entry.idea, "parameters": parameters })
    });
    let metrics = METRICS.iter().map(|metric| named(metric.name, metric.meaning));
    json!({
        "policies": policies.collect::<Vec<_>>(),
        "oracles": ORACLES.iter().map(|(name, idea)| named(name, idea)).collect::<Vec<_>>(),
        "metrics": metrics.collect::<Vec<_>>(),
        "detectors": detect::ALL.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "synthetic": KINDS.iter().map(|(name, _)| name).collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "default": parameter.default,
        "meaning": parameter.meaning,
        "allowed": parameter.kind.to_string(),
    })
}

fn write(out: &mut impl Write) -> fmt::Result {
    writeln!(out, "Policies, and below each its parameters (NAME:KEY=VALUE:KEY=VALUE)")?;
    for entry in policy::ALL {
        line(out, entry.name, entry.idea)?;
        for Parameter { name, default, meaning, kind } in entry.parameters {
            let meaning = format!("{meaning}; {kind} [default: {default}]");
            line(out, &format!("  {name}"), &meaning)?;
        }
    }
    writeln!(
        out,
        "\nOracles (they know the ground truth: upper bounds, not competitors; hindsight-NAME takes the \
         parameters of NAME)"
    )?;
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
    writeln!(out, "\nKinds of synthetic webs\n  {}", kinds.join(", "))
}

fn line(out: &mut impl Write, name: &str, idea: &str) -> fmt::Result {
    writeln!(out, "  {name:<27} {idea}")
}
