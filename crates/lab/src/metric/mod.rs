//! Numbers about a run, taken at the end of every cycle with the truth in hand.

/// How the values of single cycles become one value of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their mean, over the cycles where the metric is defined.
    Mean,
    /// Their sum.
    Sum,
}

impl Aggregate {
    /// The aggregate of `values`; `None` where there are none.
    pub fn of(self, values: impl Iterator<Item = f64>) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0_usize);
        for value in values {
            sum += value;
            count += 1;
        }
        match self {
            _ if count == 0 => None,
            Self::Sum => Some(sum),
            Self::Mean => Some(sum / count as f64),
        }
    }
}

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It says what was spent, not how well.
    Neither,
}

/// One number about a run.
pub struct Metric {
    /// The name used in results.
    pub name: &'static str,
    /// What it is, in one line for a reader of the report.
    pub meaning: &'static str,
    /// How cycles add up.
    pub aggregate: Aggregate,
    /// Which way is better.
    pub better: Better,
}

/// Every metric, in the order of tables.
pub const METRICS: &[Metric] = &[
    Metric {
        name: "freshness",
        meaning: "share of held pages that are as on the live web, just after the visits",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "freshness_mean",
        meaning: "the same, averaged over the time until the next cycle",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "weighted_freshness",
        meaning: "freshness weighted by PageRank",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "age",
        meaning: "days a held page has been wrong, on average, 0 for fresh pages",
        aggregate: Aggregate::Mean,
        better: Better::Lower,
    },
    Metric {
        name: "change_ratio",
        meaning: "share of refresh visits that found a change",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "weighted_change_ratio",
        meaning: "PageRank of the changed pages found, per refresh visit (2007 form)",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "weighted_change_ratio_2010",
        meaning: "PageRank of the changed pages found, per changed page (2010 form)",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "coverage",
        meaning: "held pages that are alive, per page alive",
        aggregate: Aggregate::Mean,
        better: Better::Higher,
    },
    Metric {
        name: "changes_caught",
        meaning: "refresh visits that found a change",
        aggregate: Aggregate::Sum,
        better: Better::Higher,
    },
    Metric {
        name: "visits",
        meaning: "all visits, first visits included",
        aggregate: Aggregate::Sum,
        better: Better::Neither,
    },
];
