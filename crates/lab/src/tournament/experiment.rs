//! What an experiment names: the runs to compare.
use std::path::PathBuf;

use crawl::Span;

use super::Contender;
use crate::{quality::Queries, synthetic::Spec};

/// The runs to compare, checked and complete.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The webs to run on.
    pub webs: Vec<WebSource>,
    /// The time from one cycle to the next.
    pub cycle: Span,
    /// How many cycles to run; to the end of each web where not given.
    pub cycles: Option<usize>,
    /// How many cycles at the beginning are not measured.
    pub warm_up: usize,
    /// Budgets as they are written: a share of the pages alive at the start if below 1, else
    /// visits per cycle.
    pub budgets: Vec<f64>,
    /// Policies and oracles.
    pub policies: Vec<Contender>,
    /// Seeds of the policies.
    pub seeds: Vec<u64>,
    /// The change detector by name.
    pub detector: String,
    /// Which pages take part.
    pub pages: PageSet,
    /// What is held at the start.
    pub start: Start,
    /// What is asked of the repository.
    pub queries: Queries,
    /// Whether half of the queries are kept from evaluation and only tell policies which words are
    /// asked for most.
    pub halves: bool,
    /// Whether metrics that need the `PageRank` of pages are wanted. On large webs it takes longer than all
    /// else; without it they are not defined.
    pub weighted: bool,
    /// The settings as the user would write them, for the report.
    pub settings: Vec<(String, String)>,
}

impl Experiment {
    /// Runs on one web in cycles of this length with the usual settings, and no runs yet: pages of the
    /// start, all held then, compared by their text.
    pub fn of(web: WebSource, cycle: Span) -> Self {
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
    /// Several trace files as one web of many sites, whose windows all begin at one instant.
    Together(Vec<PathBuf>),
    /// A made-up web.
    Synthetic(Spec),
}

/// Which pages take part in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageSet {
    /// Only pages alive at the start; links to others are ignored.
    Fixed,
    /// Links are followed, and first visits are paid for.
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

/// The length of time that a word such as `12h`, `1d` or `2w` names.
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

/// Visits per cycle that a budget comes to on a web with so many pages at its start.
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
