//! Pandey, Olston, "User-centric web crawling", WWW 2005.
mod claims;
mod examples;
mod excerpt;
mod overhead;
mod predictability;
mod searched_web;

use crate::{analysis::Analysis, paper::Paper};

pub(crate) static PAPER: Paper = Paper {
    id: "pandey-2005",
    title: "User-centric web crawling",
    reference: "Pandey, Olston, WWW 2005",
    claims: claims::CLAIMS,
    analyses: &[
        // Figure 3.
        Analysis::new("predictability", |context, _| predictability::predictability(context)),
        // Figure 5.
        Analysis::new("examples", |context, _| examples::examples(context)),
    ],
    filters: &[],
    experiment: include_str!("experiment.toml"),
};
