//! Instruments in a crawl.
mod windows;
