//! Parses fetched content and detects changes between two versions of a page.
//!
//! [`read`] turns a body into a [`crawl::Snapshot`]: HTML, plain text, sitemaps, feeds. [`detect`]
//! contains the change detectors. This crate must not use clocks, I/O, threads or hash order (see
//! its `clippy.toml`).
pub mod detect;
pub mod read;
