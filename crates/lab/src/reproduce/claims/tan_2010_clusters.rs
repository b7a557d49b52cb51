//! T1, T2 and T9: what Tan and Mitra (TOIS 2010) claim about the clusters themselves.
//!
//! These look at surveys, whose lines are named here: `URL` and `content` over the number of clusters
//! in figure 1; `clusters` and `sites`, a point for each with its size, in figure 2; `combined`,
//! `dynamic`, `static`, `SLS`, `Freq` and `Freq early` over the number of groups in figure 8.
use super::super::{
    evidence::Evidence,
    figure::Series,
    rules::{Says, counted, short, untestable},
    verdict::Piece,
};

/// Where the paper sees the turning point.
const TURN: f64 = 100.0;
/// Beyond it a cluster adds at most this part of what one adds before it.
const FLAT: f64 = 0.25;
/// From here on the paper's clusters are more alike than its sites.
const BELOW_SITES: f64 = 25.0;

/// T1: the quality of k clusters.
pub(super) fn cluster_numbers(on: &Evidence<'_>) -> Vec<Piece> {
    ["URL", "content"].into_iter().map(|name| flattens(on, name)).collect()
}

fn flattens(on: &Evidence<'_>, name: &str) -> Piece {
    let what =
        format!("{name}: beyond k = 100 a cluster adds at most a quarter of what one adds before");
    let says = Says { what: &what, paper: "a turning point at k = 100" };
    let values = match on.series("figure-1", name) {
        Ok(series) => series.values(),
        Err(why) => return untestable(&says, &why),
    };
    let (Some(first), Some(turn), Some(last)) =
        (values.first(), values.iter().find(|point| point.0 >= TURN), values.last())
    else {
        return untestable(&says, "the line does not reach k = 100");
    };
    if first.0 >= turn.0 || last.0 <= turn.0 {
        return untestable(&says, "the line does not go beyond k = 100");
    }
    let slope = |from: &(f64, f64), to: &(f64, f64)| (to.1 - from.1) / (to.0 - from.0);
    let (before, after) = (slope(first, turn), slope(turn, last));
    let rises = values.windows(2).all(|pair| pair[1].1 >= pair[0].1);
    let part = after / before;
    let explanation = if rises { "it rises throughout" } else { "it does not rise throughout" };
    counted(&says, rises && part <= FLAT, format!("{part:.2} of it"), explanation)
}

/// T2: how even clusters and sites are.
pub(super) fn sizes(on: &Evidence<'_>) -> Vec<Piece> {
    let what = "sizes of clusters vary less than those of sites (standard deviation by mean)";
    let says = Says { what, paper: "798 to 6604, mean 2847, against 1 to 3313, mean 1343" };
    let of = |name| on.series("figure-2", name).map(Series::values);
    let piece = match of("clusters").and_then(|clusters| Ok((clusters, of("sites")?))) {
        Err(why) => untestable(&says, &why),
        Ok((clusters, sites)) if clusters.len() < 2 || sites.len() < 2 => {
            untestable(&says, "there is only one of them")
        }
        Ok((clusters, sites)) => {
            let (clusters, sites) = (variation_of(&clusters), variation_of(&sites));
            let number = format!("{} against {}", short(clusters), short(sites));
            counted(&says, clusters < sites, number, "a description of the web: no interval")
        }
    };
    vec![piece]
}

/// The coefficient of variation of the sizes.
fn variation_of(sizes: &[(f64, f64)]) -> f64 {
    let count = sizes.len() as f64;
    let mean = sizes.iter().map(|size| size.1).sum::<f64>() / count;
    let squares: f64 = sizes.iter().map(|size| (size.1 - mean).powi(2)).sum();
    (squares / count).sqrt() / mean
}

/// T9: how alike the pages of a group change.
pub(super) fn variation(on: &Evidence<'_>) -> Vec<Piece> {
    let of = |name| on.series("figure-8", name).map(Series::values);
    let falls = Says { what: "it falls with the number of clusters", paper: "figure only" };
    let mut pieces = vec![match of("combined") {
        Ok(values) if values.len() > 1 => {
            let (first, last) = (values[0], values[values.len() - 1]);
            let number = format!("{} to {}", short(first.1), short(last.1));
            counted(&falls, last.1 < first.1, number, "from the fewest clusters to the most")
        }
        Ok(_) => untestable(&falls, "there is only one number of clusters"),
        Err(why) => untestable(&falls, &why),
    }];
    let beyond = |k: f64| k > BELOW_SITES;
    pieces.push(lower(on, "beyond 25 clusters it is below sites", ("combined", "SLS"), beyond));
    pieces
        .push(lower(on, "combined features are below dynamic", ("combined", "dynamic"), |_| true));
    pieces.push(lower(on, "dynamic features are below static", ("dynamic", "static"), |_| true));
    pieces.push(lower(on, "CLS is below Freq", ("combined", "Freq"), |_| true));
    let what = "CLS is below Freq by early history";
    pieces.push(lower(on, what, ("combined", "Freq early"), |_| true));
    pieces
}

/// One line is below another in the mean over the places that both have and `at` lets in; a line of
/// one point is the same everywhere.
fn lower(on: &Evidence<'_>, what: &str, lines: (&str, &str), at: impl Fn(f64) -> bool) -> Piece {
    let says = Says { what, paper: "figure only" };
    let of = |name| on.series("figure-8", name).map(Series::values);
    let (one, other) = match of(lines.0).and_then(|one| Ok((one, of(lines.1)?))) {
        Ok(both) => both,
        Err(why) => return untestable(&says, &why),
    };
    let value_of = |line: &[(f64, f64)], x: f64| match line {
        [(_, only)] => Some(*only),
        line => line.iter().find(|point| point.0.total_cmp(&x).is_eq()).map(|point| point.1),
    };
    let pairs: Vec<(f64, f64)> = one
        .iter()
        .filter(|point| at(point.0))
        .filter_map(|(x, value)| Some((*value, value_of(&other, *x)?)))
        .collect();
    if pairs.is_empty() {
        return untestable(&says, "the two have no place in common");
    }
    let mean =
        |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / pairs.len() as f64;
    let (one, other) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let always = pairs.iter().filter(|pair| pair.0 < pair.1).count();
    let number = format!("{} against {}", short(one), short(other));
    let explanation = format!("mean over {} places; lower at {always} of them", pairs.len());
    counted(&says, one < other, number, &explanation)
}
