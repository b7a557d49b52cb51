//! Clustering by repeated bisection.
mod bisection;
mod properties;
