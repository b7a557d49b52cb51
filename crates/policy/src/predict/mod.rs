//! Whether a page will have changed, predicted from its own past and from related pages.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013 (`docs/papers.md` A5). `learn`
//! trains models on windows of past visits. `experts` chooses, for each page, others that change like it or
//! before it. `predictor.rs` uses both in a crawl.
pub mod experts;
pub mod learn;
mod parameters;
mod predictor;
#[cfg(test)]
mod tests;

pub(crate) use self::{
    parameters::{PARAMETERS, is_random},
    predictor::Predictor,
};
