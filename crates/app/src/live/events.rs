//! `--json`: what a crawl does, one JSON object per line on standard output.
use crawl::{Allowance, Observation, Outcome, Time};
use serde_json::{Value, json};

use super::{session::Done, tally::stamp, why::reason_name};
use crate::{failure::Failure, output};

/// Writes events, if they are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Events {
    pub(crate) are_on: bool,
}

impl Events {
    /// A crawl or a cycle begins.
    pub(crate) fn started(
        self,
        kind: &str,
        at: Time,
        budget: Option<Allowance>,
        policy: &str,
    ) -> Result<(), Failure> {
        self.write(|| {
            json!({
                "event": "started",
                "kind": kind,
                "at": stamp(at),
                "budget": budget.map(store::budget_value),
                "budget_unit": budget.map(store::budget_unit),
                "policy": policy,
            })
        })
    }

    /// A visit is in the log.
    pub(crate) fn visit(self, address: &str, seen: &Observation) -> Result<(), Failure> {
        let change = match seen.outcome {
            Outcome::Changed(change) => Some(change),
            _ => None,
        };
        let fault = seen.fault.as_ref();
        self.write(|| {
            json!({
                "event": "visit",
                "at": stamp(seen.at),
                "url": address,
                "outcome": store::outcome_name(seen.outcome),
                "change": change,
                "reason": reason_name(seen.reason),
                "fault": fault.map(|it| json!({ "kind": it.kind.to_string(), "why": it.why })),
                "new_links": seen.leads.len(),
            })
        })
    }

    /// A crawl or a cycle has ended.
    pub(crate) fn finished(
        self,
        kind: &str,
        at: Time,
        done: &Done,
        held: u64,
    ) -> Result<(), Failure> {
        let tally = &done.tally;
        self.write(|| {
            json!({
                "event": "finished",
                "kind": kind,
                "at": stamp(at),
                "seconds": done.took.millis() as f64 / 1e3,
                "visits": tally.made(),
                "new": tally.first,
                "changed": tally.changed,
                "unchanged": tally.same,
                "missing": tally.missing,
                "gone": tally.gone,
                "failed": tally.failed,
                "refused": tally.refused,
                "unreached": tally.unreached,
                "received_bytes": done.received,
                "robots_requests": done.robots_fetches,
                "held": held,
                "interrupted": done.interrupted,
            })
        })
    }

    fn write(self, event: impl FnOnce() -> Value) -> Result<(), Failure> {
        if self.are_on { output::print(&event().to_string()) } else { Ok(()) }
    }
}
