//! The features of one page, as of its last visit.
//!
//! Stores keep them as postcard bytes. Whoever changes [`PageFeatures`] must add a store upgrade that
//! deletes the old ones.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{VisitRecord, Window, WordCounts};
use crawl::{Counts, Form, Snapshot};
use text::words::Language;

/// The features of a page, as of the last visit that fetched or confirmed its content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageFeatures {
    /// The kind of content.
    pub form: Form,
    /// Counts of words, images and so on.
    pub counts: Counts,
    /// The number of addresses it links to.
    pub out_links: u32,
    /// Its `PageRank` at the visit, times the number of held pages: 1 is average.
    pub page_rank: f32,
    /// The number of held pages that linked to it at the visit.
    pub in_links: u32,
    /// The language of its text; [`Language::Other`] where the text was not available.
    pub language: Language,
    /// Its word counts.
    pub words: Arc<WordCounts>,
    /// The difference to the visit before; `None` at the first visit.
    pub change: Option<ChangeStats>,
    /// Its last visits, where a policy needs them.
    pub window: Window,
}

/// How a page changed from one visit to the next (`docs/papers.md` A1.2, the dynamic features): the
/// later value minus the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeStats {
    /// The cosine similarity of the word counts then and now.
    pub cosine: f32,
    /// Images.
    pub images: i32,
    /// Tables.
    pub tables: i32,
    /// Bytes of visible text.
    pub text_bytes: i32,
    /// Words of visible text.
    pub words: i32,
    /// `PageRank`.
    pub page_rank: f32,
    /// Held pages that link to it.
    pub in_links: i32,
    /// Addresses it links to.
    pub out_links: i32,
    /// E-mail addresses.
    pub emails: i32,
}

/// The `PageRank` and incoming links of a page when it is visited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LinkScore {
    pub(super) page_rank: f32,
    pub(super) in_links: u32,
}

impl PageFeatures {
    /// The features of a new snapshot.
    pub(super) fn from_snapshot(
        snapshot: &Snapshot,
        (language, words): (Language, Arc<WordCounts>),
        link_score: LinkScore,
    ) -> Self {
        Self {
            form: snapshot.form,
            counts: snapshot.counts,
            out_links: snapshot.links.links().len() as u32,
            page_rank: link_score.page_rank,
            in_links: link_score.in_links,
            language,
            words,
            change: None,
            window: Window::default(),
        }
    }

    /// The last visits of the page that are kept, the oldest first.
    pub fn visits(&self) -> Vec<VisitRecord> {
        self.window.visits(&self.words)
    }

    /// The same content with another link score, after a visit that found no new content.
    pub(super) fn with_link_score(&self, link_score: LinkScore) -> Self {
        let LinkScore { page_rank, in_links } = link_score;
        Self { page_rank, in_links, ..self.clone() }
    }

    /// Sets the difference to the features of the visit before.
    pub(super) fn compared_with(self, before: &Self) -> Self {
        let change = ChangeStats::between(before, &self);
        Self { change: Some(change), ..self }
    }
}

impl ChangeStats {
    fn between(old: &PageFeatures, new: &PageFeatures) -> Self {
        let less = |new: u32, old: u32| {
            let difference = i64::from(new) - i64::from(old);
            difference.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        };
        Self {
            cosine: old.words.cosine(&new.words),
            images: less(new.counts.images, old.counts.images),
            tables: less(new.counts.tables, old.counts.tables),
            text_bytes: less(new.counts.text_bytes, old.counts.text_bytes),
            words: less(new.counts.words, old.counts.words),
            page_rank: new.page_rank - old.page_rank,
            in_links: less(new.in_links, old.in_links),
            out_links: less(new.out_links, old.out_links),
            emails: less(new.counts.emails, old.counts.emails),
        }
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Instrument, PageNo, Saved};

    use super::*;
    use crate::features::Features;

    #[test]
    fn a_change_is_the_later_value_minus_the_earlier() {
        let counts = Counts { words: 10, images: 3, tables: 1, emails: 2, text_bytes: 60 };
        let old = PageFeatures {
            counts,
            out_links: 7,
            page_rank: 1.5,
            in_links: 4,
            words: Arc::new(WordCounts::from_terms(vec![1, 2])),
            ..PageFeatures::default()
        };
        let new = PageFeatures {
            counts: Counts { words: 14, images: 1, tables: 1, emails: 3, text_bytes: 90 },
            out_links: 5,
            page_rank: 1.25,
            in_links: 6,
            words: Arc::new(WordCounts::from_terms(vec![2, 3])),
            ..PageFeatures::default()
        };
        let change = new.compared_with(&old).change.unwrap();
        assert!((change.cosine - 0.5).abs() < 1e-6);
        let whole = [change.images, change.tables, change.text_bytes, change.words];
        assert_eq!(whole, [-2, 0, 30, 4]);
        assert_eq!([change.in_links, change.out_links, change.emails], [2, -2, 1]);
        assert!((change.page_rank + 0.25).abs() < 1e-6);
    }

    #[test]
    fn an_unchanged_page_changes_only_its_link_score() {
        let old = PageFeatures { page_rank: 1.0, in_links: 2, ..PageFeatures::default() };
        let score = LinkScore { page_rank: 3.0, in_links: 2 };
        let change = old.with_link_score(score).compared_with(&old).change.unwrap();
        let found = (change.cosine, change.page_rank, change.in_links, change.words);
        assert_eq!(found, (1.0, 2.0, 0, 0));
    }

    fn stored() -> PageFeatures {
        PageFeatures {
            form: Form::Text,
            counts: Counts { words: 300, images: 2, tables: 0, emails: 1, text_bytes: 1_500 },
            out_links: 7,
            page_rank: 1.5,
            in_links: 4,
            language: Language::German,
            words: Arc::new(WordCounts::from_terms(vec![5, 5, 1_000])),
            change: Some(ChangeStats {
                cosine: 0.5,
                images: -1,
                tables: 0,
                text_bytes: 10,
                words: 2,
                page_rank: -0.25,
                in_links: 0,
                out_links: 1,
                emails: 0,
            }),
            window: Window::default(),
        }
    }

    /// The format on disk. If this fails, stored features can no longer be read: see the head of this
    /// file.
    #[test]
    fn the_stored_bytes_do_not_change() {
        #[rustfmt::skip]
        let expected: &[u8] = &[
            1, // text
            0xac, 0x02, 2, 0, 1, 0xdc, 0x0b, // 300 words, images, tables, e-mails, 1,500 bytes
            7, 0, 0, 0xc0, 0x3f, 4, // links, 1.5, links to it
            2, // German
            2, 5, 2, 0xe8, 0x07, 1, // two words: 5 twice, 1,000 once
            1, 0, 0, 0, 0x3f, 1, 0, 20, 4, // 0.5, then zigzag: -1, 0, 10, 2
            0, 0, 0x80, 0xbe, 0, 2, 0, // -0.25, 0, 1, 0
            0, // an empty window
        ];
        let mut features = Features::default();
        features.insert(PageNo(0), stored());
        assert_eq!(features.page_state(PageNo(0)).unwrap(), expected);
        let mut restored = Features::default();
        assert!(restored.restore_page(PageNo(0), Saved::State(expected)));
        assert_eq!(restored.page(PageNo(0)), Some(&stored()));
        for broken in [&expected[..expected.len() - 1], &[expected, &[0]].concat()] {
            assert!(!restored.restore_page(PageNo(0), Saved::State(broken)));
        }
    }
}
