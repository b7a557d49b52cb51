//! The commands of the lab.
pub(crate) mod bench;
pub(crate) mod clusters;
pub(crate) mod corpus;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod names;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod settings;
mod without_bodies;

use std::path::PathBuf;

use clap::Args;

/// The flag for the folder of cached readings.
#[derive(Debug, Args)]
pub(crate) struct Cache {
    /// The folder for cached readings of traces [default: `$SANDERLING_CACHE`, otherwise
    /// ~/.cache/sanderling]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl Cache {
    /// The folder of the flag or of the environment, otherwise the system's folder for caches.
    fn folder(&self) -> PathBuf {
        let variable = |name: &str| {
            std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        if let Some(folder) = self.cache.clone().or_else(|| variable("SANDERLING_CACHE")) {
            return folder;
        }
        let caches = variable("XDG_CACHE_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".cache")))
            .unwrap_or_else(std::env::temp_dir);
        caches.join("sanderling")
    }
}
