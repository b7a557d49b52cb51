//! The settings of an experiment.
use std::path::PathBuf;

use crawl::Span;
use instruments::weights::Weights;

use super::Contender;
use crate::{quality::Queries, synthetic::Spec};

/// The settings of an experiment, complete and validated.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The webs to run on.
    pub webs: Vec<WebSource>,
    /// The time from one cycle to the next.
    pub cycle: Span,
    /// The number of cycles; `None` for as many as fit into each web.
    pub cycles: Option<usize>,
    /// The number of cycles at the beginning that are not measured.
    pub warm_up: usize,
    /// Budgets as written: a share of the pages alive at the start if below 1, else visits per
    /// cycle.
    pub budgets: Vec<f64>,
    /// Policies and oracles.
    pub policies: Vec<Contender>,
    /// Seeds of the policies.
    pub seeds: Vec<u64>,
    /// The name of the change detector.
    pub detector: String,
    /// Which pages take part.
    pub pages: PageSet,
    /// What is held at the start.
    pub start: Start,
    /// The source of the query workload.
    pub queries: Queries,
    /// Whether half of the queries is known to policies and not used for evaluation.
    pub halves: bool,
    /// What pages are worth, for policies that weigh pages by what the user says.
    pub weights: Weights,
    /// Whether to compute metrics that need `PageRank`, which dominates the run time on large webs.
    pub weighted: bool,
    /// The settings with the keys of an experiment file, for the report.
    pub settings: Vec<(String, String)>,
}

impl Experiment {
    /// The default settings for one web with cycles of this length, without policies and budgets:
    /// fixed pages, all held at the start, and the `digest` detector.
    pub fn new(web: WebSource, cycle: Span) -> Self {
        Self {
            webs: vec![web],
            cycle,
            cycles: None,
            warm_up: 0,
            budgets: vec![],
            policies: vec![],
            seeds: vec![],
            detector: "digest".to_owned(),
            pages: PageSet::Fixed,
            start: Start::Synchronised,
            queries: Queries::None,
            halves: false,
            weights: Weights::default(),
            weighted: true,
            settings: vec![],
        }
    }
}

/// A web to run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebSource {
    /// A trace file.
    Trace(PathBuf),
    /// Several trace files joined to one web of many sites.
    Together(Vec<PathBuf>),
    /// A synthetic web.
    Synthetic(Spec),
}

/// Which pages take part in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageSet {
    /// Only pages alive at the start; links to others are ignored.
    Fixed,
    /// Links are followed, and first visits cost budget.
    Growing,
}

/// What is held at the start of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Every page alive at the start.
    Synchronised,
    /// Nothing; only these addresses are known.
    Empty(Vec<String>),
}

/// Parses a length of time such as `12h`, `1d` or `2w`.
pub fn cycle_length(word: &str) -> Option<Span> {
    let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (number, unit) = word.split_at(digits);
    let hours = match unit {
        "h" => 1,
        "d" => 24,
        "w" => 7 * 24,
        _ => return None,
    };
    let number = number.parse::<i64>().ok().filter(|number| (1..=100_000).contains(number))?;
    Some(Span::from_millis(number * hours * 3_600_000))
}

/// A budget in visits per cycle, on a web with this number of pages at its start.
pub fn visits_per_cycle(budget: f64, pages_at_start: usize) -> u32 {
    if budget < 1.0 {
        // Rounded down, at least one.
        ((budget * pages_at_start as f64).floor() as u32).max(1)
    } else {
        budget as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_below_one_is_a_share_of_the_pages_rounded_down_and_at_least_one() {
        assert_eq!(visits_per_cycle(0.05, 878), 43);
        assert_eq!(visits_per_cycle(0.001, 878), 1);
        assert_eq!(visits_per_cycle(1.0, 878), 1);
        assert_eq!(visits_per_cycle(5_000.0, 878), 5_000);
    }
}
