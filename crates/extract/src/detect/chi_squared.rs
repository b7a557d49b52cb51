//! Tests whether the words come from another distribution than before.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013: a page has changed when a
//! chi-squared test distinguishes its word counts at p < 0.05. The table has two rows (old, new) and
//! a column for each word of title and text.
//!
//! Departures (`docs/papers.md`, A5.2-2): words expected fewer than five times in either text share
//! one column, because the test is unreliable on sparse counts. With that column alone nothing is
//! significant. Where one text has no words there is no distribution to test, and the change is 1.
//! The paper gives no size of a change; here it is the total variation distance, the share of words
//! that would have to be replaced.
//!
//! One-line edits of long pages are not significant. This detector ignores them by design.
use crate::read::fingerprints::each_feature;
use crawl::{ChangeDetector, Instruments, Snapshot};
use text::chi_squared::change;

/// Compares word counts by a chi-squared test.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChiSquared;

impl ChangeDetector for ChiSquared {
    fn name(&self) -> &'static str {
        "chi-squared"
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, _: &Instruments) -> f32 {
        match (words(old), words(new)) {
            (Some(old), Some(new)) => change(&old, &new),
            _ => super::without_content(old, new),
        }
    }

    fn reads_content(&self) -> bool {
        true
    }

    fn identity(&self, _: &Snapshot) -> Option<u128> {
        None
    }
}

/// The hashes of a snapshot's words, ascending.
fn words(snapshot: &Snapshot) -> Option<Vec<u64>> {
    let mut words = Vec::new();
    let content = snapshot.content.as_deref()?;
    each_feature(snapshot.form, snapshot.fingerprints.body, content, |word, _| words.push(word));
    words.sort_unstable();
    Some(words)
}
