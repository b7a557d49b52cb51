//! Verdicts on claims and their parts.
//!
//! The rules are in [`RULES`], in the words of the report; `rules.rs` implements them.
use lab::report::stats::{Interval, Score};

use crate::plan::WebKind;

/// The rules, in the words of the report.
pub const RULES: &[&str] = &[
    "A is above B: MET when the difference is above 0 and its 95 % interval by site excludes 0.",
    "A is like B: MET when the difference is at most 0.005, or its 95 % interval by site contains 0; \
     the verdict says which.",
    "A is about k times B: MET when A / B is at least three quarters of k and its 95 % interval by site \
     lies above 1.",
    "The highest is at one of some places: the best of these is above the best of all others, by the \
     first rule.",
    "A claim of several parts is MET when all of its parts are, NOT MET when any of them is not, and \
     NOT TESTABLE otherwise.",
    "Intervals by site: sites are resampled 10,000 times, never pages or cycles. Where all traces are one \
     web, the ratio of sums over the sampled sites is taken in every cycle, then the mean over cycles.",
    "Traces together decide, as the papers crawl one repository of many sites. Metrics of search results \
     belong to no single site there and have no interval by site: for such parts the sites one by one \
     decide, or the synthetic webs where sampling by site is compared, which needs webs of several sites.",
    "Discovery by links is judged on sites one by one, by ratios of sums over sites and weeks. A share \
     agrees with the paper when it is within 0.1 of it or its interval by site contains it, an overhead \
     when it is within a factor of 2.",
    "Forecasts are judged on sites one by one, by means over pages of their means over days. A resampled \
     site counts with all of its pages; days of one page, whose windows overlap, are never resampled.",
];

/// The outcome of a claim or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Met,
    /// It does not.
    NotMet,
    /// It cannot be judged, and why.
    NotTestable(String),
}

impl Outcome {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::NotMet => "not met",
            Self::NotTestable(_) => "not testable",
        }
    }

    /// The outcome of several parts.
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
pub struct SubClaim {
    /// The statement.
    pub what: String,
    /// The value in the paper.
    pub paper: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The number found, with words.
    pub number: String,
    /// The 95 % interval by site of the number that the rule judges.
    pub interval: Option<Interval>,
    /// How the verdict was reached.
    pub explanation: String,
    /// The kind of web that decides.
    pub decides: WebKind,
    /// Additional tests, if two policies are compared.
    pub tests: Tests,
}

/// Additional tests, which verdicts do not use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tests {
    /// The number of sites on which the first was better, equal or worse.
    pub score: Option<Score>,
    /// Wilcoxon's signed-rank p-value by site.
    pub wilcoxon: Option<f64>,
    /// The same, adjusted by Holm over all comparisons of the paper on this kind of web.
    pub holm: Option<f64>,
    /// The t of the paper over cycles, which finds differences too easily.
    pub t: Option<f64>,
    /// The smallest true difference that this number of sites would detect with a power of 0.8.
    pub detectable: Option<f64>,
}

/// A claim, judged on one kind of web.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The number found, with words.
    pub number: String,
    /// The interval of the one number, if there is one.
    pub interval: Option<Interval>,
    /// The value in the paper.
    pub paper: String,
    /// How the verdict was reached.
    pub explanation: String,
    /// Its parts.
    pub sub_claims: Vec<SubClaim>,
}

/// The most failing parts that are named; a table has all.
const NAMED: usize = 5;

impl Verdict {
    /// The verdict from its parts.
    pub fn from_parts(paper: &str, sub_claims: Vec<SubClaim>) -> Self {
        let outcome = match sub_claims.as_slice() {
            [] => Outcome::NotTestable("nothing was measured".to_owned()),
            some => Outcome::of_all(some.iter().map(|sub_claim| &sub_claim.outcome)),
        };
        let count = |wanted: &str| {
            sub_claims.iter().filter(|sub_claim| sub_claim.outcome.name() == wanted).count()
        };
        let (met, not_met, all) = (count("met"), count("not met"), sub_claims.len());
        let not_testable = all - met - not_met;
        let paper = paper.to_owned();
        if let [sub_claim] = sub_claims.as_slice() {
            let (number, interval) = (sub_claim.number.clone(), sub_claim.interval);
            let explanation = sub_claim.explanation.clone();
            return Self { outcome, number, interval, paper, explanation, sub_claims };
        }
        let mut number = format!("{met} of {all} parts hold");
        if not_testable > 0 {
            number = format!("{number}, {not_testable} not testable");
        }
        let failing = || {
            let some = sub_claims.iter().filter(|sub_claim| sub_claim.outcome == Outcome::NotMet);
            let some: Vec<&str> =
                some.take(NAMED).map(|sub_claim| sub_claim.what.as_str()).collect();
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
        Self { outcome, number, interval: None, paper, explanation, sub_claims }
    }
}
