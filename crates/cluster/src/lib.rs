//! Clustering by repeated bisection (RBC: Karypis and Han 2000; CLUTO) under the cosine criterion
//! that Tan and Mitra (TOIS 28(4), 2010, eq. 8 and 9) use to group pages expected to change alike.
//!
//! [`bisect`] starts with all rows in one cluster and divides one cluster after another in two,
//! always the one whose division raises [`tau`] most (CLUTO's `best`; the paper does not say
//! which). Clusters are therefore nested: [`Clusters::at`] tells the first `k` without clustering
//! again, and [`cross_validate`] and [`elbow`] choose `k` from one run for each fold.
//!
//! The result is a function of the rows, [`Options`] and nothing else: sums are made over pieces
//! and in lanes whose order is written down, so that neither the number of threads nor the
//! instruction set of the machine shows.
//!
//! ```
//! use cluster::{Dense, Options, bisect};
//!
//! let rows = Dense::new(2, vec![1.0, 0.0, 5.0, 0.0, 0.0, 2.0]);
//! let clusters = bisect(rows, &Options { clusters: 2, ..Options::default() });
//! assert_eq!(clusters.assignment, [0, 0, 1]);
//! assert_eq!(clusters.tau, 3.0);
//! ```

mod bisection;
mod chance;
mod clusters;
mod criterion;
mod dense;
mod lanes;
mod part;
mod refinement;
mod rows;
mod sparse;
mod split;
mod validation;

pub use bisection::{Options, bisect, bisect_in_place};
pub use clusters::Clusters;
pub use criterion::{cosine, tau};
pub use dense::Dense;
pub use rows::Rows;
pub use sparse::Sparse;
pub use validation::{Validation, cross_validate, elbow};
