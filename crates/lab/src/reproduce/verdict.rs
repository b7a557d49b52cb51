//! Verdicts: what a claim comes to on one kind of web, and by which rule.
//!
//! The rules are in [`RULES`], in the words of the report; `rules.rs` has a function for each.
use super::plan::WebKind;
use crate::report::stats::{Interval, Score};

/// How verdicts are reached, in the words of the report.
pub const RULES: &[&str] = &[
    "A is above B: MET when the difference is above 0 and its 95 % interval by site does not hold 0.",
    "A is like B: MET when the difference is at most 0.005, or its 95 % interval by site holds 0; the \
     verdict says which.",
    "A is about k times B: MET when A / B is at least three quarters of k and its 95 % interval by site \
     lies above 1.",
    "The highest is at one of some places: the best of these is above the best of all others, by the \
     first rule.",
    "A claim of several parts is MET when all of its parts are, NOT MET when any of them is not, and \
     else NOT TESTABLE.",
    "By site: sites are drawn again 10,000 times, never pages or cycles. On traces together the ratio \
     of sums over the sites drawn is taken in every cycle, then the mean over cycles.",
    "Traces together decide, as the papers crawl one repository of many sites. What searchers see \
     belongs to no one site there and has no interval by site: for such parts the sites one by one \
     decide, or the made-up webs where sampling by site is compared, which needs webs of several sites.",
    "Discovery by links is judged on sites one by one, by ratios of sums over sites and weeks. A share is \
     the paper's when it is within 0.1 of it or its interval by site holds it, an overhead when it is \
     within a factor of 2.",
    "Forecasts are judged on sites one by one, by means over pages of their means over days. A site that is \
     drawn again counts with all of its pages; days of one page, whose windows overlap, are never drawn.",
];

/// What a claim or a part of it comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Met,
    /// It does not.
    NotMet,
    /// It cannot be told, and why.
    NotTestable(String),
}

impl Outcome {
    /// In the words of reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::NotMet => "not met",
            Self::NotTestable(_) => "not testable",
        }
    }

    /// What several parts come to.
    fn of_all<'o>(outcomes: impl Iterator<Item = &'o Self>) -> Self {
        let mut all = Self::Met;
        for outcome in outcomes {
            match (outcome, &all) {
                (Self::NotMet, _) => return Self::NotMet,
                (Self::NotTestable(why), Self::Met) => all = Self::NotTestable(why.clone()),
                _ => {}
            }
        }
        all
    }
}

/// One part of a claim, judged on one kind of web.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// What it says.
    pub what: String,
    /// What the paper gives for it.
    pub paper: String,
    /// What it comes to.
    pub outcome: Outcome,
    /// What was found, in words.
    pub number: String,
    /// The 95 % interval by site of what the rule looks at.
    pub interval: Option<Interval>,
    /// How the verdict was reached.
    pub explanation: String,
    /// The kind of web that decides.
    pub decides: WebKind,
    /// Tests beside the interval, where two policies are compared.
    pub tests: Tests,
}

/// Tests beside an interval; none of them is used in a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tests {
    /// On how many sites the first was ahead, equal or behind.
    pub score: Option<Score>,
    /// Wilcoxon's signed-rank p-value by site.
    pub wilcoxon: Option<f64>,
    /// The same by Holm over all comparisons of the paper on this kind of web.
    pub holm: Option<f64>,
    /// The paper's own t over cycles, which finds differences too easily.
    pub t: Option<f64>,
    /// The smallest true difference that this many sites would show four times of five.
    pub detectable: Option<f64>,
}

/// A claim, judged on one kind of web.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What it comes to.
    pub outcome: Outcome,
    /// What was found, in words.
    pub number: String,
    /// The interval of the one number, where there is one.
    pub interval: Option<Interval>,
    /// What the paper gives.
    pub paper: String,
    /// How the verdict was reached.
    pub explanation: String,
    /// Its parts.
    pub pieces: Vec<Piece>,
}

/// So many parts that fail are named; a table has them all.
const NAMED: usize = 5;

impl Verdict {
    /// What its parts come to.
    pub fn of(paper: &str, pieces: Vec<Piece>) -> Self {
        let outcome = match pieces.as_slice() {
            [] => Outcome::NotTestable("nothing was measured".to_owned()),
            some => Outcome::of_all(some.iter().map(|piece| &piece.outcome)),
        };
        let count =
            |wanted: &str| pieces.iter().filter(|piece| piece.outcome.name() == wanted).count();
        let (met, not_met, all) = (count("met"), count("not met"), pieces.len());
        let not_testable = all - met - not_met;
        let paper = paper.to_owned();
        if let [piece] = pieces.as_slice() {
            let (number, interval) = (piece.number.clone(), piece.interval);
            let explanation = piece.explanation.clone();
            return Self { outcome, number, interval, paper, explanation, pieces };
        }
        let mut number = format!("{met} of {all} parts hold");
        if not_testable > 0 {
            number = format!("{number}, {not_testable} not testable");
        }
        let failing = || {
            let some = pieces.iter().filter(|piece| piece.outcome == Outcome::NotMet);
            let some: Vec<&str> = some.take(NAMED).map(|piece| piece.what.as_str()).collect();
            let more = if not_met > NAMED {
                format!("; and {} more", not_met - NAMED)
            } else {
                String::new()
            };
            format!("{}{more}", some.join("; "))
        };
        let explanation = match &outcome {
            Outcome::Met => "all parts hold".to_owned(),
            Outcome::NotMet => format!("does not hold: {}", failing()),
            Outcome::NotTestable(why) => format!("no part fails, but {why}"),
        };
        Self { outcome, number, interval: None, paper, explanation, pieces }
    }
}
