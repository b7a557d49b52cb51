//! T1 to T9: what Tan and Mitra claim in "Clustering-based incremental web crawling" (TOIS 2010),
//! section 6.3. The claims about clusters themselves, T1, T2 and T9, are in `tan_2010_clusters.rs`.
//!
//! CLS samples clusters of pages, with the weights nad, sad, aad or gad on a page's history; SLS
//! samples sites; DB and LB follow changed samples in their directory or by links.
use std::ops::RangeInclusive;

use super::{
    super::{
        evidence::{Evidence, Pick},
        paper::Claim,
        plan::WebKind,
        rules::{Says, above, alike, best, counted, highest, told, untestable},
        sample::{Sample, combined},
        verdict::Piece,
    },
    FIGURE_ONLY, against, compare,
    tan_2010_clusters::{cluster_numbers, sizes, variation},
};

/// The four ways of weighing a page's history.
const WEIGHTS: [&str; 4] = ["CLS-nad", "CLS-sad", "CLS-aad", "CLS-gad"];
/// What the paper compares them with.
const BASELINES: [&str; 6] = ["DB", "LB", "SLS", "Freq", "RR", "Rand"];
/// The feature sets of figure 4.
const FEATURES: [&str; 8] =
    ["URL", "content", "URL + content", "static", "dynamic", "static + dynamic", "ranking", "all"];

/// The beginning. With one cycle of history all weights are the same, so it starts with the second
/// (`docs/papers.md` A1.7-3).
const EARLY: RangeInclusive<usize> = 2..=6;
/// The last quarter.
const LATE: RangeInclusive<usize> = 19..=24;
/// How many cycles there are.
const CYCLES: usize = 24;

/// The claims of the paper.
pub(in super::super) static CLAIMS: &[Claim] = &[
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

fn dimensions(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |dimensions: i64| Pick::new("figure-3", "CLS").at(dimensions);
    let mut pieces = vec![];
    for more in [10, 20, 30, 50] {
        let what = format!("5 dimensions are below {more}");
        pieces.push(compare(above, on, &what, (&more.to_string(), of(more)), ("5", of(5))));
    }
    for (one, other) in [(10, 20), (10, 30), (20, 30)] {
        let what = format!("{one} dimensions are like {other}");
        let (one, other) = ((one.to_string(), of(one)), (other.to_string(), of(other)));
        pieces.push(compare(alike, on, &what, (&one.0, one.1), (&other.0, other.1)));
    }
    pieces
}

fn features(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |label: &str, budget| (label.to_owned(), Pick::new("figure-4", label).budget(budget));
    let small = |label: &str| of(label, 0);
    let others = |left_out: &[&str]| -> Vec<(String, Pick)> {
        FEATURES
            .iter()
            .filter(|label| !left_out.contains(label))
            .map(|label| small(label))
            .collect()
    };
    let two = |rule: fn(&Says<'_>, &super::Pair) -> Piece, what: &str, one: &str, other: &str| {
        let (one, other) = (small(one), small(other));
        compare(rule, on, what, (&one.0, one.1), (&other.0, other.1))
    };
    let mut pieces = vec![];
    for label in ["static + dynamic", "all"] {
        let what = format!("R 8.8 %: {label} is above every set but these two");
        let says = Says { what: &what, paper: FIGURE_ONLY };
        let rest = others(&["static + dynamic", "all"]);
        pieces.push(highest(on, &says, &[small(label)], &rest));
    }
    let what = "R 8.8 %: static + dynamic is like all";
    pieces.push(two(alike, what, "static + dynamic", "all"));
    let says =
        Says { what: "R 8.8 %: words of URLs are below every other set", paper: FIGURE_ONLY };
    pieces.push(match best(on, &others(&["URL"]), |one, other| other.total_cmp(one)) {
        Ok((name, pick)) => above(&says, &against(on, (&name, pick), ("URL", small("URL").1))),
        Err(why) => untestable(&says, &why),
    });
    pieces.push(two(above, "R 8.8 %: dynamic is above static", "dynamic", "static"));
    pieces.push(two(alike, "R 8.8 %: URL + content is like content", "URL + content", "content"));
    pieces.push(all_alike(on, &of));
    pieces.push(spread_shrinks(on, &of));
    pieces
}

/// With a large budget the highest is like the lowest.
fn all_alike(on: &Evidence<'_>, of: &dyn Fn(&str, usize) -> (String, Pick)) -> Piece {
    let says = Says { what: "R 35.1 %: the highest set is like the lowest", paper: FIGURE_ONLY };
    let all: Vec<(String, Pick)> = FEATURES.iter().map(|label| of(label, 2)).collect();
    let high = best(on, &all, f64::total_cmp);
    let low = best(on, &all, |one, other| other.total_cmp(one));
    match (high, low) {
        (Ok(high), Ok(low)) => alike(&says, &against(on, (&high.0, high.1), (&low.0, low.1))),
        (Err(why), _) | (_, Err(why)) => untestable(&says, &why),
    }
}

/// The sets lie closer together with a large budget than with a small one.
fn spread_shrinks(on: &Evidence<'_>, of: &dyn Fn(&str, usize) -> (String, Pick)) -> Piece {
    let what = "from the highest set to the lowest is farther at R 8.8 % than at R 35.1 %";
    let says = Says { what, paper: FIGURE_ONLY };
    let picks =
        [0, 2].into_iter().flat_map(|budget| FEATURES.iter().map(move |label| (*label, budget)));
    let samples: Result<Vec<Sample>, String> =
        picks.map(|(label, budget)| on.sample(&of(label, budget).1)).collect();
    let samples = match samples {
        Ok(samples) => samples,
        Err(why) => return untestable(&says, &why),
    };
    let spread = |values: &[f64]| {
        let ends = values
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        ends.1 - ends.0
    };
    let samples: Vec<&Sample> = samples.iter().collect();
    let shrinks = combined(&samples, |values| {
        spread(&values[..FEATURES.len()]) - spread(&values[FEATURES.len()..])
    });
    match shrinks {
        Some(estimate) => {
            let is_met = estimate.value > 0.0
                && estimate.interval.is_some_and(|interval| interval.low > 0.0);
            told(&says, estimate, is_met, "by how much the spread is larger at R 8.8 %")
        }
        None => untestable(&says, "no site has all sets"),
    }
}

fn weights(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |label: &'static str, cycles: RangeInclusive<usize>| {
        (label, Pick::new("figure-5", label).cycles(cycles))
    };
    let mut pieces = vec![];
    for other in ["CLS-nad", "CLS-aad", "CLS-gad"] {
        let what = format!("cycles 2 to 6: sad is above {}", &other[4..]);
        pieces.push(compare(above, on, &what, of("CLS-sad", EARLY), of(other, EARLY)));
    }
    for other in ["CLS-aad", "CLS-gad"] {
        let what = format!("cycles 2 to 6: nad is below {}", &other[4..]);
        pieces.push(compare(above, on, &what, of(other, EARLY), of("CLS-nad", EARLY)));
    }
    let what = "cycles 19 to 24: nad is above sad";
    pieces.push(compare(above, on, what, of("CLS-nad", LATE), of("CLS-sad", LATE)));
    let what = "cycles 19 to 24: aad is like gad";
    pieces.push(compare(alike, on, what, of("CLS-aad", LATE), of("CLS-gad", LATE)));
    for ours in ["CLS-aad", "CLS-gad"] {
        for other in ["CLS-nad", "CLS-sad"] {
            let what = format!("cycles 19 to 24: {} is above {}", &ours[4..], &other[4..]);
            pieces.push(compare(above, on, &what, of(ours, LATE), of(other, LATE)));
        }
    }
    for other in ["CLS-nad", "CLS-aad", "CLS-gad"] {
        let what = format!("all cycles: sad is above {}", &other[4..]);
        pieces.push(compare(above, on, &what, of("CLS-sad", 1..=CYCLES), of(other, 1..=CYCLES)));
    }
    pieces
}

/// The metrics of figure 6: by our name, by the paper's, and which ideal stands above them. In
/// change ratio a crawler without a budget is no bound (`docs/papers.md` A1.7-13).
const METRICS: [(&str, &str, &str); 3] = [
    ("change_ratio", "change ratio", "Ideal"),
    ("freshness_at_10", "freshness@10", "Ideal without budget"),
    ("precision_at_10", "MP@10", "Ideal without budget"),
];

fn existing_methods(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |label: &str, metric| (label.to_owned(), Pick::new("figure-6", label).metric(metric));
    let mut pieces = vec![];
    for (metric, name, ideal) in METRICS {
        for ours in WEIGHTS {
            for baseline in BASELINES {
                let what = format!("{name}: {ours} is above {baseline}");
                let says = Says { what: &what, paper: "t above 1.96" };
                let (one, other) = (of(ours, metric), of(baseline, metric));
                pieces.push(above(&says, &against(on, (&one.0, one.1), (&other.0, other.1))));
            }
        }
        let what = format!("{name}: {ideal} is above every CLS");
        let says = Says { what: &what, paper: FIGURE_ONLY };
        let rivals: Vec<(String, Pick)> = WEIGHTS.iter().map(|label| of(label, metric)).collect();
        pieces.push(highest(on, &says, &[of(ideal, metric)], &rivals));
    }
    for (metric, name, ideal) in &METRICS[1..] {
        pieces.push(smaller_gap(on, metric, name, ideal));
    }
    for (one, other) in [("CLS-sad", "CLS-aad"), ("CLS-sad", "CLS-gad"), ("CLS-aad", "CLS-gad")] {
        let what = format!("freshness@10: {} is like {}", &one[4..], &other[4..]);
        let (one, other) = (of(one, "freshness_at_10"), of(other, "freshness_at_10"));
        pieces.push(compare(alike, on, &what, (&one.0, one.1), (&other.0, other.1)));
    }
    pieces
}

/// CLS lacks a smaller part of what Ideal has in a metric of searchers than in change ratio.
fn smaller_gap(on: &Evidence<'_>, metric: &'static str, name: &str, ideal: &str) -> Piece {
    let what =
        format!("the share of Ideal that CLS lacks is smaller in {name} than in change ratio");
    let says = Says { what: &what, paper: "much less significant" };
    let samples = |metric: &'static str, ideal: &str| -> Result<[Sample; 2], String> {
        let of = |label: &str| on.sample(&Pick::new("figure-6", label).metric(metric));
        let all: Result<Vec<Sample>, String> = WEIGHTS.iter().map(|label| of(label)).collect();
        let ours = Sample::mean_of(all?).ok_or_else(|| format!("{metric} was not measured"))?;
        Ok([of(ideal)?, ours])
    };
    let piece = match samples("change_ratio", "Ideal")
        .and_then(|one| Ok((one, samples(metric, ideal)?)))
    {
        Err(why) => untestable(&says, &why),
        Ok(([ideal_ratio, our_ratio], [ideal_other, our_other])) => {
            let all = [&ideal_ratio, &our_ratio, &ideal_other, &our_other];
            let lacks = |ideal: f64, ours: f64| (ideal - ours) / ideal;
            let difference =
                combined(&all, |values| lacks(values[0], values[1]) - lacks(values[2], values[3]));
            match difference {
                None => untestable(&says, "Ideal is 0 somewhere"),
                Some(estimate) if estimate.interval.is_none() => untestable(
                    &says,
                    "no interval by site, since what searchers see belongs to no one site",
                ),
                Some(estimate) => {
                    let is_met = estimate.interval.is_some_and(|interval| interval.low > 0.0);
                    told(
                        &says,
                        estimate,
                        is_met,
                        "lacking share of change ratio less that of the other",
                    )
                }
            }
        }
    };
    Piece { decides: WebKind::Sites, ..piece }
}

fn frequency(on: &Evidence<'_>) -> Vec<Piece> {
    WEIGHTS.iter().map(|label| never_passed(on, label)).collect()
}

/// In no cycle is Freq above, and over all of them it is below.
fn never_passed(on: &Evidence<'_>, label: &str) -> Piece {
    let what = format!("Freq is above {label} in no cycle, and below it over all");
    let says = Says { what: &what, paper: "never" };
    let of = |label: &str, cycles| Pick::new("figure-6", label).cycles(cycles);
    let overall = above(
        &says,
        &against(on, (label, of(label, 1..=CYCLES)), ("Freq", of("Freq", 1..=CYCLES))),
    );
    let (mut ahead, mut surely) = (0, 0);
    for cycle in 1..=CYCLES {
        let samples = on
            .sample(&of("Freq", cycle..=cycle))
            .and_then(|freq| Ok((freq, on.sample(&of(label, cycle..=cycle))?)));
        let (freq, ours) = match samples {
            Ok(both) => both,
            Err(why) => return untestable(&says, &why),
        };
        let Some(difference) = combined(&[&freq, &ours], |both| both[0] - both[1]) else {
            continue;
        };
        ahead += u32::from(difference.value > 0.0);
        surely += u32::from(difference.interval.is_some_and(|interval| interval.low > 0.0));
    }
    let is_met = surely == 0 && overall.outcome == super::super::verdict::Outcome::Met;
    let number = format!("{}; above in {ahead} of {CYCLES} cycles", overall.number);
    let explanation = format!(
        "in {surely} cycles the interval by site lies above 0; over all cycles: {}",
        overall.explanation
    );
    let judged = counted(&says, is_met, number, &explanation);
    Piece { interval: overall.interval, tests: overall.tests, ..judged }
}

fn ranking(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |label: &'static str, metric| (label, Pick::new("figure-7", label).metric(metric));
    let both = |metric| (of("with ranking", metric), of("without ranking", metric));
    let mut pieces = vec![];
    for (metric, name) in [("change_ratio", "change ratio"), ("freshness_at_10", "freshness@10")] {
        let (with, without) = both(metric);
        let what = format!("{name} is the same with ranking features and without");
        pieces.push(compare(alike, on, &what, with, without));
    }
    let (with, without) = both("precision_at_10");
    pieces.push(compare(above, on, "MP@10 is higher with ranking features", with, without));
    pieces
}
