//! The best pages among those that match, and how many match.
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use crawl::PageNo;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::ranks::{MOST_ADDED, Ranks};
use crate::schema::PAGE;

/// Collects the best pages by BM25 plus what their rank adds.
pub(crate) struct Best {
    /// How many.
    pub(crate) most: usize,
    pub(crate) ranks: Arc<Ranks>,
}

/// A page that matches; greater is better. Pages of equal score come by number, so that the same
/// index gives the same order however its pages are spread over segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Match {
    pub(crate) score: f32,
    pub(crate) page: PageNo,
    pub(crate) place: DocAddress,
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

/// What was found: how many, and the best, best first.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) total: usize,
    pub(crate) best: Vec<Match>,
}

/// The best of one segment.
pub(crate) struct SegmentBest {
    most: usize,
    ranks: Arc<Ranks>,
    segment: SegmentOrdinal,
    pages: Arc<dyn ColumnValues<u64>>,
    total: usize,
    /// The worst on top.
    best: BinaryHeap<Reverse<Match>>,
    /// BM25 alone must be above this for a page to be among the best, whatever its rank.
    bar: f32,
}

impl Collector for Best {
    type Fruit = Matches;
    type Child = SegmentBest;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SegmentBest> {
        Ok(SegmentBest {
            most: self.most,
            ranks: Arc::clone(&self.ranks),
            segment,
            pages: reader.fast_fields().column_first_or_default(PAGE)?,
            total: 0,
            best: BinaryHeap::with_capacity(self.most + 1),
            bar: if self.most == 0 { f32::INFINITY } else { f32::NEG_INFINITY },
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, segments: Vec<Matches>) -> tantivy::Result<Matches> {
        let mut all = Matches::default();
        for segment in segments {
            all.total += segment.total;
            all.best.extend(segment.best);
        }
        all.best.sort_unstable_by(|one, other| other.cmp(one));
        all.best.truncate(self.most);
        Ok(all)
    }
}

impl SegmentCollector for SegmentBest {
    type Fruit = Matches;

    fn collect(&mut self, document: DocId, score: Score) {
        self.total += 1;
        if score < self.bar {
            return;
        }
        let page = PageNo(self.pages.get_val(document) as u32);
        let score = score + self.ranks.added(page);
        let place = DocAddress::new(self.segment, document);
        self.best.push(Reverse(Match { score, page, place }));
        if self.best.len() > self.most {
            self.best.pop();
        }
        if self.best.len() == self.most
            && let Some(Reverse(worst)) = self.best.peek()
        {
            // A little lower, because sums of floats are rounded.
            self.bar = worst.score - MOST_ADDED * 1.001;
        }
    }

    fn harvest(self) -> Matches {
        let best = self.best.into_iter().map(|Reverse(found)| found).collect();
        Matches { total: self.total, best }
    }
}
