//! Learning from windows of visits whether a page will have changed.
//!
//! Radinsky and Bennett 2013, sections 4 and 5: an example is a page at a visit, described by its words and
//! its latest changes, and labelled by whether the next visit found a change. A support vector machine learns
//! from the last examples of the page alone, or also from those of its experts, each separately or all
//! together. The paper's baseline and simpler ones are here too. Probabilities are calibrated on held-out
//! examples.
mod baseline;
mod ensemble;
mod feature_block;
mod features;
mod model;
mod model_selection;
#[cfg(test)]
mod tests;
mod training_set;
mod word_vectors;

use instruments::features::{Target, VisitRecord};

pub use model::Model;
pub use training_set::TrainingSet;

/// The paper's number of examples: more than thirty hardly help (its Figure 6).
const WINDOW: usize = 50;
/// The paper's l.
const BACK: usize = 1;
/// The paper does not say how many models vote; ten are usual.
const MODELS: usize = 10;

/// What to predict, and from how much of the past.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The kind of change.
    pub target: Target,
    /// How many examples are used: the paper's n.
    pub window: usize,
    /// How many visits before the latest describe a page: the paper's l.
    pub back: usize,
    /// How many models vote in bagging, and at most in boosting.
    pub models: usize,
    /// The seed of random draws.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { target: Target::default(), window: WINDOW, back: BACK, models: MODELS, seed: 0 }
    }
}

/// A page whose past helps to predict another.
#[derive(Clone, Copy, Debug)]
pub struct Expert<'a> {
    /// Its visits, the oldest first; none if it vanished.
    pub visits: &'a [VisitRecord],
    /// The weight of its vote: how related it is to the page.
    pub weight: f64,
}

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// The paper's baseline: predicts a change at random, as often as there was one.
    Coin,
    /// Predicts the more frequent outcome.
    Majority,
    /// Predicts the outcome of the last visit.
    LastLabel,
    /// Predicts the opposite of the last outcome.
    FlippedLabel,
    /// The page's own features.
    Single,
    /// The page and its experts vote, each by its own features.
    Multiple,
    /// The experts vote without the page.
    MultipleOthers,
    /// The features of the page and its experts together.
    Union,
    /// An ensemble on bootstrap samples of the union's examples.
    Bagging,
    /// An ensemble in which each SVM learns most from the errors of those before.
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

    /// Whether it learns from other pages.
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

/// A prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Whether a change is predicted.
    pub predicts_change: bool,
    /// The calibrated probability of a change, above 0 and below 1.
    pub probability: f64,
}

/// Trains a model on the visits of `page` and, of experts, on those up to the same instant. `self_weight` is
/// the weight of the page's own vote. To train several methods on the same data, make one [`TrainingSet`].
pub fn train(
    method: Method,
    settings: &Settings,
    page: &[VisitRecord],
    experts: &[Expert<'_>],
    self_weight: f64,
) -> Model {
    TrainingSet::new(settings, page, experts, self_weight).train(method)
}
