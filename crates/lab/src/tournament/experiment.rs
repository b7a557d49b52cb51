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
    /// How the experiment of a paper differs from the defaults of a tournament.
    pub paper: PaperSetting,
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
            paper: PaperSetting::default(),
            settings: vec![],
        }
    }
}

/// How the experiments of papers differ from the defaults of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaperSetting {
    /// Cycles at the beginning in which every page is visited, whatever the budget (Tan and Mitra 2010:
    /// dynamic features compare two snapshots).
    pub full_cycles: usize,
    /// Whether only pages take part that are there all the time and change at least once (Pandey and
    /// Olston 2005, the second data set).
    pub only_changed: bool,
    /// Whether results are scored by the in-links that pages have at the start (Pandey and Olston 2005
    /// take them from a search engine, once). With growing pages it has no effect.
    pub fixed_in_links: bool,
    /// Whether relevance is judged in two steps, as by the people of Tan and Mitra 2010: by what the local
    /// copy shows, then by the live page. Relevant is then a page whose title or headings have every
    /// word of the query, both as it is held and as it is live. Without it, relevant is what the live web
    /// shows among its first results.
    pub two_step_relevance: bool,
}

/// A web to run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebSource {
    /// A trace file.
    Trace(PathBuf),
    /// Several trace files joined to one web of many sites.
    Together(Vec<PathBuf>),
    /// The same with a limit on the pages of a site.
    Repository(Repository),
    /// A synthetic web.
    Synthetic(Spec),
}

/// A repository of some pages of each of several sites, so that no site is most of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Its name in results.
    pub name: String,
    /// The trace files, which must be of different sites: see
    /// [`distinct_traces`](super::distinct_traces). Of a page that two of them have, the first counts.
    pub traces: Vec<PathBuf>,
    /// The most pages of a site: of those alive at its start its front page, then others in the order
    /// of a hash of their addresses.
    pub pages: usize,
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
