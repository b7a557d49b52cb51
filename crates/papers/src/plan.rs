//! The plan of a reproduction: parts, one for each figure, on kinds of webs.
use std::fmt;

use crawl::Span;
use lab::{
    metric::METRICS,
    synthetic::{Kind, Spec},
    tournament::{Contender, PageSet, PaperSetting},
};

use crate::{
    analysis::{Analysis, WebFilter},
    paper::Paper,
};

/// The experiments of one paper.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The paper whose claims are judged; `None` for figures only.
    pub paper: Option<&'static Paper>,
    /// The name of the change detector.
    pub detector: String,
    /// The paper's own world: synthetic webs.
    pub world: World,
    /// How repositories are drawn from recorded sites.
    pub repositories: Repositories,
    /// The parts, in the order of the report.
    pub parts: Vec<Part>,
}

/// A paper's own world: synthetic webs that are made to its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// How their pages change.
    pub kind: Kind,
    /// Pages of each.
    pub pages: usize,
    /// The seed of each.
    pub seeds: Vec<u64>,
    /// Their length.
    pub weeks: u32,
}

impl World {
    /// The webs.
    pub fn specs(&self) -> Vec<Spec> {
        let Self { kind, pages, weeks, .. } = *self;
        let spec = |&seed: &u64| Spec { kind, pages, seed, weeks };
        self.seeds.iter().map(spec).collect()
    }
}

/// How repositories are drawn from recorded sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repositories {
    /// Pairs of repositories; the two of a pair have all sites between them.
    pub pairs: usize,
    /// The most pages of a site.
    pub pages: usize,
}

/// One figure or table of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name on the command line and in claims.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The figure of the paper.
    pub figure: String,
    /// A note for the reader.
    pub note: String,
    /// The kinds of web.
    pub webs: Vec<WebKind>,
    /// The work.
    pub work: Work,
}

/// A kind of web.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebKind {
    /// Repositories of many recorded sites, as in the papers.
    Together,
    /// Every trace by itself.
    Sites,
    /// The paper's own world: synthetic webs.
    World,
}

impl WebKind {
    /// Every kind, in the order of the report.
    pub const ALL: [Self; 3] = [Self::Together, Self::Sites, Self::World];

    /// The kind of this name in an experiment file.
    pub fn by_name(name: &str) -> Option<Self> {
        // The name of files written before worlds were of other kinds than clustered ones.
        let name = if name == "clustered" { "world" } else { name };
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Together => "together",
            Self::Sites => "sites",
            Self::World => "world",
        }
    }
}

impl fmt::Display for WebKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The work of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Policies are run.
    Runs(Runs),
    /// The webs themselves are analysed.
    Analysis {
        /// The analysis.
        analysis: &'static Analysis,
        /// The maximum number of queries; 0 for none.
        queries: usize,
    },
}

/// Runs: policies x cycle lengths x budgets x seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// Times from one cycle to the next, from short to long.
    pub cycle: Vec<Span>,
    /// The number of cycles; `None` for as many as fit into each web.
    pub cycles: Option<usize>,
    /// Budgets, from small to large.
    pub budgets: Vec<f64>,
    /// Seeds of the policies.
    pub seeds: Vec<u64>,
    /// The policies.
    pub policies: Vec<LabelledPolicy>,
    /// The horizontal axis of the figure.
    pub axis: Axis,
    /// The metrics, as rows of [`METRICS`]; the first is the one of the figure in the paper.
    pub metrics: Vec<usize>,
    /// The maximum number of queries; 0 for none.
    pub queries: usize,
    /// Whether half of the queries is known to policies and not used for evaluation.
    pub halves: bool,
    /// Which pages take part.
    pub pages: PageSet,
    /// How the paper's experiment differs from the defaults of a tournament.
    pub paper: PaperSetting,
    /// Selects the webs; all are used without it.
    pub filter: Option<&'static WebFilter>,
}

impl Runs {
    /// The names of the metrics.
    pub fn metric_names(&self) -> Vec<&'static str> {
        self.metrics.iter().map(|metric| METRICS[*metric].name).collect()
    }
}

/// A policy with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPolicy {
    /// Its name in the paper and the report.
    pub label: String,
    /// The policy or oracle.
    pub policy: Contender,
    /// Its value of the parameter on the axis.
    pub x: Option<i64>,
}

/// The horizontal axis of a figure.
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
