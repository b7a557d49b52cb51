//! The ranks of the pages, in a file beside the index, and what they add to a score.
//!
//! Ranks change for all pages at once whenever they are computed, and tantivy replaces whole pages
//! only, so they are kept outside of it: an array by page number that a searcher holds in memory.
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crawl::{DAMPING, Digest, PageNo};

use crate::{IndexError, folder};

/// The first bytes of the file, with its format.
const MAGIC: &[u8; 8] = b"ranks 1\n";
/// The rank of a page that links do not reach, in units of the average page. It is also that of a
/// page which became held after the ranks were computed.
const LEAST: f32 = (1.0 - DAMPING) as f32;

/// The most that a rank can add to a score. BM25 gives a page that has a rare word of a query about
/// 8, and one that has it in its title about twice that: so ranks decide between pages that match
/// about as well, and do not bring up pages that match worse.
pub(crate) const MOST_ADDED: f32 = 2.0;
/// The rank, in units of the average page, that adds half of the most.
const HALFWAY: f32 = 1.0;
/// How steeply it grows with the rank. Ranks spread over decades, so below 1.
const STEEPNESS: f32 = 0.6;

/// The ranks of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranks {
    /// The position of the log they were computed at.
    pub(crate) position: u64,
    /// By page number: rank times the number of held pages, so that 1 is the average page; 0 for
    /// pages that were not held.
    by_page: Vec<f32>,
    /// What each adds to a score.
    added: Vec<f32>,
}

impl Ranks {
    /// The ranks of the pages by number, which sum to 1 over those held and are 0 for others.
    pub(crate) fn of(ranks: &[f64], position: u64) -> Self {
        let held = ranks.iter().filter(|&&rank| rank > 0.0).count() as f64;
        Self::new(ranks.iter().map(|rank| (rank * held) as f32).collect(), position)
    }

    fn new(by_page: Vec<f32>, position: u64) -> Self {
        let added = by_page.iter().map(|&rank| added(floored(rank))).collect();
        Self { position, by_page, added }
    }

    /// The rank of a page, where 1 is the average.
    pub(crate) fn rank(&self, page: PageNo) -> f32 {
        match self.by_page.get(page.index()) {
            _ if self.by_page.is_empty() => 1.0,
            Some(&rank) => floored(rank),
            None => LEAST,
        }
    }

    /// What the rank of a page adds to its score.
    pub(crate) fn added(&self, page: PageNo) -> f32 {
        match self.added.get(page.index()) {
            Some(&added) => added,
            None => added(self.rank(page)),
        }
    }

    /// By page number, as a start for computing them anew.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.by_page.iter().map(|&rank| f64::from(rank)).collect()
    }

    /// Writes them into the data folder at `folder`: all of them, or the old ones stay.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let mut bytes = Vec::with_capacity(40 + 4 * self.by_page.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.position.to_le_bytes());
        for rank in &self.by_page {
            bytes.extend_from_slice(&rank.to_le_bytes());
        }
        let digest = Digest::from_bytes(&bytes).0.to_le_bytes();
        bytes.extend_from_slice(&digest);
        let path = folder::ranks(folder);
        let temporary = path.with_extension("new");
        let write = || {
            let mut file = File::create(&temporary)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            File::open(folder::search(folder))?.sync_all()
        };
        write().map_err(IndexError::file("write", &path))
    }

    /// Reads them back; none where there are none or they are damaged: then all pages rank alike,
    /// until they are computed again.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder::ranks(folder)).ok()?;
        let (told, digest) = bytes.split_last_chunk()?;
        if Digest(u128::from_le_bytes(*digest)) != Digest::from_bytes(told) {
            return None;
        }
        let (position, ranks) = told.strip_prefix(MAGIC)?.split_first_chunk()?;
        let ranks = ranks.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        Some(Self::new(ranks, u64::from_le_bytes(*position)))
    }
}

fn floored(rank: f32) -> f32 {
    rank.max(LEAST)
}

/// What a rank adds to a score: a static score S adds `w S^a / (k^a + S^a)`, which saturates.
///
/// Craswell, Robertson, Zaragoza, Taylor: Relevance weighting for query independent evidence, SIGIR
/// 2005: a sigmoid of `PageRank` beside BM25. The constants are ours, and not tuned, for want of
/// judged queries: S is in units of the average page, so that k does not depend on how many pages
/// are held.
fn added(rank: f32) -> f32 {
    let power = rank.powf(STEEPNESS);
    MOST_ADDED * power / (HALFWAY.powf(STEEPNESS) + power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_page_gains_half_of_the_most_and_none_gains_it_all() {
        let ranks = Ranks::of(&[0.5, 0.5, 0.0], 1);
        assert!((ranks.rank(PageNo(0)) - 1.0).abs() < 1e-6);
        assert!((ranks.added(PageNo(1)) - MOST_ADDED / 2.0).abs() < 1e-6);
        assert!((ranks.rank(PageNo(2)) - LEAST).abs() < 1e-6);
        assert!((ranks.rank(PageNo(99)) - LEAST).abs() < 1e-6);
        assert!(added(1e9) < MOST_ADDED + 1e-3);
        // 0.15^0.6 = exp(0.6 ln 0.15) = 0.3204, so 2 x 0.3204 / 1.3204 = 0.4853.
        assert!((ranks.added(PageNo(99)) - 0.4853).abs() < 1e-4);
    }

    #[test]
    fn where_no_ranks_are_known_all_pages_are_average() {
        assert!((Ranks::default().rank(PageNo(3)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn ranks_are_read_as_they_were_written_and_not_at_all_when_damaged() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(folder::search(home.path())).unwrap();
        let ranks = Ranks::of(&[0.25, 0.0, 0.75], 17);
        ranks.write(home.path()).unwrap();
        let read = Ranks::read(home.path()).unwrap();
        assert_eq!((read.by_page, read.position), (ranks.by_page, 17));
        let path = folder::ranks(home.path());
        let bytes = fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x10;
            fs::write(&path, flipped).unwrap();
            assert!(Ranks::read(home.path()).is_none(), "a flip at {place}");
            fs::write(&path, &bytes[..place]).unwrap();
            assert!(Ranks::read(home.path()).is_none(), "cut at {place}");
        }
    }
}
