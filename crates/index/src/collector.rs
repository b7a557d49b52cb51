//! Tantivy collector for the top pages and the number of matches. Pages with the same text count as one.
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use crawl::PageNo;
use rustc_hash::FxHashMap;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::copies::Copies;
use crate::ranks::{MAX_BOOST, Ranks};
use crate::schema::{CHANGED, PAGE};

/// Collects the top pages by BM25 plus `PageRank` boost, or the latest changes.
pub(crate) struct TopPages {
    pub(crate) limit: usize,
    pub(crate) ranks: Arc<Ranks>,
    pub(crate) copies: Arc<Copies>,
    pub(crate) by_date: bool,
}

/// A matching page; greater is better. Ties are broken by page number, so that the order does not
/// depend on segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Match {
    /// When it changed, if that decides; 0 otherwise.
    pub(crate) date: i64,
    pub(crate) score: f32,
    pub(crate) page: PageNo,
    pub(crate) location: DocAddress,
}

impl Eq for Match {}

impl Ord for Match {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = || self.score.total_cmp(&other.score);
        self.date.cmp(&other.date).then_with(by_score).then_with(|| other.page.cmp(&self.page))
    }
}

impl PartialOrd for Match {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Number of matches, and the top pages in descending order.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) total: usize,
    pub(crate) top: Vec<Match>,
    /// While segments are merged: the best of each group of pages with the same text.
    best_copies: FxHashMap<u32, Match>,
}

/// Keeps the better of two matches.
fn keep_best(best: &mut FxHashMap<u32, Match>, group: u32, found: Match) {
    best.entry(group).and_modify(|best| *best = found.max(*best)).or_insert(found);
}

/// Top pages of one segment.
pub(crate) struct SegmentTopPages {
    limit: usize,
    ranks: Arc<Ranks>,
    segment: SegmentOrdinal,
    pages: Arc<dyn ColumnValues<u64>>,
    copies: Arc<Copies>,
    /// The times of change, if they decide.
    changed: Option<Arc<dyn ColumnValues<i64>>>,
    best_copies: FxHashMap<u32, Match>,
    total: usize,
    /// Min-heap.
    top: BinaryHeap<Reverse<Match>>,
    /// BM25 score below which a page cannot be among the top pages, whatever its boost.
    threshold: f32,
}

impl Collector for TopPages {
    type Fruit = Matches;
    type Child = SegmentTopPages;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SegmentTopPages> {
        Ok(SegmentTopPages {
            limit: self.limit,
            ranks: Arc::clone(&self.ranks),
            segment,
            pages: reader.fast_fields().column_first_or_default(PAGE)?,
            copies: Arc::clone(&self.copies),
            changed: if self.by_date {
                Some(reader.fast_fields().column_first_or_default(CHANGED)?)
            } else {
                None
            },
            best_copies: FxHashMap::default(),
            total: 0,
            top: BinaryHeap::with_capacity(self.limit + 1),
            threshold: if self.limit == 0 { f32::INFINITY } else { f32::NEG_INFINITY },
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, segments: Vec<Matches>) -> tantivy::Result<Matches> {
        let mut all = Matches::default();
        for segment in segments {
            all.total += segment.total;
            all.top.extend(segment.top);
            for (group, found) in segment.best_copies {
                keep_best(&mut all.best_copies, group, found);
            }
        }
        let best_copies = std::mem::take(&mut all.best_copies);
        all.total += best_copies.len();
        if self.limit > 0 {
            all.top.extend(best_copies.into_values());
        }
        all.top.sort_unstable_by(|one, other| other.cmp(one));
        all.top.truncate(self.limit);
        Ok(all)
    }
}

impl SegmentCollector for SegmentTopPages {
    type Fruit = Matches;

    fn collect(&mut self, document: DocId, score: Score) {
        let is_below = score < self.threshold;
        if is_below && self.copies.is_empty() {
            self.total += 1;
            return;
        }
        let page = PageNo(self.pages.get_val(document) as u32);
        let date = self.changed.as_ref().map_or(0, |changed| changed.get_val(document));
        let score = score + self.ranks.boost(page);
        let location = DocAddress::new(self.segment, document);
        let found = Match { date, score, page, location };
        if let Some(group) = self.copies.group(page) {
            keep_best(&mut self.best_copies, group, found);
            return;
        }
        self.total += 1;
        if is_below {
            return;
        }
        self.top.push(Reverse(found));
        if self.top.len() > self.limit {
            self.top.pop();
        }
        if self.top.len() == self.limit
            && self.changed.is_none()
            && let Some(Reverse(worst)) = self.top.peek()
        {
            // Slightly lower, because floating-point sums are rounded.
            self.threshold = worst.score - MAX_BOOST * 1.001;
        }
    }

    fn harvest(self) -> Matches {
        let top = self.top.into_iter().map(|Reverse(found)| found).collect();
        Matches { total: self.total, top, best_copies: self.best_copies }
    }
}
