//! The rules by which parts of claims are judged; in words they are [`RULES`](super::verdict::RULES).
use super::{
    evidence::{Evidence, Pick},
    plan::WebKind,
    sample::{Estimate, Sample, combined, values},
    significance::{two_sample_t, wilcoxon},
    verdict::{Outcome, Piece, Tests},
};
use crate::{
    metric::Better,
    report::stats::{Interval, SHARE_MARGIN, detectable, score},
};

/// Of a factor that a paper gives as "about", this much counts as about.
const ABOUT: f64 = 0.75;

/// Two policies that a part of a claim compares, or why they cannot be.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    one: Side,
    other: Side,
    tests: Tests,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
struct Side {
    name: String,
    sample: Result<Sample, String>,
    is_searched: bool,
    samples_sites: bool,
}

/// A part of a claim as it is written down: what it says, and what the paper gives.
pub(super) struct Says<'a> {
    pub(super) what: &'a str,
    pub(super) paper: &'a str,
}

impl Pair {
    /// The means of some quantities against those of others. Names are for the reader.
    pub(super) fn of(on: &Evidence<'_>, one: (&str, &[Pick]), other: (&str, &[Pick])) -> Self {
        let side = |(name, picks): (&str, &[Pick])| {
            let samples: Result<Vec<Sample>, String> =
                picks.iter().map(|pick| on.sample(pick)).collect();
            let mean = |samples| {
                Sample::mean_of(samples).ok_or_else(|| format!("{name} was not measured"))
            };
            let is_searched = picks.iter().any(|pick| needs_queries(pick.metric));
            let samples_sites = picks.iter().any(|pick| on.samples_sites(pick));
            let sample = samples.and_then(mean);
            Side { name: name.to_owned(), sample, is_searched, samples_sites }
        };
        let (first, second) = (side(one), side(other));
        let mut tests = Tests::default();
        if let (Ok(Sample::Values(ours)), Ok(Sample::Values(theirs))) =
            (&first.sample, &second.sample)
        {
            let differences: Vec<f64> = ours
                .iter()
                .zip(theirs)
                .filter_map(|(ours, theirs)| Some((*ours)? - (*theirs)?))
                .collect();
            if differences.len() > 1 {
                tests.score = Some(score(&differences, Better::Higher, SHARE_MARGIN));
                tests.wilcoxon = wilcoxon(&differences);
                tests.detectable = Some(detectable(&differences));
            }
        }
        if let ([one], [other]) = (one.1, other.1) {
            tests.t = paper_t(on, one, other);
        }
        Self { one: first, other: second, tests }
    }

    /// Both samples, or why there are not both.
    fn samples(&self) -> Result<[&Sample; 2], String> {
        match (&self.one.sample, &self.other.sample) {
            (Ok(one), Ok(other)) => Ok([one, other]),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        }
    }

    /// What searchers see belongs to no one site of a joint run, and sampling by site needs several:
    /// only made-up webs are many and have many sites each.
    fn decides(&self) -> WebKind {
        let is_searched = self.one.is_searched || self.other.is_searched;
        let samples_sites = self.one.samples_sites || self.other.samples_sites;
        match (is_searched, samples_sites) {
            (false, _) => WebKind::Together,
            (true, false) => WebKind::Sites,
            (true, true) => WebKind::Clustered,
        }
    }

    fn piece(&self, says: &Says<'_>, found: Result<Found, String>) -> Piece {
        let (outcome, number, interval, explanation) = match found {
            Ok(Found { is_met, number, interval, explanation }) => {
                let outcome = if is_met { Outcome::Met } else { Outcome::NotMet };
                (outcome, number, interval, explanation)
            }
            Err(why) => (Outcome::NotTestable(why.clone()), "–".to_owned(), None, why),
        };
        Piece {
            what: says.what.to_owned(),
            paper: says.paper.to_owned(),
            outcome,
            number,
            interval,
            explanation,
            decides: self.decides(),
            tests: self.tests.clone(),
        }
    }
}

/// What a rule found.
struct Found {
    is_met: bool,
    number: String,
    interval: Option<Interval>,
    explanation: String,
}

/// The first is above the second.
pub(super) fn above(says: &Says<'_>, pair: &Pair) -> Piece {
    let found = difference(pair).and_then(|(estimate, values)| {
        let Some(interval) = estimate.interval else { return Err(no_interval(pair, values)) };
        let explanation = match estimate.value {
            value if value <= 0.0 => "the difference is not above 0",
            _ if interval.low <= 0.0 => "above, but the interval by site holds 0",
            _ => "above, and the interval by site does not hold 0",
        };
        Ok(Found {
            is_met: estimate.value > 0.0 && interval.low > 0.0,
            number: numbers(pair, values, estimate.value),
            interval: Some(interval),
            explanation: explanation.to_owned(),
        })
    });
    pair.piece(says, found)
}

/// The two are alike.
pub(super) fn alike(says: &Says<'_>, pair: &Pair) -> Piece {
    let found = difference(pair).and_then(|(estimate, values)| {
        // The subtraction of two shares is inexact in the last bits.
        let is_small = estimate.value.abs() <= SHARE_MARGIN + 1e-12;
        let holds_zero = estimate.interval.map(|interval| interval.contains(0.0));
        let explanation = match (is_small, holds_zero) {
            (true, _) => "alike: the difference is at most 0.005",
            (false, Some(true)) => {
                "not told apart: the interval by site holds 0 (no proof that they are the same)"
            }
            (false, Some(false)) => "different: more than 0.005 apart, and the interval excludes 0",
            (false, None) => return Err(no_interval(pair, values)),
        };
        Ok(Found {
            is_met: is_small || holds_zero == Some(true),
            number: numbers(pair, values, estimate.value),
            interval: estimate.interval,
            explanation: explanation.to_owned(),
        })
    });
    pair.piece(says, found)
}

/// The first is about `factor` times the second, or more.
pub(super) fn about_times(says: &Says<'_>, pair: &Pair, factor: f64) -> Piece {
    let found = pair.samples().and_then(|samples| {
        let values = values_of(samples)?;
        let ratio = combined(&samples, |both| both[0] / both[1])
            .ok_or_else(|| format!("{} is 0, so there is no ratio", pair.other.name))?;
        let Some(interval) = ratio.interval else { return Err(no_interval(pair, values)) };
        let explanation = match (ratio.value >= ABOUT * factor, interval.low > 1.0) {
            (true, true) => format!("at least {} times", ABOUT * factor),
            (false, _) => format!("less than {} times", ABOUT * factor),
            (true, false) => "the interval by site does not lie above 1".to_owned(),
        };
        Ok(Found {
            is_met: ratio.value >= ABOUT * factor && interval.low > 1.0,
            number: format!(
                "{:.2} times: {} {}, {} {}",
                ratio.value,
                pair.one.name,
                short(values[0]),
                pair.other.name,
                short(values[1])
            ),
            interval: Some(interval),
            explanation,
        })
    });
    pair.piece(says, found)
}

/// The highest of all is one of `inside`; both lists name places.
pub(super) fn highest(
    on: &Evidence<'_>,
    says: &Says<'_>,
    inside: &[(String, Pick)],
    outside: &[(String, Pick)],
) -> Piece {
    match (best(on, inside, f64::total_cmp), best(on, outside, f64::total_cmp)) {
        (Ok(one), Ok(other)) => {
            let pair = Pair::of(
                on,
                (&one.0, std::slice::from_ref(&one.1)),
                (&other.0, std::slice::from_ref(&other.1)),
            );
            above(says, &pair)
        }
        (Err(why), _) | (_, Err(why)) => untestable(says, &why),
    }
}

/// The best of several quantities by an order of their values, the last being the best.
pub(super) fn best(
    on: &Evidence<'_>,
    of: &[(String, Pick)],
    order: impl Fn(&f64, &f64) -> std::cmp::Ordering,
) -> Result<(String, Pick), String> {
    let mut all = vec![];
    for (name, pick) in of {
        let value = values(&[&on.sample(pick)?]);
        let value = value.ok_or_else(|| format!("{name} was not measured"))?[0];
        all.push((name, pick, value));
    }
    // Of equals the first, so that the order of the file decides and not the search.
    let best = all.into_iter().rev().max_by(|one, two| order(&one.2, &two.2));
    best.map(|(name, pick, _)| (name.clone(), pick.clone()))
        .ok_or_else(|| "nothing to choose from".to_owned())
}

/// A part that cannot be told.
pub(super) fn untestable(says: &Says<'_>, why: &str) -> Piece {
    Piece {
        what: says.what.to_owned(),
        paper: says.paper.to_owned(),
        outcome: Outcome::NotTestable(why.to_owned()),
        number: "–".to_owned(),
        interval: None,
        explanation: why.to_owned(),
        decides: WebKind::Together,
        tests: Tests::default(),
    }
}

/// A part that is told by a count or a description of the web itself, which has no interval.
pub(super) fn counted(says: &Says<'_>, is_met: bool, number: String, explanation: &str) -> Piece {
    Piece {
        outcome: if is_met { Outcome::Met } else { Outcome::NotMet },
        number,
        explanation: explanation.to_owned(),
        ..untestable(says, "")
    }
}

/// A part told by a number with an interval and a rule of its own.
pub(super) fn told(says: &Says<'_>, estimate: Estimate, is_met: bool, explanation: &str) -> Piece {
    let number = format!("{:.3}", estimate.value);
    Piece { interval: estimate.interval, ..counted(says, is_met, number, explanation) }
}

fn difference(pair: &Pair) -> Result<(Estimate, [f64; 2]), String> {
    let samples = pair.samples()?;
    let values = values_of(samples)?;
    combined(&samples, |both| both[0] - both[1])
        .map(|estimate| (estimate, values))
        .ok_or_else(|| "no site has both".to_owned())
}

fn values_of(samples: [&Sample; 2]) -> Result<[f64; 2], String> {
    let both = values(&samples).map(|values| [values[0], values[1]]);
    both.ok_or_else(|| "no site has both".to_owned())
}

fn no_interval(pair: &Pair, values: [f64; 2]) -> String {
    let why = if pair.one.is_searched || pair.other.is_searched {
        "what searchers see belongs to no one site"
    } else {
        "there is only one site"
    };
    format!("no interval by site, since {why} ({})", numbers(pair, values, values[0] - values[1]))
}

fn numbers(pair: &Pair, values: [f64; 2], difference: f64) -> String {
    let sign = if difference > 0.0 { "+" } else { "" };
    format!(
        "{sign}{}: {} {}, {} {}",
        short(difference),
        pair.one.name,
        short(values[0]),
        pair.other.name,
        short(values[1])
    )
}

/// Three decimals; numbers that would vanish then, such as sums of `PageRank`, by their digits.
pub(super) fn short(value: f64) -> String {
    let text = match value.abs() {
        size if size > 0.0 && size < 5e-4 => format!("{size:.2e}"),
        size => format!("{size:.3}"),
    };
    if value < 0.0 { format!("\u{2212}{text}") } else { text }
}

fn paper_t(on: &Evidence<'_>, one: &Pick, other: &Pick) -> Option<f64> {
    let series = |pick: &Pick| -> Option<Vec<f64>> {
        let all = on.by_cycle(pick).ok()?;
        let cycles = pick.cycles.clone().unwrap_or(1..=all.len());
        Some(all.get(cycles.start() - 1..*cycles.end())?.iter().copied().flatten().collect())
    };
    two_sample_t(&series(one)?, &series(other)?)
}

/// Whether a metric is of what searchers see.
fn needs_queries(metric: &str) -> bool {
    ["freshness_at_10", "precision_at_10", "quality", "embarrassment"]
        .iter()
        .any(|beginning| metric.starts_with(beginning))
}

#[cfg(test)]
mod tests;
