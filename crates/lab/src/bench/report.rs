//! The scores of a benchmark as a table, as JSON and as CSV.
use std::fmt::Write;

use serde_json::{Value, json};

use super::{Gap, Scores, SiteOutcome, Table};
use crate::report::csv::{self, Field};

/// The rows that are no policies.
const ORACLE: &str = "oracle-freshness";
const BOUND: &str = "certified bound";

/// One table: for each detector and budget a line for each policy, best first.
pub fn table(scores: &Scores) -> String {
    let protocol = &scores.protocol;
    let sites = scores.tables.iter().map(|table| table.outcomes.len()).max().unwrap_or_default();
    let mut out = format!(
        "Benchmark, version {}: {sites} sites, {} cycles of {} days, the first {} not measured.\n\
         Gap closed: (policy - round robin) / ({ORACLE} - round robin), of means over sites, with its\n\
         95 % interval by site. Above, below: sites that differ from round robin by more than .01.\n",
        protocol.version, protocol.cycles, protocol.cycle_days, protocol.warm_up
    );
    let names = scores.policies.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let names = names.max(ORACLE.len());
    for table in &scores.tables {
        let Some(gap) = Gap::new(table.outcomes.iter().collect()) else { continue };
        let budget = format!("{:.0} %", 100.0 * table.budget);
        let _ = writeln!(
            out,
            "\n{:<names$}  gap closed  interval        {}  above  below  worst site",
            format!("{}, {budget}", table.detector),
            protocol.metric,
        );
        let mut rows: Vec<_> =
            (0..scores.policies.len()).map(|policy| (policy, gap.closed(policy))).collect();
        rows.sort_by(|one, other| other.1.mean.total_cmp(&one.1.mean));
        let width = protocol.metric.len();
        for (policy, closed) in rows {
            let share =
                closed.share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
            let interval = closed.interval.map_or("-".to_owned(), |interval| {
                format!("{:.1} to {:.1}", 100.0 * interval.low, 100.0 * interval.high)
            });
            let (site, gain) = &closed.worst;
            let _ = writeln!(
                out,
                "{:<names$}  {share:>10}  {interval:<14}  {:>width$.4}  {:>5}  {:>5}  {gain:+.3} {site}",
                scores.policies[policy], closed.mean, closed.above, closed.below,
            );
        }
        for (name, mean) in [(ORACLE, gap.oracle()), (BOUND, gap.bound())] {
            if let Some(mean) = mean {
                let _ = writeln!(out, "{name:<names$}  {:>10}  {:<14}  {mean:>width$.4}", "", "");
            }
        }
    }
    for (site, reason) in &scores.left_out {
        // Some reasons begin with the name of the site.
        let reason = reason.strip_prefix(&format!("{site}: ")).unwrap_or(reason);
        let _ = write!(out, "\nLeft out: {site}: {reason}");
    }
    for missing in &scores.missing {
        let _ = write!(out, "\nNote: {missing}");
    }
    out.trim_end().to_owned()
}

/// Everything: the rules, what each policy is worth, and the values of every site.
pub fn json(scores: &Scores) -> Value {
    let protocol = &scores.protocol;
    let tables: Vec<Value> = scores.tables.iter().map(|table| of_table(scores, table)).collect();
    let left_out = scores.left_out.iter().map(|(site, why)| json!({ "site": site, "reason": why }));
    json!({
        "protocol": {
            "version": protocol.version,
            "cycle_days": protocol.cycle_days,
            "cycles": protocol.cycles,
            "warm_up": protocol.warm_up,
            "fewest_pages": protocol.fewest_pages,
            "budgets": protocol.budgets,
            "detectors": protocol.detectors,
            "metric": protocol.metric,
        },
        "policies": scores.policies,
        "tables": tables,
        "left_out": left_out.collect::<Vec<_>>(),
        "notes": scores.missing,
    })
}

fn of_table(scores: &Scores, table: &Table) -> Value {
    let gap = Gap::new(table.outcomes.iter().collect());
    let gap = gap.as_ref();
    let policies = scores.policies.iter().enumerate().filter_map(|(policy, name)| {
        let closed = gap?.closed(policy);
        Some(json!({
            "policy": name,
            "gap_closed": closed.share,
            "interval": closed.interval.map(|interval| [interval.low, interval.high]),
            "mean": closed.mean,
            "gain": closed.gain,
            "above": closed.above,
            "below": closed.below,
            "worst_site": closed.worst.0,
            "worst_gain": closed.worst.1,
        }))
    });
    let sites = table.outcomes.iter().map(|outcome| {
        let SiteOutcome { site, pages, round_robin, oracle, bound, values } = outcome;
        json!({
            "site": site,
            "pages": pages,
            "round_robin": round_robin,
            "oracle": oracle,
            "bound": bound,
            "values": values,
        })
    });
    json!({
        "detector": table.detector,
        "budget": table.budget,
        "round_robin": gap.map(Gap::round_robin),
        "oracle": gap.and_then(Gap::oracle),
        "bound": gap.and_then(Gap::bound),
        "policies": policies.collect::<Vec<_>>(),
        "sites": sites.collect::<Vec<_>>(),
    })
}

/// The values of every site, one number a line. Besides the policies there are `round-robin`,
/// `oracle-freshness` and `upper-bound`.
pub fn csv(scores: &Scores) -> String {
    let mut out = String::from("protocol,detector,budget,site,pages,policy,metric,value\n");
    let (version, metric) = (scores.protocol.version, scores.protocol.metric);
    for table in &scores.tables {
        for outcome in &table.outcomes {
            let SiteOutcome { site, pages, round_robin, oracle, bound, values } = outcome;
            let named = scores.policies.iter().map(String::as_str).zip(values.iter().copied());
            let is_named = scores.policies.iter().any(|name| name == "round-robin");
            let more = [
                ("round-robin", Some(*round_robin).filter(|_| !is_named)),
                (ORACLE, *oracle),
                (csv::BOUND, *bound),
            ];
            let more = more.into_iter().filter_map(|(name, value)| Some((name, value?)));
            for (policy, value) in named.chain(more) {
                let (detector, budget) = (table.detector, table.budget);
                let (site, policy) = (Field(site), Field(policy));
                let _ = writeln!(
                    out,
                    "{version},{detector},{budget},{site},{pages},{policy},{metric},{value}"
                );
            }
        }
    }
    out
}
