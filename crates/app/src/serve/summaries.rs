//! What a change is about: the title of the page, and the words that came and went.
//!
//! That needs both versions from the archive and their difference, which takes milliseconds. So the thread
//! that follows the log prepares the latest changes, and answers compute what is missing within a limit.
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crawl::{Content, PageNo};
use extract::detect::main_text::{self, Boilerplate};
use store::{ChangeRow, StoreError, View};

use super::{
    difference::{Difference, Piece, Version},
    following::ChangeFilter,
    state::{State, lock},
};

/// The latest changes are prepared.
const PREPARED: usize = 50;
/// The most summaries kept.
const MOST: usize = 5_000;
/// The time for summaries in a turn of the thread that follows the log, and in an answer.
const TURN: Duration = Duration::from_millis(150);
const ANSWER: Duration = Duration::from_millis(60);
/// The longest excerpt, in characters.
const EXCERPT: usize = 160;

/// Known summaries by number of the observation.
#[derive(Default)]
pub(crate) struct Summaries {
    known: Mutex<BTreeMap<u64, Arc<ChangeSummary>>>,
    /// Those that an answer lacked.
    wanted: Mutex<BTreeSet<u64>>,
}

/// What a change is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChangeSummary {
    pub(crate) title: String,
    /// Words that came and went; menus, headers and footers do not count if they are known.
    pub(crate) added: u64,
    pub(crate) removed: u64,
    /// The beginning of what came, or else of what went.
    pub(crate) excerpt: String,
}

impl Summaries {
    /// The summaries of changes, as far as they are known or can be made in time.
    pub(crate) fn of(
        &self,
        view: &View,
        rows: &[ChangeRow],
        limit: Option<Duration>,
    ) -> Result<Vec<Option<Arc<ChangeSummary>>>, StoreError> {
        let deadline = Instant::now() + limit.unwrap_or(ANSWER);
        let mut boilerplate = None;
        let mut all = vec![];
        for row in rows {
            let known = lock(&self.known).get(&row.no).cloned();
            if known.is_some() || Instant::now() >= deadline {
                if known.is_none() {
                    lock(&self.wanted).insert(row.no);
                }
                all.push(known);
                continue;
            }
            let template = match &boilerplate {
                Some(known) => known,
                None => boilerplate.insert(boilerplate_of(view)?),
            };
            let summary = Arc::new(summary(view, row, template)?);
            self.keep(row.no, &summary);
            all.push(Some(summary));
        }
        Ok(all)
    }

    fn keep(&self, number: u64, summary: &Arc<ChangeSummary>) {
        let mut known = lock(&self.known);
        known.insert(number, Arc::clone(summary));
        while known.len() > MOST {
            known.pop_first();
        }
    }

    /// Prepares what is likely to be asked for next.
    pub(crate) fn work(&self, state: &State) {
        let latest = state.following.latest_changes(&ChangeFilter::default(), PREPARED);
        let wanted = std::mem::take(&mut *lock(&self.wanted));
        let missing: Vec<u64> = {
            let known = lock(&self.known);
            let all = latest.iter().map(|change| change.no).chain(wanted.into_iter().rev());
            all.filter(|number| !known.contains_key(number)).take(2 * PREPARED).collect()
        };
        if missing.is_empty() {
            return;
        }
        // An error is reported, and met again by the next answer that needs it.
        let _ = state.read(|view| {
            let mut rows = vec![];
            for &number in &missing {
                rows.extend(view.change(number)?);
            }
            self.of(view, &rows, Some(TURN))
        });
    }
}

/// A fetched version of a page.
pub(crate) struct Fetched {
    pub(crate) page: PageNo,
    pub(crate) content: Arc<Content>,
    /// The parts of the text that are menu, header or footer.
    boilerplate: Vec<Range<usize>>,
}

impl Fetched {
    /// The version that a visit fetched; `None` if it fetched none.
    pub(crate) fn read(
        view: &View,
        observation: u64,
        boilerplate: &Boilerplate,
    ) -> Result<Option<Self>, StoreError> {
        let Some((page, snapshot)) = view.version(observation)? else { return Ok(None) };
        let boilerplate = boilerplate.parts_ever(snapshot.text_runs());
        Ok(Some(Self { page, content: snapshot.content.unwrap_or_default(), boilerplate }))
    }

    pub(crate) fn version(&self) -> Version<'_> {
        Version { text: &self.content.text, boilerplate: &self.boilerplate }
    }
}

/// What the crawl knows of menus, headers and footers.
pub(crate) fn boilerplate_of(view: &View) -> Result<Boilerplate, StoreError> {
    let stored = view.instrument_state(main_text::NAME)?.unwrap_or_default();
    Ok(Boilerplate::from_state(&stored))
}

fn summary(
    view: &View,
    row: &ChangeRow,
    boilerplate: &Boilerplate,
) -> Result<ChangeSummary, StoreError> {
    let read = |number: Option<u64>| match number {
        Some(number) => Fetched::read(view, number, boilerplate),
        None => Ok(None),
    };
    let old = read(row.old.as_ref().map(|old| old.no))?;
    let new = read(Some(row.no))?;
    let nothing = Version { text: "", boilerplate: &[] };
    let difference = Difference::of_versions(
        old.as_ref().map_or(nothing, Fetched::version),
        new.as_ref().map_or(nothing, Fetched::version),
    );
    let shown = new.as_ref().or(old.as_ref());
    let title = shown.map_or_else(String::new, |version| version.content.title.trim().to_owned());
    Ok(ChangeSummary {
        title,
        added: difference.added as u64,
        removed: difference.removed as u64,
        excerpt: excerpt(&difference),
    })
}

/// The beginning of the first text that came; of the first that went if none came.
fn excerpt(difference: &Difference<'_>) -> String {
    let added = difference.pieces.iter().find_map(|piece| match piece {
        Piece::Added(text) => Some(*text),
        _ => None,
    });
    let removed = || {
        difference.pieces.iter().find_map(|piece| match piece {
            Piece::Removed(text) => Some(*text),
            _ => None,
        })
    };
    let text = added.or_else(removed).unwrap_or_default();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(EXCERPT) {
        None => words,
        Some((end, _)) => {
            let cut = words[..end].rfind(' ').unwrap_or(end);
            format!("{}…", &words[..cut])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_what_came_or_else_what_went() {
        let shown = |old, new| excerpt(&Difference::new(old, new));
        assert_eq!(shown("open from nine", "open from ten daily"), "ten daily");
        assert_eq!(shown("open from nine daily", "open from"), "nine daily");
        assert_eq!(shown("same", "same"), "");
        let long = "word ".repeat(200);
        let cut = shown("", long.as_str());
        assert!(cut.ends_with("word…") && cut.chars().count() <= EXCERPT + 1, "{cut}");
    }
}
