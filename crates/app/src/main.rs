//! Sanderling.
fn main() {}
