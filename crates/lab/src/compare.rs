//! Which readings of a history count as the same, computed once for all runs.
//!
//! Some detectors compare an identity for equality; their readings fall into classes. For the
//! others, and for detectors that compare texts which a replay leaves on disk, every pair of
//! versions that a run could compare is compared in advance, page by page. For a detector that leaves
//! out boilerplate, the whole history says what that is.
mod main_text;

use std::{error::Error as StdError, sync::Arc};

use crawl::{ChangeDetector, Content, Digest, Instruments, Needs, Snapshot};
use extract::detect::main_text::BoilerplateNeeds;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use text::workload::Workload;

use self::main_text::MainTexts;
use crate::{grid::Grid, history::History};

/// The texts of a history, loaded page by page.
pub trait Texts: Send + Sync {
    /// The content of each distinct reading of a page.
    ///
    /// # Errors
    ///
    /// If the texts cannot be read.
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError>;

    /// The queries that are asked of the web, where it has queries of its own.
    fn workload(&self) -> Option<Workload> {
        None
    }
}

/// Why texts could not be loaded.
pub type TextsError = Box<dyn StdError + Send + Sync>;

/// The verdicts of a detector on the readings of one history. It also serves as the detector of
/// replays.
pub struct Comparison {
    detector: Box<dyn ChangeDetector>,
    readings: Vec<Arc<Snapshot>>,
    /// By reading: equal numbers are the same. `None` if sameness is not transitive.
    classes: Option<Vec<u32>>,
    /// Changes between texts, by the digests of both, the smaller first. `None` if the detector
    /// needs no texts.
    changes: Option<FxHashMap<(Digest, Digest), f32>>,
    /// `None` if the detector does not leave out boilerplate.
    main_texts: Option<MainTexts>,
}

impl std::fmt::Debug for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comparison")
            .field("detector", &self.detector.name())
            .finish_non_exhaustive()
    }
}

impl Comparison {
    /// Compares every pair that runs on `grid` could compare.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn new(
        history: &History,
        texts: &dyn Texts,
        grid: Grid,
        detector: Box<dyn ChangeDetector>,
    ) -> Result<Self, TextsError> {
        let readings = history.readings.clone();
        if detector.needs().find::<BoilerplateNeeds>().is_some() {
            let main_texts = MainTexts::new(history, grid);
            let classes = Some(main_texts.classes(history));
            let main_texts = Some(main_texts);
            return Ok(Self { detector, readings, classes, changes: None, main_texts });
        }
        if !detector.reads_content() {
            let classes = classes(readings.iter().map(|reading| detector.identity(reading)));
            return Ok(Self { detector, readings, classes, changes: None, main_texts: None });
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
            main_texts: None,
        })
    }

    /// Whether sameness is transitive.
    pub fn is_transitive(&self) -> bool {
        self.classes.is_some()
    }

    /// Whether two readings count as the same.
    pub fn same(&self, one: u32, other: u32) -> bool {
        if let Some(classes) = &self.classes {
            return classes[one as usize] == classes[other as usize];
        }
        let reading = |number: u32| self.readings[number as usize].as_ref();
        self.change(reading(one), reading(other), Instruments::NONE) == 0.0
    }
}

/// In a replay, this replaces the detector that it was built with.
impl ChangeDetector for Comparison {
    fn name(&self) -> &'static str {
        self.detector.name()
    }

    fn needs(&self) -> Needs {
        self.detector.needs()
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, instruments: &Instruments) -> f32 {
        if let Some(main_texts) = &self.main_texts {
            return main_texts.change(old, new);
        }
        match &self.changes {
            None => self.detector.change(old, new, instruments),
            Some(_) if old.fingerprints.text == new.fingerprints.text => 0.0,
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
    let (one, other) = (one.fingerprints.text, other.fingerprints.text);
    (one.min(other), one.max(other))
}

/// The results of comparing the texts of one page.
struct PageComparison {
    identities: Vec<(u32, Option<u128>)>,
    changes: Vec<((Digest, Digest), f32)>,
}

/// Compares the versions of a page that can be held (those live at a cycle) with all versions that
/// can be live later.
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
            if old.fingerprints.text != new.fingerprints.text && done.insert(pair(old, new)) {
                changes.push((pair(old, new), detector.change(old, new, Instruments::NONE)));
            }
        }
    }
    Ok(PageComparison { identities, changes })
}
