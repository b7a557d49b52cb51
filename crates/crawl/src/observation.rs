//! Observations: what a visit found, compared with what was held.
use crate::{Answer, Fault, HostNo, PageNo, Reason, Snapshot, Span, Time};

/// A page is gone after this many "not found" answers in a row. A single one is too often a
/// mistake of the server.
const MISSES_UNTIL_GONE: u8 = 2;

/// The result of one visit. Policies learn from nothing else, and the log contains nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The visited page.
    pub page: PageNo,
    /// Its host.
    pub host: HostNo,
    /// The number of the cycle. Visits before the first cycle have the number of the first.
    pub cycle: u32,
    /// When the answer came.
    pub at: Time,
    /// Why the page was visited.
    pub reason: Reason,
    /// What was found.
    pub outcome: Outcome,
    /// Why the visit failed, where it did.
    pub fault: Option<Fault>,
    /// Time since the last conclusive visit; `None` at the first.
    pub since: Option<Span>,
    /// Pages that this visit led to: linked pages first seen in this cycle, and pages that are
    /// newly linked here and were missing when last visited. Every page that shows such a link is
    /// credited, not only the first.
    pub leads: Vec<PageNo>,
    /// Claims that pages changed: those that this snapshot makes (sitemap lastmod, feed entry, another text
    /// beside a link), and notices that came before this visit and after the one logged before it.
    pub signals: Vec<Signal>,
    /// The effect of the visit on search results, as a share of their total value
    /// (`instruments::impact`); `None` where it was not measured or the visit was inconclusive.
    pub impact: Option<f32>,
    /// What the policy expected of the visit ([`Policy::expects`](crate::Policy::expects)).
    pub expected: Option<Expectation>,
}

/// What a policy expected of a visit when it planned it. It is logged, so that a policy which learns how far its
/// expectations can be trusted is the same after a restart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The log odds of a change.
    pub odds: f32,
    /// The log odds that a correction would add to them, before it is weighed; 0 where there is none.
    pub correction: f32,
}

/// A claim that a page changed. Do not trust it blindly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The page that the claim is about.
    pub page: PageNo,
    /// When it changed, according to the claim.
    pub changed: Time,
    /// Who makes the claim.
    pub source: SignalSource,
}

/// Who claims that a page changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalSource {
    /// The `lastmod` of a sitemap.
    Sitemap,
    /// An entry of a feed.
    Feed,
    /// A notice that came without a visit ([`World::notices`](crate::World::notices)).
    Notice,
    /// A page that links to it: the text of the link, or what stands beside it, is another.
    Link,
}

impl SignalSource {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Sitemap, Self::Feed, Self::Notice, Self::Link];

    /// Whether it says when the page changed. A text beside a link does not.
    pub fn has_date(self) -> bool {
        self != Self::Link
    }

    /// Its place in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A notice that a page changed, from a publisher or another service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The address of the page.
    pub address: String,
    /// When it changed, according to the notice.
    pub changed: Time,
}

/// What a visit found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The page is held for the first time.
    First,
    /// No significant change.
    Same,
    /// It changed, by this much in (0, 1].
    Changed(f32),
    /// Not found: the first time that a held page is, and each time that a page never held is. For a
    /// held page it is not believed until a second answer confirms it.
    Missing,
    /// It no longer exists.
    Gone,
    /// The visit failed. It is not evidence of anything and never counts as [`Same`](Self::Same).
    Failed,
    /// The page was not requested in time. Not evidence, and free of charge.
    Unreached,
    /// The page was not requested: robots.txt or our own rules forbid it, or the robots.txt of its host
    /// cannot be fetched. Not evidence, and free of charge.
    Refused,
}

impl Outcome {
    /// Compares `answer` with the held snapshot `old` of a page that was missing `misses` times in a
    /// row before, and that was held before or not. `change` measures the change from the first snapshot
    /// to the second.
    pub(crate) fn from_answer(
        answer: &Answer,
        old: Option<&Snapshot>,
        misses: u8,
        was_held: bool,
        change: impl FnOnce(&Snapshot, &Snapshot) -> f32,
    ) -> Self {
        match (answer, old) {
            (Answer::Content(_), None) => Self::First,
            (Answer::Content(new), Some(old)) => match change(old, new) {
                change if change > 0.0 => Self::Changed(change),
                _ => Self::Same,
            },
            (Answer::NotModified, Some(_)) => Self::Same,
            // A page that nobody ever had cannot go away.
            (Answer::Missing, None) if !was_held => Self::Missing,
            (Answer::Missing, _) if misses.saturating_add(1) < MISSES_UNTIL_GONE => Self::Missing,
            (Answer::Missing | Answer::Gone, _) => Self::Gone,
            (Answer::Unreached, _) => Self::Unreached,
            (Answer::Refused(_), _) => Self::Refused,
            // "Not modified" says nothing about a page that is not held.
            (Answer::NotModified, None) | (Answer::Failed(_), _) => Self::Failed,
        }
    }
}

impl Observation {
    /// An observation of a refresh in the first cycle with nothing but an outcome. Set the other
    /// fields with struct update syntax, so that a new field is one edit.
    pub fn new(page: PageNo, host: HostNo, at: Time, outcome: Outcome) -> Self {
        Self {
            page,
            host,
            cycle: 0,
            at,
            reason: Reason::Refresh,
            outcome,
            fault: None,
            since: None,
            leads: vec![],
            signals: vec![],
            impact: None,
            expected: None,
        }
    }

    /// Whether a refresh found a difference to the held snapshot: new content, or that the page is
    /// gone. `None` where nothing was compared: a first visit, or an inconclusive one.
    pub fn changed(&self) -> Option<bool> {
        match self.outcome {
            _ if self.reason == Reason::First => None,
            Outcome::Changed(_) | Outcome::Gone => Some(true),
            Outcome::Same => Some(false),
            Outcome::First
            | Outcome::Missing
            | Outcome::Failed
            | Outcome::Unreached
            | Outcome::Refused => None,
        }
    }

    /// Whether the page was requested. Only then does the visit count against the budget.
    pub fn was_requested(&self) -> bool {
        !matches!(self.outcome, Outcome::Unreached | Outcome::Refused)
    }
}
