//! A reproduction as one JSON document, for programs.
use lab::report::stats::{Interval, Score};
use serde_json::{Value, json};

use crate::{
    draw,
    evidence::Measured,
    judge::Judged,
    plan::{Part, WebKind, Work},
    report::html::of_runs,
    reproduction::Reproduction,
    verdict::{Outcome, SubClaim, Verdict},
};

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
        "world": verdict(one.in_world()),
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
        "parts": found.sub_claims.iter().map(sub_claim).collect::<Vec<_>>(),
    })
}

fn sub_claim(sub_claim: &SubClaim) -> Value {
    let tests = &sub_claim.tests;
    json!({
        "what": sub_claim.what,
        "paper": sub_claim.paper,
        "outcome": sub_claim.outcome.name(),
        "why": why(&sub_claim.outcome),
        "number": sub_claim.number,
        "interval": sub_claim.interval.map(ends),
        "explanation": sub_claim.explanation,
        "decides": sub_claim.decides.name(),
        "score": tests.score.map(|Score { wins, ties, losses }| [wins, ties, losses]),
        "wilcoxon": tests.wilcoxon,
        "holm": tests.holm,
        "t": tests.t,
        "detectable": tests.detectable,
    })
}

fn parts(reproduction: &Reproduction) -> Vec<Value> {
    let parts = reproduction.plan.parts.iter().zip(&reproduction.measured);
    let part = |(part, measured): (&Part, &Vec<(WebKind, Measured)>)| {
        let figures: Vec<Value> = measured
            .iter()
            .map(|(kind, found)| {
                let evidence = reproduction.evidence(*kind);
                let nothing = match found {
                    Measured::Nothing(why) => Some(why),
                    _ => None,
                };
                json!({
                    "kind": kind.name(),
                    "nothing": nothing,
                    "figure": draw::figure(part, found, &evidence),
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
                Work::Analysis { .. } => None,
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
