//! The input files: given directly or in given folders.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::CaptureError;

/// WARC files and indexes, each once, in the given order; files of a folder by name.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub(super) warcs: Vec<PathBuf>,
    pub(super) indexes: Vec<PathBuf>,
    /// The real paths of files already added.
    taken: BTreeSet<PathBuf>,
}

impl Inputs {
    pub(super) fn gather(paths: &[PathBuf]) -> Result<Self, CaptureError> {
        let mut inputs = Self::default();
        for path in paths {
            let failed = |source| CaptureError::Open { path: path.clone(), source };
            if fs::metadata(path).map_err(failed)?.is_dir() {
                let mut found = Vec::new();
                walk(path, &mut found)?;
                if found.is_empty() {
                    return Err(CaptureError::NoneInFolder { path: path.clone() });
                }
                found.iter().try_for_each(|path| inputs.take(path))?;
            } else {
                inputs.take(path)?;
            }
        }
        Ok(inputs)
    }

    fn take(&mut self, path: &Path) -> Result<(), CaptureError> {
        if self.taken.insert(real(path)?) {
            let files = if ends(path, &[".cdxj"]) { &mut self.indexes } else { &mut self.warcs };
            files.push(path.to_owned());
        }
        Ok(())
    }
}

/// The canonical path, which identifies a file.
pub(super) fn real(path: &Path) -> Result<PathBuf, CaptureError> {
    fs::canonicalize(path).map_err(|source| CaptureError::Open { path: path.to_owned(), source })
}

/// Collects the usable files in `folder` and its subfolders. Symbolic links to folders are not
/// followed: they may form a cycle.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), CaptureError> {
    let failed = |source| CaptureError::Open { path: folder.to_owned(), source };
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(failed)?;
    paths.sort_unstable();
    for path in paths {
        let kind = fs::symlink_metadata(&path)
            .map_err(|source| CaptureError::Open { path: path.clone(), source })?;
        if kind.is_dir() {
            walk(&path, found)?;
        } else if ends(&path, &[".warc", ".warc.gz", ".cdxj"]) {
            found.push(path);
        }
    }
    Ok(())
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}
