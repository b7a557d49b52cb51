//! Discovery: which pages to visit to find pages not known yet.
//!
//! Dasgupta, Ghosh, Kumar, Olston, Pandey and Tomkins, "The Discoverability of the Web", WWW 2007. A page
//! that links to a new page leads to it and to all that it leads to in turn, because new pages are visited
//! anyway. Finding most with the fewest visits is a set cover ([`Leads`], [`greedy`]). Which pages will lead
//! to new ones is learned from what they led to before: from full recrawls ([`Chooser`]) or from every visit
//! ([`Arms`]).

mod arm_rates;
mod arms;
pub(crate) mod bandit;
mod bit_set;
pub(crate) mod breadth_first;
mod chooser;
mod cliques;
mod cover;
mod disjoint_sets;
pub(crate) mod history;
pub(crate) mod hub_interval;
mod hubs;
mod leads;
mod ledger;
mod new_page_rates;
mod overlap;
mod page_kind;
mod reach;
mod recrawls;
mod scc;
mod spend;
#[cfg(test)]
mod tests;

pub use arms::{Arm, ArmVisit, Arms, PageKind};
pub use chooser::{Algorithm, Chooser, Memory};
pub use cliques::cliques;
pub use cover::{Cover, Step, Until, greedy};
pub use leads::Leads;
pub(crate) use new_page_rates::{Lead, NewPageRates};
pub(crate) use spend::firsts;
