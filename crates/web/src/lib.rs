//! The live world: HTTP, robots.txt, politeness, safety.
//!
//! ```text
//!   fetch ──requests──► queue of each host ──► turn (delay, rest) ──► connection ──► answer
//!     ▲                   one task each          robots.txt first       judged         │
//!     └──────────── captures and notes ◄──────────── read in a pool ◄──────────────────┘
//! ```
//!
//! [`LiveWorld`] is a [`flow::World`]: whoever calls it is one thread and sees no async. What it
//! learns of hosts leaves as [`flow::Note`]s and is given to the next [`LiveWorld::new`].

mod answer;
mod client;
mod clock;
mod connect;
mod error;
mod explain;
mod first;
mod head;
mod host;
mod polite;
pub mod range;
pub mod robots;
mod robots_cache;
mod robots_fetch;
mod round;
pub mod scope;
mod settings;
mod tape;
mod target;
pub mod traps;
mod visit;
mod world;

pub use clock::Clock;
pub use error::WebError;
pub use explain::{Verdict, explain};
pub use polite::DelayReason;
pub use round::Stopper;
pub use settings::{Limits, Settings};
pub use world::LiveWorld;
