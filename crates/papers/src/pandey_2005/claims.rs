//! P1 to P6: the claims of the paper; O1 to O3: the same where policies do not know the future.
//!
//! The paper reads budgets off its curves at equal quality. As quality rises with the budget, a policy
//! that needs less budget at every quality has more quality at every budget. This is judged at the
//! budgets that were run, with an interval by site.
use lab::report::{stats::SHARE_MARGIN, words};

use crate::{
    budget_needed::{Needed, best, budget_for, quality_at},
    evidence::{Evidence, Query},
    pandey_2005::predictability::{CORRELATION, NEAR, SCORINGS},
    paper::Claim,
    rules::{
        FIGURE_ONLY,
        Rule::{Above, AtLeast},
        Statement, against, alike, compare, estimated, highest, or_untestable, short, untestable,
    },
    sample::{Sample, combined, values},
    verdict::SubClaim,
};

/// The budgets of the parts, as shares of the pages.
const BUDGETS: [f64; 5] = [0.01, 0.02, 0.05, 0.1, 0.2];

/// The panels: their names, and the metric of each.
const PANELS: [(&str, &str); 2] = [("tf-idf", "quality_tf_idf"), ("in-links", "quality_in_links")];

const HINDSIGHT_SBR: [&str; 6] =
    ["SBR at 0", "SBR at 0.1", "SBR at 0.3", "SBR at 0.5", "SBR at 0.7", "SBR at 0.9"];
const HINDSIGHT_EBR: [&str; 5] =
    ["EBR at 0.1", "EBR at 0.3", "EBR at 0.5", "EBR at 0.7", "EBR at 0.9"];
const CAUSAL_SBR: [&str; 2] = ["SBR at 0", "SBR at 0.5"];
const CAUSAL_EBR: [&str; 2] = ["EBR at 0.1", "EBR at 0.5"];

/// The quality of the rivals, and the quality that user-centric refreshing must exceed with the same
/// budget.
const RIVALS_AT: f64 = 0.95;
const ABOVE: f64 = 0.99;

/// The claims of the paper, and ours.
pub(crate) static CLAIMS: &[Claim] = &[
    Claim {
        id: "P1",
        text: "Measuring what refreshes do to answers adds 7 to 8 % to the time of indexing.",
        parts: &[],
        paper: "7 to 8 %",
        judge: overhead,
    },
    Claim {
        id: "P2",
        text: "The impact of a page's changes in the first half of the weeks is close to that in the \
               second.",
        parts: &["figure-3"],
        paper: "figure only: dots close to the diagonal",
        judge: predictability,
    },
    Claim {
        id: "P3",
        text: "At every quality user-centric refreshing needs less budget than SBR and EBR with their \
               best thresholds, by both scoring functions (all fitted in hindsight).",
        parts: &["figure-4-tf-idf", "figure-4-in-links"],
        paper: "figure only: substantially fewer resources",
        judge: less_budget,
    },
    Claim {
        id: "P4",
        text: "There is a budget with which SBR and EBR reach about 95 % and user-centric refreshing \
               more than 99 %.",
        parts: &["figure-4-tf-idf", "figure-4-in-links"],
        paper: "one scenario",
        judge: higher_quality,
    },
    Claim {
        id: "P5",
        text: "The number of pieces of the function from score to rank does not matter.",
        parts: &["pieces"],
        paper: "in words only",
        judge: numbers_of_pieces,
    },
    Claim {
        id: "P6",
        text: "Age-based refreshing is below SBR in quality.",
        parts: &["figure-4-tf-idf", "figure-4-in-links"],
        paper: "in words only",
        judge: age,
    },
    Claim {
        id: "O1",
        text: "P3 without knowledge of the future: where policies learn as they crawl, user-centric refreshing is above SBR and EBR at every budget.",
        parts: &["causal-tf-idf", "causal-in-links"],
        paper: "not in the paper",
        judge: causal,
    },
    Claim {
        id: "O2",
        text: "Where policies learn as they crawl, user-centric-index is above user-centric at every budget.",
        parts: &["causal-tf-idf", "causal-in-links"],
        paper: "not in the paper",
        judge: index,
    },
    Claim {
        id: "O3",
        text: "Where policies learn as they crawl, user-centric-index is above every policy that does not measure impact, at every budget: those that know nothing of searchers, and EBR by clicks.",
        parts: &["causal-tf-idf", "causal-in-links"],
        paper: "not in the paper",
        judge: index_above_rivals,
    },
];

fn overhead(_on: &Evidence<'_>) -> Vec<SubClaim> {
    let statement = Statement {
        what: "the time of indexing with the measurement and without",
        paper: "7 to 8 %",
    };
    let why = "the lab does not measure speed; docs/benchmarks.md compares both in one run";
    vec![untestable(&statement, why)]
}

fn predictability(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for (_, scoring) in SCORINGS {
        let what = format!("{scoring}: the rank correlation is at least 0.5");
        sub_claims.push(at_least_half(evidence, &what, &format!("{scoring}, {CORRELATION}")));
        let what = format!("{scoring}: half of the pages are within a factor of 2 of the diagonal");
        sub_claims.push(at_least_half(evidence, &what, &format!("{scoring}, {NEAR}")));
    }
    sub_claims
}

/// The mean over webs of a line of figure 3 is at least one half.
fn at_least_half(evidence: &Evidence<'_>, what: &str, line: &str) -> SubClaim {
    let statement = Statement { what, paper: FIGURE_ONLY };
    let found = evidence.series("figure-3", line).and_then(|series| {
        let values = series.values();
        let sample = Sample::Values(values.iter().map(|point| Some(point.1)).collect());
        let mean = combined(&[&sample], |values| values[0])
            .ok_or_else(|| "no page has any impact".to_owned())?;
        let explanation = format!("mean over {} webs; ours is the 0.5", values.len());
        Ok(estimated(&statement, mean, AtLeast(0.5), &explanation))
    });
    or_untestable(&statement, found)
}

/// The quality of a label in a part with one of the budgets.
fn quality_of(part: &str, label: &str, metric: &'static str, budget: usize) -> (String, Query) {
    (label.to_owned(), Query::new(part, label).metric(metric).budget(budget))
}

/// In both panels and with every budget, one label is above the best of others.
fn above_all(
    evidence: &Evidence<'_>,
    part: &str,
    ours: &str,
    rivals: &[(&str, &[&str])],
) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for (panel, metric) in PANELS {
        let part = format!("{part}-{panel}");
        for (name, labels) in rivals {
            for (place, budget) in BUDGETS.iter().enumerate() {
                let of = |label: &str| quality_of(&part, label, metric, place);
                let what =
                    format!("{panel}, budget {}: {ours} is above {name}", words::short(*budget));
                let statement = Statement { what: &what, paper: FIGURE_ONLY };
                let rivals: Vec<(String, Query)> = labels.iter().map(|label| of(label)).collect();
                sub_claims.push(highest(evidence, &statement, &[of(ours)], &rivals));
            }
        }
    }
    sub_claims
}

fn less_budget(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    above_all(evidence, "figure-4", "UC", &[("SBR", &HINDSIGHT_SBR), ("EBR", &HINDSIGHT_EBR)])
}

fn causal(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    above_all(evidence, "causal", "UC", &[("SBR", &CAUSAL_SBR), ("EBR", &CAUSAL_EBR)])
}

fn index(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    above_all(evidence, "causal", "UCI", &[("UC", &["UC", "UC sums"])])
}

fn index_above_rivals(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let others = [&CAUSAL_SBR[..], &CAUSAL_EBR[..], &["ABR", "FI", "RR"]].concat();
    let rivals: [(&str, &[&str]); 2] =
        [("SBR, EBR, ABR, FI and RR", &others), ("EBR by clicks", &["EBR clicks"])];
    above_all(evidence, "causal", "UCI", &rivals)
}

fn age(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for (panel, metric) in PANELS {
        let part = format!("figure-4-{panel}");
        for (place, budget) in BUDGETS.iter().enumerate() {
            let of = |label: &'static str| (label, quality_of(&part, label, metric, place).1);
            let what = format!("{panel}, budget {}: ABR is below SBR", words::short(*budget));
            sub_claims.push(compare(Above, evidence, &what, of("SBR at 0"), of("ABR")));
        }
    }
    sub_claims
}

fn higher_quality(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let of_panel = |(panel, metric): (&str, &'static str)| {
        let what = format!("{panel}: where the better of SBR and EBR has 0.95, UC is above 0.99");
        let statement = Statement { what: &what, paper: "about 95 % and over 99 %" };
        let part = format!("figure-4-{panel}");
        let curve = |labels: &[&str]| -> Result<Vec<Sample>, String> {
            let places =
                labels.iter().flat_map(|label| (0..BUDGETS.len()).map(move |b| (label, b)));
            places
                .map(|(label, b)| evidence.sample(&quality_of(&part, label, metric, b).1))
                .collect()
        };
        let rivals = [&HINDSIGHT_SBR[..], &HINDSIGHT_EBR[..]].concat();
        let found = curve(&["UC"]).and_then(|ours| {
            let samples = [ours, curve(&rivals)?].concat();
            let samples: Vec<&Sample> = samples.iter().collect();
            let ours_there = |values: &[f64]| {
                let (ours, rivals) = values.split_at(BUDGETS.len());
                match budget_for(&BUDGETS, &best(rivals, BUDGETS.len()), RIVALS_AT) {
                    Needed::Budget(budget) => quality_at(&BUDGETS, ours, budget),
                    Needed::AtMost(_) | Needed::NotReached => f64::NAN,
                }
            };
            let quality = combined(&samples, ours_there).ok_or_else(|| nowhere(&samples))?;
            let explanation =
                "the quality of UC with that budget, between the budgets that were run";
            Ok(estimated(&statement, quality, AtLeast(ABOVE), explanation))
        });
        or_untestable(&statement, found)
    };
    PANELS.map(of_panel).into()
}

/// Why the rivals have the wanted quality with no budget; `samples` has our curve first, then theirs.
fn nowhere(samples: &[&Sample]) -> String {
    let rivals = values(&samples[BUDGETS.len()..]).map(|rivals| best(&rivals, BUDGETS.len()));
    match rivals.as_deref() {
        Some([smallest, ..]) if *smallest >= RIVALS_AT => format!(
            "with the smallest budget the better of SBR and EBR has {} already",
            short(*smallest)
        ),
        _ => "with none of the budgets do SBR and EBR come to 0.95".to_owned(),
    }
}

fn numbers_of_pieces(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut found = vec![];
    for (panel, metric) in PANELS {
        let label = format!("UC by {panel}");
        for (place, budget) in [0.05, 0.2].into_iter().enumerate() {
            let of =
                |pieces: i64| Query::new("pieces", &label).metric(metric).budget(place).at(pieces);
            for other in [1, 2, 5, 8] {
                let what =
                    format!("{panel}, budget {}: {other} pieces are like 3", words::short(budget));
                let statement = Statement { what: &what, paper: "in words only" };
                let pair =
                    against(evidence, (&format!("{other} pieces"), of(other)), ("3 pieces", of(3)));
                found.push(alike(&statement, &pair, SHARE_MARGIN));
            }
        }
    }
    found
}
