//! Discovery on recorded webs: which known pages lead to which new ones, cycle by cycle, and how the
//! algorithms of Dasgupta et al. 2007 do on that.
pub(crate) mod graph;
pub(crate) mod links;
pub(crate) mod overlap;
pub(crate) mod site;
pub(crate) mod table;
