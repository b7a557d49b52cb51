//! The commands of the lab.
pub(crate) mod clusters;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod names;
pub(crate) mod reproduce;
pub(crate) mod run;
mod settings;

use std::path::PathBuf;

/// The folder for readings of traces: as given, else where the system keeps caches.
fn cache_folder(given: Option<&PathBuf>) -> PathBuf {
    let from_environment = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = given {
        return folder.clone();
    }
    if let Some(folder) = from_environment("SANDERLING_CACHE") {
        return folder.into();
    }
    let caches = from_environment("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| from_environment("HOME").map(|home| PathBuf::from(home).join(".cache")));
    caches.unwrap_or_else(std::env::temp_dir).join("sanderling")
}
