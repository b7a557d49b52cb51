//! The live world against servers that misbehave in every way we could think of, on loopback only;
//! robots.txt by its RFC; and what holds for every input.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]
mod answers;
mod back_off;
mod bodies;
mod certificates;
mod connections;
mod endings;
mod http2_floods;
mod limits_on_robots;
mod logging;
mod never_panics;
mod politeness;
mod robots_rfc;
mod safety;
mod secure;
mod server;
mod wire;
mod worlds;
