//! The latest changes, for the dashboard, the page of changes, the Atom feed and the API.
use std::sync::Arc;

use crawl::{Outcome, Span, Time};
use serde_json::{Value, json};
use store::{ChangeRow, StoreError, View};

use super::{
    following::ChangeFilter, parameters::Parameters, problem::Problem, state::State,
    summaries::ChangeSummary,
};
use crate::{
    live::{export::change_json, tally::counted},
    settings::values,
};

/// A change with what it is about; `None` while that is not known yet.
pub(crate) struct Change {
    pub(crate) row: ChangeRow,
    pub(crate) summary: Option<Arc<ChangeSummary>>,
}

/// The latest changes that match, newest first, and whether there are more.
pub(crate) fn latest(
    state: &State,
    filter: &ChangeFilter,
    most: usize,
) -> Result<(Vec<Change>, bool), Problem> {
    let mut entries = state.following.latest_changes(filter, most + 1);
    let has_more = entries.len() > most;
    entries.truncate(most);
    state.read(|view| {
        let mut rows = vec![];
        for entry in &entries {
            rows.extend(view.change(entry.no)?);
        }
        Ok((with_summaries(state, view, rows)?, has_more))
    })
}

/// Changes after an observation, in the order of the log.
pub(crate) struct LoggedChanges {
    pub(crate) rows: Vec<ChangeRow>,
    /// The number to continue after.
    pub(crate) next: u64,
    pub(crate) has_more: bool,
}

/// At most `most` of the changes after observation `after` that are wanted.
pub(crate) fn logged(
    view: &View,
    after: u64,
    most: usize,
    is_wanted: impl Fn(&ChangeRow) -> bool,
) -> Result<LoggedChanges, StoreError> {
    let mut found = LoggedChanges { rows: vec![], next: after, has_more: false };
    let ended = view.changes(Some(after), |row| {
        // One more is read, to know whether there are more.
        if found.rows.len() >= most {
            return Err(Ended::Enough);
        }
        found.next = row.no;
        if is_wanted(&row) {
            found.rows.push(row);
        }
        Ok(())
    });
    match ended {
        Err(Ended::Store(error)) => return Err(error),
        Err(Ended::Enough) => found.has_more = true,
        Ok(()) => {}
    }
    Ok(found)
}

/// Why reading changes ended early.
enum Ended {
    Store(StoreError),
    Enough,
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Adds what each change is about, as far as it is known in time.
pub(crate) fn with_summaries(
    state: &State,
    view: &View,
    rows: Vec<ChangeRow>,
) -> Result<Vec<Change>, StoreError> {
    let summaries = state.summaries.of(view, &rows, None)?;
    Ok(rows.into_iter().zip(summaries).map(|(row, summary)| Change { row, summary }).collect())
}

/// The filter that parameters give: `site`, `within` (a length of time) and `before` (a number).
pub(crate) fn filter(parameters: &Parameters, now: Time) -> Result<ChangeFilter, Problem> {
    let given = |name| parameters.text(name).map(str::trim).filter(|word| !word.is_empty());
    let within: Option<Span> =
        given("within").map(values::some_time).transpose().map_err(|why| {
            Problem::input(format!("within: {why}"), "Leave within out, or write within=7d.")
        })?;
    Ok(ChangeFilter {
        site: given("site").map(str::to_ascii_lowercase),
        since: within.map(|within| Time::from_millis(now.millis() - within.millis())),
        before: parameters.number("before", 0, i64::MAX as u64)?,
    })
}

impl Change {
    /// The title of the page, or its URL.
    pub(crate) fn title(&self) -> &str {
        match &self.summary {
            Some(summary) if !summary.title.is_empty() => &summary.title,
            _ => &self.row.address,
        }
    }

    /// Where the change is shown: the comparison of both versions, or else the page about the page.
    pub(crate) fn link(&self) -> String {
        let page = self.row.page.0;
        match (&self.row.old, self.row.outcome) {
            (Some(old), Outcome::Changed(_)) => {
                format!("/page/{page}/compare?from={}&to={}", old.no, self.row.no)
            }
            _ => format!("/page/{page}"),
        }
    }

    /// What happened, in a few words.
    pub(crate) fn words(&self) -> String {
        let words = |count| counted(count, "word", "words");
        match (self.row.outcome, &self.summary) {
            (Outcome::First, Some(summary)) => format!("new page, {}", words(summary.added)),
            (Outcome::First, None) => "new page".to_owned(),
            (Outcome::Gone, _) => "gone".to_owned(),
            (_, None) => "changed".to_owned(),
            (_, Some(summary)) if summary.added + summary.removed == 0 => {
                "changed, but not in its main text".to_owned()
            }
            (_, Some(summary)) => {
                format!("{} added, {} removed", words(summary.added), summary.removed)
            }
        }
    }

    /// As in the API and in what is sent to a webhook.
    pub(crate) fn json(&self) -> Value {
        let mut value = change_json(&self.row);
        value["page"] = self.row.page.0.into();
        value["title"] = self.summary.as_ref().map(|summary| summary.title.as_str()).into();
        value["summary"] = self.summary.as_ref().map_or(Value::Null, |summary| {
            json!({
                "words": self.words(), "added": summary.added, "removed": summary.removed,
                "excerpt": summary.excerpt,
            })
        });
        value["link"] = self.link().into();
        value
    }
}
