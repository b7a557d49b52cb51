//! The overlap of the new pages that two old pages lead to: figure 5.
use lab::report::figure::{Figure, Series};

use crate::{
    dasgupta_2007::{
        figures::{by_site, estimate, of_each},
        site::{
            Site,
            overlap::{Overlap, PARTS},
        },
    },
    draw::{add, plot, point},
    sample::Sample,
};

/// All pairs of old pages that lead to any new page.
pub(crate) const ALL_PAIRS: &str = "all pairs, near 0 or 1";
/// Pairs that lead to a common page.
pub(crate) const SHARING_PAIRS: &str = "pairs that share a page, near 0 or 1";

/// The bins at each end of the scale that count as near it: a tenth.
const NEAR: usize = PARTS / 10;

pub(crate) fn figure(sites: &[&Site]) -> Figure {
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
            point((part as f64 + 0.5) / PARTS as f64, estimate(&values))
        };
        Series { name: name.to_owned(), points: (0..PARTS).map(point).collect() }
    };
    let all = |overlap: &Overlap, part: usize| {
        let apart = if part == 0 { overlap.apart } else { 0 };
        share(overlap.sharing[part] + apart, overlap.pairs())
    };
    let sharing = |overlap: &Overlap, part: usize| share(overlap.sharing[part], overlap.sharing());
    add(
        &mut figure,
        plot(
            [
                "pairs of old pages by their Jaccard coefficient",
                "share of a site's pairs, mean over sites, in steps of 0.05",
                "Jaccard coefficient",
            ],
            true,
            vec![line("all pairs", &all), line("pairs that share a page", &sharing)],
        ),
    );
    let near = |overlap: &Overlap| {
        let (low, high) = (&overlap.sharing[..NEAR], &overlap.sharing[PARTS - NEAR..]);
        low.iter().chain(high).sum::<u64>()
    };
    let of_all = found.iter().map(|o| share(near(o) + o.apart, o.pairs()));
    let of_sharing = found.iter().map(|o| share(near(o), o.sharing()));
    add(
        &mut figure,
        plot(
            [
                "pairs with a coefficient below 0.1 or from 0.9 on",
                "share of a site's pairs",
                "site",
            ],
            true,
            vec![by_site(ALL_PAIRS, of_all), by_site(SHARING_PAIRS, of_sharing)],
        ),
    );
    figure
}
