//! R1 to R6: the claims of the paper; O1 and O2: whether it beats the baselines that the paper lacks.
//!
//! Forecasts are judged on sites one by one, whose experts are pages of the same site; differences are
//! means over pages with an interval by site. The t-tests of the paper take windows of one page for
//! independent, which they are not (`docs/papers.md` A5.2-12).
use crate::{
    evidence::Evidence,
    paper::Claim,
    radinsky_2013::figures::{
        accuracy::{CHOSEN_BY, COMBINED},
        by_page::{BY_SITE, less},
        sizes::{AGAINST_EXPERTS, AGAINST_SINGLE, AGAINST_WINDOW},
    },
    rules::{
        FIGURE_ONLY, READABLE,
        Rule::{self, Above, Alike},
        Statement, judged, on_sites, or_untestable, short, signed, tests,
    },
    sample::Estimate,
    verdict::SubClaim,
};

/// The difference of correlation and warping in table 3, which the paper calls not significant.
const WARPING: f64 = 0.024;

/// The claims of the paper, and ours.
pub(crate) static CLAIMS: &[Claim] = &[
    Claim {
        id: "R1",
        text: "The content of a page predicts its changes better than how often it changed, and the content of related pages better still.",
        parts: &["table-1"],
        paper: "0.548, 0.629, 0.727",
        judge: information,
    },
    Claim {
        id: "R2",
        text: "A vote of experts is more accurate than one learner with all features, bagged or boosted.",
        parts: &["table-2"],
        paper: "0.629, 0.636, 0.634 against 0.727",
        judge: combinations,
    },
    Claim {
        id: "R3",
        text: "Experts chosen by links are the worst, by content better, by correlated words the best; all are better than none.",
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
        text: "For a crawler that visits a tenth of the pages a day, prediction by content is fresher than change frequency after 50 days, and prediction with related pages is fresher still after 100.",
        parts: &["figure-8"],
        paper: FIGURE_ONLY,
        judge: freshness,
    },
    Claim {
        id: "O1",
        text: "A vote of experts is more accurate than the majority of past labels.",
        parts: &["table-1"],
        paper: "not in the paper",
        judge: majority,
    },
    Claim {
        id: "O2",
        text: "A vote of experts is more accurate than the last label, or its opposite.",
        parts: &["table-1"],
        paper: "not in the paper",
        judge: last_label,
    },
];

/// Judges the difference of two lines of a table.
fn of_table(
    evidence: &Evidence<'_>,
    part: &str,
    rule: Rule,
    pair: (&str, &str),
    paper: &str,
) -> SubClaim {
    let (one, other) = pair;
    let what = match rule {
        Alike(_) => format!("{one} is like {other}"),
        _ => format!("{one} is above {other}"),
    };
    let name = less(one, other);
    let numbers = [one, other].map(|line| evidence.value(part, line, 1.0));
    let shown = match numbers {
        [Ok(ours), Ok(theirs)] => {
            format!(": {one} {}, {other} {}", short(ours.value), short(theirs.value))
        }
        _ => String::new(),
    };
    let sub_claim =
        difference(&Statement { what: &what, paper }, rule, evidence.value(part, &name, 1.0));
    let by_site = evidence.series(part, &format!("{name}, {BY_SITE}"));
    let by_site: Vec<f64> = by_site
        .map(|line| line.values().into_iter().map(|(_, value)| value).collect())
        .unwrap_or_default();
    SubClaim { number: format!("{}{shown}", sub_claim.number), tests: tests(&by_site), ..sub_claim }
}

/// Judges a difference with its interval by site.
fn difference(statement: &Statement<'_>, rule: Rule, found: Result<Estimate, String>) -> SubClaim {
    let judged = found.map(|found| judged(statement, rule, found, signed(found.value)));
    on_sites(or_untestable(statement, judged))
}

fn information(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    vec![
        of_table(evidence, "table-1", Above, ("single", "coin"), "0.081"),
        of_table(evidence, "table-1", Above, ("multiple", "single"), "0.098"),
    ]
}

fn majority(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    vec![of_table(evidence, "table-1", Above, ("multiple", "majority"), "not in the paper")]
}

fn last_label(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let sub_claim =
        |other| of_table(evidence, "table-1", Above, ("multiple", other), "not in the paper");
    ["last label", "flipped label"].map(sub_claim).into()
}

fn combinations(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let papers = ["0.098", "0.091", "0.093"];
    let sub_claim =
        |((name, _), paper)| of_table(evidence, "table-2", Above, ("multiple", name), paper);
    COMBINED.into_iter().zip(papers).map(sub_claim).collect()
}

fn relations(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![
        of_table(evidence, "table-3", Above, ("content", "links"), "0.029"),
        of_table(evidence, "table-3", Above, ("warping", "content"), "0.031"),
        of_table(evidence, "table-3", Above, ("correlation", "content"), "0.055"),
        of_table(
            evidence,
            "table-3",
            Alike(WARPING),
            ("correlation", "warping"),
            "0.024, not significant",
        ),
    ];
    let papers = ["0.015", "0.043", "0.098", "0.074"];
    for ((name, _), paper) in CHOSEN_BY.into_iter().zip(papers) {
        sub_claims.push(of_table(evidence, "table-3", Above, (name, "single"), paper));
    }
    sub_claims
}

fn numbers(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for count in [10.0, 40.0] {
        let what = format!("20 experts are above {count}");
        let statement = Statement { what: &what, paper: FIGURE_ONLY };
        sub_claims.push(difference(
            &statement,
            Above,
            evidence.value("figure-7", AGAINST_EXPERTS, count),
        ));
    }
    for (count, experts) in [(1.0, "1 expert is"), (2.0, "2 experts are"), (5.0, "5 experts are")] {
        let what = format!("{experts} above a single learner");
        let statement = Statement { what: &what, paper: FIGURE_ONLY };
        sub_claims.push(difference(
            &statement,
            Above,
            evidence.value("figure-7", AGAINST_SINGLE, count),
        ));
    }
    sub_claims
}

fn windows(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for method in ["single", "multiple"] {
        for (days, rule) in
            [(10.0, Above), (20.0, Above), (30.0, Alike(READABLE)), (80.0, Alike(READABLE))]
        {
            let is = match rule {
                Alike(_) => "like",
                _ => "above",
            };
            let what = format!("{method}: 50 days are {is} {days}");
            let statement = Statement { what: &what, paper: FIGURE_ONLY };
            let line = format!("{method}, {AGAINST_WINDOW}");
            sub_claims.push(difference(&statement, rule, evidence.value("figure-6", &line, days)));
        }
    }
    sub_claims
}

fn freshness(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for (what, rule, one, other, days) in [
        ("after 50 fully seen days 2D is above 1D", Above, "2D", "1D", 50.0),
        ("after 50 fully seen days 3D is above 1D", Above, "3D", "1D", 50.0),
        ("after 80 fully seen days 3D is like 2D", Alike(READABLE), "3D", "2D", 80.0),
        ("after 100 fully seen days 3D is above 2D", Above, "3D", "2D", 100.0),
    ] {
        let statement = Statement { what, paper: FIGURE_ONLY };
        let value = |line: &str| evidence.value("figure-8", line, days);
        let shown = match [one, other].map(value) {
            [Ok(ours), Ok(theirs)] => {
                format!(": {one} {}, {other} {}", short(ours.value), short(theirs.value))
            }
            _ => String::new(),
        };
        let sub_claim = difference(&statement, rule, value(&less(one, other)));
        sub_claims.push(SubClaim { number: format!("{}{shown}", sub_claim.number), ..sub_claim });
    }
    sub_claims
}
