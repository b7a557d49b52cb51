//! Paths of a data folder, and what it may contain.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{StoreError, private};

/// A data folder: `sanderling.db`, `archive/`, `indexes/` and `lock`.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root.join("sanderling.db")
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }

    pub(crate) fn indexes(&self) -> PathBuf {
        self.root.join("indexes")
    }

    /// Records that were after the end of the log.
    pub(crate) fn set_aside(&self) -> PathBuf {
        self.root.join("set-aside")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Path of a WARC file.
    pub(crate) fn warc(&self, name: &str) -> PathBuf {
        self.archive().join(name)
    }

    /// Path of the CDXJ index of a WARC file.
    pub(crate) fn cdxj(&self, warc: &str) -> PathBuf {
        let name = warc.strip_suffix(".warc.gz").unwrap_or(warc);
        self.indexes().join(format!("{name}.cdxj"))
    }

    /// Whether there is a database file. It may be empty.
    pub(crate) fn has_database(&self) -> bool {
        self.database().exists()
    }

    /// Checks that a folder without a database, or with an empty one, contains nothing else that a
    /// new data folder would hide, mix up or delete.
    pub(crate) fn check_is_free(&self) -> Result<(), StoreError> {
        let foreign = |what: String| StoreError::Foreign { folder: self.root.clone(), what };
        for name in names(&self.root)? {
            let known = name.to_str().is_some_and(|name| {
                ["lock", "archive", "indexes", "search", "set-aside", "sanderling.toml"]
                    .contains(&name)
                    || name.starts_with("sanderling.db")
                    || name.starts_with("queries.db")
            });
            if !known {
                return Err(foreign(name.display().to_string()));
            }
        }
        for inside in [self.archive(), self.indexes()] {
            if let Some(name) = names(&inside)?.first() {
                let shown = inside.join(name);
                let what = format!("{} without its database", shown.display());
                return Err(foreign(what));
            }
        }
        Ok(())
    }

    /// Creates missing subfolders.
    pub(crate) fn create(&self) -> Result<(), StoreError> {
        for folder in [self.archive(), self.indexes()] {
            private::create_folder(&folder).map_err(|e| StoreError::file("create", &folder, e))?;
        }
        Ok(())
    }
}

/// Names in a folder, sorted; none if there is no folder.
fn names(folder: &Path) -> Result<Vec<OsString>, StoreError> {
    let error = |e| StoreError::file("list", folder, e);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(e) => return Err(error(e)),
    };
    let names: Result<Vec<OsString>, _> =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
    let mut names = names.map_err(error)?;
    names.sort();
    Ok(names)
}
