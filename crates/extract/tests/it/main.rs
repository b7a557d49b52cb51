//! Properties of parsers and change detectors for any input.
mod never_panics;
mod properties;
