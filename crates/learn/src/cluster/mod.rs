//! Clustering by repeated bisection (RBC: Karypis and Han 2000; CLUTO) with the cosine criterion that
//! Tan and Mitra (TOIS 28(4), 2010, eq. 8 and 9) use to group pages expected to change alike.
//!
//! [`bisect`] starts with all rows in one cluster and repeatedly splits the cluster whose split raises
//! [`tau`] most (`best` in CLUTO; the paper does not say which). So clusters are nested:
//! [`Clusters::at`] gives the first `k` without clustering again, and [`cross_validate`] and [`elbow`]
//! choose `k` from one run per fold.
//!
//! The result depends only on the rows and [`Options`]. Sums are computed over chunks and lanes in a
//! fixed order, so that neither the number of threads nor the instruction set changes the result.
//!
//! ```
//! use learn::cluster::{Dense, Options, bisect};
//!
//! let rows = Dense::new(2, vec![1.0, 0.0, 5.0, 0.0, 0.0, 2.0]);
//! let clusters = bisect(rows, &Options { clusters: 2, ..Options::default() });
//! assert_eq!(clusters.assignment, [0, 0, 1]);
//! assert_eq!(clusters.tau, 3.0);
//! ```

mod bisection;
mod clusters;
mod criterion;
mod dense;
mod lanes;
mod part;
mod random;
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
