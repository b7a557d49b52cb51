//! How exactly a trace knows when things happened.
use std::fmt;

use crawl::{Span, Time};

use super::{TraceError, TraceReader};
use crate::history::Window;

/// The changes of a trace whose times are not known exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// Changes inside the window: rows after its start.
    pub changes: usize,
    /// Those of them whose times are uncertain.
    pub uncertain: usize,
    /// How long the time is in which one of these may have happened: the median.
    pub median: Span,
}

impl Gaps {
    /// The gaps of a trace; `None` where all its times are exact.
    ///
    /// # Errors
    /// If a row is not what it must be.
    pub fn of(reader: &mut TraceReader) -> Result<Option<Self>, TraceError> {
        if !reader.has_uncertain_times() {
            return Ok(None);
        }
        let mut count = Counter::new(reader.window());
        for batch in reader.heads()? {
            for head in batch? {
                count.add(head.at, head.after);
            }
        }
        Ok(count.gaps())
    }
}

/// Counts the rows of a trace as they are read or written.
pub(crate) struct Counter {
    window: Window,
    changes: usize,
    spans: Vec<Span>,
}

impl Counter {
    pub(crate) fn new(window: Window) -> Self {
        Self { window, changes: 0, spans: Vec::new() }
    }

    pub(crate) fn add(&mut self, at: Time, after: Option<Time>) {
        if self.window.start < at && at <= self.window.end {
            self.changes += 1;
            self.spans.extend(after.map(|after| at - after));
        }
    }

    pub(crate) fn gaps(mut self) -> Option<Gaps> {
        let uncertain = self.spans.len();
        // Of two in the middle the longer: rather too careful than too sure.
        let middle = uncertain / 2;
        if uncertain == 0 {
            return None;
        }
        let (_, median, _) = self.spans.select_nth_unstable(middle);
        Some(Gaps { changes: self.changes, uncertain, median: *median })
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { changes, uncertain, median } = self;
        let median = in_words(*median);
        write!(formatter, "the time of {uncertain} of {changes} changes, by {median} in the median")
    }
}

/// A length of time in days, hours or minutes, whichever says most.
pub fn in_words(span: Span) -> String {
    let minutes = span.millis() as f64 / 60_000.0;
    if minutes >= 2880.0 {
        format!("{:.1} days", minutes / 1440.0)
    } else if minutes >= 120.0 {
        format!("{:.1} hours", minutes / 60.0)
    } else {
        format!("{minutes:.1} minutes")
    }
}
