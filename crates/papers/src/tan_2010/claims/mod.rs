//! T1 to T9: the claims of section 6.3. Those about clusters themselves, T1, T2 and T9, are in
//! `clusters.rs`.
//!
//! CLS samples clusters of pages, with the weights nad, sad, aad or gad on the history of a page; SLS
//! samples sites; DB and LB follow changed samples in their directory or by links.
mod clusters;

use std::ops::RangeInclusive;

use crate::{
    evidence::{Evidence, Query},
    paper::Claim,
    rules::{
        FIGURE_ONLY, READABLE,
        Rule::{self, Above, Alike},
        Statement, above, against, alike, best, compare, highest, judged, or_untestable, signed,
        untestable,
    },
    sample::{Sample, combined},
    tan_2010::claims::clusters::{cluster_numbers, sizes, variation},
    verdict::{Outcome, SubClaim},
};

/// The four weights on the history of a page.
const WEIGHTS: [&str; 4] = ["CLS-nad", "CLS-sad", "CLS-aad", "CLS-gad"];
/// The policies that the paper compares them with.
const BASELINES: [&str; 6] = ["DB", "LB", "SLS", "Freq", "RR", "Rand"];
/// The feature sets of figure 4.
const FEATURES: [&str; 8] =
    ["URL", "content", "URL + content", "static", "dynamic", "static + dynamic", "ranking", "all"];

/// The large budget of figure 4, among those of the file.
const LARGE: usize = 1;

/// The first cycles. With one cycle of history all weights are equal, so they start with the second
/// (`docs/papers.md` A1.7-3).
const EARLY: RangeInclusive<usize> = 2..=6;
/// The last quarter of the cycles.
const LATE: RangeInclusive<usize> = 19..=24;
/// The number of cycles.
const CYCLES: usize = 24;

/// The claims of the paper.
pub(crate) static CLAIMS: &[Claim] = &[
    Claim {
        id: "T1",
        text: "Cluster quality rises steeply with the number of clusters and flattens near 100, for URLs \
               and for content.",
        parts: &["figure-1"],
        paper: "a turning point at k = 100",
        judge: cluster_numbers,
    },
    Claim {
        id: "T2",
        text: "Clusters are more even in size than sites.",
        parts: &["figure-2"],
        paper: "min / max / mean 798 / 6604 / 2847 against 1 / 3313 / 1343",
        judge: sizes,
    },
    Claim {
        id: "T3",
        text: "Of the dimensions for words, 5 is the lowest, and 10, 20 and 30 do not differ.",
        parts: &["figure-3"],
        paper: FIGURE_ONLY,
        judge: dimensions,
    },
    Claim {
        id: "T4",
        text: "With a small budget static and dynamic features, alone or with all others, are best, words \
               of URLs worst, dynamic above static, URL with content like content; with a large budget \
               all are alike.",
        parts: &["figure-4"],
        paper: FIGURE_ONLY,
        judge: features,
    },
    Claim {
        id: "T5",
        text: "sad is best at the beginning and over all cycles; nad is lowest at the beginning and passes \
               sad; aad and gad are alike and best at the end.",
        parts: &["figure-5"],
        paper: FIGURE_ONLY,
        judge: weights,
    },
    Claim {
        id: "T6",
        text: "Every CLS is above DB, LB, SLS, Freq, RR and Rand in change ratio, freshness@10 and MP@10; \
               Ideal is best; the gaps to it are far smaller in freshness@10 and MP@10 than in change \
               ratio; sad, aad and gad have the same freshness@10.",
        parts: &["figure-6"],
        paper: "all t above 1.96",
        judge: existing_methods,
    },
    Claim {
        id: "T7",
        text: "Freq never passes CLS within 24 cycles.",
        parts: &["figure-6"],
        paper: "never within 24 cycles",
        judge: frequency,
    },
    Claim {
        id: "T8",
        text: "Ranking features leave change ratio and freshness@10 as they are and raise MP@10.",
        parts: &["figure-7"],
        paper: "MP@10 significantly different",
        judge: ranking,
    },
    Claim {
        id: "T9",
        text: "Within clusters change intervals vary less the more clusters there are; beyond 25 clusters \
               less than within sites; combined features below dynamic below static; CLS below Freq.",
        parts: &["figure-8"],
        paper: "below SLS from 25 clusters on",
        judge: variation,
    },
];

fn dimensions(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let of = |count: i64| (count.to_string(), Query::new("figure-3", "CLS").at(count));
    let lowest = [10, 20, 30, 50].map(|more| {
        compare(Above, evidence, &format!("5 dimensions are below {more}"), of(more), of(5))
    });
    let alike = [(10, 20), (10, 30), (20, 30)].map(|(one, other)| {
        let what = format!("{one} dimensions are like {other}");
        compare(Alike(READABLE), evidence, &what, of(one), of(other))
    });
    lowest.into_iter().chain(alike).collect()
}

/// A feature set of figure 4 with one of its budgets.
fn features_of(label: &str, budget: usize) -> (String, Query) {
    (label.to_owned(), Query::new("figure-4", label).budget(budget))
}

fn features(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let small = |label: &str| features_of(label, 0);
    let others = |left_out: &[&str]| -> Vec<(String, Query)> {
        let others = FEATURES.iter().filter(|label| !left_out.contains(label));
        others.map(|label| small(label)).collect()
    };
    let two = |rule: Rule, what: &str, one: &str, other: &str| {
        compare(rule, evidence, what, small(one), small(other))
    };
    let both = ["static + dynamic", "all"];
    let mut sub_claims: Vec<SubClaim> = both
        .map(|label| {
            let what = format!("R 8.8 %: {label} is above every set but these two");
            let statement = Statement { what: &what, paper: FIGURE_ONLY };
            highest(evidence, &statement, &[small(label)], &others(&both))
        })
        .into();
    sub_claims.push(two(
        Alike(READABLE),
        "R 8.8 %: static + dynamic is like all",
        both[0],
        both[1],
    ));
    let what = "R 8.8 %: words of URLs are below every other set";
    let statement = Statement { what, paper: FIGURE_ONLY };
    let lowest = best(evidence, &others(&["URL"]), |one, other| other.total_cmp(one));
    let lowest = lowest.map(|lowest| above(&statement, &against(evidence, lowest, small("URL"))));
    sub_claims.extend([
        or_untestable(&statement, lowest),
        two(Above, "R 8.8 %: dynamic is above static", "dynamic", "static"),
        two(Alike(READABLE), "R 8.8 %: URL + content is like content", "URL + content", "content"),
        all_alike(evidence),
        spread_shrinks(evidence),
    ]);
    sub_claims
}

/// With a large budget the highest is like the lowest.
fn all_alike(evidence: &Evidence<'_>) -> SubClaim {
    let what = "R 35.1 %: the highest set is like the lowest";
    let statement = Statement { what, paper: FIGURE_ONLY };
    let all = FEATURES.map(|label| features_of(label, LARGE));
    let found = best(evidence, &all, f64::total_cmp).and_then(|high| {
        let low = best(evidence, &all, |one, other| other.total_cmp(one))?;
        Ok(alike(&statement, &against(evidence, high, low), READABLE))
    });
    or_untestable(&statement, found)
}

/// The sets lie closer together with a large budget than with a small one.
fn spread_shrinks(evidence: &Evidence<'_>) -> SubClaim {
    let what = "from the highest set to the lowest is farther at R 8.8 % than at R 35.1 %";
    let statement = Statement { what, paper: FIGURE_ONLY };
    let queries =
        [0, LARGE].map(|budget| FEATURES.map(|label| features_of(label, budget).1)).concat();
    let samples: Result<Vec<Sample>, String> =
        queries.iter().map(|query| evidence.sample(query)).collect();
    let spread = |values: &[f64]| {
        let (low, high) = values
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        high - low
    };
    let found = samples.and_then(|samples| {
        let samples: Vec<&Sample> = samples.iter().collect();
        let shrinks = combined(&samples, |values| {
            let (small, large) = values.split_at(FEATURES.len());
            spread(small) - spread(large)
        });
        let shrinks = shrinks.ok_or_else(|| "no site has all sets".to_owned())?;
        let explanation = "by how much the spread is larger at R 8.8 %";
        Ok(judged(&statement, Above, shrinks, format!("{}: {explanation}", signed(shrinks.value))))
    });
    or_untestable(&statement, found)
}

fn weights(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let (early, late, all) = ("cycles 2 to 6", "cycles 19 to 24", "all cycles");
    let rows = [
        (early, "sad", "above", "nad"),
        (early, "sad", "above", "aad"),
        (early, "sad", "above", "gad"),
        (early, "nad", "below", "aad"),
        (early, "nad", "below", "gad"),
        (late, "nad", "above", "sad"),
        (late, "aad", "like", "gad"),
        (late, "aad", "above", "nad"),
        (late, "aad", "above", "sad"),
        (late, "gad", "above", "nad"),
        (late, "gad", "above", "sad"),
        (all, "sad", "above", "nad"),
        (all, "sad", "above", "aad"),
        (all, "sad", "above", "gad"),
    ];
    let sub_claim = |(time, one, relation, other): (&str, &str, &str, &str)| {
        let what = format!("{time}: {one} is {relation} {other}");
        let cycles = match time {
            time if time == early => EARLY,
            time if time == late => LATE,
            _ => 1..=CYCLES,
        };
        let of = |weight: &str| {
            let label = format!("CLS-{weight}");
            let query = Query::new("figure-5", &label).cycles(cycles.clone());
            (label, query)
        };
        match relation {
            "like" => compare(Alike(READABLE), evidence, &what, of(one), of(other)),
            "above" => compare(Above, evidence, &what, of(one), of(other)),
            _ => compare(Above, evidence, &what, of(other), of(one)),
        }
    };
    rows.map(sub_claim).into()
}

/// The metrics of figure 6: our name, the name in the paper, and the ideal above them. In change
/// ratio a crawler without a budget is no bound (`docs/papers.md` A1.7-13).
const METRICS: [(&str, &str, &str); 3] = [
    ("change_ratio", "change ratio", "Ideal"),
    ("freshness_at_10", "freshness@10", "Ideal without budget"),
    ("precision_at_10", "MP@10", "Ideal without budget"),
];

fn existing_methods(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let of = |label: &str, metric| (label.to_owned(), Query::new("figure-6", label).metric(metric));
    let mut sub_claims = vec![];
    for (metric, name, ideal) in METRICS {
        for ours in WEIGHTS {
            for baseline in BASELINES {
                let what = format!("{name}: {ours} is above {baseline}");
                let statement = Statement { what: &what, paper: "t above 1.96" };
                let pair = against(evidence, of(ours, metric), of(baseline, metric));
                sub_claims.push(above(&statement, &pair));
            }
        }
        let what = format!("{name}: {ideal} is above every CLS");
        let statement = Statement { what: &what, paper: FIGURE_ONLY };
        let rivals = WEIGHTS.map(|label| of(label, metric));
        sub_claims.push(highest(evidence, &statement, &[of(ideal, metric)], &rivals));
    }
    for (metric, name, ideal) in &METRICS[1..] {
        sub_claims.push(smaller_gap(evidence, metric, name, ideal));
    }
    for (one, other) in [("sad", "aad"), ("sad", "gad"), ("aad", "gad")] {
        let what = format!("freshness@10: {one} is like {other}");
        let of = |weight: &str| of(&format!("CLS-{weight}"), "freshness_at_10");
        sub_claims.push(compare(Alike(READABLE), evidence, &what, of(one), of(other)));
    }
    sub_claims
}

/// CLS lacks a smaller share of Ideal in a metric of search results than in change ratio.
fn smaller_gap(evidence: &Evidence<'_>, metric: &'static str, name: &str, ideal: &str) -> SubClaim {
    let what =
        format!("the share of Ideal that CLS lacks is smaller in {name} than in change ratio");
    let statement = Statement { what: &what, paper: "much less significant" };
    let samples = |metric: &'static str, ideal: &str| -> Result<[Sample; 2], String> {
        let of = |label: &str| evidence.sample(&Query::new("figure-6", label).metric(metric));
        let all: Result<Vec<Sample>, String> = WEIGHTS.iter().map(|label| of(label)).collect();
        let ours = Sample::mean_of(all?).ok_or_else(|| format!("{metric} was not measured"))?;
        Ok([of(ideal)?, ours])
    };
    let found = samples("change_ratio", "Ideal").and_then(|[ideal_ratio, our_ratio]| {
        let [ideal_other, our_other] = samples(metric, ideal)?;
        let all = [&ideal_ratio, &our_ratio, &ideal_other, &our_other];
        let lacks = |ideal: f64, ours: f64| (ideal - ours) / ideal;
        let difference =
            combined(&all, |values| lacks(values[0], values[1]) - lacks(values[2], values[3]))
                .ok_or_else(|| "Ideal is 0 somewhere".to_owned())?;
        let explanation = "lacking share of change ratio less that of the other";
        Ok(judged(
            &statement,
            Above,
            difference,
            format!("{}: {explanation}", signed(difference.value)),
        ))
    });
    or_untestable(&statement, found)
}

fn frequency(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    WEIGHTS.iter().map(|label| never_passed(evidence, label)).collect()
}

/// Freq is above in no cycle. A cycle in which its interval lies above 0 contradicts that; one in which
/// it is ahead by less leaves it open.
fn never_passed(evidence: &Evidence<'_>, label: &str) -> SubClaim {
    let what = format!("Freq is above {label} in no cycle");
    let statement = Statement { what: &what, paper: "never" };
    let of = |label: &str, cycles| Query::new("figure-6", label).cycles(cycles);
    let all = (of(label, 1..=CYCLES), of("Freq", 1..=CYCLES));
    let overall = above(&statement, &against(evidence, (label, all.0), ("Freq", all.1)));
    let (mut ahead, mut surely) = (0, 0);
    for cycle in 1..=CYCLES {
        let sample = |label| evidence.sample(&of(label, cycle..=cycle));
        let (freq, ours) = match sample("Freq").and_then(|freq| Ok((freq, sample(label)?))) {
            Ok(both) => both,
            Err(why) => return untestable(&statement, &why),
        };
        let Some(difference) = combined(&[&freq, &ours], |both| both[0] - both[1]) else {
            continue;
        };
        ahead += u32::from(difference.value > 0.0);
        surely += u32::from(difference.interval.is_some_and(|interval| interval.low > 0.0));
    }
    let outcome = match (surely, ahead) {
        (0, 0) => overall.outcome,
        (0, _) if overall.outcome == Outcome::Met => Outcome::Undecided,
        (0, _) => overall.outcome,
        _ => Outcome::Contradicted,
    };
    let number = format!("{}; Freq above in {ahead} of {CYCLES} cycles", overall.number);
    let explanation = format!(
        "in {surely} of these the interval lies above 0; over all cycles: {}",
        overall.explanation
    );
    SubClaim { outcome, number, explanation, ..overall }
}

fn ranking(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let two = |rule: Rule, metric: &'static str, what: &str| {
        let of = |label: &'static str| (label, Query::new("figure-7", label).metric(metric));
        compare(rule, evidence, what, of("with ranking"), of("without ranking"))
    };
    vec![
        two(
            Alike(READABLE),
            "change_ratio",
            "change ratio is the same with ranking features and without",
        ),
        two(
            Alike(READABLE),
            "freshness_at_10",
            "freshness@10 is the same with ranking features and without",
        ),
        two(Above, "precision_at_10", "MP@10 is higher with ranking features"),
    ]
}
