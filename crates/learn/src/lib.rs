//! Machine learning on plain numbers: clustering, support vector machines and forecast scores.
pub mod cluster;
pub mod scores;
pub mod svm;
