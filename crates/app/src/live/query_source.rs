//! The query workload of a data folder, and the policy that fits it.
use std::path::PathBuf;

use policy::PolicySpec;
use text::workload::Workload;

use super::queries;
use crate::{
    failure::Failure,
    settings::{self, Settings},
};

/// The default policy if a query workload is known. `docs/results/unified.md` compares it with others.
pub(crate) const FOR_SEARCHERS: &str = "unified:value=searchers";
/// The default policy without a workload, where the user set weights.
const FOR_WEIGHTS: &str = "unified:value=weights";
/// The default policy without either.
pub(crate) const FOR_ALL_PAGES: &str = "unified";

/// Where the query workload comes from.
#[derive(Debug)]
pub(super) enum QuerySource {
    /// A file.
    File(Workload),
    /// The query log of the search page of this data folder.
    Log(PathBuf),
}

impl QuerySource {
    /// The source that the settings name. Reads a file at once.
    pub(super) fn open(settings: &Settings) -> Result<Self, Failure> {
        Ok(match &settings.queries {
            Some(path) => Self::File(queries::read_file(path)?),
            None => Self::Log(settings.data.clone()),
        })
    }

    /// The current workload; `None` if there are too few queries.
    pub(super) fn workload(&self) -> Result<Option<Workload>, Failure> {
        match self {
            Self::File(known) => Ok(Some(known.clone()).filter(|known| !known.queries.is_empty())),
            Self::Log(folder) => queries::read_log(folder),
        }
    }
}

/// The policy that the settings choose.
pub(super) fn policy(settings: &Settings) -> Result<PolicySpec, Failure> {
    if let Some(choice) = &settings.policy {
        return Ok(choice.clone());
    }
    let has_workload = settings.index && QuerySource::open(settings)?.workload()?.is_some();
    let name = match (has_workload, settings.weights.is_empty()) {
        (true, _) => FOR_SEARCHERS,
        (false, false) => FOR_WEIGHTS,
        (false, true) => FOR_ALL_PAGES,
    };
    settings::policy(name, &[]).map_err(Failure::Internal)
}
