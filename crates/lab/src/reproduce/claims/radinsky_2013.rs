//! R1 to R6: what Radinsky and Bennett claim in "Predicting content change on the web" (WSDM 2013), and what
//! we ask besides: whether it is more than the baselines say that the paper lacks.
//!
//! Forecasts are judged on sites one by one, whose experts are pages of the same site; differences are means
//! over pages with an interval by site. The paper's t-tests take windows of one page for independent, which
//! they are not (`docs/papers.md` A5.2-12).
use super::{
    super::{
        evidence::{Evidence, Pick},
        paper::Claim,
        plan::WebKind,
        prediction::{
            AGAINST_EXPERTS, AGAINST_SINGLE, AGAINST_WINDOW, BY_SITE, CHOSEN_BY, COMBINED, less,
        },
        rules::{Says, above, alike, short, told, untestable},
        sample::Estimate,
        significance::wilcoxon,
        verdict::{Piece, Tests},
    },
    FIGURE_ONLY, against,
    dasgupta_2007::{at, on_sites},
};
use crate::{
    metric::Better,
    report::stats::{SHARE_MARGIN, detectable, score},
};

/// The claims of the paper, and ours.
pub(in super::super) static CLAIMS: &[Claim] = &[
    Claim {
        id: "R1",
        text: "A page's own content says more than how often it changed, and the content of related pages \
               more than that.",
        parts: &["table-1"],
        paper: "0.548, 0.629, 0.727",
        judge: information,
    },
    Claim {
        id: "R2",
        text: "A vote of experts is more often right than one learner of all features, bagged or boosted.",
        parts: &["table-2"],
        paper: "0.629, 0.636, 0.634 against 0.727",
        judge: combinations,
    },
    Claim {
        id: "R3",
        text: "Experts chosen by links are the worst, by content better, by words that come and go together \
               the best; all of them better than none.",
        parts: &["table-3"],
        paper: "0.644, 0.673, 0.703, 0.727",
        judge: relations,
    },
    Claim {
        id: "R4",
        text: "Twenty experts are the best number, and few already help.",
        parts: &["figure-7"],
        paper: FIGURE_ONLY,
        judge: numbers,
    },
    Claim {
        id: "R5",
        text: "Thirty days to learn from are as good as more, and fewer are worse.",
        parts: &["figure-6"],
        paper: FIGURE_ONLY,
        judge: windows,
    },
    Claim {
        id: "R6",
        text: "A crawler that visits a tenth of the pages a day is fresher with content than by how often \
               pages changed after 50 days, and with related pages fresher still after 100.",
        parts: &["figure-8"],
        paper: FIGURE_ONLY,
        judge: freshness,
    },
    Claim {
        id: "O1",
        text: "A vote of experts is more often right than saying what was so on most of the days before.",
        parts: &["table-1"],
        paper: "not in the paper",
        judge: majority,
    },
    Claim {
        id: "O2",
        text: "A vote of experts is more often right than saying what was so on the last day, or the opposite.",
        parts: &["table-1"],
        paper: "not in the paper",
        judge: last_label,
    },
];

/// What a difference is to be.
#[derive(Clone, Copy)]
enum Rule {
    Above,
    Alike,
}

/// A difference of two lines of a table, judged.
fn of_table(on: &Evidence<'_>, part: &str, rule: Rule, pair: (&str, &str), paper: &str) -> Piece {
    let (one, other) = pair;
    let what = match rule {
        Rule::Above => format!("{one} is above {other}"),
        Rule::Alike => format!("{one} is like {other}"),
    };
    let name = less(one, other);
    let numbers = [one, other].map(|line| at(on, part, line, 1.0));
    let shown = match numbers {
        [Ok(ours), Ok(theirs)] => {
            format!(": {one} {}, {other} {}", short(ours.value), short(theirs.value))
        }
        _ => String::new(),
    };
    let piece = difference(&Says { what: &what, paper }, rule, at(on, part, &name, 1.0));
    let by_site = on.series(part, &format!("{name}, {BY_SITE}"));
    let by_site: Vec<f64> = by_site
        .map(|line| line.values().into_iter().map(|(_, value)| value).collect())
        .unwrap_or_default();
    Piece { number: format!("{}{shown}", piece.number), tests: tests(&by_site), ..piece }
}

/// Tests beside the interval, by site.
fn tests(differences: &[f64]) -> Tests {
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

/// A difference with its interval by site, judged by the rules of the report.
fn difference(says: &Says<'_>, rule: Rule, found: Result<Estimate, String>) -> Piece {
    let estimate = match found {
        Ok(estimate) => estimate,
        Err(why) => return on_sites(untestable(says, &why)),
    };
    let Some(interval) = estimate.interval else {
        let why = format!(
            "no interval by site, since there is only one site ({})",
            short(estimate.value)
        );
        return on_sites(untestable(says, &why));
    };
    let (is_met, explanation) = match rule {
        Rule::Above if estimate.value <= 0.0 => (false, "the difference is not above 0"),
        Rule::Above if interval.low <= 0.0 => (false, "above, but the interval by site holds 0"),
        Rule::Above => (true, "above, and the interval by site does not hold 0"),
        // The subtraction of two shares is inexact in the last bits.
        Rule::Alike if estimate.value.abs() <= SHARE_MARGIN + 1e-12 => {
            (true, "alike: the difference is at most 0.005")
        }
        Rule::Alike if interval.contains(0.0) => {
            (true, "not told apart: the interval by site holds 0 (no proof that they are the same)")
        }
        Rule::Alike => (false, "different: more than 0.005 apart, and the interval excludes 0"),
    };
    let sign = if estimate.value > 0.0 { "+" } else { "" };
    let number = format!("{sign}{}", short(estimate.value));
    on_sites(Piece { number, ..told(says, estimate, is_met, explanation) })
}

fn information(on: &Evidence<'_>) -> Vec<Piece> {
    vec![
        of_table(on, "table-1", Rule::Above, ("single", "coin"), "0.081"),
        of_table(on, "table-1", Rule::Above, ("multiple", "single"), "0.098"),
    ]
}

fn majority(on: &Evidence<'_>) -> Vec<Piece> {
    vec![of_table(on, "table-1", Rule::Above, ("multiple", "majority"), "not in the paper")]
}

fn last_label(on: &Evidence<'_>) -> Vec<Piece> {
    let piece =
        |other| of_table(on, "table-1", Rule::Above, ("multiple", other), "not in the paper");
    ["last label", "flipped label"].map(piece).into()
}

fn combinations(on: &Evidence<'_>) -> Vec<Piece> {
    let papers = ["0.098", "0.091", "0.093"];
    let piece =
        |((name, _), paper)| of_table(on, "table-2", Rule::Above, ("multiple", name), paper);
    COMBINED.into_iter().zip(papers).map(piece).collect()
}

fn relations(on: &Evidence<'_>) -> Vec<Piece> {
    let mut pieces = vec![
        of_table(on, "table-3", Rule::Above, ("content", "links"), "0.029"),
        of_table(on, "table-3", Rule::Above, ("warping", "content"), "0.031"),
        of_table(on, "table-3", Rule::Above, ("correlation", "content"), "0.055"),
        of_table(on, "table-3", Rule::Alike, ("correlation", "warping"), "0.024, not significant"),
    ];
    let papers = ["0.015", "0.043", "0.098", "0.074"];
    for ((name, _), paper) in CHOSEN_BY.into_iter().zip(papers) {
        pieces.push(of_table(on, "table-3", Rule::Above, (name, "single"), paper));
    }
    pieces
}

fn numbers(on: &Evidence<'_>) -> Vec<Piece> {
    let mut pieces = vec![];
    for count in [10.0, 40.0] {
        let what = format!("20 experts are above {count}");
        let says = Says { what: &what, paper: FIGURE_ONLY };
        pieces.push(difference(&says, Rule::Above, at(on, "figure-7", AGAINST_EXPERTS, count)));
    }
    for (count, experts) in [(1.0, "1 expert is"), (2.0, "2 experts are"), (5.0, "5 experts are")] {
        let what = format!("{experts} above a single learner");
        let says = Says { what: &what, paper: FIGURE_ONLY };
        pieces.push(difference(&says, Rule::Above, at(on, "figure-7", AGAINST_SINGLE, count)));
    }
    pieces
}

fn windows(on: &Evidence<'_>) -> Vec<Piece> {
    let mut pieces = vec![];
    for method in ["single", "multiple"] {
        for (days, rule) in
            [(10.0, Rule::Above), (20.0, Rule::Above), (30.0, Rule::Alike), (80.0, Rule::Alike)]
        {
            let is = match rule {
                Rule::Above => "above",
                Rule::Alike => "like",
            };
            let what = format!("{method}: 50 days are {is} {days}");
            let says = Says { what: &what, paper: FIGURE_ONLY };
            let line = format!("{method}, {AGAINST_WINDOW}");
            pieces.push(difference(&says, rule, at(on, "figure-6", &line, days)));
        }
    }
    pieces
}

/// Half a year, as the paper crawls; and the whole year of recorded sites, since a page that is visited every
/// ten days or so has hardly enough to learn from after half a year.
const LAST_DAYS: (usize, usize) = (180, 364);

fn freshness(on: &Evidence<'_>) -> Vec<Piece> {
    let last = if on.kind == WebKind::Sites { LAST_DAYS.1 } else { LAST_DAYS.0 };
    let of = |label: &'static str, days: (usize, usize)| {
        (label, Pick::new("figure-8", label).metric("freshness").cycles(days.0..=days.1))
    };
    let (late, middle, end) = ((51, last), (71, 90), (101, last));
    let mut pieces = vec![];
    for (what, rule, one, other, days) in [
        ("after 50 days 2D is above 1D", Rule::Above, "2D", "1D", late),
        ("after 50 days 3D is above 1D", Rule::Above, "3D", "1D", late),
        ("around day 80 3D is like 2D", Rule::Alike, "3D", "2D", middle),
        ("after 100 days 3D is above 2D", Rule::Above, "3D", "2D", end),
    ] {
        let says = Says { what, paper: FIGURE_ONLY };
        let pair = against(on, of(one, days), of(other, days));
        pieces.push(on_sites(match rule {
            Rule::Above => above(&says, &pair),
            Rule::Alike => alike(&says, &pair),
        }));
    }
    pieces
}
