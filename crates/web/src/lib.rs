//! The live world: HTTP, robots.txt, politeness, safety.
//!
//! ```text
//!   fetch ──requests──► queue of each host ──► turn (delay, back-off) ──► connection ──► reply
//!     ▲                  one worker each         robots.txt first          checked IP      │
//!     └────────── captures, host updates ◄───────── thread pool ◄──────────────────────────┘
//! ```
//!
//! [`LiveWorld`] is a [`crawl::World`]. Its callers are synchronous. It reports what it learns about
//! hosts as [`crawl::HostUpdate`]s; pass them to the next [`LiveWorld::new`].
//!
//! It logs with `tracing`: `info` for back-offs and robots.txt, `debug` for requests, waits,
//! connections and redirects, `warn` for hosts that are refused for safety.

mod answer;
mod batch;
mod client;
mod clock;
mod connect;
mod error;
mod head;
mod head_recorder;
mod host;
mod origin_headers;
mod permission;
mod politeness;
mod post;
mod proxy;
mod race;
pub mod range;
pub mod robots;
mod robots_cache;
mod robots_fetch;
pub mod rules;
pub mod scope;
mod settings;
mod target;
pub mod traps;
mod worker;
mod world;

pub use batch::Stopper;
pub use clock::Clock;
pub use error::WebError;
pub use origin_headers::OriginHeaders;
pub use permission::{FetchPermission, fetch_permission};
pub use politeness::{BackOff, DelayReason};
pub use post::Poster;
pub use proxy::Proxy;
pub use settings::{Limits, Settings};
pub use world::LiveWorld;
