//! Tan, Zhuang, Mitra, Giles, "Efficiently detecting webpage updates using samples", ICWE 2007.
mod claims;
mod collection;
mod neighbourhood;

use crate::{analysis::Analysis, paper::Paper};

pub(crate) static PAPER: Paper = Paper {
    id: "tan-2007",
    title: "Efficiently detecting webpage updates using samples",
    reference: "Tan, Zhuang, Mitra, Giles, ICWE 2007",
    claims: claims::CLAIMS,
    analyses: &[
        // Table 1 and figure 4.
        Analysis::new("collection", |context, _| collection::figure(context)),
        Analysis::new("neighbourhoods", |context, _| neighbourhood::figure(context)),
    ],
    filters: &[],
    experiment: include_str!("experiment.toml"),
};
