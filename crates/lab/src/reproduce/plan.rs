//! What is to be done to reproduce a paper: its parts, one for each figure, on kinds of webs.
use std::fmt;

use flow::Span;

use super::paper::Paper;
use crate::{
    metric::METRICS,
    synthetic::{Kind, Spec},
    tournament::PageSet,
};

/// The experiments of one paper.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The paper whose claims are judged; `None` where only figures are wanted.
    pub paper: Option<&'static Paper>,
    /// What counts as a change, by name.
    pub detector: String,
    /// The made-up webs.
    pub clustered: Clustered,
    /// What is done, in the order of the report.
    pub parts: Vec<Part>,
}

/// The made-up webs; unless another kind is named, those on which the pages of one directory change alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clustered {
    /// How their pages change.
    pub kind: Kind,
    /// Pages of each.
    pub pages: usize,
    /// What each is drawn from.
    pub seeds: Vec<u64>,
    /// How long they are watched.
    pub weeks: u32,
}

impl Clustered {
    /// The webs.
    pub fn specs(&self) -> Vec<Spec> {
        let Self { kind, pages, weeks, .. } = *self;
        let spec = |&seed: &u64| Spec { kind, pages, seed, weeks };
        self.seeds.iter().map(spec).collect()
    }
}

/// One figure or table of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is called by, on the command line and in claims.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Which figure of the paper it is, in the paper's words.
    pub figure: String,
    /// What a reader must know besides.
    pub note: String,
    /// What it is done on.
    pub webs: Vec<WebKind>,
    /// What is done.
    pub work: Work,
}

/// The kinds of web that a part is done on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebKind {
    /// All traces as one web, as in the papers.
    Together,
    /// Every trace by itself.
    Sites,
    /// Made-up webs.
    Clustered,
}

impl WebKind {
    /// Every kind, in the order of the report.
    pub const ALL: [Self; 3] = [Self::Together, Self::Sites, Self::Clustered];

    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Together => "together",
            Self::Sites => "sites",
            Self::Clustered => "clustered",
        }
    }
}

impl fmt::Display for WebKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is done in a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Policies are run.
    Runs(Runs),
    /// Something is measured on the webs themselves.
    Survey(Surveyed),
}

/// What is measured on the webs themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// What.
    pub what: Survey,
    /// How many queries are asked at most, where it asks any.
    pub queries: usize,
}

/// What can be measured on a web beside runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survey {
    /// How much of a site is near a page, by directory and by links (2007).
    Neighbourhoods,
    /// How well pages fall into k clusters (2010, figure 1).
    Tau,
    /// How large clusters and sites are (2010, figure 2 and table II).
    Sizes,
    /// How alike the pages of a group change (2010, figure 8).
    Variation,
    /// Whether the impact of a page's changes stays what it was (2005, figure 3).
    Predictability,
    /// Pages on which policies differed, and why (2005, figure 5).
    Examples,
    /// Which sites say something about discovery by links (Dasgupta et al. 2007, section 3).
    Sites,
    /// Greedy covers of new pages (the same, figures 2 and 3).
    Covers,
    /// How large covers of most new pages are (figure 4).
    CoverSizes,
    /// How much of what two pages lead to is the same (figure 5).
    Overlap,
    /// Visits for each new page, by the share of them that is found (figure 6).
    Overhead,
    /// New pages in old and in new folders (in place of table 1 and figure 7).
    Folders,
    /// What can be found by pages that led to new ones before (section 5.5).
    History,
    /// What algorithms find that know only the past (table 2).
    Algorithms,
    /// The same by the interval of full recrawls (figures 8 and 9).
    Recrawls,
    /// The same by parameters of the algorithms (section 5.6).
    Parameters,
    /// Which pages turn often enough to be forecast (Radinsky and Bennett 2013, section 7.1).
    Labels,
    /// How often forecasts from less and from more information are right (the same, table 1).
    Forecasts,
    /// The same by the way in which experts are put together (table 2).
    Combinations,
    /// The same by the way in which experts are chosen (table 3).
    Relations,
    /// The same by how many days are learned from (figure 6).
    WindowSizes,
    /// The same by the number of experts (figure 7).
    ExpertCounts,
    /// How far chances can be trusted, and what hindsight could have said.
    Scores,
    /// Which experts are chosen for some pages (section 9.1).
    Experts,
    /// How many of the best experts are found where not all pages are tried.
    Pruning,
}

/// Every survey, by the name used in files.
pub const SURVEYS: &[(&str, Survey)] = &[
    ("neighbourhoods", Survey::Neighbourhoods),
    ("tau", Survey::Tau),
    ("sizes", Survey::Sizes),
    ("variation", Survey::Variation),
    ("predictability", Survey::Predictability),
    ("examples", Survey::Examples),
    ("sites", Survey::Sites),
    ("covers", Survey::Covers),
    ("cover-sizes", Survey::CoverSizes),
    ("overlap", Survey::Overlap),
    ("overhead", Survey::Overhead),
    ("folders", Survey::Folders),
    ("history", Survey::History),
    ("algorithms", Survey::Algorithms),
    ("recrawls", Survey::Recrawls),
    ("parameters", Survey::Parameters),
    ("labels", Survey::Labels),
    ("forecasts", Survey::Forecasts),
    ("combinations", Survey::Combinations),
    ("relations", Survey::Relations),
    ("window-sizes", Survey::WindowSizes),
    ("expert-counts", Survey::ExpertCounts),
    ("scores", Survey::Scores),
    ("experts", Survey::Experts),
    ("pruning", Survey::Pruning),
];

/// Policies x cycle lengths x budgets x seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// Times from one cycle to the next, from short to long.
    pub cycle: Vec<Span>,
    /// How many cycles; to the end of each web where not given.
    pub cycles: Option<usize>,
    /// Budgets, from small to large.
    pub budgets: Vec<f64>,
    /// Seeds of the policies.
    pub seeds: Vec<u64>,
    /// The policies.
    pub policies: Vec<Entry>,
    /// What the figure has on its horizontal axis.
    pub axis: Axis,
    /// The metrics to show, as rows of [`METRICS`]; the first is that of the paper's figure.
    pub metrics: Vec<usize>,
    /// How many queries are asked at most; 0 asks none.
    pub queries: usize,
    /// Whether half of them only tell policies which words are asked for most.
    pub halves: bool,
    /// Which pages take part. Where pages are to be found by links, webs on which old pages do not lead to
    /// most new ones are left out.
    pub pages: PageSet,
}

impl Runs {
    /// The names of the metrics.
    pub fn metric_names(&self) -> Vec<&'static str> {
        self.metrics.iter().map(|metric| METRICS[*metric].name).collect()
    }
}

/// One policy as it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the paper and the report call it.
    pub label: String,
    /// Its name with its parameters.
    pub policy: String,
    /// The value of the parameter that a range ran over.
    pub x: Option<i64>,
}

/// What a figure has on its horizontal axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The policies themselves: one value each.
    Policy,
    /// The cycles.
    Cycle,
    /// The budgets.
    Budget,
    /// The parameter of this name.
    Parameter(String),
}
