//! The commands of the live crawler.
mod admission;
mod asked;
pub(crate) mod crawl;
pub(crate) mod export;
mod features;
mod forecast;
pub(crate) mod impact;
pub(crate) mod index;
pub(crate) mod init;
mod led;
mod paid;
pub(crate) mod queries;
pub(crate) mod refresh;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod searching;
pub(crate) mod session;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod tally;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod why;

use std::path::PathBuf;

use clap::Args;
use flow::Time;
use store::View;
use web::Clock;

use crate::{failure::Failure, settings};

/// Under this key a data folder says that its time is not the machine's.
pub(crate) const OWN_TIME: &str = "own_time";

/// The instant it is now for a data folder: by the machine's clock, or, where it was crawled in a time
/// of its own, that of its last visit.
pub(crate) fn now(view: &View) -> Result<Time, Failure> {
    let last = view.totals()?.last;
    let machine = Clock::real().now();
    Ok(match (view.get(OWN_TIME)?, last) {
        (Some(_), Some(last)) => last,
        _ => machine,
    })
}

/// What every command takes that only reads a data folder.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The folder that holds everything [default: sanderling-data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The settings file [default: sanderling.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Reading {
    /// The settings, of which most do not matter here.
    pub(crate) fn settings(&self) -> Result<settings::Settings, Failure> {
        self.settings_with(&[])
    }

    /// The settings where some have flags of their own, by key.
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
        settings::Settings::of(&flags)
    }

    /// The data folder, to be looked at beside whoever writes it.
    pub(crate) fn open(&self) -> Result<(settings::Settings, View), Failure> {
        let settings = self.settings()?;
        let view = View::open(&settings.data)?;
        Ok((settings, view))
    }
}
