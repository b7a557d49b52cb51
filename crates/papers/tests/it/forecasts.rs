//! The analyses of forecasts, end to end on a small synthetic web.
use papers::{Measured, Outcome, Reproduction, WebKind, figure::Table, judge};

use crate::{carried_out, figure, inputs};

const PARTS: [(&str, &str); 10] = [
    ("labels", "labels"),
    ("table-1", "forecasts"),
    ("table-2", "combinations"),
    ("table-3", "relations"),
    ("figure-6", "window-sizes"),
    ("figure-7", "expert-counts"),
    ("scores", "scores"),
    ("experts", "experts"),
    ("pruning", "pruning"),
    ("figure-8", "crawls"),
];

/// Analyses of two webs of one group and a half each.
fn plan(parts: &[(&str, &str)], weeks: u32) -> String {
    let part = |(name, survey): &(&str, &str)| {
        format!(
            "[[part]]\nname = \"{name}\"\ntitle = \"{name}\"\nfigure = \"{name}\"\n\
             webs = [\"clustered\"]\nsurvey = \"{survey}\"\n"
        )
    };
    format!(
        "paper = \"radinsky-2013\"\n\
         clustered = {{ kind = \"followers\", pages = 21, seeds = [1, 2], weeks = {weeks} }}\n{}",
        parts.iter().map(part).collect::<String>()
    )
}

fn forecast(parts: &[(&str, &str)], weeks: u32) -> Reproduction {
    let folder = tempfile::tempdir().unwrap();
    carried_out(&plan(parts, weeks), &inputs(folder.path(), vec![], true))
}

fn cell<'a>(table: &'a Table, row: usize, head: &str) -> &'a str {
    let column = table.head.iter().position(|other| other == head);
    &table.rows[row][column.unwrap_or_else(|| panic!("{head} of {:?}", table.head))].text
}

#[test]
fn the_analyses_say_what_a_small_web_shows() {
    let made = forecast(&PARTS, 28);
    // Fifteen leaves follow each other and change on a third of the days.
    let labels = &figure(&made, "labels").tables[0];
    assert_eq!(cell(labels, 0, "site"), "followers-21-1-28w");
    assert_eq!(cell(labels, 0, "pages"), "21");
    assert_eq!(cell(labels, 0, "significant, 0.3"), "15");
    assert_eq!(cell(labels, 0, "new link, 0.1"), "0");
    // Quick: four pages of each.
    assert_eq!(cell(labels, 2, "significant, 0.3"), "2");
    assert_eq!(cell(labels, 3, "significant, 0.3"), "8");

    let on = made.evidence(WebKind::World);
    let value = |part: &str, line: &str, x: f64| on.series(part, line).unwrap().at(x).unwrap();
    // The last label and its opposite are never right together.
    let (last, flipped) =
        (value("table-1", "last label", 1.0), value("table-1", "flipped label", 1.0));
    assert!((last + flipped - 1.0).abs() < 1e-12);
    // Differences are those of the lines, in every table the same.
    for (part, one, other) in [
        ("table-1", "multiple", "single"),
        ("table-2", "multiple", "bagging"),
        ("table-3", "correlation", "links"),
    ] {
        let difference = value(part, one, 1.0) - value(part, other, 1.0);
        if let Ok(line) = on.series(part, &format!("{one} less {other}")) {
            assert!((line.at(1.0).unwrap() - difference).abs() < 1e-12, "{part}");
        }
    }
    assert!(
        (value("table-3", "correlation", 1.0) - value("table-1", "multiple", 1.0)).abs() < 1e-12
    );
    for (part, line) in [
        ("figure-6", "multiple, with 50 days less with so many"),
        ("figure-7", "20 experts less so many"),
    ] {
        let paper = if part == "figure-6" { 50.0 } else { 20.0 };
        assert!(value(part, line, paper).abs() < 1e-12, "{line}");
    }
    // With forty experts wanted and twenty other pages, all of them are experts.
    assert!(value("figure-7", "20 experts less so many", 40.0).abs() < 1e-12);

    // A tenth of the pages a day keeps some of them fresh, and not all.
    for line in ["1D", "2D", "3D"] {
        let fresh = value("figure-8", line, 30.0);
        assert!(fresh > 0.05 && fresh < 0.95, "{line}: {fresh}");
    }

    let scores = &figure(&made, "scores").tables[0];
    assert_eq!(scores.rows.len(), 9);
    for row in 0..9 {
        let brier: f64 = cell(scores, row, "Brier score").parse().unwrap();
        assert!((0.0..=1.0).contains(&brier), "{brier}");
    }
    let experts = &figure(&made, "experts").tables;
    assert_eq!(experts.len(), 2);
    assert_eq!(cell(&experts[0], 2, "by"), "correlation");
    assert!(cell(&experts[0], 2, "experts: weight, days they lead").contains("site0000.example/"));
    // Fewer pages than candidates: nothing is lost.
    let pruning = &figure(&made, "pruning").tables[0];
    assert_eq!(cell(pruning, 0, "correlation"), "1.000");
}

#[test]
fn the_same_is_said_twice_and_claims_are_judged_on_the_webs_they_name() {
    // Bagging is by chance.
    let [one, two] = [(), ()].map(|()| forecast(&PARTS[2..3], 28));
    let text = |made: &Reproduction| format!("{:?}", made.measured);
    assert!(text(&one) == text(&two));
    for judged in judge(&one) {
        // Sites decide, and there are none.
        assert!(matches!(judged.decided.outcome, Outcome::NotTestable(_)), "{}", judged.claim.id);
    }
}

#[test]
fn where_no_page_can_be_forecast_nothing_is_measured() {
    // Twenty weeks are less than half a year.
    let made = forecast(&PARTS[..2], 20);
    let Measured::Nothing(why) = &made.measured[1][0].1 else { panic!("{:?}", made.measured[1]) };
    assert_eq!(why, "no page of these webs turns often enough");
    let labels = &figure(&made, "labels").tables[0];
    assert_eq!((cell(labels, 0, "any, 0.3"), cell(labels, 0, "that live long enough")), ("0", "0"));
}
