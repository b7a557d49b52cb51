//! Predicted: the pages that have most likely changed.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013, section 8.3: the chance that a
//! page has changed is predicted from its past visits and those of related pages (`predict`), and decides
//! who is visited.
//!
//! The paper draws pages with these chances (`by=draw`). Taking the highest ones (`by=chance`) finds most
//! changes; but a page that has changed is not always worth a visit, since it may change again at once:
//! `by=worth` puts the chance in place of a Poisson one in what `freshness-index` takes a visit to be worth,
//! with its cap on waits (`docs/papers.md` D2).
use flow::{Budget, Foresight, Known, Observation, PageNo, Plan, Policy};

use super::freshness_index::{expected_worth, most_worth, unit_days};
use crate::{
    Parameters, chance, kernel,
    predict::{self, Predictor},
    score,
};

/// Visits pages by their predicted chances of change.
#[derive(Debug)]
pub(crate) struct Predicted {
    predictor: Predictor,
    by: By,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Chance,
    Draw,
    Worth,
}

impl Predicted {
    pub(crate) fn new(seed: u64, parameters: &Parameters) -> Self {
        let by = match parameters.word("by") {
            "draw" => By::Draw,
            "worth" => By::Worth,
            _ => By::Chance,
        };
        Self { predictor: Predictor::new(seed, parameters), by, seed }
    }
}

/// Whether plans depend on the seed.
pub(crate) fn predicted_uses_chance(parameters: &Parameters) -> bool {
    parameters.word("by") == "draw" || predict::uses_chance(parameters)
}

impl Policy for Predicted {
    fn name(&self) -> &'static str {
        "predicted"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.predictor.prepare(known);
        let predictor = &self.predictor;
        match self.by {
            By::Chance => score::best(known, budget, |page| predictor.chance(known, page)),
            // Of all draws without replacement, this one takes each page next with a chance in
            // proportion to its own (Efraimidis and Spirakis, IPL 97(5), 2006).
            By::Draw => score::best(known, budget, |page| {
                let lot = chance::unit(self.seed, known.cycle, known.pages.id(page));
                (lot.max(f64::MIN_POSITIVE).ln() / predictor.chance(known, page)).max(f64::MIN)
            }),
            By::Worth => most_worth(known, budget, |page| predicted_worth(known, page, predictor)),
        }
    }

    fn needs_features(&self) -> bool {
        true
    }

    fn looks_back(&self) -> usize {
        self.predictor.looks_back()
    }

    fn foresee(&mut self, known: &Known<'_>, page: PageNo) -> Option<Foresight> {
        Some(self.predictor.foresee(known, page))
    }

    fn learn(&mut self, seen: &Observation) {
        self.predictor.learn(seen);
    }
}

/// What a visit to a page is worth, in units of time fresh, by the chance that a predictor gives it: a
/// Poisson page that is as likely to have changed would be worth this.
pub(crate) fn predicted_worth(known: &Known<'_>, page: PageNo, predictor: &Predictor) -> f64 {
    let rates = predictor.rates();
    let Some(seen) = known.pages.last_seen(page) else {
        return expected_worth(known, page, rates);
    };
    // As many changes as a Poisson page must have had on average to have this chance.
    let changes = -(-predictor.chance(known, page)).ln_1p();
    let belief = rates.belief(page, known.pages.host(page), known.now - seen);
    kernel::shape(changes) / (belief.mean() * unit_days(known))
}
