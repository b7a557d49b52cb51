//! Pages with the same title and text, such as `/` and `/index.html`. A search shows one of them.
use crawl::PageNo;
use tantivy::SegmentReader;

use crate::schema::{DIGEST, PAGE};

/// Groups of indexed pages with the same text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// By page number: its group; 0 for a page that is alone.
    groups: Vec<u32>,
    /// By group: the number of its pages.
    sizes: Vec<u32>,
}

impl Copies {
    /// Reads the digests of all indexed pages. Its time is that of sorting them, once for each commit.
    pub(crate) fn read(searcher: &tantivy::Searcher) -> tantivy::Result<Self> {
        let mut pages: Vec<(u64, u32)> = vec![];
        for segment in searcher.segment_readers() {
            read_segment(segment, &mut pages)?;
        }
        Ok(Self::new(pages))
    }

    /// From digests with page numbers. The low half of a digest tells texts apart well enough: two of a
    /// million different ones are equal by chance once in thirty million indexes.
    fn new(mut pages: Vec<(u64, u32)>) -> Self {
        pages.sort_unstable();
        let mut copies = Self::default();
        for group in pages.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            if copies.sizes.is_empty() {
                // Group 0 means none.
                copies.sizes.push(1);
                let most = pages.iter().map(|(_, page)| *page as usize + 1).max();
                copies.groups = vec![0; most.unwrap_or_default()];
            }
            for (_, page) in group {
                copies.groups[*page as usize] = copies.sizes.len() as u32;
            }
            copies.sizes.push(group.len() as u32);
        }
        copies
    }

    /// Whether every page is alone.
    pub(crate) fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The group of a page; `None` if it is alone.
    pub(crate) fn group(&self, page: PageNo) -> Option<u32> {
        self.groups.get(page.index()).copied().filter(|group| *group > 0)
    }

    /// How many other pages have the same text.
    pub(crate) fn others(&self, page: PageNo) -> u32 {
        self.group(page).map_or(0, |group| self.sizes[group as usize] - 1)
    }
}

fn read_segment(segment: &SegmentReader, pages: &mut Vec<(u64, u32)>) -> tantivy::Result<()> {
    let columns = segment.fast_fields();
    let (numbers, low) = (columns.u64(PAGE)?, columns.u64(DIGEST[1])?);
    for document in segment.doc_ids_alive() {
        if let (Some(page), Some(digest)) = (numbers.first(document), low.first(document)) {
            pages.push((digest, page as u32));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_the_same_text_are_a_group() {
        let copies = Copies::new(vec![(7, 0), (9, 1), (7, 4), (8, 2), (9, 3), (7, 5)]);
        let others = |page| copies.others(PageNo(page));
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(others), [2, 1, 0, 1, 2, 2, 0]);
        assert_eq!(copies.group(PageNo(0)), copies.group(PageNo(5)));
        assert_ne!(copies.group(PageNo(0)), copies.group(PageNo(1)));
        assert!(Copies::new(vec![(1, 0), (2, 1)]).is_empty());
    }
}
