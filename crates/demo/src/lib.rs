//! A small web that changes, made up from a seed: what `sanderling demo` crawls.
//!
//! About twenty sites and two thousand pages: newspapers, manuals, shops, diaries, encyclopaedias,
//! forums, offices, and some that lie or lead astray. [`DemoWeb`] is a pure function of a seed, an
//! address and an instant; its [histories](DemoWeb::history) are the truth about it. [`DemoServer`]
//! serves it over HTTP on loopback, at the instant that its clock tells. Nothing here looks at a
//! clock of its own, and nothing is random without a seed.
mod chance;
mod history;
mod list;
mod moments;
mod page;
mod phrases;
mod prose;
mod render;
mod served;
mod server;
mod site;
mod sites;
mod trace;
mod web;
mod words;

pub use history::{PageHistory, Version};
pub use served::{Mime, Served};
pub use server::{Arrival, DemoServer, HostCount};
pub use web::DemoWeb;
