//! The precision of the change times of a trace.
use std::fmt;

use crawl::{Span, Time};

use super::{TraceError, TraceReader};
use crate::history::Window;

/// The changes of a trace with uncertain times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// Changes inside the window: rows after its start.
    pub changes: usize,
    /// Changes with uncertain times.
    pub uncertain: usize,
    /// The median length of the interval in which an uncertain change happened.
    pub median: Span,
}

impl Gaps {
    /// Reads the gaps of a trace; `None` if all its times are exact.
    ///
    /// # Errors
    /// If a row is invalid.
    pub fn from_reader(reader: &mut TraceReader) -> Result<Option<Self>, TraceError> {
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

/// Collects the gaps of the rows of a trace.
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
        // The longer of two middle values, as the cautious choice.
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

/// A length of time in days, hours or minutes.
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
