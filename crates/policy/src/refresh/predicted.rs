//! Predicted: the pages that have most likely changed.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013, section 8.3: a predictor
//! (`predict`) gives the probability that a page has changed, from its past visits and those of related
//! pages.
//!
//! The paper draws pages with these probabilities (`by=draw`). Taking the highest (`by=chance`) finds most
//! changes. But a changed page is not always worth a visit, because it may change again at once:
//! `by=worth` puts the predicted probability in place of the Poisson one into the worth of
//! `freshness-index`, with its growth with the wait (`docs/papers.md` D2).
use crawl::{Budget, Explanation, Known, Needs, Observation, PageNo, Plan, Policy};

use super::freshness_index::{expected_worth, most_worth, unit_days};
use crate::{
    Parameters, PolicyEntry, kernel,
    predict::{self, Predictor},
    random, score,
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    is_random: |parameters| parameters.word("by") == "draw" || predict::is_random(parameters),
    parameters: predict::PARAMETERS,
    ..PolicyEntry::new(
        "predicted",
        "the pages most likely to have changed, predicted from their past and that of related pages",
        |seed, parameters| Box::new(Predicted::new(seed, parameters)),
    )
};

/// Visits pages by their predicted probability of change.
#[derive(Clone, Debug)]
struct Predicted {
    predictor: Predictor,
    by: By,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Probability,
    Draw,
    Worth,
}

impl Predicted {
    fn new(seed: u64, parameters: &Parameters) -> Self {
        let by = match parameters.word("by") {
            "draw" => By::Draw,
            "worth" => By::Worth,
            _ => By::Probability,
        };
        Self { predictor: Predictor::new(seed, parameters), by, seed }
    }
}

impl Policy for Predicted {
    fn name(&self) -> &'static str {
        "predicted"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.predictor.prepare(known);
        let predictor = &self.predictor;
        match self.by {
            By::Probability => {
                score::best(known, budget, |page| predictor.probability(known, page))
            }
            // Weighted sampling without replacement: each draw takes a page with a probability proportional to
            // its own (Efraimidis and Spirakis, IPL 97(5), 2006).
            By::Draw => score::best(known, budget, |page| {
                let draw = random::unit(self.seed, known.cycle, known.pages.id(page));
                (draw.max(f64::MIN_POSITIVE).ln() / predictor.probability(known, page))
                    .max(f64::MIN)
            }),
            By::Worth => most_worth(known, budget, |page| predicted_worth(known, page, predictor)),
        }
    }

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        self.predictor.lacks(known)
    }

    fn needs(&self) -> Needs {
        self.predictor.needs()
    }

    fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        self.predictor.explain(known, page)
    }

    fn learn(&mut self, seen: &Observation) {
        self.predictor.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// The worth of a visit to a page, in units of time fresh: that of a Poisson page with the predicted
/// probability of change.
pub(crate) fn predicted_worth(known: &Known<'_>, page: PageNo, predictor: &Predictor) -> f64 {
    let rates = predictor.rates();
    let Some(seen) = known.pages.last_seen(page) else {
        return expected_worth(known, page, rates);
    };
    // The expected changes of a Poisson page with this probability.
    let changes = -(-predictor.probability(known, page)).ln_1p();
    let belief = rates.belief(page, known.pages.host(page), known.now - seen);
    kernel::shape(changes) / (belief.mean() * unit_days(known))
}
