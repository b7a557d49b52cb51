//! Change detectors by name.
