//! Which readings of a history count as the same, worked out once for all runs.
//!
//! Where a detector's "no change" is an equality of some identity, readings fall into classes.
//! Where it is not, or where it compares texts that a replay leaves on disk, every pair of versions
//! that a run could compare is compared beforehand, page by page.
use std::{error::Error as StdError, sync::Arc};

use flow::{ChangeDetector, Content, Digest, Snapshot};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{grid::Grid, history::History};

/// The texts of a history, fetched page by page.
pub trait Texts: Send + Sync {
    /// The content of each distinct reading of a page.
    ///
    /// # Errors
    /// When they cannot be read from where they are kept.
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError>;
}

/// Why texts could not be had.
pub type TextsError = Box<dyn StdError + Send + Sync>;

/// What a detector says of the readings of one history; also the detector of its replays.
pub struct Comparison {
    detector: Box<dyn ChangeDetector>,
    readings: Vec<Arc<Snapshot>>,
    /// By reading: equal numbers are the same. Absent where that is not transitive.
    classes: Option<Vec<u32>>,
    /// Changes between texts, by the digests of both, the smaller first; absent where the detector
    /// needs no texts.
    changes: Option<FxHashMap<(Digest, Digest), f32>>,
}

impl std::fmt::Debug for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comparison")
            .field("detector", &self.detector.name())
            .finish_non_exhaustive()
    }
}

impl Comparison {
    /// Compares all that runs on `grid` could compare.
    ///
    /// # Errors
    /// When the texts cannot be read.
    pub fn new(
        history: &History,
        texts: &dyn Texts,
        grid: Grid,
        detector: Box<dyn ChangeDetector>,
    ) -> Result<Self, TextsError> {
        let readings = history.readings.clone();
        if !detector.reads_content() {
            let classes = classes(readings.iter().map(|reading| detector.identity(reading)));
            return Ok(Self { detector, readings, classes, changes: None });
        }
        let pages: Vec<PageComparison> = (0..history.pages.len())
            .into_par_iter()
            .map(|page| compare_page(history, texts, grid, detector.as_ref(), page))
            .collect::<Result<_, _>>()?;
        let mut identities = vec![None; readings.len()];
        let mut changes = FxHashMap::default();
        for page in pages {
            for (reading, identity) in page.identities {
                identities[reading as usize] = identity;
            }
            changes.extend(page.changes);
        }
        Ok(Self {
            classes: classes(identities.into_iter()),
            detector,
            readings,
            changes: Some(changes),
        })
    }

    /// Whether what is the same as the same is the same.
    pub fn is_transitive(&self) -> bool {
        self.classes.is_some()
    }

    /// Whether two readings count as the same.
    pub fn same(&self, one: u32, other: u32) -> bool {
        if let Some(classes) = &self.classes {
            return classes[one as usize] == classes[other as usize];
        }
        let reading = |number: u32| self.readings[number as usize].as_ref();
        self.change(reading(one), reading(other)) == 0.0
    }
}

/// Inside a replay, this stands for the detector it was made with.
impl ChangeDetector for Comparison {
    fn name(&self) -> &'static str {
        self.detector.name()
    }

    fn change(&self, old: &Snapshot, new: &Snapshot) -> f32 {
        match &self.changes {
            None => self.detector.change(old, new),
            Some(_) if old.marks.text == new.marks.text => 0.0,
            Some(changes) => *changes
                .get(&pair(old, new))
                .expect("every pair that a run on this grid compares was compared beforehand"),
        }
    }

    fn identity(&self, snapshot: &Snapshot) -> Option<u128> {
        self.detector.identity(snapshot)
    }
}

/// Numbers identities by first appearance; `None` if any is missing.
fn classes(identities: impl Iterator<Item = Option<u128>>) -> Option<Vec<u32>> {
    let mut numbers = FxHashMap::default();
    identities
        .map(|identity| {
            let next = numbers.len() as u32;
            identity.map(|identity| *numbers.entry(identity).or_insert(next))
        })
        .collect()
}

fn pair(one: &Snapshot, other: &Snapshot) -> (Digest, Digest) {
    let (one, other) = (one.marks.text, other.marks.text);
    (one.min(other), one.max(other))
}

/// What comparing the texts of one page gave.
struct PageComparison {
    identities: Vec<(u32, Option<u128>)>,
    changes: Vec<((Digest, Digest), f32)>,
}

/// Compares the versions of a page that can be held, which are those live at a cycle, with all
/// that can be live after them.
fn compare_page(
    history: &History,
    texts: &dyn Texts,
    grid: Grid,
    detector: &dyn ChangeDetector,
    page: usize,
) -> Result<PageComparison, TextsError> {
    let full: FxHashMap<u32, Snapshot> = texts
        .contents(page)?
        .into_iter()
        .map(|(reading, content)| {
            let light = history.readings[reading as usize].as_ref().clone();
            (reading, Snapshot { content: Some(content), ..light })
        })
        .collect();
    let versions = &history.pages[page].versions;
    let mut identities: Vec<_> =
        full.iter().map(|(&reading, snapshot)| (reading, detector.identity(snapshot))).collect();
    identities.sort_unstable_by_key(|&(reading, _)| reading);
    let mut done = FxHashSet::default();
    let mut changes = vec![];
    let mut rows: Vec<usize> = (0..=grid.cycles)
        .filter_map(|cycle| history.pages[page].live(grid.instant(cycle)))
        .collect();
    rows.dedup();
    for row in rows {
        let Some(old) = versions[row].reading.map(|reading| &full[&reading]) else { continue };
        for later in versions[row + 1..].iter().filter_map(|version| version.reading) {
            let new = &full[&later];
            if old.marks.text != new.marks.text && done.insert(pair(old, new)) {
                changes.push((pair(old, new), detector.change(old, new)));
            }
        }
    }
    Ok(PageComparison { identities, changes })
}
