//! The changes of each publication: every state of every file below the root, without contents.
use std::io::BufRead;

use crawl::Time;
use rustc_hash::FxHashMap;

use super::super::ImportError;
use super::address::{self, Kind};
use super::log::{Commit, is_id};
use super::program::{Git, Output};

/// The id of a content. SHA-256 fills it; SHA-1 leaves the rest zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Blob {
    bytes: [u8; 32],
    length: u8,
}

/// A file from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The file, as a row of [`Changes::paths`].
    pub(super) file: u32,
    /// The start of this state.
    pub(super) at: Time,
    /// Its content; `None` if the file is deleted.
    pub(super) blob: Option<Blob>,
}

/// All states of the files below the root that may be pages.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The files, below the root.
    pub(super) paths: Vec<Vec<u8>>,
    /// Their states, in the order of the history.
    pub(super) states: Vec<Change>,
    /// Whether any file exists below the root, page or not.
    pub(super) root_seen: bool,
    /// Used for lookups only, so its order does not matter.
    numbers: FxHashMap<Vec<u8>, u32>,
}

impl Changes {
    /// The state below `root` at the first of `commits`, valid since `start`, then the changes of
    /// the others. `progress` gets the number of commits done.
    pub(super) fn collect(
        git: &Git,
        root: &str,
        commits: &[Commit],
        start: Time,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, ImportError> {
        let mut changes = Self::default();
        let Some((first, later)) = commits.split_first() else { return Ok(changes) };
        let folder = if root.is_empty() { String::new() } else { format!("{root}/") };
        let below = |arguments: &[&'static str]| -> Vec<&str> {
            let limit = ["--", root];
            let limit = if root.is_empty() { &limit[..1] } else { &limit };
            [arguments, limit].concat()
        };

        // The id is an argument; it is known to be hexadecimal.
        let mut list = below(&["ls-tree", "-r", "-z", "--full-tree"]);
        list.insert(4, &first.id);
        git.pipe(&list, std::iter::empty(), |output| {
            while let Some(entry) = token(output).map_err(|error| git.broken(&list, error))? {
                let (mode, blob, path) =
                    listed_file(&entry).ok_or_else(|| git.odd(&list, &entry))?;
                changes.add(path, folder.as_bytes(), start, mode, blob);
            }
            Ok(())
        })?;
        progress(1);

        let compare = below(&["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames"]);
        let pairs = commits.windows(2).map(|pair| format!("{} {}\n", pair[1].id, pair[0].id));
        git.pipe(&compare, pairs, |output| {
            let mut later = later.iter().enumerate();
            let mut at = None;
            while let Some(entry) = token(output).map_err(|error| git.broken(&compare, error))? {
                let odd = || git.odd(&compare, &entry);
                if entry.first() != Some(&b':') {
                    // Commits without changes below the root produce no output.
                    let here = later.find(|(_, commit)| commit.id.as_bytes() == entry.trim_ascii());
                    let (number, commit) = here.ok_or_else(odd)?;
                    at = Some(commit.at);
                    progress(number + 2);
                    continue;
                }
                let (mode, blob) = compared_file(&entry).ok_or_else(odd)?;
                let path = token(output).map_err(|error| git.broken(&compare, error))?;
                let path = path.ok_or_else(odd)?;
                changes.add(&path, folder.as_bytes(), at.ok_or_else(odd)?, mode, blob);
            }
            Ok(())
        })?;
        progress(commits.len());
        changes.numbers = FxHashMap::default();
        Ok(changes)
    }

    /// Records the new state of a file. Symbolic links and submodules are not published in this
    /// form, so they do not count as files.
    fn add(&mut self, path: &[u8], folder: &[u8], at: Time, mode: &[u8], blob: Blob) {
        let Some(path) = path.strip_prefix(folder) else { return };
        self.root_seen = true;
        if address::kind(path) == Kind::Other {
            return;
        }
        let is_file = mode.starts_with(b"100");
        let known = self.numbers.get(path).copied();
        if known.is_none() && !is_file {
            return;
        }
        let file = known.unwrap_or_else(|| {
            let number = self.paths.len() as u32;
            self.paths.push(path.to_vec());
            self.numbers.insert(path.to_vec(), number);
            number
        });
        self.states.push(Change { file, at, blob: is_file.then_some(blob) });
    }
}

impl Blob {
    fn parse(text: &[u8]) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        if !is_id(text) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Some(Self { bytes, length: (text.len() / 2) as u8 })
    }
}

impl std::fmt::Display for Blob {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = &self.bytes[..usize::from(self.length)];
        bytes.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The next part of an answer. Parts end with a zero byte because a path may contain any other
/// byte. A commit's id is on its own line before the first of its parts.
fn token(output: &mut Output) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    output.read_until(0, &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok(Some(bytes))
}

/// Mode, content and path of a line `MODE blob ID<TAB>PATH`.
fn listed_file(entry: &[u8]) -> Option<(&[u8], Blob, &[u8])> {
    let tab = entry.iter().position(|&byte| byte == b'\t')?;
    let mut parts = entry[..tab].split(|&byte| byte == b' ');
    let (mode, _, id) = (parts.next()?, parts.next()?, parts.next()?);
    Some((mode, Blob::parse(id)?, &entry[tab + 1..]))
}

/// New mode and content of a line `:OLD_MODE NEW_MODE OLD_ID NEW_ID LETTER`. A deleted file has
/// mode 000000 and a zero content.
fn compared_file(entry: &[u8]) -> Option<(&[u8], Blob)> {
    let mut parts = entry.strip_prefix(b":")?.split(|&byte| byte == b' ');
    let (_, mode, _, id) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some((mode, Blob::parse(id)?))
}
