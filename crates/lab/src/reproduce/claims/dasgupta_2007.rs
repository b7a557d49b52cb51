//! D1 to D9: what Dasgupta, Ghosh, Kumar, Olston, Pandey and Tomkins claim in "The discoverability of the
//! Web" (WWW 2007), and what we ask besides: what is left of it where every visit is paid.
//!
//! The claims about algorithms, D6 to D9 and ours, are in `dasgupta_2007_algorithms.rs`. All are judged on
//! sites one by one, whose record is looked at week by week; the numbers are ratios of sums over sites.
use super::{
    super::{
        discovery::{ALL_AT_ONCE, ALL_PAIRS, EACH_ALONE, LARGEST, MOST, SHARING_PAIRS},
        evidence::Evidence,
        paper::Claim,
        plan::WebKind,
        rules::{Says, counted, told, untestable},
        sample::{Estimate, Sample, combined},
        verdict::Piece,
    },
    FIGURE_ONLY,
    dasgupta_2007_algorithms::{
        bandit, closed_loop, comparisons, history_bounds, sharing_a_budget, table,
    },
};

/// Pairs that are near an end of the scale, of a distribution with two peaks.
const TWO_PEAKS: f64 = 0.75;

/// The claims of the paper, and ours.
pub(in super::super) static CLAIMS: &[Claim] = &[
    Claim {
        id: "D1",
        text: "Who knows where to look finds 90 % of the new pages with an overhead below 3 % and all of \
               them with 9 %.",
        parts: &["figure-6"],
        paper: "below 0.03 and 0.09",
        judge: overheads,
    },
    Claim {
        id: "D2",
        text: "Covers of at most 83 pages for each site and week have 90 % of the new pages, of at most 200 \
               97.3 %.",
        parts: &["figure-3"],
        paper: "0.9 and 0.973",
        judge: cover_curves,
    },
    Claim {
        id: "D3",
        text: "Most 90 % covers have at most 5 pages, none more than 1,000.",
        parts: &["figure-4"],
        paper: "most; none",
        judge: cover_sizes,
    },
    Claim {
        id: "D4",
        text: "Two old pages lead either to almost the same new pages or to almost none in common.",
        parts: &["figure-5"],
        paper: FIGURE_ONLY,
        judge: overlaps,
    },
    Claim {
        id: "D5",
        text: "84 to 93 % of new pages are on sites that were there before; a visit finds 1.5 to 3 new \
               sites of 18.1 pages each, an overhead of 3.7 %.",
        parts: &["folders"],
        paper: "16 and 7 % on new sites",
        judge: new_sites,
    },
    Claim {
        id: "D6",
        text: "Visits to all pages that ever led to a new one find 74 % of the new pages, 64 % with \
               recrawls every 2 weeks, 59 % with recrawls every 4.",
        parts: &["history"],
        paper: "0.74, 0.64, 0.59",
        judge: history_bounds,
    },
    Claim {
        id: "D7",
        text: "Coverage and overhead of the algorithms are those of table 2.",
        parts: &["table-2", "parameters"],
        paper: "table 2",
        judge: table,
    },
    Claim {
        id: "D8",
        text: "CLIQ-WIN is like OD-WIN; COV has the least overhead and then finds no more; all recrawls say \
               far more than the last.",
        parts: &["table-2", "recrawls"],
        paper: "in words, from table 2",
        judge: comparisons,
    },
    Claim {
        id: "D9",
        text: "A bandit finds up to 64 % of the new pages with an overhead like that of OD-WIN.",
        parts: &["table-2"],
        paper: "0.64",
        judge: bandit,
    },
    Claim {
        id: "O1",
        text: "Where every visit is paid, the bandit finds more new pages than every algorithm of the paper, \
               round-robin, breadth-first and hub-interval, at every budget.",
        parts: &["closed-loop"],
        paper: "not in the paper",
        judge: closed_loop,
    },
    Claim {
        id: "O2",
        text: "With a tenth of the budget for discovery, mix finds more new pages than freshness-index and is as \
               fresh, at every budget.",
        parts: &["mix"],
        paper: "not in the paper",
        judge: sharing_a_budget,
    },
];

/// A part that sites one by one decide: nothing of this was measured on traces together.
pub(super) fn on_sites(piece: Piece) -> Piece {
    Piece { decides: WebKind::Sites, ..piece }
}

/// The value of a survey's line at a place, with its interval.
pub(super) fn at(on: &Evidence<'_>, part: &str, line: &str, x: f64) -> Result<Estimate, String> {
    let series = on.series(part, line)?;
    let point = series.points.iter().find(|point| point.x.total_cmp(&x).is_eq());
    let value = point.and_then(|point| Some((point.y?, point.interval)));
    let (value, interval) = value.ok_or_else(|| format!("{line} has no value there"))?;
    Ok(Estimate { value, interval })
}

/// A part that is told by one value of a survey's line.
pub(super) fn judged(
    says: &Says<'_>,
    found: Result<Estimate, String>,
    is_met: impl Fn(f64) -> bool,
    explanation: &str,
) -> Piece {
    on_sites(match found {
        Ok(estimate) => told(says, estimate, is_met(estimate.value), explanation),
        Err(why) => untestable(says, &why),
    })
}

fn overheads(on: &Evidence<'_>) -> Vec<Piece> {
    let piece = |what: &str, paper: &str, line: &str, share: f64, most: f64| {
        let says = Says { what, paper };
        let explanation = match line {
            ALL_AT_ONCE => "ratio of sums over all weeks; sites are not drawn again",
            _ => "ratio of sums over all sites and weeks",
        };
        judged(&says, at(on, "figure-6", line, share), |value| value <= most, explanation)
    };
    vec![
        piece(
            "90 % of the new pages of all sites at once: below 0.03",
            "0.03",
            ALL_AT_ONCE,
            0.9,
            0.03,
        ),
        piece(
            "90 % of each site's new pages: below 0.03",
            "not in the paper",
            EACH_ALONE,
            0.9,
            0.03,
        ),
        piece("all new pages: at most 0.09", "0.09", EACH_ALONE, 1.0, 0.09),
    ]
}

fn cover_curves(on: &Evidence<'_>) -> Vec<Piece> {
    // How many pages a cover has says how large sites are; it is told, not judged.
    let explanation = at(on, "figure-3", "new pages covered", 600.0).map_or_else(
        |_| String::new(),
        |pages| format!("ratio of sums; a cover has {:.1} new pages here", pages.value),
    );
    let share = |what: &str, paper: &str, size: f64, least: f64| {
        let found = at(on, "figure-3", "share covered", size);
        judged(&Says { what, paper }, found, |value| value >= least, &explanation)
    };
    vec![
        share("covers of at most 83 pages have 0.9", "0.9, of 300 new pages", 83.0, 0.9),
        share("covers of at most 200 pages have 0.973", "0.973, of 300 new pages", 200.0, 0.973),
    ]
}

fn cover_sizes(on: &Evidence<'_>) -> Vec<Piece> {
    let most = Says { what: "more than half have at most 5 pages", paper: "most" };
    let none = Says { what: "none has more than 1,000 pages", paper: "none" };
    let largest = on.series("figure-4", LARGEST).and_then(|line| {
        let values = line.values().into_iter().map(|value| value.1);
        values.reduce(f64::max).ok_or_else(|| "there are no covers".to_owned())
    });
    let largest = match largest {
        Ok(size) => counted(&none, size <= 1_000.0, format!("{size}"), "the largest of all"),
        Err(why) => untestable(&none, &why),
    };
    let share = at(on, "figure-4", MOST, 5.0);
    vec![judged(&most, share, |value| value > 0.5, "share of sites and weeks"), on_sites(largest)]
}

fn overlaps(on: &Evidence<'_>) -> Vec<Piece> {
    let piece = |what: &str, line: &str| {
        let says = Says { what, paper: FIGURE_ONLY };
        let sample = on
            .series("figure-5", line)
            .map(|series| Sample::Values(series.points.iter().map(|point| point.y).collect()));
        let mean = sample.and_then(|sample| {
            let mean = combined(&[&sample], |values| values[0]);
            mean.ok_or_else(|| "there are no such pairs".to_owned())
        });
        let explanation = "mean over sites of the share of their pairs; ours is the 0.75";
        judged(&says, mean, |value| value >= TWO_PEAKS, explanation)
    };
    vec![
        piece("of all pairs that lead to new pages, 0.75 are below 0.1 or above 0.9", ALL_PAIRS),
        piece("of pairs that share one, 0.75 are below 0.1 or above 0.9", SHARING_PAIRS),
    ]
}

fn new_sites(_on: &Evidence<'_>) -> Vec<Piece> {
    let why =
        "traces of single sites have no new sites; the part has first-level folders in their place";
    let piece = |(what, paper): (&str, &str)| on_sites(untestable(&Says { what, paper }, why));
    [
        ("new pages on new sites", "16 and 7 %"),
        ("new sites found by a visit", "1.5 to 3"),
        ("overhead of finding new sites", "3.7 %"),
    ]
    .map(piece)
    .into()
}
