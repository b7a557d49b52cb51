//! Whether a page will have changed tomorrow, where every day of its web was observed (sections 7
//! and 8): the [`Days`] of a web, what counts as a change ([`Label`]), the pages that are forecast,
//! and the answers of predictors that know only the past.
mod budgeted;
mod days;
mod label;
mod question;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod web;

pub(crate) use crate::radinsky_2013::forecast::{
    budgeted::crawled_freshness,
    days::{Agreement, Days},
    label::{Label, changed, share_of_turns},
    question::{PageAnswers, Question, Test, ask},
    web::{Web, choosing, until, visits_before},
};
