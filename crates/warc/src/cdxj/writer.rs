//! Writes an index: sorted by bytes as tools expect, in constant memory, and atomically.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Lines, Write};
use std::path::{Path, PathBuf};

use super::reader::error;
use super::{CdxjEntry, Error};

/// The number of lines that are sorted in memory, about 8 MB. More lines go to disk in sorted runs,
/// which are merged at the end.
const LINES_AT_ONCE: usize = 32_768;

/// Writes an index. The file appears under its name in [`finish`](Self::finish).
pub struct IndexWriter {
    path: PathBuf,
    most: usize,
    lines: Vec<String>,
    /// Sorted files, to be merged.
    runs: Vec<PathBuf>,
}

/// Writes an index of `entries` to `path`; see [`IndexWriter`].
///
/// # Errors
///
/// On I/O errors; the index is unchanged then.
pub fn write(path: &Path, entries: impl IntoIterator<Item = CdxjEntry>) -> Result<(), Error> {
    let mut writer = IndexWriter::new(path);
    for entry in entries {
        writer.add(&entry)?;
    }
    writer.finish()
}

impl IndexWriter {
    /// A writer of the index at `path`.
    pub fn new(path: &Path) -> Self {
        Self::with_lines_at_once(path, LINES_AT_ONCE)
    }

    fn with_lines_at_once(path: &Path, most: usize) -> Self {
        Self { path: path.to_owned(), most, lines: vec![], runs: vec![] }
    }

    /// Adds an entry. Entries come in any order.
    ///
    /// # Errors
    ///
    /// On I/O errors.
    pub fn add(&mut self, entry: &CdxjEntry) -> Result<(), Error> {
        self.lines.push(entry.to_string());
        if self.lines.len() >= self.most {
            self.lines.sort_unstable();
            let run = self.part(Some(self.runs.len()));
            self.runs.push(run.clone());
            let lines = self.lines.drain(..).map(Ok);
            write_lines(&run, lines).map_err(|e| error("write", &run, e))?;
        }
        Ok(())
    }

    /// Writes the index and replaces an existing file in one step: readers see the old or the new one.
    ///
    /// # Errors
    ///
    /// On I/O errors; the index is unchanged then.
    pub fn finish(mut self) -> Result<(), Error> {
        self.lines.sort_unstable();
        let part = self.part(None);
        let merge = || -> io::Result<()> {
            let runs = self.runs.iter().map(|run| Ok(BufReader::new(File::open(run)?).lines()));
            let mut sources: Vec<Source<'_>> =
                runs.map(|run| run.map(Source::Run)).collect::<io::Result<_>>()?;
            sources.push(Source::Memory(self.lines.iter()));
            write_lines(&part, Merged::new(sources)?)
        };
        merge().map_err(|e| error("write", &part, e))?;
        let renamed = fs::rename(&part, &self.path).and_then(|()| sync_folder_of(&self.path));
        renamed.map_err(|e| error("replace", &self.path, e))
    }

    /// The temporary path of the index or of a sorted run.
    fn part(&self, run: Option<usize>) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        if let Some(run) = run {
            name.push(run.to_string());
        }
        self.path.with_file_name(name)
    }
}

impl Drop for IndexWriter {
    fn drop(&mut self) {
        // Temporary files; an error here does not matter.
        for run in self.runs.iter().chain([&self.part(None)]) {
            let _ = fs::remove_file(run);
        }
    }
}

/// A source of sorted lines.
enum Source<'a> {
    Run(Lines<BufReader<File>>),
    Memory(std::slice::Iter<'a, String>),
}

impl Source<'_> {
    fn next(&mut self) -> io::Result<Option<String>> {
        match self {
            Self::Run(lines) => lines.next().transpose(),
            Self::Memory(lines) => Ok(lines.next().cloned()),
        }
    }
}

/// Merges sorted sources.
struct Merged<'a> {
    sources: Vec<Source<'a>>,
    heads: BinaryHeap<Reverse<(String, usize)>>,
}

impl<'a> Merged<'a> {
    fn new(mut sources: Vec<Source<'a>>) -> io::Result<Self> {
        let mut heads = BinaryHeap::new();
        for (number, source) in sources.iter_mut().enumerate() {
            heads.extend(source.next()?.map(|line| Reverse((line, number))));
        }
        Ok(Self { sources, heads })
    }
}

impl Iterator for Merged<'_> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let Reverse((line, number)) = self.heads.pop()?;
        match self.sources[number].next() {
            Ok(next) => self.heads.extend(next.map(|next| Reverse((next, number)))),
            Err(error) => return Some(Err(error)),
        }
        Some(Ok(line))
    }
}

fn write_lines(path: &Path, lines: impl Iterator<Item = io::Result<String>>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for line in lines {
        out.write_all(line?.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::cdxj::surt;

    #[test]
    fn an_index_longer_than_memory_is_sorted_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.cdxj");
        let mut writer = IndexWriter::with_lines_at_once(&path, 7);
        let mut expected = vec![];
        for number in 0_u64..100 {
            let url = format!("http://a.org/{}", (number * 37) % 100);
            let entry = CdxjEntry {
                key: surt(&url),
                at: Timestamp::from_millis(1_000_000_000_000),
                url,
                mime: "text/html".to_owned(),
                status: Some(200),
                digest: String::new(),
                length: 10,
                offset: number,
                filename: "x.warc.gz".to_owned(),
            };
            expected.push(entry.to_string());
            writer.add(&entry).unwrap();
        }
        writer.finish().unwrap();
        expected.sort();
        let lines = fs::read_to_string(&path).unwrap();
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_index_that_is_given_up_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.cdxj");
        fs::write(&path, "before").unwrap();
        drop(IndexWriter::new(&path));
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    }
}
