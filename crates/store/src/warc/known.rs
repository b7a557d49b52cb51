//! Bringing a folder back to what was committed, after a writer was stopped in the middle.
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::{Error, FileNames};

/// A file as far as it was committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its name, without a folder.
    pub name: String,
    /// How many of its bytes belong to committed batches.
    pub length: u64,
}

/// What was cleared away: the traces of a batch that was never committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Files whose tail was cut off.
    pub cut: Vec<String>,
    /// Files that were removed as a whole.
    pub removed: Vec<String>,
}

/// Cuts every known file in `folder` to its committed length, and removes the files that are named
/// like ours and not known. A known file that is gone or too short is an error, and is found before
/// anything is touched.
pub(super) fn tidy(folder: &Path, names: &FileNames, known: &[KnownFile]) -> Result<Tidied, Error> {
    let known: BTreeMap<&str, u64> =
        known.iter().map(|file| (file.name.as_str(), file.length)).collect();
    let mut longer = Vec::new();
    for (&name, &committed) in &known {
        let path = folder.join(name);
        let found = fs::metadata(&path).map_err(|e| Error::file("find", &path, e))?.len();
        if found < committed {
            return Err(Error::Short { path, found, committed });
        }
        if found > committed {
            longer.push((name, committed));
        }
    }

    let mut tidied = Tidied::default();
    for (name, committed) in longer {
        let path = folder.join(name);
        let cut = |path: &Path| -> io::Result<()> {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(committed)?;
            file.sync_all()
        };
        cut(&path).map_err(|e| Error::file("cut", &path, e))?;
        tidied.cut.push(name.to_owned());
    }
    for entry in fs::read_dir(folder).map_err(|e| Error::file("list", folder, e))? {
        let entry = entry.map_err(|e| Error::file("list", folder, e))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if names.is_ours(&name) && !known.contains_key(name.as_str()) {
            let path = entry.path();
            fs::remove_file(&path).map_err(|e| Error::file("remove", &path, e))?;
            tidied.removed.push(name);
        }
    }
    tidied.removed.sort();
    if !tidied.removed.is_empty() {
        sync_folder(folder)?;
    }
    Ok(tidied)
}

/// Makes the names in a folder last.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(|e| Error::file("sync", folder, e))
}
