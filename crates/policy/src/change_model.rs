//! Where the probability that a page has changed comes from, for policies that weigh visits by it.
use crawl::{Explanation, Known, Needs, Observation, PageNo};

use crate::{
    Kind, Parameter, Parameters,
    lacks::{SAME_RATE, never_compared},
    predict::Predictor,
    rates::Rates,
    refresh::{freshness_index::expected_worth, predicted::predicted_worth},
};

/// Lets a policy take change probabilities from a predictor.
pub(crate) const PARAMETER: Parameter = Parameter {
    name: "chances",
    meaning: "source of change probabilities: learned change rates, or a predictor",
    default: "rates",
    kind: Kind::ChangeModel,
};

/// Change rates learned from visits, or a predictor that learns more from them.
#[derive(Clone, Debug)]
pub(crate) enum ChangeModel {
    /// Pages change independently of each other, at these rates.
    Rates(Rates),
    /// A predictor gives the probabilities.
    Predicted(Box<Predictor>),
}

impl Default for ChangeModel {
    fn default() -> Self {
        Self::Rates(Rates::default())
    }
}

impl ChangeModel {
    /// As the policy's parameter says.
    pub(crate) fn new(seed: u64, parameters: &Parameters) -> Self {
        parameters.change_model(PARAMETER.name).map_or_else(Self::default, |spec| {
            Self::Predicted(Box::new(Predictor::new(seed, spec.parameters())))
        })
    }

    /// Call it before each plan.
    pub(crate) fn prepare(&mut self, known: &Known<'_>) {
        if let Self::Predicted(predictor) = self {
            predictor.prepare(known);
        }
    }

    /// The worth of a visit to a page, in units of time fresh; for a page never seen that of a page
    /// surely stale.
    pub(crate) fn worth(&self, known: &Known<'_>, page: PageNo) -> f64 {
        match self {
            Self::Rates(rates) => expected_worth(known, page, rates),
            Self::Predicted(predictor) => predicted_worth(known, page, predictor),
        }
    }

    /// The prediction for a page, if there is a predictor.
    pub(crate) fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        match self {
            Self::Rates(_) => Explanation::default(),
            Self::Predicted(predictor) => predictor.explain(known, page),
        }
    }

    pub(crate) fn learn(&mut self, seen: &Observation) {
        match self {
            Self::Rates(rates) => rates.learn(seen),
            Self::Predicted(predictor) => predictor.learn(seen),
        }
    }

    /// What it would go by and does not have.
    pub(crate) fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        match self {
            Self::Rates(_) => never_compared(known, SAME_RATE).into_iter().collect(),
            Self::Predicted(predictor) => predictor.lacks(known),
        }
    }

    /// What must be measured; nothing without a predictor.
    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Rates(_) => Needs::none(),
            Self::Predicted(predictor) => predictor.needs(),
        }
    }
}
