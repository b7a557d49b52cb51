//! `sanderling status`: what is held, its estimated freshness, and the last cycles.
use std::{fmt::Write, path::Path};

use clap::Args;
use crawl::{Allowance, Time};
use policy::{Freshness, FreshnessEstimate};
use serde_json::{Value, json};
use store::{
    CycleSummary, FaultCount, LeftOut, Outcomes, StoreError, Totals, View, budget_unit,
    budget_value,
};

use super::{
    FolderFlags,
    crawl::held_words,
    failing::Failing,
    tally::{bytes, counted, duration, grouped, instant, stamp},
};
use crate::{failure::Failure, output};

/// The number of cycles shown.
pub(crate) const CYCLES: usize = 10;

/// The number of pages with an end left out that are shown.
const LEFT_OUT: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

/// The status of a data folder.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) folder: String,
    pub(crate) now: Time,
    pub(crate) totals: Totals,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) cycles: Vec<CycleSummary>,
    pub(crate) faults: Vec<FaultCount>,
    /// Pages that were not read to their end.
    pub(crate) left_out: Vec<LeftOut>,
    /// The last decision about the policy, where `run --autopilot` made one.
    pub(crate) autopilot: Option<String>,
    /// What the policy lacked at the start of the last cycle, in sentences.
    pub(crate) lacks: Vec<String>,
    /// Seeds and hosts that gave nothing.
    pub(crate) failing: Failing,
}

pub(crate) fn status(arguments: &Arguments) -> Result<(), Failure> {
    let (settings, view) = arguments.folder.open()?;
    let now = super::now(&view)?;
    let status = Status::read(&settings.data, &view, now, freshness(&view, now)?)?;
    if arguments.json {
        output::print(&format!("{:#}", status.json()))
    } else {
        output::print(&status.text())
    }
}

fn freshness(view: &View, now: Time) -> Result<Option<Freshness>, Failure> {
    let mut estimate = FreshnessEstimate::default();
    view.replay(&mut |seen| estimate.learn(seen))?;
    Ok(estimate.freshness(&view.load()?.pages, now))
}

impl Status {
    /// Reads the status of the data folder at `folder`.
    pub(crate) fn read(
        folder: &Path,
        view: &View,
        now: Time,
        freshness: Option<Freshness>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            folder: folder.display().to_string(),
            now,
            freshness,
            totals: view.totals()?,
            cycles: view.cycles(CYCLES)?,
            faults: view.faults(None)?,
            left_out: view.left_out()?,
            autopilot: super::autopilot::last(view)?,
            lacks: super::lacks::last(view)?,
            failing: Failing::read(view, now)?,
        })
    }

    fn text(&self) -> String {
        let totals = &self.totals;
        let mut lines = vec![
            format!("{} at {}", self.folder, instant(self.now)),
            String::new(),
            format!(
                "Pages      {} held, {} known but not visited yet, {} missing (dead links), {} gone, on {}",
                held_words(totals),
                grouped(totals.linked),
                grouped(totals.missing),
                grouped(totals.gone),
                counted(totals.hosts, "host", "hosts")
            ),
        ];
        if totals.noindex + totals.canonical_elsewhere > 0 {
            lines.push(format!(
                "           {} with noindex, {} with another canonical URL",
                grouped(totals.noindex),
                grouped(totals.canonical_elsewhere)
            ));
        }
        lines.push(format!("Freshness  {}", freshness_words(self.freshness.as_ref())));
        let span = match (totals.first, totals.last) {
            (Some(first), Some(last)) => format!(", {} to {}", instant(first), instant(last)),
            _ => String::new(),
        };
        lines.push(format!(
            "Visits     {} in the log{span}; {} for robots.txt",
            grouped(totals.observations),
            counted(totals.robots_fetches, "request", "requests")
        ));
        lines.push(format!(
            "Archive    {} in {}",
            bytes(totals.archive_bytes),
            counted(totals.archive_files, "WARC file", "WARC files")
        ));
        if let Some(decision) = &self.autopilot {
            lines.push(format!("Autopilot  {decision}"));
        }
        lines.extend(self.lacks.iter().map(|sentence| format!("Policy     {sentence}")));
        for LeftOut { address, what } in self.left_out.iter().take(LEFT_OUT) {
            lines.push(format!("Left out   {address}: {what}"));
        }
        if let more @ 1.. = self.left_out.len().saturating_sub(LEFT_OUT) {
            lines.push(format!(
                "           and the end of {}",
                counted(more as u64, "more page", "more pages")
            ));
        }
        let failing = self.failing.host_lines(self.now);
        if !self.failing.seeds.is_empty() || !failing.is_empty() {
            lines.push(String::new());
        }
        if !self.failing.seeds.is_empty() {
            lines.push(self.failing.seed_words());
            lines.extend(self.failing.seed_lines());
        }
        lines.extend(failing);
        lines.push(String::new());
        lines.extend(self.cycle_lines());
        lines.push(String::new());
        if self.faults.is_empty() {
            lines.push("No visit failed or was disallowed.".to_owned());
        } else {
            lines.push("Failed or disallowed visits by kind, with the latest of each".to_owned());
            for fault in &self.faults {
                let FaultCount { kind, count, address, why } = fault;
                lines.push(format!(
                    "  {:<16} {:>7}  {address}: {why}",
                    kind.label(),
                    grouped(*count)
                ));
            }
        }
        lines.join("\n")
    }

    fn cycle_lines(&self) -> Vec<String> {
        if self.cycles.is_empty() {
            return vec!["No cycle yet.".to_owned()];
        }
        // Parameters make names long.
        let name_width =
            self.cycles.iter().map(|cycle| cycle.policy.len()).max().unwrap_or(0).max(18);
        let mut lines = vec![format!(
            "{:<21} {:<8} {:<name_width$} {:>8} {:>7} {:>6} {:>7} {:>9} {:>7} {:>5} {:>6} {:>9} {:>7}",
            "Last cycles",
            "kind",
            "policy",
            "budget",
            "visits",
            "new",
            "changed",
            "unchanged",
            "missing",
            "gone",
            "failed",
            "received",
            "in"
        )];
        for cycle in &self.cycles {
            let Outcomes {
                first,
                same,
                changed,
                missing,
                gone,
                failed,
                unreached,
                refused,
                unreachable,
            } = cycle.outcomes;
            let budget = match cycle.budget {
                None => "all".to_owned(),
                Some(Allowance::Visits(visits)) => grouped(u64::from(visits)),
                Some(other) => super::tally::budget(other),
            };
            let received = cycle.received.map_or("?".to_owned(), bytes);
            let policy = if cycle.kind == "crawl" { "-" } else { &cycle.policy };
            let took = cycle.ended.map_or("?".to_owned(), |ended| duration(ended - cycle.started));
            let mut line = format!(
                "{:<21} {:<8} {policy:<name_width$} {budget:>8} {:>7} {first:>6} {changed:>7} {same:>9} \
                 {missing:>7} {gone:>5} {failed:>6} {received:>9} {took:>7}",
                instant(cycle.started).trim_end_matches(" UTC"),
                cycle.kind,
                grouped(cycle.outcomes.visits()),
            );
            for (count, what) in [
                (unreached, "not reached"),
                (unreachable, "on unreachable hosts"),
                (refused, "not allowed"),
            ] {
                if count > 0 {
                    let _ = write!(line, "  ({count} {what})");
                }
            }
            if cycle.ended.is_none() {
                line.push_str("  (not finished)");
            }
            lines.push(line);
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let totals = &self.totals;
        let cycle = |cycle: &CycleSummary| {
            let outcomes = cycle.outcomes;
            json!({
                "number": cycle.no, "kind": cycle.kind, "policy": cycle.policy,
                "detector": cycle.detector, "budget": cycle.budget.map(budget_value),
                "budget_unit": cycle.budget.map_or("visits", budget_unit),
                "received_bytes": cycle.received, "seed": cycle.seed,
                "started": stamp(cycle.started), "ended": cycle.ended.map(stamp),
                "visits": outcomes.visits(), "first": outcomes.first, "changed": outcomes.changed,
                "same": outcomes.same, "missing": outcomes.missing, "gone": outcomes.gone,
                "failed": outcomes.failed, "unreached": outcomes.unreached,
                "refused": outcomes.refused, "unreachable": outcomes.unreachable,
            })
        };
        let fault = |fault: &FaultCount| {
            json!({
                "kind": fault.kind.name(), "count": fault.count,
                "latest": { "url": fault.address, "why": fault.why },
            })
        };
        let left_out =
            |LeftOut { address, what }: &LeftOut| json!({ "url": address, "what": what });
        json!({
            "data": self.folder,
            "now": stamp(self.now),
            "pages": {
                "held": totals.held, "linked": totals.linked, "missing": totals.missing,
                "gone": totals.gone, "redirects": totals.redirects,
                "without_text": totals.without_text,
                "noindex": totals.noindex, "canonical_elsewhere": totals.canonical_elsewhere,
            },
            "hosts": totals.hosts,
            "freshness": self.freshness.as_ref().map(|freshness| json!({
                "share": freshness.share, "low": freshness.low, "high": freshness.high,
                "known": freshness.is_known(),
                "pages": freshness.pages, "checks": freshness.checks,
            })),
            "observations": totals.observations,
            "first_visit": totals.first.map(stamp),
            "last_visit": totals.last.map(stamp),
            "robots_fetches": totals.robots_fetches,
            "archive": { "files": totals.archive_files, "bytes": totals.archive_bytes },
            "cycles": self.cycles.iter().map(cycle).collect::<Vec<_>>(),
            "autopilot": self.autopilot,
            "policy_lacks": self.lacks,
            "faults": self.faults.iter().map(fault).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(left_out).collect::<Vec<_>>(),
            "failing_seeds": self.failing.seeds_json(),
            "failing_hosts": self.failing.hosts_json(),
        })
    }
}

/// The estimate with its confidence interval and the number of visits behind it.
pub(crate) fn freshness_words(freshness: Option<&Freshness>) -> String {
    match freshness {
        None => "unknown: no page has been visited twice".to_owned(),
        Some(freshness @ Freshness { low, high, pages, checks, .. }) if !freshness.is_known() => {
            format!(
                "not known yet ({:.0} to {:.0} % of {} with 95 % confidence, from {})",
                low * 100.0,
                high * 100.0,
                counted(*pages as u64, "held page", "held pages"),
                counted(*checks, "repeated visit", "repeated visits")
            )
        }
        Some(Freshness { share, low, high, pages, checks }) => format!(
            "{:.1} % of {} estimated up to date (95 % confidence interval {:.1} to {:.1} %), from {}",
            share * 100.0,
            counted(*pages as u64, "held page", "held pages"),
            low * 100.0,
            high * 100.0,
            counted(*checks, "repeated visit", "repeated visits")
        ),
    }
}
