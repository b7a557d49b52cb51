//! Discovery: which pages to look at, so that pages not known yet are found.
//!
//! Dasgupta, Ghosh, Kumar, Olston, Pandey and Tomkins, "The Discoverability of the Web", WWW 2007. A
//! page that shows a link to a new page leads to it, and to all that it leads to in turn, because new
//! pages are visited anyway; to find most with the fewest visits is to cover sets ([`Leads`],
//! [`greedy`]). Which pages will lead to new ones is not known, so it is learned from what they led
//! to before: by full recrawls ([`Chooser`]) or by every visit ([`Arms`]).

mod arms;
mod bandit;
mod belief;
mod bits;
mod breadth_first;
mod chooser;
mod cliques;
mod cover;
mod groups;
mod history;
mod hub_interval;
mod kind;
mod knots;
mod leads;
mod ledger;
mod overlap;
mod recrawl;
mod sizes;
mod spend;
#[cfg(test)]
mod tests;

pub use arms::{Arm, Arms, Look, Prior};
pub(crate) use bandit::Bandit;
pub(crate) use breadth_first::BreadthFirst;
pub use chooser::{Algorithm, Chooser, Memory};
pub use cliques::cliques;
pub use cover::{Cover, Step, Until, greedy};
pub(crate) use history::{
    ALL_PARAMETERS, CLIQUE_PARAMETERS, CLIQUE_WINDOW_PARAMETERS, History, LAST_PARAMETERS,
    WINDOW_PARAMETERS,
};
pub(crate) use hub_interval::{HUB_PARAMETERS, HubInterval};
pub use leads::Leads;
pub(crate) use spend::firsts;
