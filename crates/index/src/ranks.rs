//! `PageRank` of the pages, in a file next to the index, and the boost it adds to scores.
//!
//! Ranks of all pages change whenever they are computed, and tantivy can only replace whole
//! documents. So they are in an array by page number, which searchers keep in memory.
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crawl::{DAMPING, Digest, PageNo};

use crate::{IndexError, folder};

/// First bytes of the file, including the format version.
const MAGIC: &[u8; 8] = b"ranks 1\n";
/// Rank of a page without in-links, relative to the average page. Also used for pages that became
/// held after the ranks were computed.
const MIN_RANK: f32 = (1.0 - DAMPING) as f32;

/// Maximum boost. BM25 gives about 8 for a rare word and about twice that in a title. So ranks
/// decide between pages that match equally well, but do not lift pages that match worse.
pub(crate) const MAX_BOOST: f32 = 2.0;
/// Rank, relative to the average page, that adds half of the maximum boost.
const HALFWAY: f32 = 1.0;
/// Exponent of the rank. Below 1, because ranks span orders of magnitude.
const STEEPNESS: f32 = 0.6;

#[derive(Clone, Debug, Default)]
pub(crate) struct Ranks {
    /// Log position they were computed at.
    pub(crate) position: u64,
    /// By page number: rank times the number of held pages, so that the average is 1; 0 if not
    /// held.
    by_page: Vec<f32>,
    /// Boost by page number.
    boosts: Vec<f32>,
}

impl Ranks {
    /// From `PageRank` by page number, which sums to 1 over held pages and is 0 for others.
    pub(crate) fn from_page_rank(ranks: &[f64], position: u64) -> Self {
        let held = ranks.iter().filter(|&&rank| rank > 0.0).count() as f64;
        Self::new(ranks.iter().map(|rank| (rank * held) as f32).collect(), position)
    }

    fn new(by_page: Vec<f32>, position: u64) -> Self {
        let boosts = by_page.iter().map(|&rank| boost(floored(rank))).collect();
        Self { position, by_page, boosts }
    }

    /// Rank of a page, relative to the average page.
    pub(crate) fn rank(&self, page: PageNo) -> f32 {
        match self.by_page.get(page.index()) {
            _ if self.by_page.is_empty() => 1.0,
            Some(&rank) => floored(rank),
            None => MIN_RANK,
        }
    }

    /// What the rank of a page adds to its score.
    pub(crate) fn boost(&self, page: PageNo) -> f32 {
        match self.boosts.get(page.index()) {
            Some(&boost) => boost,
            None => boost(self.rank(page)),
        }
    }

    /// By page number, to start the next computation from.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.by_page.iter().map(|&rank| f64::from(rank)).collect()
    }

    /// Writes the ranks to the data folder `folder`, atomically.
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
            File::open(folder::search_folder(folder))?.sync_all()
        };
        write().map_err(IndexError::file("write", &path))
    }

    /// Reads the ranks; `None` if they are missing or damaged. Then all pages have the same rank
    /// until they are computed again.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder::ranks(folder)).ok()?;
        let (body, digest) = bytes.split_last_chunk()?;
        if Digest(u128::from_le_bytes(*digest)) != Digest::from_bytes(body) {
            return None;
        }
        let (position, ranks) = body.strip_prefix(MAGIC)?.split_first_chunk()?;
        let ranks = ranks.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        Some(Self::new(ranks, u64::from_le_bytes(*position)))
    }
}

fn floored(rank: f32) -> f32 {
    rank.max(MIN_RANK)
}

/// Boost of a static score S: `w S^a / (k^a + S^a)`, which saturates.
///
/// Craswell, Robertson, Zaragoza, Taylor: Relevance weighting for query independent evidence, SIGIR
/// 2005: a sigmoid of `PageRank` added to BM25. The constants are ours and not tuned, because there
/// are no judged queries. S is relative to the average page, so that k does not depend on the
/// number of pages.
fn boost(rank: f32) -> f32 {
    let power = rank.powf(STEEPNESS);
    MAX_BOOST * power / (HALFWAY.powf(STEEPNESS) + power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_page_gains_half_of_the_most_and_none_gains_it_all() {
        let ranks = Ranks::from_page_rank(&[0.5, 0.5, 0.0], 1);
        assert!((ranks.rank(PageNo(0)) - 1.0).abs() < 1e-6);
        assert!((ranks.boost(PageNo(1)) - MAX_BOOST / 2.0).abs() < 1e-6);
        assert!((ranks.rank(PageNo(2)) - MIN_RANK).abs() < 1e-6);
        assert!((ranks.rank(PageNo(99)) - MIN_RANK).abs() < 1e-6);
        assert!(boost(1e9) < MAX_BOOST + 1e-3);
        // 0.15^0.6 = exp(0.6 ln 0.15) = 0.3204, so 2 x 0.3204 / 1.3204 = 0.4853.
        assert!((ranks.boost(PageNo(99)) - 0.4853).abs() < 1e-4);
    }

    #[test]
    fn where_no_ranks_are_known_all_pages_are_average() {
        assert!((Ranks::default().rank(PageNo(3)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn ranks_are_read_as_they_were_written_and_not_at_all_when_damaged() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(folder::search_folder(home.path())).unwrap();
        let ranks = Ranks::from_page_rank(&[0.25, 0.0, 0.75], 17);
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
