//! What people ask for, as the settings and the data folder tell it.
use std::path::PathBuf;

use flow::workload::Workload;
use policy::Choice;

use super::queries;
use crate::{
    failure::Failure,
    settings::{self, Settings},
};

/// The policy where none is named, and it is known what people ask for: what refreshes better then is told
/// by the experiments of `docs/results/pandey-2005.md`, what looking for new pages is worth by those of
/// `docs/results/dasgupta-2007.md`.
const FOR_SEARCHERS: &str = "mix:refresh=user-centric-index";
/// The same where it is not known.
const FOR_ALL_PAGES: &str = "mix";

/// Where it is told what people ask for.
#[derive(Debug)]
pub(super) enum Asked {
    /// In a file of queries.
    File(Workload),
    /// In the log of the search page of this data folder.
    Log(PathBuf),
}

impl Asked {
    /// Where the settings say; a file is read now.
    pub(super) fn of(settings: &Settings) -> Result<Self, Failure> {
        Ok(match &settings.queries {
            Some(path) => Self::File(queries::in_file(path)?),
            None => Self::Log(settings.data.clone()),
        })
    }

    /// What is asked now; `None` where nobody has asked enough.
    pub(super) fn workload(&self) -> Result<Option<Workload>, Failure> {
        match self {
            Self::File(asked) => Ok(Some(asked.clone()).filter(|asked| !asked.queries.is_empty())),
            Self::Log(folder) => queries::logged(folder),
        }
    }
}

/// The policy that chooses the visits.
pub(super) fn policy(settings: &Settings) -> Result<Choice, Failure> {
    if let Some(choice) = &settings.policy {
        return Ok(choice.clone());
    }
    let is_asked = settings.index && Asked::of(settings)?.workload()?.is_some();
    let name = if is_asked { FOR_SEARCHERS } else { FOR_ALL_PAGES };
    settings::policy(name, &[]).map_err(Failure::Ours)
}
