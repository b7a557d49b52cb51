//! The commands of the live crawler.
pub(crate) mod activity;
mod admission;
pub(crate) mod advise;
pub(crate) mod autopilot;
pub(crate) mod clock;
pub(crate) mod copy;
pub(crate) mod corpus;
mod costs;
pub(crate) mod crawl;
mod csv;
mod events;
pub(crate) mod export;
pub(crate) mod failing;
mod features;
mod forecast;
pub(crate) mod impact;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod lacks;
mod leads;
mod listed;
mod logged;
pub(crate) mod next_visits;
mod open_files;
pub(crate) mod pages;
mod preparation;
pub(crate) mod queries;
pub(crate) mod query_source;
pub(crate) mod refresh;
pub(crate) mod repair;
pub(crate) mod run;
mod salvage;
pub(crate) mod search;
pub(crate) mod search_filter;
pub(crate) mod searching;
pub(crate) mod session;
mod shares;
pub(crate) mod status;
pub(crate) mod stop;
mod stored_instrument;
pub(crate) mod tally;
pub(crate) mod verify;
pub(crate) mod wacz;
pub(crate) mod watch;
mod weights;
pub(crate) mod why;

use std::path::PathBuf;

use ::crawl::Time;
use clap::Args;
use store::View;

use crate::{failure::Failure, settings};

/// The key in a data folder that says that its clock is not the machine's.
pub(crate) const OWN_TIME: &str = "own_time";

/// The current time of a data folder: that of the machine, or of the last visit if the folder has a
/// clock of its own.
pub(crate) fn now(view: &View) -> Result<Time, Failure> {
    let last = view.last_visit()?;
    let machine = clock::clock().now();
    Ok(match (view.get(OWN_TIME)?, last) {
        (Some(_), Some(last)) => last,
        _ => machine,
    })
}

/// The flags of commands that only read a data folder.
#[derive(Debug, Args)]
pub(crate) struct FolderFlags {
    /// The data folder [default: sanderling-data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The settings file [default: sanderling.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl FolderFlags {
    /// Reads the settings.
    pub(crate) fn settings(&self) -> Result<settings::Settings, Failure> {
        self.settings_with(&[])
    }

    /// Reads the settings; some have flags of their own, given by key.
    pub(crate) fn settings_with(
        &self,
        given: &[(&'static str, &Option<String>)],
    ) -> Result<settings::Settings, Failure> {
        let mut flags = settings::keys::Flags { config: self.config.clone(), ..Default::default() };
        for (key, value) in given {
            if let Some(value) = value {
                flags.given.insert(key, value.clone());
            }
        }
        if let Some(data) = &self.data {
            flags.given.insert("data", data.display().to_string());
        }
        settings::Settings::load(&flags)
    }

    /// Opens the data folder for reading, beside a process that may write it.
    pub(crate) fn open(&self) -> Result<(settings::Settings, View), Failure> {
        let settings = self.settings()?;
        let view = View::open(&settings.data)?;
        Ok((settings, view))
    }
}
