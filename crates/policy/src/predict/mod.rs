//! Whether a page will have changed, judged by its own past and by the company it keeps.
//!
//! Radinsky and Bennett, "Predicting content change on the web", WSDM 2013 (`docs/papers.md` A5): what
//! pages are like and how they changed is learned from windows of their last visits (`learn`), for each
//! page also from others that change like it or before it (`experts`). `predictor.rs` has both at work in
//! a crawl.
pub mod experts;
pub mod learn;
mod parameters;
mod predictor;
#[cfg(test)]
mod tests;

pub(crate) use self::{
    parameters::{PARAMETERS, uses_chance},
    predictor::Predictor,
};
