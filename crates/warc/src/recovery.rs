//! Restores a folder to what was committed, after a writer was stopped in the middle.
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::{Error, FileNames};

/// A file and its committed length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its name, without a folder.
    pub name: String,
    /// The number of committed bytes.
    pub length: u64,
}

/// What recovery removed: the remains of a batch that was never committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Files that were cut to their committed length.
    pub cut: Vec<String>,
    /// Files that were removed.
    pub removed: Vec<String>,
}

/// Cuts every committed file in `folder` to its committed length, and removes other files with names of
/// ours. A committed file that is missing or too short is an error, and nothing is changed.
pub(super) fn recover(
    folder: &Path,
    names: &FileNames,
    committed: &[CommittedFile],
) -> Result<Recovered, Error> {
    let committed: BTreeMap<&str, u64> =
        committed.iter().map(|file| (file.name.as_str(), file.length)).collect();
    let mut longer = Vec::new();
    for (&name, &length) in &committed {
        let path = folder.join(name);
        let found = fs::metadata(&path).map_err(|e| Error::file("find", &path, e))?.len();
        if found < length {
            return Err(Error::Short { path, found, committed: length });
        }
        if found > length {
            longer.push((name, length));
        }
    }

    let mut recovered = Recovered::default();
    for (name, length) in longer {
        let path = folder.join(name);
        let cut = |path: &Path| -> io::Result<()> {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(length)?;
            file.sync_all()
        };
        cut(&path).map_err(|e| Error::file("cut", &path, e))?;
        recovered.cut.push(name.to_owned());
    }
    for entry in fs::read_dir(folder).map_err(|e| Error::file("list", folder, e))? {
        let entry = entry.map_err(|e| Error::file("list", folder, e))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if names.is_ours(&name) && !committed.contains_key(name.as_str()) {
            let path = entry.path();
            fs::remove_file(&path).map_err(|e| Error::file("remove", &path, e))?;
            recovered.removed.push(name);
        }
    }
    recovered.removed.sort();
    if !recovered.removed.is_empty() {
        sync_folder(folder)?;
    }
    Ok(recovered)
}

/// Syncs the names in a folder to disk.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(|e| Error::file("sync", folder, e))
}
