//! The journal of finished runs, from which an interrupted tournament continues.
//!
//! `runs.jsonl` in the results folder has one line per finished run or bound. Its key is a hash of
//! everything that determines the result. A line truncated by a crash is ignored, and its run is
//! repeated.
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use serde::{Deserialize, Serialize};

use super::TournamentError;
use crate::results::{BoundRecord, RunRecord, WebFacts};

/// Raise it when a change of the program changes the results of runs.
const REVISION: u32 = 7;

/// Finished runs and bounds.
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    finished: BTreeMap<String, JournalEntry>,
}

/// One finished result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// A run.
    Run(RunRecord),
    /// The bounds of one web and budget.
    Bounds(Vec<BoundRecord>),
    /// The description of a web.
    Web(WebFacts),
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    #[serde(flatten)]
    entry: JournalEntry,
}

impl Journal {
    /// Opens the journal in `folder`, which is created if needed.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(super) fn open(folder: &Path) -> Result<Self, TournamentError> {
        let path = folder.join("runs.jsonl");
        let failed = |source| TournamentError::Journal { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut file =
            OpenOptions::new().create(true).append(true).read(true).open(&path).map_err(failed)?;
        let mut finished = BTreeMap::new();
        let mut ends_with_a_line = true;
        let mut reader = BufReader::new(&file);
        let mut line = vec![];
        while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            ends_with_a_line = line.ends_with(b"\n");
            if let Ok(Line { key, entry }) = serde_json::from_slice(&line) {
                finished.insert(key, entry);
            }
            line.clear();
        }
        if !ends_with_a_line {
            // The next line must not be appended to a truncated one.
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Self { path, file: Mutex::new(file), finished })
    }

    /// The result with this key, if it is finished.
    pub(super) fn find(&self, key: &str) -> Option<&JournalEntry> {
        self.finished.get(key)
    }

    /// Appends a finished result.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub(super) fn add(&self, key: &str, entry: &JournalEntry) -> Result<(), TournamentError> {
        let failed = |source| TournamentError::Journal { path: self.path.clone(), source };
        let line = Line { key: key.to_owned(), entry: entry.clone() };
        let mut bytes = serde_json::to_vec(&line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&bytes).map_err(failed)
    }
}

/// The key of a result: a hash of everything that determines it.
pub(super) fn key(parts: &[&dyn std::fmt::Debug]) -> String {
    let text = format!("{REVISION} {parts:?}");
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()))
}
