//! Every claim of the papers: met where it is so, not met where it is not, not testable without runs.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod reproduce_common;

use lab::reproduce::{
    Evidence, Judged, Outcome, PAPERS, Plan, Survey, Verdict, WebKind, by_id, figure::Series, judge,
};
use reproduce_common::{
    Case, made,
    papers::{as_in_2007, as_in_2010, surveyed_2010},
    plan,
};

type Value = fn(&Case<'_>) -> f64;

const PAPER_VALUES: [(&str, Value); 2] = [("tan-2007", as_in_2007), ("tan-2010", as_in_2010)];

/// The claims of a paper by these parts alone: drawing sites again for all of them takes long.
fn judged_by(id: &str, parts: &[&str], value: &dyn Fn(&Case<'_>) -> f64) -> Vec<Judged> {
    let mut some = plan(id);
    some.parts.retain(|part| parts.contains(&part.name.as_str()));
    judge(&made(some, value, &surveyed_2010))
}

fn outcome<'j>(judged: &'j [Judged], id: &str, kind: WebKind) -> &'j Verdict {
    let one = judged.iter().find(|one| one.claim.id == id).unwrap();
    &one.by_kind.iter().find(|(judged_on, _)| *judged_on == kind).unwrap().1
}

#[test]
fn where_everything_is_as_in_the_paper_every_claim_is_met() {
    for (id, value) in PAPER_VALUES {
        for one in judge(&made(plan(id), &value, &surveyed_2010)) {
            let failing: Vec<_> =
                one.decided.pieces.iter().filter(|piece| piece.outcome != Outcome::Met).collect();
            assert_eq!(one.decided.outcome, Outcome::Met, "{}: {failing:#?}", one.claim.id);
        }
    }
}

#[test]
fn where_everything_is_the_other_way_round_no_claim_is_met() {
    let upside_down = |survey: Survey| -> Vec<Series> {
        let turned = |line: Series| {
            let points = line.values().into_iter().map(|(x, y)| (x, 1.0 / y));
            Series::plain(&line.name, points)
        };
        surveyed_2010(survey).into_iter().map(turned).collect()
    };
    for (id, value) in PAPER_VALUES {
        let reversed = |case: &Case<'_>| match case.metric {
            "weighted_change_ratio" => 1e-7 / value(case),
            _ => 0.9 - 0.8 * value(case),
        };
        for one in judge(&made(plan(id), &reversed, &upside_down)) {
            // What decides may be what a size of groups says, which is as even upside down.
            if one.claim.id != "T2" {
                assert_eq!(one.decided.outcome, Outcome::NotMet, "{}", one.claim.id);
            }
        }
    }
}

#[test]
fn without_runs_no_claim_can_be_told() {
    for paper in PAPERS {
        for claim in paper.claims {
            let pieces = (claim.judge)(&Evidence::new(WebKind::Together, vec![]));
            assert!(!pieces.is_empty(), "{}", claim.id);
            for piece in pieces {
                assert!(matches!(piece.outcome, Outcome::NotTestable(_)), "{piece:?}");
            }
        }
    }
}

#[test]
fn a_claim_has_as_many_parts_whatever_was_measured() {
    for (id, value) in PAPER_VALUES {
        let full = made(plan(id), &value, &surveyed_2010);
        for claim in by_id(id).unwrap().claims {
            let with = (claim.judge)(&full.evidence(WebKind::Together));
            let without = (claim.judge)(&Evidence::new(WebKind::Together, vec![]));
            let says = |pieces: &[lab::reproduce::Piece]| -> Vec<String> {
                pieces.iter().map(|piece| piece.what.clone()).collect()
            };
            assert_eq!(says(&with), says(&without), "{}", claim.id);
        }
    }
}

#[test]
fn one_part_that_fails_is_enough() {
    // Only LB at d = 3 is lowered, to below d = 2: S2 fails, and S1 stays.
    let value = |case: &Case<'_>| match (case.part, case.label, case.x) {
        ("figure-5", "LB", Some(3)) => 0.2,
        _ => as_in_2007(case),
    };
    let judged = judged_by("tan-2007", &["figure-5"], &value);
    let found = outcome(&judged, "S2", WebKind::Together);
    assert_eq!(found.outcome, Outcome::NotMet);
    assert_eq!(found.number, "2 of 3 parts hold");
    assert_eq!(found.explanation, "does not hold: LB is highest at d = 3");
    assert_eq!(outcome(&judged, "S1", WebKind::Together).outcome, Outcome::Met);
}

#[test]
fn sampling_by_site_is_not_judged_on_one_site() {
    let judged = judged_by("tan-2007", &["figure-6"], &as_in_2007);
    let found = outcome(&judged, "S4", WebKind::Sites);
    let Outcome::NotTestable(why) = &found.outcome else { panic!("{:?}", found.outcome) };
    assert_eq!(why, "on one site alone sampling by site has nothing to choose");
    assert_eq!(outcome(&judged, "S4", WebKind::Together).outcome, Outcome::Met);
}

#[test]
fn what_searchers_see_is_decided_on_the_sites_one_by_one() {
    let judged = judged_by("tan-2010", &["figure-7"], &as_in_2010);
    let together = outcome(&judged, "T8", WebKind::Together);
    assert!(matches!(together.outcome, Outcome::NotTestable(_)), "{:?}", together.outcome);
    let one = judged.iter().find(|one| one.claim.id == "T8").unwrap();
    assert_eq!(one.decided.outcome, Outcome::Met);
    let decides: Vec<WebKind> = one.decided.pieces.iter().map(|piece| piece.decides).collect();
    assert_eq!(decides, [WebKind::Together, WebKind::Sites, WebKind::Sites]);
}

#[test]
fn frequency_may_be_ahead_by_chance_but_not_surely() {
    let ahead_once = |case: &Case<'_>| match (case.part, case.label, case.cycle, case.metric) {
        ("figure-6", "Freq", 7, "change_ratio") => 0.6,
        _ => as_in_2010(case),
    };
    let judged = judged_by("tan-2010", &["figure-6"], &ahead_once);
    let found = outcome(&judged, "T7", WebKind::Sites);
    assert_eq!(found.outcome, Outcome::NotMet);
    assert!(
        found.pieces[0].number.ends_with("above in 1 of 24 cycles"),
        "{}",
        found.pieces[0].number
    );
}

#[test]
fn tests_beside_the_interval_are_corrected_over_the_paper() {
    let judged = judged_by("tan-2007", &["figure-5", "figure-6"], &as_in_2007);
    let pieces = || judged.iter().flat_map(|one| &outcome_of(one, WebKind::Sites).pieces);
    let compared = pieces().filter(|piece| piece.tests.wilcoxon.is_some()).count();
    assert!(compared > 10, "{compared}");
    for piece in pieces() {
        let (Some(p), Some(holm)) = (piece.tests.wilcoxon, piece.tests.holm) else { continue };
        // Six sites of six: 2 of 64. With so many comparisons nothing is left of it.
        assert!((p - 2.0 / 64.0).abs() < 1e-12, "{p}");
        assert!((holm - (p * compared as f64).min(1.0)).abs() < 1e-12, "{holm}");
    }
}

fn outcome_of(one: &Judged, kind: WebKind) -> &Verdict {
    &one.by_kind.iter().find(|(judged_on, _)| *judged_on == kind).unwrap().1
}

#[test]
fn every_part_of_an_experiment_is_a_figure_and_every_claim_names_parts_that_there_are() {
    for paper in PAPERS {
        let plan: Plan = plan(paper.id);
        for part in &plan.parts {
            let is_figure = !part.figure.is_empty() && !part.title.is_empty();
            let is_judged =
                paper.claims.iter().any(|claim| claim.parts.contains(&part.name.as_str()));
            assert!(is_figure && (is_judged || part.name == "neighbourhoods"), "{}", part.name);
        }
        for claim in paper.claims {
            for name in claim.parts {
                assert!(plan.parts.iter().any(|part| part.name == *name), "{}: {name}", claim.id);
            }
        }
    }
}

#[test]
fn a_reproduction_of_some_parts_leaves_the_other_claims_open() {
    for one in judged_by("tan-2007", &["figure-6"], &as_in_2007) {
        let is_open = matches!(one.decided.outcome, Outcome::NotTestable(_));
        assert_eq!(is_open, one.claim.id != "S4", "{}", one.claim.id);
    }
}
