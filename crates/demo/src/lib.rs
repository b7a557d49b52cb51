//! A small synthetic web that changes: what `sanderling demo` crawls.
//!
//! It has about twenty sites and two thousand pages: newspapers, manuals, shops, blogs, encyclopaedias,
//! forums, offices, and some with wrong dates or crawler traps. `data/` describes the sites and holds
//! the texts. [`DemoWeb`] is a pure function of a seed, an address and an instant; its
//! [histories](DemoWeb::history) are the ground truth. [`DemoServer`] serves it over HTTP on loopback
//! at the instant of its clock.
mod history;
mod list;
mod moments;
mod page;
mod phrases;
mod prose;
mod random;
mod render;
mod served;
mod server;
mod site;
mod sites;
mod spec;
mod trace;
mod web;
mod words;

pub use history::{PageHistory, Version};
pub use served::{Mime, Served};
pub use server::{Arrival, DemoServer, HostCount};
pub use web::DemoWeb;
