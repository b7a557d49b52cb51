//! A reproduction as one JSON document, for programs.
use serde_json::{Value, json};

use super::{
    draw,
    evidence::Measured,
    html::of_runs,
    judge::Judged,
    plan::Work,
    verdict::{Outcome, Piece, Verdict},
    work::Reproduction,
};
use crate::report::stats::{Interval, Score};

/// The document.
pub fn document(reproduction: &Reproduction, judged: &[Judged], date: &str) -> Value {
    let paper = reproduction.plan.paper;
    json!({
        "paper": paper.map(|paper| paper.id),
        "title": paper.map(|paper| paper.title),
        "date": date,
        "quick": reproduction.is_quick,
        "left_out": reproduction.left_out.iter().map(|left| json!({
            "trace": left.name,
            "inside": left.inside,
        })).collect::<Vec<_>>(),
        "webs": reproduction.webs.iter().map(|(kind, webs)| json!({
            "kind": kind.name(),
            "webs": webs,
        })).collect::<Vec<_>>(),
        "claims": judged.iter().map(claim).collect::<Vec<_>>(),
        "parts": parts(reproduction),
    })
}

fn claim(one: &Judged) -> Value {
    let by_kind: serde_json::Map<String, Value> =
        one.by_kind.iter().map(|(kind, found)| (kind.name().to_owned(), verdict(found))).collect();
    json!({
        "id": one.claim.id,
        "text": one.claim.text,
        "paper": one.claim.paper,
        "verdict": verdict(&one.decided),
        "by_kind": by_kind,
    })
}

fn verdict(found: &Verdict) -> Value {
    json!({
        "outcome": found.outcome.name(),
        "why": why(&found.outcome),
        "number": found.number,
        "interval": found.interval.map(ends),
        "explanation": found.explanation,
        "parts": found.pieces.iter().map(piece).collect::<Vec<_>>(),
    })
}

fn piece(piece: &Piece) -> Value {
    let tests = &piece.tests;
    json!({
        "what": piece.what,
        "paper": piece.paper,
        "outcome": piece.outcome.name(),
        "why": why(&piece.outcome),
        "number": piece.number,
        "interval": piece.interval.map(ends),
        "explanation": piece.explanation,
        "decides": piece.decides.name(),
        "score": tests.score.map(|Score { wins, ties, losses }| [wins, ties, losses]),
        "wilcoxon": tests.wilcoxon,
        "holm": tests.holm,
        "t": tests.t,
        "detectable": tests.detectable,
    })
}

fn parts(reproduction: &Reproduction) -> Vec<Value> {
    let parts = reproduction.plan.parts.iter().zip(&reproduction.measured);
    let part = |(part, measured): (&super::Part, &Vec<(super::WebKind, Measured)>)| {
        let figures: Vec<Value> = measured
            .iter()
            .map(|(kind, found)| {
                let on = reproduction.evidence(*kind);
                let nothing = match found {
                    Measured::Nothing(why) => Some(why),
                    _ => None,
                };
                json!({
                    "kind": kind.name(),
                    "nothing": nothing,
                    "figure": draw::figure(part, found, &on),
                })
            })
            .collect();
        json!({
            "name": part.name,
            "figure": part.figure,
            "title": part.title,
            "note": part.note,
            "settings": match &part.work {
                Work::Runs(runs) => Some(of_runs(runs)),
                Work::Survey(_) => None,
            },
            "webs": figures,
        })
    };
    parts.map(part).collect()
}

fn why(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::NotTestable(why) => Some(why),
        _ => None,
    }
}

fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}
