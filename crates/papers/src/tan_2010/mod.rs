//! Tan, Mitra, "Clustering-based incremental web crawling", ACM Transactions on Information Systems 2010.
mod claims;
mod clusters;

use crate::{analysis::Analysis, paper::Paper};

pub(crate) static PAPER: Paper = Paper {
    id: "tan-2010",
    title: "Clustering-based incremental web crawling",
    reference: "Tan, Mitra, ACM Transactions on Information Systems 28(4), 2010",
    claims: claims::CLAIMS,
    analyses: &[
        // Figure 1.
        Analysis::new("tau", |context, _| clusters::tau(context)),
        // Figure 2 and table II.
        Analysis::new("sizes", |context, _| clusters::sizes(context)),
        // Figure 8.
        Analysis::new("variation", |context, _| clusters::variations(context)),
    ],
    filters: &[],
    experiment: include_str!("experiment.toml"),
};
