//! Whether a page will have changed tomorrow, where every day of its web was seen.
//!
//! The setting of Radinsky and Bennett, "Predicting content change on the web", WSDM 2013, sections 7 and 8:
//! the [`Days`] of a web, what counts as a change ([`Label`]), the pages whose labels turn often enough, and
//! what predictors that know only the past say of them.
mod asked;
mod days;
mod label;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod web;

pub(crate) use self::{
    asked::{PageAnswers, Question, Test, ask},
    days::{Agreement, Days},
    label::{Label, changed, flips},
    web::{Web, choosing, looks_before, until},
};
