//! The details of one page, for the page view and the API.
use std::sync::Arc;

use crawl::{Content, Outcome};
use store::{HeldPage, PageView, RecordForm, VisitRow};

use super::{problem::Problem, state::State};
use crate::live::impact::Effects;

/// The most visits to search for versions.
const MOST_VISITS: usize = 5_000;
/// The most versions shown.
const MOST_VERSIONS: usize = 200;

/// The number of visits whose impact is shown.
const MEASURED_VISITS: usize = 10;

/// A page with everything that is shown of it.
pub(crate) struct PageDetails {
    pub(crate) view: PageView,
    held: Option<HeldPage>,
    /// Visits that found new content or the page gone, newest first.
    pub(crate) versions: Vec<VisitRow>,
    /// The impact of its last visits on search results.
    pub(crate) effects: Effects,
    /// Estimated changes per day.
    pub(crate) rate: Option<f64>,
    /// The probability that the held content is still current.
    pub(crate) fresh_probability: Option<f64>,
}

impl PageDetails {
    pub(crate) fn read(state: &State, view: PageView) -> Result<Self, Problem> {
        let page = view.page;
        let (held, versions, effects) = state.read(|view| {
            let mut visits = view.visits(page, MOST_VISITS)?;
            let effects = Effects::from_visits(&visits[..visits.len().min(MEASURED_VISITS)]);
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
            fresh_probability: state.following.fresh_probability(page, state.now()),
        })
    }

    /// Title and text as held.
    pub(crate) fn content(&self) -> Option<&Arc<Content>> {
        self.held.as_ref()?.snapshot.content.as_ref()
    }

    /// The versions that can be compared, newest first.
    pub(crate) fn readable(&self) -> impl Iterator<Item = &VisitRow> {
        self.versions.iter().filter(|visit| is_readable(visit))
    }
}

/// Whether a visit found a new version.
fn is_version(visit: &VisitRow) -> bool {
    matches!(visit.outcome, Outcome::First | Outcome::Changed(_) | Outcome::Gone)
}

/// Whether the version has content.
pub(crate) fn is_readable(visit: &VisitRow) -> bool {
    visit.outcome != Outcome::Gone && visit.record == Some(RecordForm::Response)
}
