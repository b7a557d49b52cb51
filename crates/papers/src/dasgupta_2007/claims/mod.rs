//! D1 to D10: the claims of the paper; O1 and O2: what remains of them where every visit counts.
//!
//! The claims about algorithms, D6 to D10, O1 and O2, are in `algorithms.rs`. All are judged on sites one
//! by one, week by week; the numbers are ratios of sums over sites.
mod algorithms;

use crate::{
    dasgupta_2007::{
        claims::algorithms::{
            bandit, closed_loop, comparisons, headline, history_bounds, sharing_a_budget, table,
        },
        figures::{
            covers::{LARGEST, MOST},
            overhead::{ALL_AT_ONCE, EACH_ALONE},
            overlap::{ALL_PAIRS, SHARING_PAIRS},
        },
    },
    evidence::Evidence,
    paper::Claim,
    rules::{
        FIGURE_ONLY,
        Rule::{AtLeast, AtMost},
        Statement, counted, judge_value, on_sites, or_untestable, untestable,
    },
    sample::{Sample, combined},
    verdict::SubClaim,
};

/// The share of pairs near an end of the scale that makes a distribution two-peaked.
const TWO_PEAKS: f64 = 0.75;

/// The claims of the paper, and ours.
pub(crate) static CLAIMS: &[Claim] = &[
    Claim {
        id: "D1",
        text: "With perfect knowledge, 90 % of the new pages are found with an overhead below 3 %, all of them with 9 %.",
        parts: &["figure-6"],
        paper: "below 0.03 and 0.09",
        judge: overheads,
    },
    Claim {
        id: "D2",
        text: "Covers of at most 83 pages per site and week contain 90 % of the new pages, covers of at most 200 97.3 %.",
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
        text: "Visits to all pages that ever led to a new page find 74 % of the new pages; 64 % with recrawls every 2 weeks, 59 % with recrawls every 4 weeks.",
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
        text: "CLIQ-WIN is like OD-WIN; COV has the least overhead but stops finding pages; all past recrawls are far more useful than the last one alone.",
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
        id: "D10",
        text: "With a full recrawl every few weeks OD-WIN finds at least 60 % of the new pages, with an overhead below 2.",
        parts: &["table-2"],
        paper: "0.69 at 1.538; 80 % of three quarters at 1.6",
        judge: headline,
    },
    Claim {
        id: "O1",
        text: "Where every visit counts, the bandit finds more new pages than every algorithm of the paper, \
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

fn overheads(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let sub_claim = |what: &str, paper: &str, line: &str, share: f64, most: f64| {
        let statement = Statement { what, paper };
        let explanation = match line {
            ALL_AT_ONCE => "ratio of sums over all weeks; sites are not drawn again",
            _ => "ratio of sums over all sites and weeks",
        };
        judge_value(&statement, evidence.value("figure-6", line, share), AtMost(most), explanation)
    };
    vec![
        sub_claim(
            "90 % of the new pages of all sites at once: below 0.03",
            "0.03",
            ALL_AT_ONCE,
            0.9,
            0.03,
        ),
        sub_claim(
            "90 % of each site's new pages: below 0.03",
            "not in the paper",
            EACH_ALONE,
            0.9,
            0.03,
        ),
        sub_claim("all new pages: at most 0.09", "0.09", EACH_ALONE, 1.0, 0.09),
    ]
}

fn cover_curves(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    // The number of pages depends on the size of sites; it is shown, not judged.
    let explanation = evidence.value("figure-3", "new pages covered", 600.0).map_or_else(
        |_| String::new(),
        |pages| format!("ratio of sums; a cover has {:.1} new pages here", pages.value),
    );
    let share = |what: &str, paper: &str, size: f64, least: f64| {
        let found = evidence.value("figure-3", "share covered", size);
        judge_value(&Statement { what, paper }, found, AtLeast(least), &explanation)
    };
    vec![
        share("covers of at most 83 pages have 0.9", "0.9, of 300 new pages", 83.0, 0.9),
        share("covers of at most 200 pages have 0.973", "0.973, of 300 new pages", 200.0, 0.973),
    ]
}

fn cover_sizes(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let most = Statement { what: "more than half have at most 5 pages", paper: "most" };
    let none = Statement { what: "none has more than 1,000 pages", paper: "none" };
    let largest = evidence.series("figure-4", LARGEST).and_then(|line| {
        let values = line.values().into_iter().map(|value| value.1);
        values.reduce(f64::max).ok_or_else(|| "there are no covers".to_owned())
    });
    let largest = largest
        .map(|size| counted(&none, size <= 1_000.0, format!("{size}"), "the largest of all"));
    let largest = or_untestable(&none, largest);
    let share = evidence.value("figure-4", MOST, 5.0);
    vec![judge_value(&most, share, AtLeast(0.5), "share of sites and weeks"), on_sites(largest)]
}

fn overlaps(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let sub_claim = |what: &str, line: &str| {
        let statement = Statement { what, paper: FIGURE_ONLY };
        let sample = evidence
            .series("figure-5", line)
            .map(|series| Sample::Values(series.points.iter().map(|point| point.y).collect()));
        let mean = sample.and_then(|sample| {
            let mean = combined(&[&sample], |values| values[0]);
            mean.ok_or_else(|| "there are no such pairs".to_owned())
        });
        let explanation = "mean over sites of the share of their pairs; ours is the 0.75";
        judge_value(&statement, mean, AtLeast(TWO_PEAKS), explanation)
    };
    vec![
        sub_claim(
            "of all pairs that lead to new pages, 0.75 are below 0.1 or above 0.9",
            ALL_PAIRS,
        ),
        sub_claim("of pairs that share one, 0.75 are below 0.1 or above 0.9", SHARING_PAIRS),
    ]
}

fn new_sites(_on: &Evidence<'_>) -> Vec<SubClaim> {
    let why =
        "traces of single sites have no new sites; the part has first-level folders in their place";
    let sub_claim =
        |(what, paper): (&str, &str)| on_sites(untestable(&Statement { what, paper }, why));
    [
        ("new pages on new sites", "16 and 7 %"),
        ("new sites found by a visit", "1.5 to 3"),
        ("overhead of finding new sites", "3.7 %"),
    ]
    .map(sub_claim)
    .into()
}
