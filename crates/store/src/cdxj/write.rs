//! Writing an index: sorted by the bytes of its lines as tools expect, in little memory however long it
//! is, and whole or not at all.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Lines, Write};
use std::path::{Path, PathBuf};

use super::file::error;
use super::{Entry, Error};

/// Lines that are sorted in memory at a time, about 8 MB of them. What is more goes to disk, sorted, and
/// is merged at the end.
const LINES_AT_ONCE: usize = 32_768;

/// An index on its way. Nothing of it is seen under its name before [`finish`](Self::finish).
pub struct IndexWriter {
    path: PathBuf,
    most: usize,
    lines: Vec<String>,
    /// Sorted files that are still to be merged.
    runs: Vec<PathBuf>,
}

/// Writes an index of `entries` to `path`; see [`IndexWriter`].
///
/// # Errors
///
/// Where the file system refuses; the index is then as it was before.
pub fn write(path: &Path, entries: impl IntoIterator<Item = Entry>) -> Result<(), Error> {
    let mut writer = IndexWriter::new(path);
    for entry in entries {
        writer.add(&entry)?;
    }
    writer.finish()
}

impl IndexWriter {
    /// An index that is to stand at `path`.
    pub fn new(path: &Path) -> Self {
        Self::with_lines_at_once(path, LINES_AT_ONCE)
    }

    fn with_lines_at_once(path: &Path, most: usize) -> Self {
        Self { path: path.to_owned(), most, lines: vec![], runs: vec![] }
    }

    /// Adds an entry; they may come in any order.
    ///
    /// # Errors
    ///
    /// Where the file system refuses.
    pub fn add(&mut self, entry: &Entry) -> Result<(), Error> {
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

    /// Writes the whole index. A file that was there is replaced, in one step: whoever reads
    /// meanwhile has the old or the new one.
    ///
    /// # Errors
    ///
    /// Where the file system refuses; the index is then as it was before.
    pub fn finish(mut self) -> Result<(), Error> {
        self.lines.sort_unstable();
        let part = self.part(None);
        let merge = || -> io::Result<()> {
            let runs = self.runs.iter().map(|run| Ok(BufReader::new(File::open(run)?).lines()));
            let mut sources: Vec<Source<'_>> =
                runs.map(|run| run.map(Source::Run)).collect::<io::Result<_>>()?;
            sources.push(Source::Memory(self.lines.iter()));
            write_lines(&part, Merged::of(sources)?)
        };
        merge().map_err(|e| error("write", &part, e))?;
        let renamed = fs::rename(&part, &self.path).and_then(|()| sync_folder_of(&self.path));
        renamed.map_err(|e| error("replace", &self.path, e))
    }

    /// Where the index, or a sorted piece of it, is while it is written.
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
        // Of no use to anyone any more. That the index was not written is what matters.
        for run in self.runs.iter().chain([&self.part(None)]) {
            let _ = fs::remove_file(run);
        }
    }
}

/// Where sorted lines come from.
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

/// The lines of several sources that are sorted each, in order.
struct Merged<'a> {
    sources: Vec<Source<'a>>,
    heads: BinaryHeap<Reverse<(String, usize)>>,
}

impl<'a> Merged<'a> {
    fn of(mut sources: Vec<Source<'a>>) -> io::Result<Self> {
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
    use flow::Time;

    use super::*;
    use crate::cdxj::surt;

    #[test]
    fn an_index_longer_than_memory_is_sorted_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.cdxj");
        let mut writer = IndexWriter::with_lines_at_once(&path, 7);
        let mut expected = vec![];
        for number in 0_u64..100 {
            let url = format!("http://a.org/{}", (number * 37) % 100);
            let entry = Entry {
                key: surt(&url),
                at: Time::from_millis(1_000_000_000_000),
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
