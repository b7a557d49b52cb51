//! The rules by which parts of claims are judged. The report states them in the words of [`RULES`].
//!
//! [`RULES`]: crate::verdict::RULES
use lab::{
    metric::Better,
    report::stats::{SHARE_MARGIN, detectable, score},
};

use crate::{
    evidence::{Evidence, Query},
    plan::WebKind,
    sample::{Estimate, Sample, combined, values},
    significance::{two_sample_t, wilcoxon},
    verdict::{Outcome, SubClaim, Tests},
};

/// The share of a factor that counts as "about" this factor.
const ABOUT: f64 = 0.75;

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
    is_searched: bool,
    samples_sites: bool,
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
            Side {
                name: name.to_owned(),
                sample: samples.and_then(mean),
                is_searched: queries.iter().any(|query| needs_queries(query.metric)),
                samples_sites: queries.iter().any(|query| evidence.samples_sites(query)),
            }
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

    /// The kind of web that decides. Metrics of search results belong to no single site of a joint
    /// run, and sampling by site needs several sites: only synthetic webs are many and have many
    /// sites each.
    fn decides(&self) -> WebKind {
        let is_searched = self.one.is_searched || self.other.is_searched;
        match (is_searched, self.one.samples_sites || self.other.samples_sites) {
            (false, _) => WebKind::Together,
            (true, false) => WebKind::Sites,
            (true, true) => WebKind::Clustered,
        }
    }

    /// A finding about this pair.
    fn sub_claim(&self, statement: &Statement<'_>, found: Result<SubClaim, String>) -> SubClaim {
        let (decides, tests) = (self.decides(), self.tests.clone());
        SubClaim { decides, tests, ..or_untestable(statement, found) }
    }

    fn no_interval(&self, values: [f64; 2]) -> String {
        let why = if self.one.is_searched || self.other.is_searched {
            "what searchers see belongs to no one site"
        } else {
            "there is only one site"
        };
        let numbers = self.numbers(values, values[0] - values[1]);
        format!("no interval by site, since {why} ({numbers})")
    }

    fn numbers(&self, values: [f64; 2], difference: f64) -> String {
        format!("{}: {}", signed(difference), self.named(values))
    }

    fn named(&self, [one, other]: [f64; 2]) -> String {
        format!("{} {}, {} {}", self.one.name, short(one), self.other.name, short(other))
    }
}

/// A rule about a difference.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// The first is above the second.
    Above,
    /// The two are alike.
    Alike,
}

impl Rule {
    /// Whether a difference meets the rule, and why; `None` if that takes an interval and there
    /// is none.
    pub(crate) fn judge(self, difference: Estimate) -> Option<(bool, &'static str)> {
        let Estimate { value, interval } = difference;
        Some(match self {
            Self::Above => match interval? {
                _ if value <= 0.0 => (false, "the difference is not above 0"),
                interval if interval.low <= 0.0 => {
                    (false, "above, but the interval by site holds 0")
                }
                _ => (true, "above, and the interval by site does not hold 0"),
            },
            // The subtraction of two shares is inexact in the last bits.
            Self::Alike if value.abs() <= SHARE_MARGIN + 1e-12 => {
                (true, "alike: the difference is at most 0.005")
            }
            Self::Alike if interval?.contains(0.0) => (
                true,
                "not told apart: the interval by site holds 0 (no proof that they are the same)",
            ),
            Self::Alike => (false, "different: more than 0.005 apart, and the interval excludes 0"),
        })
    }
}

/// Judges a pair by a rule.
pub(crate) fn judge_pair(rule: Rule, statement: &Statement<'_>, pair: &Pair) -> SubClaim {
    let found = pair.difference().and_then(|(difference, values)| {
        let verdict = rule.judge(difference).ok_or_else(|| pair.no_interval(values))?;
        let number = pair.numbers(values, difference.value);
        let found = counted(statement, verdict.0, number, verdict.1);
        Ok(SubClaim { interval: difference.interval, ..found })
    });
    pair.sub_claim(statement, found)
}

/// The first is above the second.
pub(crate) fn above(statement: &Statement<'_>, pair: &Pair) -> SubClaim {
    judge_pair(Rule::Above, statement, pair)
}

/// The two are alike.
pub(crate) fn alike(statement: &Statement<'_>, pair: &Pair) -> SubClaim {
    judge_pair(Rule::Alike, statement, pair)
}

/// The first is at least about `factor` times the second.
pub(crate) fn about_times(statement: &Statement<'_>, pair: &Pair, factor: f64) -> SubClaim {
    let found = pair.samples().and_then(|(samples, values)| {
        let ratio = combined(&samples, |both| both[0] / both[1])
            .ok_or_else(|| format!("{} is 0, so there is no ratio", pair.other.name))?;
        let interval = ratio.interval.ok_or_else(|| pair.no_interval(values))?;
        let (is_met, explanation) = match (ratio.value >= ABOUT * factor, interval.low > 1.0) {
            (true, true) => (true, format!("at least {} times", ABOUT * factor)),
            (false, _) => (false, format!("less than {} times", ABOUT * factor)),
            (true, false) => (false, "the interval by site does not lie above 1".to_owned()),
        };
        let number = format!("{:.2} times: {}", ratio.value, pair.named(values));
        let found = counted(statement, is_met, number, &explanation);
        Ok(SubClaim { interval: Some(interval), ..found })
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
        outcome: if is_met { Outcome::Met } else { Outcome::NotMet },
        number,
        explanation: explanation.to_owned(),
        ..untestable(statement, "")
    }
}

/// A part judged by a number with an interval, by a rule of its own.
pub(crate) fn estimated(
    statement: &Statement<'_>,
    estimate: Estimate,
    is_met: bool,
    explanation: &str,
) -> SubClaim {
    let number = format!("{:.3}", estimate.value);
    SubClaim { interval: estimate.interval, ..counted(statement, is_met, number, explanation) }
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
    is_met: impl Fn(f64) -> bool,
    explanation: &str,
) -> SubClaim {
    let judged = found.map(|found| estimated(statement, found, is_met(found.value), explanation));
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

/// Whether a metric is of search results.
fn needs_queries(metric: &str) -> bool {
    ["freshness_at_10", "precision_at_10", "quality", "embarrassment"]
        .iter()
        .any(|beginning| metric.starts_with(beginning))
}

#[cfg(test)]
mod tests;
