//! Learning from windows of visits whether a page will have changed.
//!
//! Radinsky and Bennett 2013, sections 4 and 5: an example is a page at a visit, described by its words and
//! its latest changes, and labelled by whether the next visit found a change. A support vector machine
//! learns from the last examples of the page alone, or from those that its experts show, each an expert of
//! its own or all together. The paper's baseline and simpler ones stand beside them. Chances are calibrated
//! on examples that were not learned from.
mod baseline;
mod block;
mod choice;
mod ensemble;
mod features;
mod kernel;
mod lesson;
mod model;
mod platt;
mod scores;
mod svm;
#[cfg(test)]
mod svm_tests;
#[cfg(test)]
mod tests;
mod texts;

use flow::features::{Look, Target};

pub use kernel::Kernel;
pub use lesson::Lesson;
pub use model::Model;
pub use platt::Platt;
pub use scores::{Bin, Scores};
pub use svm::Svm;

/// The paper's number of examples: more than thirty hardly help (its Figure 6).
const WINDOW: usize = 50;
/// The paper's l.
const BACK: usize = 1;
/// The paper does not say how many models vote; ten are usual.
const MODELS: usize = 10;

/// What is asked, and how much of the past is used to answer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which change.
    pub target: Target,
    /// How many examples are learned from: the paper's n.
    pub window: usize,
    /// How many visits before the latest describe a page: the paper's l.
    pub back: usize,
    /// How many models vote in bagging, and at most in boosting.
    pub models: usize,
    /// What chance depends on.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { target: Target::default(), window: WINDOW, back: BACK, models: MODELS, seed: 0 }
    }
}

/// A page whose past speaks for another's future.
#[derive(Clone, Copy, Debug)]
pub struct Expert<'a> {
    /// Its visits, the oldest first; none where it vanished.
    pub looks: &'a [Look],
    /// What its vote weighs: how related it is to the page.
    pub weight: f64,
}

/// How it is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// The paper's baseline: says a change by chance, as often as there was one.
    Coin,
    /// Says what was the case more often.
    Majority,
    /// Says what the last visit found.
    LastLabel,
    /// Says the opposite of what the last visit found.
    FlippedLabel,
    /// The page's own features.
    Single,
    /// The page and its experts vote, each by features of its own.
    Multiple,
    /// Its experts vote without the page.
    MultipleOthers,
    /// The features of the page and its experts together.
    Union,
    /// Voters that learned from random parts of the union's examples.
    Bagging,
    /// Voters of which each learned most from what those before had wrong.
    Boosting,
}

impl Method {
    /// Every method, by the name used in settings.
    pub const ALL: [(&'static str, Self); 10] = [
        ("coin", Self::Coin),
        ("majority", Self::Majority),
        ("last-label", Self::LastLabel),
        ("flipped-label", Self::FlippedLabel),
        ("single", Self::Single),
        ("multiple", Self::Multiple),
        ("multiple-others", Self::MultipleOthers),
        ("union", Self::Union),
        ("bagging", Self::Bagging),
        ("boosting", Self::Boosting),
    ];

    /// Whether it learns from other pages than the one it is about.
    pub fn needs_experts(self) -> bool {
        match self {
            Self::Coin | Self::Majority | Self::LastLabel | Self::FlippedLabel | Self::Single => {
                false
            }
            Self::Multiple
            | Self::MultipleOthers
            | Self::Union
            | Self::Bagging
            | Self::Boosting => true,
        }
    }
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Whether a change is expected.
    pub says: bool,
    /// The chance of one, calibrated, above 0 and below 1.
    pub chance: f64,
}

/// Learns from what was seen up to the last look of `page` and, of experts, up to the same instant.
/// `self_weight` is what the page's own vote weighs among its experts'. To learn by several methods from the
/// same, make one [`Lesson`].
pub fn train(
    method: Method,
    settings: &Settings,
    page: &[Look],
    experts: &[Expert<'_>],
    self_weight: f64,
) -> Model {
    Lesson::new(settings, page, experts, self_weight).train(method)
}
