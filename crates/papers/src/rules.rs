//! The rules by which parts of claims are judged. The report states them in the words of [`RULES`].
//!
//! [`RULES`]: crate::verdict::RULES
use lab::{
    metric::Better,
    report::stats::{Interval, SHARE_MARGIN, detectable, score},
};

use crate::{
    evidence::{Evidence, Query},
    plan::WebKind,
    sample::{Estimate, Sample, combined, values},
    significance::{two_sample_t, wilcoxon},
    verdict::{Outcome, SubClaim, Tests},
};

/// The least difference that can be read off a figure of the papers: the margin of "like" where a
/// paper has no number.
pub(crate) const READABLE: f64 = 0.02;

/// A factor that a paper gives as a whole number is rounded: "three times" begins at 2.5.
const ROUNDED: f64 = 0.5;

/// Standard errors of a 95 % interval from end to end, and those of a difference that is detected
/// with a power of 0.8 (1.96 + 0.84).
const INTERVAL_ERRORS: f64 = 2.0 * 1.96;
const DETECTABLE_ERRORS: f64 = 2.8;

/// The subtraction of two shares is inexact in the last bits.
const EXACT: f64 = 1e-12;

/// The value in the paper if its text has no number.
pub(crate) const FIGURE_ONLY: &str = "figure only";

/// A part of a claim: its statement, and the value in the paper.
pub(crate) struct Statement<'a> {
    pub(crate) what: &'a str,
    pub(crate) paper: &'a str,
}

/// Two policies that a part of a claim compares.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    one: Side,
    other: Side,
    tests: Tests,
}

/// One side of a comparison; its sample, or why there is none.
#[derive(Clone, Debug)]
struct Side {
    name: String,
    sample: Result<Sample, String>,
}

impl Pair {
    /// Compares the means of some quantities with those of others. The report shows the names.
    pub(crate) fn new(
        evidence: &Evidence<'_>,
        one: (&str, &[Query]),
        other: (&str, &[Query]),
    ) -> Self {
        let side = |(name, queries): (&str, &[Query])| {
            let samples: Result<Vec<Sample>, String> =
                queries.iter().map(|query| evidence.sample(query)).collect();
            let mean = |all| Sample::mean_of(all).ok_or_else(|| format!("{name} was not measured"));
            Side { name: name.to_owned(), sample: samples.and_then(mean) }
        };
        let (first, second) = (side(one), side(other));
        let mut tests = match (&first.sample, &second.sample) {
            (Ok(Sample::Values(ours)), Ok(Sample::Values(theirs))) => {
                let both = ours.iter().zip(theirs);
                let differences = both.filter_map(|(one, other)| Some((*one)? - (*other)?));
                tests(&differences.collect::<Vec<_>>())
            }
            _ => Tests::default(),
        };
        if let ([one], [other]) = (one.1, other.1) {
            tests.t = paper_t(evidence, one, other);
        }
        Self { one: first, other: second, tests }
    }

    /// Both samples and their values, or why there are not both.
    fn samples(&self) -> Result<([&Sample; 2], [f64; 2]), String> {
        let samples = [self.one.sample.as_ref()?, self.other.sample.as_ref()?];
        let both = values(&samples).ok_or_else(|| "no site has both".to_owned())?;
        Ok((samples, [both[0], both[1]]))
    }

    /// The difference of both, and their values.
    fn difference(&self) -> Result<(Estimate, [f64; 2]), String> {
        let (samples, values) = self.samples()?;
        let difference = combined(&samples, |both| both[0] - both[1]);
        Ok((difference.ok_or_else(|| "no site has both".to_owned())?, values))
    }

    /// A finding about this pair.
    fn sub_claim(&self, statement: &Statement<'_>, found: Result<SubClaim, String>) -> SubClaim {
        let sub_claim = or_untestable(statement, found);
        let detectable = sub_claim.tests.detectable.or(self.tests.detectable);
        SubClaim { tests: Tests { detectable, ..self.tests.clone() }, ..sub_claim }
    }

    fn numbers(&self, values: [f64; 2], difference: f64) -> String {
        format!("{}: {}", signed(difference), self.named(values))
    }

    fn named(&self, [one, other]: [f64; 2]) -> String {
        format!("{} {}, {} {}", self.one.name, short(one), self.other.name, short(other))
    }
}

/// What a difference or a value must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// A difference is above 0.
    Above,
    /// A difference is at most this margin, in either direction.
    Alike(f64),
    /// A value is this or more.
    AtLeast(f64),
    /// A value is this or less.
    AtMost(f64),
    /// A value is between these two.
    Between(f64, f64),
}

impl Rule {
    /// The least and the greatest value that it allows.
    fn ends(self) -> (f64, f64) {
        match self {
            Self::Above => (f64::MIN_POSITIVE, f64::INFINITY),
            Self::Alike(margin) => (-margin - EXACT, margin + EXACT),
            Self::AtLeast(least) => (least - EXACT, f64::INFINITY),
            Self::AtMost(most) => (f64::NEG_INFINITY, most + EXACT),
            Self::Between(least, most) => (least - EXACT, most + EXACT),
        }
    }

    /// The rule in words.
    fn words(self) -> String {
        match self {
            Self::Above => "above 0".to_owned(),
            Self::Alike(margin) => format!("within {}", short(margin)),
            Self::AtLeast(least) => format!("at least {}", short(least)),
            Self::AtMost(most) => format!("at most {}", short(most)),
            Self::Between(least, most) => format!("from {} to {}", short(least), short(most)),
        }
    }

    /// Whether a value that has no interval, such as a count, is allowed.
    fn allows(self, value: f64) -> bool {
        let (least, most) = self.ends();
        least <= value && value <= most
    }

    /// Judges an estimate by its interval, and says why.
    pub(crate) fn judge(self, estimate: Estimate) -> (Outcome, String) {
        let (least, most) = self.ends();
        let words = self.words();
        match estimate.interval {
            None => (Outcome::Undecided, "too few webs have a value for an interval".to_owned()),
            Some(found) if least <= found.low && found.high <= most => {
                (Outcome::Met, format!("the interval is {words}"))
            }
            Some(found) if found.high < least || most < found.low => {
                (Outcome::Contradicted, format!("the interval is not {words}"))
            }
            Some(_) => (Outcome::Undecided, format!("only part of the interval is {words}")),
        }
    }
}

/// The least true difference that an interval as wide as this would show with a power of 0.8.
fn detectable_by(interval: Interval) -> f64 {
    DETECTABLE_ERRORS * (interval.high - interval.low) / INTERVAL_ERRORS
}

/// Judges a pair by a rule.
pub(crate) fn judge_pair(rule: Rule, statement: &Statement<'_>, pair: &Pair) -> SubClaim {
    let found = pair.difference().map(|(difference, values)| {
        let number = pair.numbers(values, difference.value);
        judged(statement, rule, difference, number)
    });
    pair.sub_claim(statement, found)
}

/// Judges an estimate by a rule; `number` is shown.
pub(crate) fn judged(
    statement: &Statement<'_>,
    rule: Rule,
    estimate: Estimate,
    number: String,
) -> SubClaim {
    let (outcome, explanation) = rule.judge(estimate);
    let detectable = estimate.interval.map(detectable_by);
    let number = match (&outcome, detectable) {
        (Outcome::Undecided, Some(least)) => format!("{number} (detectable: {})", short(least)),
        _ => number,
    };
    let interval = estimate.interval;
    let tests = Tests { detectable, ..Tests::default() };
    SubClaim { outcome, number, interval, explanation, tests, ..untestable(statement, "") }
}

/// The first is above the second.
pub(crate) fn above(statement: &Statement<'_>, pair: &Pair) -> SubClaim {
    judge_pair(Rule::Above, statement, pair)
}

/// The two are at most `margin` apart.
pub(crate) fn alike(statement: &Statement<'_>, pair: &Pair, margin: f64) -> SubClaim {
    judge_pair(Rule::Alike(margin), statement, pair)
}

/// The first is at least about `factor` times the second; the paper's factor is rounded.
pub(crate) fn about_times(statement: &Statement<'_>, pair: &Pair, factor: f64) -> SubClaim {
    let found = pair.samples().and_then(|(samples, values)| {
        let ratio = combined(&samples, |both| both[0] / both[1])
            .ok_or_else(|| format!("{} is 0, so there is no ratio", pair.other.name))?;
        let number = format!("{:.2} times: {}", ratio.value, pair.named(values));
        Ok(judged(statement, Rule::AtLeast(factor - ROUNDED), ratio, number))
    });
    pair.sub_claim(statement, found)
}

/// The highest of all quantities is one of `inside`.
pub(crate) fn highest(
    evidence: &Evidence<'_>,
    statement: &Statement<'_>,
    inside: &[(String, Query)],
    outside: &[(String, Query)],
) -> SubClaim {
    let best = |all| best(evidence, all, f64::total_cmp);
    let found = best(inside).and_then(|one| {
        let other = best(outside)?;
        Ok(above(statement, &against(evidence, one, other)))
    });
    or_untestable(statement, found)
}

/// The best of several quantities by an order of their values, in which the best is last.
pub(crate) fn best(
    evidence: &Evidence<'_>,
    of: &[(String, Query)],
    order: impl Fn(&f64, &f64) -> std::cmp::Ordering,
) -> Result<(String, Query), String> {
    let mut all = vec![];
    for (name, query) in of {
        let value = values(&[&evidence.sample(query)?]);
        let value = value.ok_or_else(|| format!("{name} was not measured"))?[0];
        all.push((name, query, value));
    }
    // Of equal ones the first, so that the order of the file decides and not that of the search.
    let best = all.into_iter().rev().max_by(|one, two| order(&one.2, &two.2));
    best.map(|(name, query, _)| (name.clone(), query.clone()))
        .ok_or_else(|| "nothing to choose from".to_owned())
}

/// A finding, or why there is none.
pub(crate) fn or_untestable(
    statement: &Statement<'_>,
    found: Result<SubClaim, String>,
) -> SubClaim {
    found.unwrap_or_else(|why| untestable(statement, &why))
}

/// A part that cannot be judged.
pub(crate) fn untestable(statement: &Statement<'_>, why: &str) -> SubClaim {
    SubClaim {
        what: statement.what.to_owned(),
        paper: statement.paper.to_owned(),
        outcome: Outcome::NotTestable(why.to_owned()),
        number: "–".to_owned(),
        interval: None,
        explanation: why.to_owned(),
        decides: WebKind::Together,
        tests: Tests::default(),
    }
}

/// A part judged by a count or by a description of the web itself, which has no interval.
pub(crate) fn counted(
    statement: &Statement<'_>,
    is_met: bool,
    number: String,
    explanation: &str,
) -> SubClaim {
    SubClaim {
        outcome: if is_met { Outcome::Met } else { Outcome::Contradicted },
        number,
        explanation: explanation.to_owned(),
        ..untestable(statement, "")
    }
}

/// A part judged by a value; one without an interval decides by itself.
pub(crate) fn estimated(
    statement: &Statement<'_>,
    estimate: Estimate,
    rule: Rule,
    explanation: &str,
) -> SubClaim {
    if estimate.interval.is_none() {
        let number = format!("{:.3}", estimate.value);
        return counted(statement, rule.allows(estimate.value), number, explanation);
    }
    measured(statement, estimate, rule, explanation)
}

/// A part judged by a value that varies from web to web: without an interval it decides nothing.
pub(crate) fn measured(
    statement: &Statement<'_>,
    estimate: Estimate,
    rule: Rule,
    explanation: &str,
) -> SubClaim {
    let sub_claim = judged(statement, rule, estimate, format!("{:.3}", estimate.value));
    let explanation = format!("{explanation}; {}", sub_claim.explanation);
    SubClaim { explanation, ..sub_claim }
}

/// Compares two policies, each given by a label and a quantity.
pub(crate) fn against(
    evidence: &Evidence<'_>,
    one: (impl AsRef<str>, Query),
    other: (impl AsRef<str>, Query),
) -> Pair {
    Pair::new(evidence, (one.0.as_ref(), &[one.1]), (other.0.as_ref(), &[other.1]))
}

/// Compares two policies by a rule, where the paper has only a figure.
pub(crate) fn compare(
    rule: Rule,
    evidence: &Evidence<'_>,
    what: &str,
    one: (impl AsRef<str>, Query),
    other: (impl AsRef<str>, Query),
) -> SubClaim {
    judge_pair(rule, &Statement { what, paper: FIGURE_ONLY }, &against(evidence, one, other))
}

/// Single sites decide: it was measured on nothing else.
pub(crate) fn on_sites(sub_claim: SubClaim) -> SubClaim {
    SubClaim { decides: WebKind::Sites, ..sub_claim }
}

/// Judges a value of an analysis of sites.
pub(crate) fn judge_value(
    statement: &Statement<'_>,
    found: Result<Estimate, String>,
    rule: Rule,
    explanation: &str,
) -> SubClaim {
    let judged = found.map(|found| estimated(statement, found, rule, explanation));
    on_sites(or_untestable(statement, judged))
}

/// Additional tests, from the differences by site.
pub(crate) fn tests(differences: &[f64]) -> Tests {
    if differences.len() < 2 {
        return Tests::default();
    }
    Tests {
        score: Some(score(differences, Better::Higher, SHARE_MARGIN)),
        wilcoxon: wilcoxon(differences),
        detectable: Some(detectable(differences)),
        ..Tests::default()
    }
}

/// Three decimals, or two digits where these would all be 0, as in sums of `PageRank`.
pub(crate) fn short(value: f64) -> String {
    let text = match value.abs() {
        size if size > 0.0 && size < 5e-4 => format!("{size:.2e}"),
        size => format!("{size:.3}"),
    };
    if value < 0.0 { format!("\u{2212}{text}") } else { text }
}

/// The same with its sign.
pub(crate) fn signed(value: f64) -> String {
    format!("{}{}", if value > 0.0 { "+" } else { "" }, short(value))
}

fn paper_t(evidence: &Evidence<'_>, one: &Query, other: &Query) -> Option<f64> {
    let series = |query: &Query| -> Option<Vec<f64>> {
        let all = evidence.by_cycle(query).ok()?;
        let cycles = query.cycles.clone().unwrap_or(1..=all.len());
        Some(all.get(cycles.start() - 1..*cycles.end())?.iter().copied().flatten().collect())
    };
    two_sample_t(&series(one)?, &series(other)?)
}

#[cfg(test)]
mod tests;
