//! Tantivy collector for the top pages and the number of matches.
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use crawl::PageNo;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::ranks::{MAX_BOOST, Ranks};
use crate::schema::PAGE;

/// Collects the top pages by BM25 plus `PageRank` boost.
pub(crate) struct TopPages {
    pub(crate) limit: usize,
    pub(crate) ranks: Arc<Ranks>,
}

/// A matching page; greater is better. Ties are broken by page number, so that the order does not
/// depend on segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Match {
    pub(crate) score: f32,
    pub(crate) page: PageNo,
    pub(crate) location: DocAddress,
}

impl Eq for Match {}

impl Ord for Match {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.page.cmp(&self.page))
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
}

/// Top pages of one segment.
pub(crate) struct SegmentTopPages {
    limit: usize,
    ranks: Arc<Ranks>,
    segment: SegmentOrdinal,
    pages: Arc<dyn ColumnValues<u64>>,
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
        }
        all.top.sort_unstable_by(|one, other| other.cmp(one));
        all.top.truncate(self.limit);
        Ok(all)
    }
}

impl SegmentCollector for SegmentTopPages {
    type Fruit = Matches;

    fn collect(&mut self, document: DocId, score: Score) {
        self.total += 1;
        if score < self.threshold {
            return;
        }
        let page = PageNo(self.pages.get_val(document) as u32);
        let score = score + self.ranks.boost(page);
        let location = DocAddress::new(self.segment, document);
        self.top.push(Reverse(Match { score, page, location }));
        if self.top.len() > self.limit {
            self.top.pop();
        }
        if self.top.len() == self.limit
            && let Some(Reverse(worst)) = self.top.peek()
        {
            // Slightly lower, because floating-point sums are rounded.
            self.threshold = worst.score - MAX_BOOST * 1.001;
        }
    }

    fn harvest(self) -> Matches {
        let top = self.top.into_iter().map(|Reverse(found)| found).collect();
        Matches { total: self.total, top }
    }
}
