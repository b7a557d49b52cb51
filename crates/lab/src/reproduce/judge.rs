//! Every claim of a paper, judged on every kind of web.
use super::{
    paper::Claim,
    plan::WebKind,
    significance::holm,
    verdict::{Outcome, Piece, Verdict},
    work::Reproduction,
};

/// A claim and what it comes to.
#[derive(Debug)]
pub struct Judged {
    /// The claim.
    pub claim: &'static Claim,
    /// What it comes to on each kind of web.
    pub by_kind: Vec<(WebKind, Verdict)>,
    /// What it comes to, each part taken from the kind of web that decides on it.
    pub decided: Verdict,
}

/// Judges every claim of the paper; none where the plan is of no paper.
pub fn judge(reproduction: &Reproduction) -> Vec<Judged> {
    let claims = reproduction.plan.paper.map_or(&[][..], |paper| paper.claims);
    let mut judged: Vec<Judged> = claims
        .iter()
        .map(|claim| {
            let of_kind = |kind: WebKind| {
                let pieces = (claim.judge)(&reproduction.evidence(kind));
                (kind, Verdict::of(claim.paper, pieces))
            };
            let by_kind: Vec<(WebKind, Verdict)> = WebKind::ALL.map(of_kind).into();
            let decided = Verdict::of(claim.paper, vec![]);
            Judged { claim, by_kind, decided }
        })
        .collect();
    for kind in 0..WebKind::ALL.len() {
        correct(&mut judged, kind);
    }
    for one in &mut judged {
        one.decided = decided(one.claim, &one.by_kind);
    }
    judged
}

/// Holm's correction over all comparisons of the paper on one kind of web.
fn correct(judged: &mut [Judged], kind: usize) {
    let mut pieces: Vec<&mut Piece> = judged
        .iter_mut()
        .flat_map(|one| one.by_kind[kind].1.pieces.iter_mut())
        .filter(|piece| piece.tests.wilcoxon.is_some())
        .collect();
    let values: Vec<f64> = pieces.iter().filter_map(|piece| piece.tests.wilcoxon).collect();
    for (piece, adjusted) in pieces.iter_mut().zip(holm(&values)) {
        piece.tests.holm = Some(adjusted);
    }
}

/// Every part from the kind of web that decides on it.
fn decided(claim: &Claim, by_kind: &[(WebKind, Verdict)]) -> Verdict {
    let of = |kind: WebKind, place: usize| {
        let found = by_kind.iter().find(|(judged_on, _)| *judged_on == kind);
        found.and_then(|(_, verdict)| verdict.pieces.get(place)).cloned()
    };
    let count = by_kind.first().map_or(0, |(_, verdict)| verdict.pieces.len());
    let piece = |place: usize| {
        let decides = of(WebKind::Together, place)?.decides;
        let piece = of(decides, place)?;
        Some(Piece { what: format!("{} ({decides})", piece.what), ..piece })
    };
    Verdict::of(claim.paper, (0..count).filter_map(piece).collect())
}

/// How many claims are met, not met and not testable.
pub fn tally(judged: &[Judged]) -> [usize; 3] {
    let count = |wanted: fn(&Outcome) -> bool| {
        judged.iter().filter(|one| wanted(&one.decided.outcome)).count()
    };
    [
        count(|outcome| *outcome == Outcome::Met),
        count(|outcome| *outcome == Outcome::NotMet),
        count(|outcome| matches!(outcome, Outcome::NotTestable(_))),
    ]
}
