//! What the features of a page are made from, as its last visit found it.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Look, Window, WordCounts};
use crate::{Counts, Form, Snapshot, words::Language};

/// What a page was like when a visit last brought its content or vouched for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// What it was read from.
    pub form: Form,
    /// How much of what it holds.
    pub counts: Counts,
    /// How many addresses it links to.
    pub out_links: u32,
    /// Its `PageRank` when it was visited, times the number of held pages: 1 is average.
    pub page_rank: f32,
    /// How many held pages linked to it when it was visited.
    pub in_links: u32,
    /// The language of its text; [`Language::Other`] where the text was not at hand.
    pub language: Language,
    /// Its words.
    pub words: Arc<WordCounts>,
    /// How it differed from the visit before; `None` at the first.
    pub drift: Option<Drift>,
    /// The visits that found it so and before, where a policy looks back.
    pub window: Window,
}

/// How a page differed from one visit to the next (`docs/papers.md` A1.2, the dynamic features): the
/// later value less the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// The cosine of the words then and now; 1 where they are the same.
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

/// How a page stands among the others when it is visited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Standing {
    pub(super) page_rank: f32,
    pub(super) in_links: u32,
}

impl Facts {
    /// What a visit found that brought content.
    pub(super) fn of(
        snapshot: &Snapshot,
        (language, words): (Language, Arc<WordCounts>),
        standing: Standing,
    ) -> Self {
        Self {
            form: snapshot.form,
            counts: snapshot.counts,
            out_links: snapshot.links.links().len() as u32,
            page_rank: standing.page_rank,
            in_links: standing.in_links,
            language,
            words,
            drift: None,
            window: Window::default(),
        }
    }

    /// The page's last visits, the oldest first, as far back as they are kept.
    pub fn looks(&self) -> Vec<Look> {
        self.window.looks(&self.words)
    }

    /// The same, found again by a visit that brought nothing new.
    pub(super) fn again(&self, standing: Standing) -> Self {
        let Standing { page_rank, in_links } = standing;
        Self { page_rank, in_links, ..self.clone() }
    }

    /// With the difference to what the visit before found.
    pub(super) fn after(self, before: &Self) -> Self {
        let drift = Drift::between(before, &self);
        Self { drift: Some(drift), ..self }
    }
}

impl Drift {
    fn between(old: &Facts, new: &Facts) -> Self {
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
    use super::*;

    #[test]
    fn drift_is_the_later_value_less_the_earlier() {
        let counts = Counts { words: 10, images: 3, tables: 1, emails: 2, text_bytes: 60 };
        let old = Facts {
            counts,
            out_links: 7,
            page_rank: 1.5,
            in_links: 4,
            words: Arc::new(WordCounts::of(vec![1, 2])),
            ..Facts::default()
        };
        let new = Facts {
            counts: Counts { words: 14, images: 1, tables: 1, emails: 3, text_bytes: 90 },
            out_links: 5,
            page_rank: 1.25,
            in_links: 6,
            words: Arc::new(WordCounts::of(vec![2, 3])),
            ..Facts::default()
        };
        let drift = new.after(&old).drift.unwrap();
        assert!((drift.cosine - 0.5).abs() < 1e-6);
        let whole = [drift.images, drift.tables, drift.text_bytes, drift.words];
        assert_eq!(whole, [-2, 0, 30, 4]);
        assert_eq!([drift.in_links, drift.out_links, drift.emails], [2, -2, 1]);
        assert!((drift.page_rank + 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_page_found_the_same_drifts_only_in_how_it_stands() {
        let old = Facts { page_rank: 1.0, in_links: 2, ..Facts::default() };
        let new = old.again(Standing { page_rank: 3.0, in_links: 2 }).after(&old);
        let drift = new.drift.unwrap();
        assert_eq!((drift.cosine, drift.page_rank, drift.in_links, drift.words), (1.0, 2.0, 0, 0));
    }
}
