//! What is told of one page, to people and to programs.
use std::sync::Arc;

use flow::{Content, Outcome};
use store::{HeldPage, PageView, RecordForm, VisitRow};

use super::{problem::Problem, state::State};
use crate::live::impact::Effects;

/// So many visits are looked through for versions.
const MOST_VISITS: usize = 5_000;
/// So many versions are told of.
const MOST_VERSIONS: usize = 200;

/// So many visits are told of by what they did to search results.
const MEASURED_VISITS: usize = 10;

/// A page with everything that is told of it.
pub(crate) struct Known {
    pub(crate) view: PageView,
    held: Option<HeldPage>,
    /// Visits that brought new content or found it gone, the latest first.
    pub(crate) versions: Vec<VisitRow>,
    /// What its last visits did to search results.
    pub(crate) effects: Effects,
    /// Changes per day, as believed.
    pub(crate) rate: Option<f64>,
    /// The chance that what is held is what is there now.
    pub(crate) fresh_chance: Option<f64>,
}

impl Known {
    pub(crate) fn of(state: &State, view: PageView) -> Result<Self, Problem> {
        let page = view.page;
        let (held, versions, effects) = state.ask(|view| {
            let mut visits = view.visits(page, MOST_VISITS)?;
            let effects = Effects::of(&visits[..visits.len().min(MEASURED_VISITS)]);
            visits.retain(is_version);
            visits.truncate(MOST_VERSIONS);
            Ok((view.held(page)?, visits, effects))
        })?;
        Ok(Self {
            view,
            held,
            versions,
            effects,
            rate: state.rate(page),
            fresh_chance: state.following.fresh_chance(page, state.now()),
        })
    }

    /// Title and text as held.
    pub(crate) fn content(&self) -> Option<&Arc<Content>> {
        self.held.as_ref()?.snapshot.content.as_ref()
    }

    /// The versions that can be read and compared, the latest first.
    pub(crate) fn readable(&self) -> impl Iterator<Item = &VisitRow> {
        self.versions.iter().filter(|visit| is_readable(visit))
    }
}

/// Whether a visit found something new.
fn is_version(visit: &VisitRow) -> bool {
    matches!(visit.outcome, Outcome::First | Outcome::Changed(_) | Outcome::Gone)
}

/// Whether it brought something to read.
pub(crate) fn is_readable(visit: &VisitRow) -> bool {
    visit.outcome != Outcome::Gone && visit.record == Some(RecordForm::Response)
}
