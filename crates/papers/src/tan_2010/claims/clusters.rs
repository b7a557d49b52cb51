//! T1, T2 and T9: the claims about the clusters themselves.
//!
//! They need these lines of analyses: `URL` and `content` over the number of clusters (figure 1);
//! the variation of the sizes of `clusters` and `sites`, by web (figure 2); `combined`, `dynamic`, `static`,
//! `SLS`, `Freq` and `Freq early` over the number of groups (figure 8).
use lab::report::figure::Series;

use crate::{
    evidence::Evidence,
    rules::{Rule::Above, Statement, counted, judged, or_untestable, short, untestable},
    sample::{Sample, combined, values},
    tan_2010::clusters::VARIATION,
    verdict::SubClaim,
};

/// The number of clusters at which quality levels off in the paper.
const TURN: f64 = 100.0;
/// The share of what a cluster adds before it that a cluster may add beyond it.
const FLAT: f64 = 0.25;
/// The number of clusters from which on clusters are more alike than sites in the paper.
const BELOW_SITES: f64 = 25.0;

/// T1: the quality of k clusters.
pub(crate) fn cluster_numbers(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    ["URL", "content"].into_iter().map(|name| flattens(evidence, name)).collect()
}

fn flattens(evidence: &Evidence<'_>, name: &str) -> SubClaim {
    let what =
        format!("{name}: beyond k = 100 a cluster adds at most a quarter of what one adds before");
    let statement = Statement { what: &what, paper: "a turning point at k = 100" };
    let values = match evidence.series("figure-1", name) {
        Ok(series) => series.values(),
        Err(why) => return untestable(&statement, &why),
    };
    let (Some(first), Some(turn), Some(last)) =
        (values.first(), values.iter().find(|point| point.0 >= TURN), values.last())
    else {
        return untestable(&statement, "the line does not reach k = 100");
    };
    if first.0 >= turn.0 || last.0 <= turn.0 {
        return untestable(&statement, "the line does not go beyond k = 100");
    }
    let slope = |from: &(f64, f64), to: &(f64, f64)| (to.1 - from.1) / (to.0 - from.0);
    let (before, after) = (slope(first, turn), slope(turn, last));
    let rises = values.windows(2).all(|pair| pair[1].1 >= pair[0].1);
    let part = after / before;
    let explanation = if rises { "it rises throughout" } else { "it does not rise throughout" };
    counted(&statement, rises && part <= FLAT, format!("{part:.2} of it"), explanation)
}

/// T2: how even clusters and sites are.
pub(crate) fn sizes(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let what = "sizes of clusters vary less than those of sites (standard deviation by mean)";
    let statement =
        Statement { what, paper: "798 to 6604, mean 2847, against 1 to 3313, mean 1343" };
    let of = |name: &str| {
        let series = evidence.series("figure-2", &format!("{name}{VARIATION}"))?;
        Ok::<_, String>(Sample::Values(series.points.iter().map(|point| point.y).collect()))
    };
    let found = of("clusters").and_then(|clusters| {
        let samples = [&of("sites")?, &clusters];
        let difference = combined(&samples, |both| both[0] - both[1])
            .ok_or_else(|| "no web has both".to_owned())?;
        let both = values(&samples).unwrap_or_default();
        let number = format!("clusters {}, sites {}", short(both[1]), short(both[0]));
        Ok(judged(&statement, Above, difference, number))
    });
    vec![or_untestable(&statement, found)]
}

/// T9: how alike the pages of a group change.
pub(crate) fn variation(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let of = |name| evidence.series("figure-8", name).map(Series::values);
    let falls = Statement { what: "it falls with the number of clusters", paper: "figure only" };
    let mut sub_claims = vec![match of("combined") {
        Ok(values) if values.len() > 1 => {
            let (first, last) = (values[0], values[values.len() - 1]);
            let number = format!("{} to {}", short(first.1), short(last.1));
            counted(&falls, last.1 < first.1, number, "from the fewest clusters to the most")
        }
        Ok(_) => untestable(&falls, "there is only one number of clusters"),
        Err(why) => untestable(&falls, &why),
    }];
    let beyond = |k: f64| k > BELOW_SITES;
    sub_claims.push(lower(
        evidence,
        "beyond 25 clusters it is below sites",
        ("combined", "SLS"),
        beyond,
    ));
    sub_claims.push(lower(
        evidence,
        "combined features are below dynamic",
        ("combined", "dynamic"),
        |_| true,
    ));
    sub_claims.push(lower(
        evidence,
        "dynamic features are below static",
        ("dynamic", "static"),
        |_| true,
    ));
    sub_claims.push(lower(evidence, "CLS is below Freq", ("combined", "Freq"), |_| true));
    let what = "CLS is below Freq by early history";
    sub_claims.push(lower(evidence, what, ("combined", "Freq early"), |_| true));
    sub_claims
}

/// One line is below another in the mean over the places that both have and `at` lets in; a line of
/// one point is the same everywhere.
fn lower(
    evidence: &Evidence<'_>,
    what: &str,
    lines: (&str, &str),
    at: impl Fn(f64) -> bool,
) -> SubClaim {
    let statement = Statement { what, paper: "figure only" };
    let of = |name| evidence.series("figure-8", name).map(Series::values);
    let (one, other) = match of(lines.0).and_then(|one| Ok((one, of(lines.1)?))) {
        Ok(both) => both,
        Err(why) => return untestable(&statement, &why),
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
        return untestable(&statement, "the two have no place in common");
    }
    let mean =
        |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / pairs.len() as f64;
    let (one, other) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let always = pairs.iter().filter(|pair| pair.0 < pair.1).count();
    let number = format!("{} against {}", short(one), short(other));
    let explanation = format!("mean over {} places; lower at {always} of them", pairs.len());
    counted(&statement, one < other, number, &explanation)
}
