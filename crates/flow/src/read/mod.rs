//! Capture to snapshot.
