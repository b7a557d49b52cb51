//! Metrics of a run, measured at the end of every cycle against the ground truth.
//!
//! One file per subject; [`METRICS`] is the table of all metrics.
mod change;
mod coverage;
mod discovery;
mod freshness;
mod search;

use crate::inspect::Inspection;

/// A metric of a run.
pub struct Metric {
    /// The name used in results.
    pub name: &'static str,
    /// Its meaning, in one line for a reader of the report.
    pub meaning: &'static str,
    /// How the values of cycles are combined.
    pub aggregate: Aggregate,
    /// Which direction is better.
    pub better: Better,
    /// Its value in one cycle; `None` if it is undefined, such as a ratio of no visits.
    pub take: fn(&Inspection<'_>) -> Option<f64>,
}

/// How the values of cycles become the value of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their mean, over the cycles where the metric is defined.
    Mean,
    /// Their sum.
    Sum,
    /// The sum of one metric divided by the sum of another, both by name.
    Quotient(&'static str, &'static str),
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It is a cost, not a quality.
    Neither,
}

/// Every metric, in the order of tables.
pub static METRICS: &[Metric] = &[
    Metric {
        name: "freshness",
        meaning: "share of held pages that are as on the live web, just after the visits",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: freshness::freshness,
    },
    Metric {
        name: "freshness_mean",
        meaning: "the same, averaged over the time until the next cycle",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: freshness::freshness_mean,
    },
    Metric {
        name: "weighted_freshness",
        meaning: "freshness weighted by PageRank",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: freshness::weighted_freshness,
    },
    Metric {
        name: "age",
        meaning: "days a held page has been wrong, on average, 0 for fresh pages",
        aggregate: Aggregate::Mean,
        better: Better::Lower,
        take: freshness::age,
    },
    Metric {
        name: "change_ratio",
        meaning: "share of refresh visits that found a change",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: change::change_ratio,
    },
    Metric {
        name: "weighted_change_ratio",
        meaning: "PageRank of the changed pages found, per refresh visit (2007 form)",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: change::weighted_change_ratio,
    },
    Metric {
        name: "weighted_change_ratio_2010",
        meaning: "PageRank of the changed pages found, per changed page (2010 form)",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: change::weighted_change_ratio_2010,
    },
    Metric {
        name: "coverage",
        meaning: "held pages that are alive, per page alive",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: coverage::coverage,
    },
    Metric {
        name: "changes_caught",
        meaning: "refresh visits that found a change",
        aggregate: Aggregate::Sum,
        better: Better::Higher,
        take: change::changes_caught,
    },
    Metric {
        name: "visits",
        meaning: "all visits, first visits included",
        aggregate: Aggregate::Sum,
        better: Better::Neither,
        take: change::visits,
    },
    Metric {
        name: "quality_tf_idf",
        meaning: "repository quality by TF-IDF: what its answers are worth, of what the live web's are",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::quality_tf_idf,
    },
    Metric {
        name: "quality_in_links",
        meaning: "the same with pages scored by the number of links to them",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::quality_in_links,
    },
    Metric {
        name: "quality_blend",
        meaning: "the same with pages scored half by TF-IDF and half by PageRank",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::quality_blend,
    },
    Metric {
        name: "freshness_at_10",
        meaning: "freshness of the first 10 results by the blend, weighted by the chance of being viewed",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::freshness_at_10,
    },
    Metric {
        name: "freshness_at_10_literal",
        meaning: "the same as printed in the paper, which divides by 10 again",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::freshness_at_10_literal,
    },
    Metric {
        name: "precision_at_10",
        meaning: "average precision of the first 10 results by the blend, relevance judged automatically: \
                  relevant is what the live web shows among its first 10",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::precision_at_10,
    },
    Metric {
        name: "precision_at_10_literal",
        meaning: "the same as printed in the paper, a sum of up to 10, relevance judged automatically",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: search::precision_at_10_literal,
    },
    Metric {
        name: "embarrassment",
        meaning: "chance that a click on a result meets a page that is gone or lacks a word of the query",
        aggregate: Aggregate::Mean,
        better: Better::Lower,
        take: search::embarrassment,
    },
    Metric {
        name: "new_coverage",
        meaning: "new pages that are held, per new page alive",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
        take: discovery::new_coverage,
    },
    Metric {
        name: "undiscoverable",
        meaning: "new pages that no chain of links leads to from anything held, per new page alive",
        aggregate: Aggregate::Mean,
        better: Better::Lower,
        take: discovery::undiscoverable,
    },
    Metric {
        name: "overhead",
        meaning: "visits besides first visits of new pages, per new page found in a cycle",
        aggregate: Aggregate::Mean,
        better: Better::Lower,
        take: discovery::overhead,
    },
    Metric {
        name: "overhead_of_sums",
        meaning: "the same for all cycles together",
        aggregate: Aggregate::Quotient("searching_visits", "new_pages"),
        better: Better::Lower,
        take: discovery::overhead,
    },
    Metric {
        name: "delay",
        meaning: "days from the birth of a new page to its first visit",
        aggregate: Aggregate::Quotient("waited_days", "new_pages"),
        better: Better::Lower,
        take: discovery::delay,
    },
    Metric {
        name: "new_per_visit",
        meaning: "new pages found per visit",
        aggregate: Aggregate::Quotient("new_pages", "visits"),
        better: Better::Higher,
        take: discovery::new_per_visit,
    },
    Metric {
        name: "new_pages",
        meaning: "new pages held for the first time",
        aggregate: Aggregate::Sum,
        better: Better::Higher,
        take: discovery::new_pages,
    },
    Metric {
        name: "searching_visits",
        meaning: "visits besides first visits of new pages",
        aggregate: Aggregate::Sum,
        better: Better::Neither,
        take: discovery::searching_visits,
    },
    Metric {
        name: "waited_days",
        meaning: "days from birth to first visit, of all new pages found",
        aggregate: Aggregate::Sum,
        better: Better::Neither,
        take: discovery::waited_days,
    },
];

/// The row of a metric in [`METRICS`].
pub fn by_name(name: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.name == name)
}

/// The value of a metric over several cycles; `None` if it is undefined in all of them.
///
/// # Panics
///
/// If a quotient names a metric that does not exist; a test rules that out.
pub fn over_cycles(metric: usize, cycles: &[Vec<Option<f64>>]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_usize);
    for value in cycles.iter().filter_map(|cycle| cycle[metric]) {
        sum += value;
        count += 1;
    }
    match METRICS[metric].aggregate {
        Aggregate::Quotient(part, whole) => {
            let of = |name| over_cycles(by_name(name).expect("a metric of the table"), cycles);
            ratio(of(part)?, of(whole)?)
        }
        _ if count == 0 => None,
        Aggregate::Sum => Some(sum),
        Aggregate::Mean => Some(sum / count as f64),
    }
}

/// `part / whole`; undefined if `whole` is 0.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
