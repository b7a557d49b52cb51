//! The budget that a policy needs for a quality (Pandey and Olston 2005, figure 4): interpolated
//! between the budgets that were run, linearly in the logarithm of the budget.
use lab::{
    metric::METRICS,
    report::{
        figure::{Cell, Table},
        words,
    },
};

use crate::{
    draw::cell,
    evidence::{Evidence, Query},
    plan::{Part, Runs},
    sample::{Sample, combined, values},
};

/// The qualities of the table.
const LEVELS: [f64; 3] = [0.95, 0.98, 0.99];

/// Separates the family from the parameter in labels: `SBR at 0.3`.
const MEMBER: &str = " at ";

/// A table of the budgets needed, by family: of policies that differ only in their parameter, the
/// best counts at each budget, as in the paper.
pub(crate) fn table(part: &Part, runs: &Runs, evidence: &Evidence<'_>, metric: usize) -> Table {
    let mut head = vec!["policy".to_owned()];
    head.extend(LEVELS.map(|level| format!("quality {}", words::short(level))));
    let row = |family: &str| {
        let members: Vec<&str> =
            labels(runs).into_iter().filter(|label| family_of(label) == family).collect();
        let mut row = vec![Cell::text(match members.as_slice() {
            [_] => family.to_owned(),
            _ => format!("{family}, best of {}", members.len()),
        })];
        let samples = samples(part, runs, evidence, &members, METRICS[metric].name);
        row.extend(LEVELS.map(|level| {
            samples.as_ref().map_or_else(
                |_| Cell::text("–"),
                |samples| needed_cell(&runs.budgets, samples, level),
            )
        }));
        row
    };
    let mut families: Vec<&str> = labels(runs).into_iter().map(family_of).collect();
    families.dedup();
    let rows = families.into_iter().map(row).collect();
    let title = format!("budget needed, {}", words::spaced(METRICS[metric].name));
    Table { title, head, rows }
}

fn labels(runs: &Runs) -> Vec<&str> {
    runs.policies.iter().map(|entry| entry.label.as_str()).collect()
}

/// The family of a label.
fn family_of(label: &str) -> &str {
    label.split_once(MEMBER).map_or(label, |(family, _)| family)
}

/// The samples of all members and budgets, one member after the other.
pub(crate) fn samples(
    part: &Part,
    runs: &Runs,
    evidence: &Evidence<'_>,
    members: &[&str],
    metric: &'static str,
) -> Result<Vec<Sample>, String> {
    let queries = members.iter().flat_map(|label| {
        let query = Query::new(&part.name, label).metric(metric);
        (0..runs.budgets.len()).map(move |budget| query.clone().budget(budget))
    });
    queries.map(|query| evidence.sample(&query)).collect()
}

fn needed_cell(budgets: &[f64], samples: &[Sample], level: f64) -> Cell {
    let samples: Vec<&Sample> = samples.iter().collect();
    let needed = |values: &[f64]| match budget_for(budgets, &best(values, budgets.len()), level) {
        Needed::Budget(budget) | Needed::AtMost(budget) => budget,
        Needed::NotReached => f64::NAN,
    };
    let Some(values) = values(&samples) else { return Cell::text("–") };
    match budget_for(budgets, &best(&values, budgets.len()), level) {
        Needed::NotReached => Cell::text("not reached"),
        Needed::AtMost(budget) => Cell::text(format!("at most {}", words::short(budget))),
        Needed::Budget(_) => cell(combined(&samples, needed)),
    }
}

/// By budget, the highest of several members.
pub(crate) fn best(values: &[f64], budgets: usize) -> Vec<f64> {
    let of_budget = |budget: usize| values[budget..].iter().step_by(budgets).copied();
    (0..budgets).map(|budget| of_budget(budget).fold(f64::NEG_INFINITY, f64::max)).collect()
}

/// The budget that a quality needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Needed {
    /// This one.
    Budget(f64),
    /// The smallest that was run is enough.
    AtMost(f64),
    /// The largest that was run is not enough.
    NotReached,
}

/// The budget at which a curve first reaches a level.
pub(crate) fn budget_for(budgets: &[f64], curve: &[f64], level: f64) -> Needed {
    let Some(place) = curve.iter().position(|&quality| quality >= level) else {
        return Needed::NotReached;
    };
    if place == 0 {
        return Needed::AtMost(budgets[0]);
    }
    let share = (level - curve[place - 1]) / (curve[place] - curve[place - 1]);
    let (from, to) = (budgets[place - 1].ln(), budgets[place].ln());
    Needed::Budget((from + share * (to - from)).exp())
}

/// The quality of a curve at a budget between those that were run.
pub(crate) fn quality_at(budgets: &[f64], curve: &[f64], budget: f64) -> f64 {
    let place = budgets.partition_point(|&other| other < budget).clamp(1, budgets.len() - 1);
    let (from, to) = (budgets[place - 1].ln(), budgets[place].ln());
    let share = ((budget.ln() - from) / (to - from)).clamp(0.0, 1.0);
    curve[place - 1] + share * (curve[place] - curve[place - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGETS: [f64; 3] = [0.1, 0.2, 0.4];

    #[test]
    fn a_level_between_two_budgets_is_halfway_on_a_scale_of_ratios() {
        let curve = [0.9, 0.96, 0.98];
        let Needed::Budget(budget) = budget_for(&BUDGETS, &curve, 0.93) else { panic!("between") };
        assert!((budget - 0.1 * 2.0_f64.sqrt()).abs() < 1e-12);
        assert!((quality_at(&BUDGETS, &curve, budget) - 0.93).abs() < 1e-12);
        assert_eq!(budget_for(&BUDGETS, &curve, 0.9), Needed::AtMost(0.1));
        assert_eq!(budget_for(&BUDGETS, &curve, 0.99), Needed::NotReached);
        let Needed::Budget(budget) = budget_for(&BUDGETS, &curve, 0.98) else { panic!("the last") };
        assert!((budget - 0.4).abs() < 1e-12);
    }

    #[test]
    fn outside_of_what_was_run_a_curve_is_as_at_its_ends() {
        let curve = [0.9, 0.96, 0.98];
        assert!((quality_at(&BUDGETS, &curve, 0.05) - 0.9).abs() < 1e-12);
        assert!((quality_at(&BUDGETS, &curve, 0.9) - 0.98).abs() < 1e-12);
    }

    #[test]
    fn of_a_family_the_best_at_each_budget_counts() {
        assert_eq!(best(&[0.5, 0.6, 0.4, 0.7], 2), [0.5, 0.7]);
        assert_eq!((family_of("SBR at 0.3"), family_of("SBR")), ("SBR", "SBR"));
    }
}
