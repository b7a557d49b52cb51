//! Where the chances that pages have changed come from, for policies that weigh what a visit is worth.
use flow::{Foresight, Known, Observation, PageNo};

use crate::{
    Kind, Parameter, Parameters,
    predict::Predictor,
    rate::Rates,
    refresh::{expected_worth, predicted_worth},
};

/// Has a policy's chances come from a predictor.
pub(crate) const PARAMETER: Parameter = Parameter {
    name: "chances",
    meaning: "where the chances that pages have changed come from: their change rates, or a predictor",
    default: "rates",
    kind: Kind::Chances,
};

/// Change rates that are learned from visits, or a predictor that learns more from them.
#[derive(Debug)]
pub(crate) enum Chances {
    /// As if pages changed by themselves, at these rates.
    Rates(Rates),
    /// As a predictor tells them.
    Predicted(Box<Predictor>),
}

impl Default for Chances {
    fn default() -> Self {
        Self::Rates(Rates::default())
    }
}

impl Chances {
    /// As a policy's parameter says.
    pub(crate) fn new(seed: u64, parameters: &Parameters) -> Self {
        parameters.chances(PARAMETER.name).map_or_else(Self::default, |choice| {
            Self::Predicted(Box::new(Predictor::new(seed, choice.parameters())))
        })
    }

    /// To be called before a plan.
    pub(crate) fn prepare(&mut self, known: &Known<'_>) {
        if let Self::Predicted(predictor) = self {
            predictor.prepare(known);
        }
    }

    /// What a visit to a page is worth, in units of time fresh: that of one surely stale where it was
    /// never seen.
    pub(crate) fn worth(&self, known: &Known<'_>, page: PageNo) -> f64 {
        match self {
            Self::Rates(rates) => expected_worth(known, page, rates),
            Self::Predicted(predictor) => predicted_worth(known, page, predictor),
        }
    }

    /// What is predicted of a page, where a predictor is asked.
    pub(crate) fn foresee(&mut self, known: &Known<'_>, page: PageNo) -> Option<Foresight> {
        match self {
            Self::Rates(_) => None,
            Self::Predicted(predictor) => Some(predictor.foresee(known, page)),
        }
    }

    pub(crate) fn learn(&mut self, seen: &Observation) {
        match self {
            Self::Rates(rates) => rates.learn(seen),
            Self::Predicted(predictor) => predictor.learn(seen),
        }
    }

    /// How many visits of each page are looked back on; without a predictor, none.
    pub(crate) fn looks_back(&self) -> usize {
        match self {
            Self::Rates(_) => 0,
            Self::Predicted(predictor) => predictor.looks_back(),
        }
    }
}
