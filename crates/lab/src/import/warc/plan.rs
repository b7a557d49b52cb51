//! Plans the rows of a trace from captures: what each page showed, when, and how precisely that is
//! known.
use crawl::Time;

use super::captures::{Captures, Shown, Stored};
use super::examine::Reason;
use crate::history::Window;
use crate::import::captured::{Change, Changes};

/// A planned row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) page: u32,
    pub(super) at: Time,
    pub(super) after: Option<Time>,
    pub(super) shown: Shown,
}

/// The planned rows, in the order of the trace.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) rows: Vec<Planned>,
    /// Captures without new content.
    pub(super) unchanged: usize,
    /// Pages left out.
    pub(super) too_large: usize,
}

/// Plans the rows of all captures, which are sorted. Counts the captures that add nothing.
pub(super) fn plan(captures: &mut Captures, window: Window) -> Plan {
    let mut plan = Plan::default();
    let mut skipped: Vec<(Reason, usize)> = Vec::new();
    for page in captures.list().chunk_by(|one, other| one.page == other.page) {
        let mut tally = Tally::default();
        let seen = seen(captures, page, window, &mut tally);
        let mut rows = rows(captures, page[0].page, &seen, window, &mut tally);
        if rows.iter().any(|row| is_too_large(captures, row)) {
            plan.too_large += 1;
            tally.too_large = rows.len() + std::mem::take(&mut tally.unchanged);
            rows.clear();
        }
        plan.unchanged += tally.unchanged;
        plan.rows.append(&mut rows);
        skipped.extend(tally.skipped());
    }
    for (reason, count) in skipped {
        captures.skip(reason, count);
    }
    plan
}

/// The captures of one page that make no row.
#[derive(Default)]
struct Tally {
    unchanged: usize,
    no_original: usize,
    same_instant: usize,
    too_large: usize,
    never_there: usize,
    outside: usize,
}

impl Tally {
    fn skipped(self) -> impl Iterator<Item = (Reason, usize)> {
        let counts = [
            (Reason::NoOriginal, self.no_original),
            (Reason::SameInstant, self.same_instant),
            (Reason::TooLarge, self.too_large),
            (Reason::NeverThere, self.never_there),
            (Reason::OutsideWindow, self.outside),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// The observed states of a page by time, one per instant, up to the window's end.
fn seen(
    captures: &Captures,
    page: &[Stored],
    window: Window,
    tally: &mut Tally,
) -> Vec<(Time, Shown)> {
    let mut seen: Vec<(Time, Shown)> = Vec::with_capacity(page.len());
    for (capture, shown) in page.iter().zip(captures.shown(page)) {
        let Some(shown) = shown else {
            tally.no_original += 1;
            continue;
        };
        if capture.at > window.end {
            tally.outside += 1;
            continue;
        }
        // A page cannot show two contents at once: the last one read counts.
        if seen.pop_if(|(at, _)| *at == capture.at).is_some() {
            tally.same_instant += 1;
        }
        seen.push((capture.at, shown));
    }
    seen
}

/// The rows of one page, and what makes none.
fn rows(
    captures: &Captures,
    page: u32,
    seen: &[(Time, Shown)],
    window: Window,
    tally: &mut Tally,
) -> Vec<Planned> {
    let is_gone = |shown| matches!(shown, Shown::Gone(_));
    let found = Changes::new(seen, window, is_gone, |one, other| is_same(captures, one, other));
    tally.unchanged += found.unchanged;
    tally.never_there += found.never_there;
    tally.outside += found.outside;
    let planned = |Change { at, after, shown }| Planned { page, at, after, shown };
    found.rows.into_iter().map(planned).collect()
}

fn is_same(captures: &Captures, one: Shown, other: Shown) -> bool {
    match (one, other) {
        (Shown::Gone(_), Shown::Gone(_)) => true,
        (Shown::Content(one), Shown::Content(other)) => {
            captures.content(one).digest == captures.content(other).digest
        }
        _ => false,
    }
}

fn is_too_large(captures: &Captures, row: &Planned) -> bool {
    matches!(row.shown, Shown::Content(content) if captures.content(content).digest.is_none())
}
