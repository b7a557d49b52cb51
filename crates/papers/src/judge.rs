//! Judges every claim of a paper on every kind of web.
use std::fmt;

use crate::{
    paper::Claim,
    plan::WebKind,
    reproduction::Reproduction,
    significance::holm,
    verdict::{Outcome, SubClaim, Verdict},
};

/// A claim with its verdicts.
#[derive(Debug)]
pub struct Judged {
    /// The claim.
    pub claim: &'static Claim,
    /// Its verdict on each kind of web.
    pub by_kind: Vec<(WebKind, Verdict)>,
    /// Its verdict on recorded sites, where each part is taken from the kind of web that decides on it.
    pub decided: Verdict,
}

impl Judged {
    /// Its verdict in the paper's own world.
    ///
    /// # Panics
    /// If it was not judged there, which [`judge()`] always does.
    pub fn in_world(&self) -> &Verdict {
        let found = self.by_kind.iter().find(|(kind, _)| *kind == WebKind::World);
        &found.expect("every kind of web is judged").1
    }
}

/// Judges every claim of the paper; none if the plan names no paper.
pub fn judge(reproduction: &Reproduction) -> Vec<Judged> {
    let claims = reproduction.plan.paper.map_or(&[][..], |paper| paper.claims);
    let mut judged: Vec<Judged> = claims
        .iter()
        .map(|claim| {
            let of_kind = |kind: WebKind| {
                let sub_claims = (claim.judge)(&reproduction.evidence(kind));
                (kind, Verdict::from_parts(claim.paper, sub_claims))
            };
            let by_kind: Vec<(WebKind, Verdict)> = WebKind::ALL.map(of_kind).into();
            let decided = Verdict::from_parts(claim.paper, vec![]);
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
    let mut sub_claims: Vec<&mut SubClaim> = judged
        .iter_mut()
        .flat_map(|one| one.by_kind[kind].1.sub_claims.iter_mut())
        .filter(|sub_claim| sub_claim.tests.wilcoxon.is_some())
        .collect();
    let values: Vec<f64> =
        sub_claims.iter().filter_map(|sub_claim| sub_claim.tests.wilcoxon).collect();
    for (sub_claim, adjusted) in sub_claims.iter_mut().zip(holm(&values)) {
        sub_claim.tests.holm = Some(adjusted);
    }
}

/// The verdict with each part from the kind of web that decides on it.
fn decided(claim: &Claim, by_kind: &[(WebKind, Verdict)]) -> Verdict {
    let of = |kind: WebKind, place: usize| {
        let found = by_kind.iter().find(|(judged_on, _)| *judged_on == kind);
        found.and_then(|(_, verdict)| verdict.sub_claims.get(place)).cloned()
    };
    let count = by_kind.first().map_or(0, |(_, verdict)| verdict.sub_claims.len());
    let sub_claim = |place: usize| {
        let decides = of(WebKind::Together, place)?.decides;
        let sub_claim = of(decides, place)?;
        Some(SubClaim { what: format!("{} ({decides})", sub_claim.what), ..sub_claim })
    };
    Verdict::from_parts(claim.paper, (0..count).filter_map(sub_claim).collect())
}

/// How many claims came to each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Claims that hold.
    pub met: usize,
    /// Claims that do not.
    pub contradicted: usize,
    /// Claims on which the data are too few.
    pub undecided: usize,
    /// Claims that the data cannot test.
    pub not_testable: usize,
}

impl Tally {
    /// Counts outcomes.
    pub fn of<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> Self {
        let mut tally = Self::default();
        for outcome in outcomes {
            *match outcome {
                Outcome::Met => &mut tally.met,
                Outcome::Contradicted => &mut tally.contradicted,
                Outcome::Undecided => &mut tally.undecided,
                Outcome::NotTestable(_) => &mut tally.not_testable,
            } += 1;
        }
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { met, contradicted, undecided, not_testable } = self;
        write!(
            f,
            "{met} met, {contradicted} contradicted, {undecided} undecided, {not_testable} not testable"
        )
    }
}

/// The outcomes in the paper's own world, and those on recorded sites.
pub fn tallies(judged: &[Judged]) -> [Tally; 2] {
    let world = judged.iter().map(|one| &one.in_world().outcome);
    let recorded = judged.iter().map(|one| &one.decided.outcome);
    [Tally::of(world), Tally::of(recorded)]
}

/// The same for the parts of all claims, as one that fails is enough for a claim.
pub fn tallies_of_parts(judged: &[Judged]) -> [Tally; 2] {
    let outcomes = |verdict: fn(&Judged) -> &Verdict| {
        let parts = judged.iter().flat_map(move |one| &verdict(one).sub_claims);
        Tally::of(parts.map(|part| &part.outcome))
    };
    [outcomes(Judged::in_world), outcomes(|one| &one.decided)]
}

/// Both in words: in the paper's own world, and on recorded sites.
pub(crate) fn summaries(judged: &[Judged]) -> [String; 2] {
    let (claims, parts) = (tallies(judged), tallies_of_parts(judged));
    [0, 1].map(|place| format!("{}; of their parts {}", claims[place], parts[place]))
}
