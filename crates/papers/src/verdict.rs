//! Verdicts on claims and their parts.
//!
//! The rules are in [`RULES`], in the words of the report; `rules.rs` implements them.
use lab::report::stats::{Interval, Score};

use crate::plan::WebKind;

/// The rules, in the words of the report.
pub const RULES: &[&str] = &[
    "A is above B: MET when the 95 % interval of the difference lies above 0, CONTRADICTED when it lies at \
     or below 0, UNDECIDED otherwise.",
    "A is like B: MET when the interval lies within the margin, CONTRADICTED when it lies outside, \
     UNDECIDED otherwise. So a wide interval does not make two alike, and a narrow one does not part them. The \
     margin is the difference that the paper itself calls none; where it has only a figure, 0.02, the least \
     that can be read off it (0.005 for quality, whose axes are short).",
    "A is about k times B: k is rounded, so MET when the interval of A / B lies at k - 0.5 or above, \
     CONTRADICTED when it lies below, UNDECIDED otherwise.",
    "A value is about the paper's, or at least or at most some number: the same, with the interval of the \
     value. A value without an interval, such as a count, decides by itself.",
    "The highest is at one of some places: the best of these is above the best of all others, by the \
     first rule.",
    "A claim of several parts is MET when all of its parts are, CONTRADICTED when any of them is, \
     UNDECIDED when any of the others is, and NOT TESTABLE otherwise: the data cannot pose the question.",
    "UNDECIDED comes with the least true difference that would have been detected: 2.8 standard errors, a \
     power of 0.8.",
    "In the paper's own world the unit is a made-up web. The interval is Student's, from what leaving each seed \
     out changes; 20 webs or more are resampled 10,000 times instead. Two or three seeds that agree by chance decide \
     nothing.",
    "On recorded sites a repository has many sites, as in the papers. A policy is run on pairs of \
     repositories: each pair is all sites, divided in halves at random, with a limit on the pages of a site. The \
     standard error is half of the root mean square difference within pairs (half-samples), and the interval \
     is Student's with as many degrees of freedom as pairs. Sites are never resampled after a run: \
     what a policy gains by not visiting a site would vanish when that site is not drawn.",
    "Discovery by links and forecasts are judged on sites one by one. A resampled site counts with all of \
     its pages; its weeks or days are never resampled.",
];

/// The outcome of a claim or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Met,
    /// It does not.
    Contradicted,
    /// The data are too few to say.
    Undecided,
    /// The data cannot pose the question, and why.
    NotTestable(String),
}

impl Outcome {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Contradicted => "contradicted",
            Self::Undecided => "undecided",
            Self::NotTestable(_) => "not testable",
        }
    }

    /// The outcome of several parts.
    fn of_all<'o>(outcomes: impl Iterator<Item = &'o Self>) -> Self {
        let weight = |outcome: &Self| match outcome {
            Self::Met => 0,
            Self::NotTestable(_) => 1,
            Self::Undecided => 2,
            Self::Contradicted => 3,
        };
        let mut all = &Self::Met;
        for outcome in outcomes {
            // Of equal ones the first, whose reason is shown.
            if weight(outcome) > weight(all) {
                all = outcome;
            }
        }
        all.clone()
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
    /// The 95 % interval of the number that the rule judges.
    pub interval: Option<Interval>,
    /// How the verdict was reached.
    pub explanation: String,
    /// The kind of web that decides on recorded sites.
    pub decides: WebKind,
    /// Additional tests, if two policies are compared.
    pub tests: Tests,
}

/// Additional tests, which verdicts do not use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tests {
    /// The number of webs on which the first was better, equal or worse.
    pub score: Option<Score>,
    /// Wilcoxon's signed-rank p-value by web.
    pub wilcoxon: Option<f64>,
    /// The same, adjusted by Holm over all comparisons of the paper on this kind of web.
    pub holm: Option<f64>,
    /// The t of the paper over cycles, which finds differences too easily.
    pub t: Option<f64>,
    /// The smallest true difference that would be detected with a power of 0.8.
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
        let paper = paper.to_owned();
        if let [sub_claim] = sub_claims.as_slice() {
            let (number, interval) = (sub_claim.number.clone(), sub_claim.interval);
            let explanation = sub_claim.explanation.clone();
            return Self { outcome, number, interval, paper, explanation, sub_claims };
        }
        let explanation = match &outcome {
            Outcome::Met => "all parts hold".to_owned(),
            Outcome::Contradicted => format!("does not hold: {}", named(&sub_claims, &outcome)),
            Outcome::Undecided => format!("open: {}", named(&sub_claims, &outcome)),
            Outcome::NotTestable(why) => format!("no part fails, but {why}"),
        };
        let number = counts(&sub_claims);
        Self { outcome, number, interval: None, paper, explanation, sub_claims }
    }
}

/// How many parts came to what.
fn counts(sub_claims: &[SubClaim]) -> String {
    let count = |wanted: &str| {
        sub_claims.iter().filter(|sub_claim| sub_claim.outcome.name() == wanted).count()
    };
    let mut text = format!("{} of {} parts hold", count("met"), sub_claims.len());
    for name in ["contradicted", "undecided", "not testable"] {
        if count(name) > 0 {
            text = format!("{text}, {} {name}", count(name));
        }
    }
    text
}

/// The parts of this outcome, the first few by name.
fn named(sub_claims: &[SubClaim], outcome: &Outcome) -> String {
    let some: Vec<&str> = sub_claims
        .iter()
        .filter(|sub_claim| sub_claim.outcome == *outcome)
        .map(|sub_claim| sub_claim.what.as_str())
        .collect();
    let more = match some.len() {
        all if all > NAMED => format!("; and {} more", all - NAMED),
        _ => String::new(),
    };
    format!("{}{more}", some[..some.len().min(NAMED)].join("; "))
}
