//! Restores a folder to what was committed, after a writer was stopped in the middle.
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::{Error, FileNames, RecordKind, WarcReader};

/// A file and its committed length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its name, without a folder.
    pub name: String,
    /// The number of committed bytes.
    pub length: u64,
}

/// What recovery did with the remains of a batch that was never committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Files that were cut to their committed length.
    pub cut: Vec<String>,
    /// Files that were removed.
    pub removed: Vec<String>,
    /// What is kept of both.
    pub set_aside: Vec<SetAside>,
}

/// A WARC file with records that were not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Where it is.
    pub path: PathBuf,
    /// Whole responses and revisits in it.
    pub records: u64,
    /// Its length.
    pub bytes: u64,
}

/// Cuts every committed file in `folder` to its committed length, and removes other files with names of
/// ours. What has whole records is first copied to `aside`. A committed file that is missing or too short is
/// an error, and nothing is changed.
pub(super) fn recover(
    folder: &Path,
    names: &FileNames,
    committed: &[CommittedFile],
    aside: Option<&Path>,
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
        if let Some(aside) = aside {
            recovered.set_aside.extend(set_aside(&path, length, aside)?);
        }
        let cut = |path: &Path| -> io::Result<()> {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(length)?;
            file.sync_all()
        };
        cut(&path).map_err(|e| Error::file("cut", &path, e))?;
        recovered.cut.push(name.to_owned());
    }
    let mut strays = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| Error::file("list", folder, e))? {
        let entry = entry.map_err(|e| Error::file("list", folder, e))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if names.is_ours(&name) && !committed.contains_key(name.as_str()) {
            strays.push(name);
        }
    }
    strays.sort();
    for name in &strays {
        let path = folder.join(name);
        if let Some(aside) = aside {
            recovered.set_aside.extend(set_aside(&path, 0, aside)?);
        }
        fs::remove_file(&path).map_err(|e| Error::file("remove", &path, e))?;
    }
    recovered.removed = strays;
    if !recovered.removed.is_empty() {
        sync_folder(folder)?;
    }
    Ok(recovered)
}

/// Copies the file at `path` from byte `from` on to the folder `aside`, if whole records are there. A torn
/// record at the end is left out. Damaged records are kept: those after them may be whole.
fn set_aside(path: &Path, from: u64, aside: &Path) -> Result<Option<SetAside>, Error> {
    let (mut records, mut end, mut is_damaged) = (0, from, false);
    for record in WarcReader::open_at(path, from)? {
        match record {
            Ok(record) => {
                let answers = [RecordKind::Response, RecordKind::Revisit];
                records += u64::from(answers.contains(&record.kind()));
                end = record.location.map_or(end, |place| place.offset + place.length);
            }
            Err(Error::Truncated { .. }) => {}
            Err(error) if error.damaged_record().is_some() => is_damaged = true,
            Err(error) => return Err(error),
        }
    }
    if records == 0 {
        return Ok(None);
    }
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".warc.gz").unwrap_or(&stem);
    let copy = || -> io::Result<(PathBuf, u64)> {
        fs::create_dir_all(aside)?;
        let mut source = File::open(path)?;
        source.seek(SeekFrom::Start(from))?;
        let length = if is_damaged { u64::MAX } else { end - from };
        for number in 0_u32.. {
            let again = if number == 0 { String::new() } else { format!("-{number}") };
            let target = aside.join(format!("{stem}-from-{from}{again}.warc.gz"));
            let mut file = match OpenOptions::new().write(true).create_new(true).open(&target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            let bytes = io::copy(&mut source.take(length), &mut file)?;
            file.sync_all()?;
            return Ok((target, bytes));
        }
        Err(io::ErrorKind::AlreadyExists.into())
    };
    let (target, bytes) = copy().map_err(|e| Error::file("set aside a part of", path, e))?;
    sync_folder(aside)?;
    Ok(Some(SetAside { path: target, records, bytes }))
}

/// Syncs the names in a folder to disk.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(|e| Error::file("sync", folder, e))
}
