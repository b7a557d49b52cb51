//! The table of papers, and what a paper consists of.
use crate::{
    analysis::{Analysis, WebFilter},
    dasgupta_2007,
    evidence::Evidence,
    pandey_2005, radinsky_2013, tan_2007, tan_2010,
    verdict::SubClaim,
};

/// Every paper. A new one is a folder and a line here.
pub static PAPERS: &[&Paper] = &[
    &dasgupta_2007::PAPER,
    &pandey_2005::PAPER,
    &radinsky_2013::PAPER,
    &tan_2007::PAPER,
    &tan_2010::PAPER,
];

/// A paper.
#[derive(Debug)]
pub struct Paper {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Authors, venue and year.
    pub reference: &'static str,
    /// Its claims.
    pub claims: &'static [Claim],
    /// Its analyses.
    pub analyses: &'static [Analysis],
    /// Its selections of webs.
    pub filters: &'static [WebFilter],
    /// Its experiment file, which users can copy and change.
    pub experiment: &'static str,
}

/// A claim of a paper.
#[derive(Debug)]
pub struct Claim {
    /// Its name, as in `docs/papers.md`.
    pub id: &'static str,
    /// The claim in one sentence.
    pub text: &'static str,
    /// The parts of the experiment that it needs.
    pub parts: &'static [&'static str],
    /// The numbers of the paper, or a note that it has only a figure.
    pub paper: &'static str,
    /// Judges its parts on one kind of web: always the same number of them, in the same order.
    pub judge: fn(&Evidence<'_>) -> Vec<SubClaim>,
}

/// The paper of this name.
pub fn by_id(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id == id).copied()
}

/// The analysis of this name, of whichever paper.
pub fn analysis(name: &str) -> Option<&'static Analysis> {
    analyses().find(|analysis| analysis.name == name)
}

/// The analyses of all papers.
pub(crate) fn analyses() -> impl Iterator<Item = &'static Analysis> {
    PAPERS.iter().flat_map(|paper| paper.analyses)
}

/// The filter of this name, of whichever paper.
pub(crate) fn filter(name: &str) -> Option<&'static WebFilter> {
    filters().find(|filter| filter.name == name)
}

/// The filters of all papers.
pub(crate) fn filters() -> impl Iterator<Item = &'static WebFilter> {
    PAPERS.iter().flat_map(|paper| paper.filters)
}
