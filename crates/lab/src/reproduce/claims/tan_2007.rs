//! S1 to S7: what Tan, Zhuang, Mitra and Giles claim in "Efficiently detecting webpage updates using
//! samples" (ICWE 2007), section 6.2.
//!
//! DB, LB and CB download what is near a changed sample by directory, links or cluster; GSB samples
//! sites; RNS is random, RR round robin; HA and WHA follow the sample by its (weighted) history, PRA by
//! its `PageRank`.
use std::ops::RangeInclusive;

use super::{
    super::{
        evidence::{Evidence, Pick},
        paper::Claim,
        rules::{Pair, Says, about_times, above, alike, highest, told, untestable},
        sample::{Sample, combined},
        verdict::Piece,
    },
    FIGURE_ONLY, against, compare,
};

/// What figure 5 has on its axis.
const DISTANCES: RangeInclusive<i64> = -6..=8;

/// Curves whose mean correlation is at least this have about the same shape.
const SAME_SHAPE: f64 = 0.8;

/// The cycles in which the paper sees history do as badly as chance.
const EARLY: RangeInclusive<usize> = 2..=5;
/// From here on weighted history is above DB in the paper.
const WEIGHTED_PASSES: RangeInclusive<usize> = 16..=24;
/// From here on plain history is.
const HISTORY_PASSES: RangeInclusive<usize> = 18..=24;

/// The claims of the paper.
pub(in super::super) static CLAIMS: &[Claim] = &[
    Claim {
        id: "S1",
        text: "The same cluster (CB, d = 0) finds the most changes; directories do better than links; \
               clusters do better than directories for d = 0 to 3.",
        parts: &["figure-5"],
        paper: FIGURE_ONLY,
        judge: granularities,
    },
    Claim {
        id: "S2",
        text: "The best distance is 0 or 1 for directories, 3 for links, 0 for clusters.",
        parts: &["figure-5"],
        paper: "d = 0 to 1, 3, 0",
        judge: best_distances,
    },
    Claim {
        id: "S3",
        text: "Positive distances (upper directories, out-links) find more changes than negative ones.",
        parts: &["figure-5"],
        paper: FIGURE_ONLY,
        judge: directions,
    },
    Claim {
        id: "S4",
        text: "Sampling finds about three times the changes of random and round robin and about twice \
               those of sampling by site: RR like RNS, below GSB, below LB, below DB, below CB.",
        parts: &["figure-6"],
        paper: "3 times RNS and RR, twice GSB",
        judge: existing_policies,
    },
    Claim {
        id: "S5",
        text: "Longer cycles and smaller budgets raise the change ratio; the curves over d keep their \
               shape.",
        parts: &["figure-7"],
        paper: FIGURE_ONLY,
        judge: settings,
    },
    Claim {
        id: "S6",
        text: "Following samples by their PageRank (PRA) almost doubles the weighted change ratio of DB.",
        parts: &["figure-8"],
        paper: "almost +100 %",
        judge: popularity,
    },
    Claim {
        id: "S7",
        text: "By history (HA, WHA) samples are followed no better than by chance in cycles 2 to 5, and \
               better than by their last change at the end; weighted history is the better of the two.",
        parts: &["figure-9"],
        paper: "WHA passes DB in cycle 16, HA in cycle 18 of 24",
        judge: history,
    },
];

fn at(label: &str, d: i64) -> (String, Pick) {
    (format!("{label} d={d}"), Pick::new("figure-5", label).at(d))
}

fn curve(label: &str, distances: impl Iterator<Item = i64>) -> Vec<(String, Pick)> {
    distances.map(|d| at(label, d)).collect()
}

fn picks(named: Vec<(String, Pick)>) -> Vec<Pick> {
    named.into_iter().map(|(_, pick)| pick).collect()
}

fn granularities(on: &Evidence<'_>) -> Vec<Piece> {
    let mut others = curve("DB", DISTANCES);
    others.extend(curve("LB", DISTANCES));
    others.extend(curve("CB", 1..=8));
    let first =
        Says { what: "CB at d = 0 is above every other policy and distance", paper: FIGURE_ONLY };
    let overall = Says { what: "DB is above LB, mean over d = -6 to 8", paper: FIGURE_ONLY };
    let (directories, links) = (picks(curve("DB", DISTANCES)), picks(curve("LB", DISTANCES)));
    let mut pieces = vec![
        highest(on, &first, &[at("CB", 0)], &others),
        above(&overall, &Pair::of(on, ("DB", &directories), ("LB", &links))),
    ];
    for d in 0..=3 {
        let (cluster, directory) = (at("CB", d), at("DB", d));
        let what = format!("CB is above DB at d = {d}");
        let pair =
            against(on, (&cluster.0, cluster.1.clone()), (&directory.0, directory.1.clone()));
        pieces.push(above(&Says { what: &what, paper: FIGURE_ONLY }, &pair));
    }
    pieces
}

fn best_distances(on: &Evidence<'_>) -> Vec<Piece> {
    let cases: [(&str, RangeInclusive<i64>, &[i64], &str); 3] = [
        ("DB", DISTANCES, &[0, 1], "d = 0 to 1"),
        ("LB", DISTANCES, &[3], "d = 3"),
        ("CB", 0..=8, &[0], "d = 0"),
    ];
    let piece = |(label, all, best, paper): (&str, RangeInclusive<i64>, &[i64], &str)| {
        let inside = curve(label, best.iter().copied());
        let outside = curve(label, all.filter(|d| !best.contains(d)));
        let what = format!("{label} is highest at {paper}");
        highest(on, &Says { what: &what, paper }, &inside, &outside)
    };
    cases.into_iter().map(piece).collect()
}

fn directions(on: &Evidence<'_>) -> Vec<Piece> {
    let piece = |label: &str| {
        let (up, down) = (picks(curve(label, 1..=6)), picks(curve(label, -6..=-1)));
        let what = format!("{label} is higher for d = 1 to 6 than for -1 to -6");
        let pair = Pair::of(on, ("positive", &up), ("negative", &down));
        above(&Says { what: &what, paper: FIGURE_ONLY }, &pair)
    };
    ["LB", "DB"].into_iter().map(piece).collect()
}

fn existing_policies(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |label: &'static str| (label, Pick::new("figure-6", label));
    let mut pieces = vec![compare(alike, on, "RR is like RNS", of("RR"), of("RNS"))];
    let order = [("GSB", "RNS"), ("GSB", "RR"), ("LB", "GSB"), ("DB", "LB"), ("CB", "DB")];
    for (one, other) in order {
        pieces.push(compare(above, on, &format!("{one} is above {other}"), of(one), of(other)));
    }
    for (baseline, factor, word) in
        [("RNS", 3.0, "three"), ("RR", 3.0, "three"), ("GSB", 2.0, "two")]
    {
        for ours in ["DB", "LB", "CB"] {
            let what = format!("{ours} finds about {word} times the changes of {baseline}");
            let paper = format!("about {factor}");
            let pair = against(on, of(ours), of(baseline));
            pieces.push(about_times(&Says { what: &what, paper: &paper }, &pair, factor));
        }
    }
    pieces
}

fn settings(on: &Evidence<'_>) -> Vec<Piece> {
    const STEPS: [usize; 3] = [0, 1, 2];
    let of = |cycle: usize, budget: usize| -> Vec<Pick> {
        let pick = Pick::new("figure-7", "DB").cycle(cycle).budget(budget);
        DISTANCES.map(|d| pick.clone().at(d)).collect()
    };
    let by_cycle = |cycle| STEPS.map(|budget| of(cycle, budget)).concat();
    let by_budget = |budget| STEPS.map(|cycle| of(cycle, budget)).concat();
    let mut pieces = vec![];
    let mut piece = |what: String, one: (&str, Vec<Pick>), other: (&str, Vec<Pick>)| {
        let pair = Pair::of(on, (one.0, &one.1), (other.0, &other.1));
        pieces.push(above(&Says { what: &what, paper: FIGURE_ONLY }, &pair));
    };
    for (long, short, names) in [(2, 1, ("8w", "4w")), (1, 0, ("4w", "2w"))] {
        let what = format!("cycles of {} are above those of {}", names.0, names.1);
        piece(what, (names.0, by_cycle(long)), (names.1, by_cycle(short)));
    }
    for (small, large, names) in [(0, 1, ("8.8 %", "17.6 %")), (1, 2, ("17.6 %", "35.1 %"))] {
        let what = format!("a budget of {} is above {}", names.0, names.1);
        piece(what, (names.0, by_budget(small)), (names.1, by_budget(large)));
    }
    pieces.push(same_shape(on, &STEPS.map(|cycle| STEPS.map(|budget| of(cycle, budget)))));
    pieces
}

/// Whether the curves over d of all settings go up and down alike.
fn same_shape(on: &Evidence<'_>, curves: &[[Vec<Pick>; 3]; 3]) -> Piece {
    let what = "the curves over d have the same shape in all settings";
    let says = Says { what, paper: "roughly the same" };
    let points = curves[0][0].len();
    let samples: Result<Vec<Sample>, String> =
        curves.iter().flatten().flatten().map(|pick| on.sample(pick)).collect();
    let samples = match samples {
        Ok(samples) => samples,
        Err(why) => return untestable(&says, &why),
    };
    let samples: Vec<&Sample> = samples.iter().collect();
    match combined(&samples, |values| mean_correlation(values, points)) {
        Some(estimate) => {
            let is_met = estimate.value >= SAME_SHAPE;
            told(
                &says,
                estimate,
                is_met,
                "mean correlation of the curves; at least 0.8 is the same",
            )
        }
        None => untestable(&says, "a curve does not vary with d"),
    }
}

/// The mean correlation of all pairs of curves of so many points, which stand one after the other.
fn mean_correlation(values: &[f64], points: usize) -> f64 {
    let curves: Vec<&[f64]> = values.chunks_exact(points).collect();
    let (mut sum, mut count) = (0.0, 0.0);
    for (place, one) in curves.iter().enumerate() {
        for other in &curves[place + 1..] {
            sum += correlation(one, other);
            count += 1.0;
        }
    }
    sum / count
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (center, other_center) = (mean(one), mean(other));
    let (mut product, mut square, mut other_square) = (0.0, 0.0, 0.0);
    for (a, b) in one.iter().zip(other) {
        product += (a - center) * (b - other_center);
        square += (a - center).powi(2);
        other_square += (b - other_center).powi(2);
    }
    product / (square * other_square).sqrt()
}

fn popularity(on: &Evidence<'_>) -> Vec<Piece> {
    let curve = |label: &str| -> Vec<Pick> {
        let pick = Pick::new("figure-8", label).metric("weighted_change_ratio");
        (1..=8).map(|d| pick.clone().at(d)).collect()
    };
    let pair = Pair::of(on, ("PRA", &curve("PRA")), ("DB", &curve("DB")));
    let what =
        "PRA has about twice the weighted change ratio (2007 form) of DB, mean over d = 1 to 8";
    vec![about_times(&Says { what, paper: "almost +100 %" }, &pair, 2.0)]
}

fn history(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |label: &'static str, cycles: RangeInclusive<usize>| {
        (label, Pick::new("figure-9", label).cycles(cycles))
    };
    let mut pieces = vec![];
    for label in ["HA", "WHA"] {
        let what = format!("{label} is like random in cycles 2 to 5");
        pieces.push(compare(alike, on, &what, of(label, EARLY), of("RNS", EARLY)));
        let what = format!("{label} is below DB in cycles 2 to 5");
        pieces.push(compare(above, on, &what, of("DB", EARLY), of(label, EARLY)));
    }
    for (label, cycles) in [("WHA", WEIGHTED_PASSES), ("HA", HISTORY_PASSES)] {
        let first = *cycles.start();
        let what = format!("{label} is above DB from cycle {first} on");
        let says = Says { what: &what, paper: &format!("from cycle {first} on") };
        let mut piece = above(&says, &against(on, of(label, cycles.clone()), of("DB", cycles)));
        if let Some(passes) = passes(on, label) {
            piece.explanation = format!("{}; {passes}", piece.explanation);
        }
        pieces.push(piece);
    }
    pieces.push(compare(
        above,
        on,
        "WHA is above HA over all cycles",
        of("WHA", 1..=24),
        of("HA", 1..=24),
    ));
    pieces
}

/// From which cycle on a policy stays above DB in the mean of what is left.
fn passes(on: &Evidence<'_>, label: &str) -> Option<String> {
    let ours = on.by_cycle(&Pick::new("figure-9", label)).ok()?;
    let theirs = on.by_cycle(&Pick::new("figure-9", "DB")).ok()?;
    let ahead: Vec<f64> = ours
        .iter()
        .zip(&theirs)
        .map(|(one, other)| one.zip(*other).map_or(0.0, |(a, b)| a - b))
        .collect();
    let (mut rest, mut first) = (0.0, None);
    for (place, difference) in ahead.iter().enumerate().rev() {
        rest += difference;
        if rest <= 0.0 {
            break;
        }
        first = Some(place + 1);
    }
    Some(match first {
        Some(cycle) => format!("above DB in what is left from cycle {cycle} on"),
        None => "not above DB in the last cycle".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_that_rise_and_fall_together_correlate() {
        let same = [1.0, 3.0, 2.0, 2.0, 6.0, 4.0];
        assert!((mean_correlation(&same, 3) - 1.0).abs() < 1e-12);
        let opposite = [1.0, 3.0, 2.0, 3.0, 1.0, 2.0];
        assert!((mean_correlation(&opposite, 3) + 1.0).abs() < 1e-12);
        assert!(mean_correlation(&[1.0, 1.0, 2.0, 3.0], 2).is_nan());
    }
}
