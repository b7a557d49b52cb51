//! How much the new pages that two old pages lead to have in common: figure 5.
use super::{
    super::{
        figure::{Figure, Plot, Point},
        sample::Sample,
    },
    add, by_site, estimate, of_each,
};
use crate::discovery::{
    overlap::{Overlap, PARTS},
    site::Site,
};

/// All pairs of old pages that lead to any new page.
pub(in super::super) const ALL_PAIRS: &str = "all pairs, near 0 or 1";
/// Those that lead to a page in common.
pub(in super::super) const SHARING_PAIRS: &str = "pairs that share a page, near 0 or 1";

/// Parts of the scale at each end that are near it: a tenth.
const NEAR: usize = PARTS / 10;

pub(super) fn figure(sites: &[&Site]) -> Figure {
    let found = of_each(sites, |site| {
        let mut overlap = Overlap::default();
        site.births.iter().for_each(|births| overlap.add(&births.leads));
        overlap
    });
    let mut figure = Figure::default();
    let share = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
    let line = |name: &str, of: &dyn Fn(&Overlap, usize) -> Option<f64>| {
        let point = |part: usize| {
            let values = Sample::Values(found.iter().map(|overlap| of(overlap, part)).collect());
            let estimate = estimate(&values);
            Point {
                x: (part as f64 + 0.5) / PARTS as f64,
                y: estimate.map(|estimate| estimate.value),
                interval: estimate.and_then(|estimate| estimate.interval),
            }
        };
        super::Series { name: name.to_owned(), points: (0..PARTS).map(point).collect() }
    };
    let all = |overlap: &Overlap, part: usize| {
        let apart = if part == 0 { overlap.apart } else { 0 };
        share(overlap.sharing[part] + apart, overlap.pairs())
    };
    let sharing = |overlap: &Overlap, part: usize| share(overlap.sharing[part], overlap.sharing());
    add(
        &mut figure,
        Plot {
            title: "pairs of old pages by their Jaccard coefficient".to_owned(),
            caption: "share of a site's pairs, mean over sites, in steps of 0.05".to_owned(),
            x_title: "Jaccard coefficient".to_owned(),
            is_share: true,
            lines: vec![line("all pairs", &all), line("pairs that share a page", &sharing)],
        },
    );
    let near = |overlap: &Overlap| {
        let (low, high) = (&overlap.sharing[..NEAR], &overlap.sharing[PARTS - NEAR..]);
        low.iter().chain(high).sum::<u64>()
    };
    let of_all = found.iter().map(|o| share(near(o) + o.apart, o.pairs()));
    let of_sharing = found.iter().map(|o| share(near(o), o.sharing()));
    add(
        &mut figure,
        Plot {
            title: "pairs with a coefficient below 0.1 or from 0.9 on".to_owned(),
            caption: "share of a site's pairs".to_owned(),
            x_title: "site".to_owned(),
            is_share: true,
            lines: vec![by_site(ALL_PAIRS, of_all), by_site(SHARING_PAIRS, of_sharing)],
        },
    );
    figure
}
