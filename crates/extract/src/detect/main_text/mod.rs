//! Counts differences in the main text only: not in menus, headers and footers.
//!
//! A text run ([`Snapshot::runs`]) is boilerplate where it is on more than half of the held pages of its
//! host. The instrument [`Boilerplate`] finds out which are, from a sample of up to 64 pages of each
//! host. The size of a change is the share of main-text runs that differ (`docs/crawling.md`).
//!
//! What was boilerplate does not count either: pages that were not visited since the template changed
//! still have it.
//!
//! Where a host has fewer than ten pages, all text is main text, so that every difference counts. A page
//! without text runs, such as a feed, is compared by the digest of its text.
mod boilerplate;
mod change;
mod hunks;
mod marks;
mod sample;
mod split;
mod state;
#[cfg(test)]
mod tests;

pub use self::{
    boilerplate::{Boilerplate, BoilerplateNeeds, NAME},
    change::share_changed,
    split::split,
};
use crawl::{ChangeDetector, Instruments, Needs, Snapshot};

/// A host needs this many pages for boilerplate to be told from main text.
pub const FEWEST_PAGES: usize = sample::FEWEST_PAGES;

/// Compares the text runs that are not boilerplate.
#[derive(Clone, Copy, Debug, Default)]
pub struct MainText;

impl ChangeDetector for MainText {
    fn name(&self) -> &'static str {
        "main-text"
    }

    fn needs(&self) -> Needs {
        Needs::none().with(BoilerplateNeeds)
    }

    fn change(&self, old: &Snapshot, new: &Snapshot, instruments: &Instruments) -> f32 {
        if old.fingerprints.text == new.fingerprints.text {
            return 0.0;
        }
        if old.form != new.form || old.runs.is_empty() || new.runs.is_empty() {
            return 1.0;
        }
        match instruments.find::<Boilerplate>() {
            Some(found) => change::change(&old.runs, &new.runs, &|run| found.is_or_was(run)),
            None => share_changed(&old.runs, &new.runs),
        }
    }

    fn reads_content(&self) -> bool {
        true
    }

    fn identity(&self, _: &Snapshot) -> Option<u128> {
        // It depends on the other pages of the host.
        None
    }
}
