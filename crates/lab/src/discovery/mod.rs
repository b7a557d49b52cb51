//! Discovery by links on recorded webs.
pub mod links;
#[doc(hidden)]
pub mod testing;
