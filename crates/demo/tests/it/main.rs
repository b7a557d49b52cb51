//! The demo web, its server, and its trace.
mod pinned;
mod server;
mod trace;
mod web;
