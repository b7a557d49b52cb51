//! Captures named by CDXJ indexes: each line's record is read from the WARC file it names.
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use rustc_hash::FxHashSet;
use warc::cdxj::{self, CdxjEntry, CdxjReader};
use warc::{self, RecordLocation, read_at};

use super::captures::Captures;
use super::{CaptureError, ImportError, inputs};

/// Adds the captures of all `indexes`, except those in files of `whole`, which were read
/// completely. `progress` gets the number of records read, and of all.
pub(super) fn take(
    indexes: &[PathBuf],
    whole: &FxHashSet<PathBuf>,
    captures: &mut Captures,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), ImportError> {
    // Sorted by file and offset, so that disks are read in order. A record that several indexes
    // name is read once.
    let mut files: BTreeMap<PathBuf, BTreeMap<u64, u64>> = BTreeMap::new();
    for index in indexes {
        let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
        for entry in entries(index, captures)? {
            let CdxjEntry { filename, offset, length, .. } = entry;
            let path = if let Some(path) = found.get(&filename) {
                path
            } else {
                let path = inputs::real(&warc_of(index, &filename)?)?;
                found.entry(filename).or_insert(path)
            };
            if !whole.contains(path) {
                files.entry(path.clone()).or_default().entry(offset).or_insert(length);
            }
        }
    }
    let of = files.values().map(BTreeMap::len).sum();
    let mut done = 0;
    for (path, places) in files {
        let file = captures.file(path.clone());
        for (offset, length) in places {
            match read_at(&path, RecordLocation { offset, length }) {
                Ok(record) => captures.take(file, &record)?,
                Err(error @ warc::Error::File { .. }) => {
                    return Err(CaptureError::Read(error).into());
                }
                Err(error) => captures.damage(&error),
            }
            done += 1;
            progress(done, of);
        }
    }
    Ok(())
}

/// The lines of an index. An unreadable line is damage; if it is the first, the file is not an
/// index.
fn entries(index: &Path, captures: &mut Captures) -> Result<Vec<CdxjEntry>, CaptureError> {
    let mut entries = Vec::new();
    let reader = CdxjReader::open(index).map_err(CaptureError::ReadIndex)?;
    for entry in reader {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(source @ cdxj::Error::Line { .. }) if entries.is_empty() => {
                return Err(CaptureError::NotIndex { path: index.to_owned(), source });
            }
            Err(error @ cdxj::Error::Line { .. }) => captures.damage(&error),
            Err(error) => return Err(CaptureError::ReadIndex(error)),
        }
    }
    if entries.is_empty() {
        return Err(CaptureError::Empty { path: index.to_owned(), kind: "CDXJ index" });
    }
    Ok(entries)
}

/// The file that an index calls `name`: next to it or in the folder `archive` beside its own, as in
/// pywb collections. Names that lead out of these folders are refused.
fn warc_of(index: &Path, name: &str) -> Result<PathBuf, CaptureError> {
    let folder = index.parent().unwrap_or(Path::new(""));
    let parts = || Path::new(name).components();
    let is_inside = parts().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let last = parts().next_back().map(|part| PathBuf::from(part.as_os_str())).unwrap_or_default();
    let names = [if is_inside { PathBuf::from(name) } else { last.clone() }, last];
    let archive = folder.join("../archive");
    let mut candidates = names.iter().flat_map(|name| [folder.join(name), archive.join(name)]);
    candidates
        .find(|path| path.is_file())
        .ok_or_else(|| CaptureError::NoWarc { index: index.to_owned(), name: name.to_owned() })
}
