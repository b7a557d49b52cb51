//! Visits per new page, by the share of new pages that is found: figure 6.
use lab::report::figure::{Figure, Series};
use policy::discover::{Until, greedy};

use crate::{
    dasgupta_2007::{
        figures::{covers::partial, line, of_each, ratio},
        site::Site,
    },
    draw::{add, plot},
};

/// The cover of each site is cut at the share.
pub(crate) const EACH_ALONE: &str = "each site by itself";
/// All sites are covered as one.
pub(crate) const ALL_AT_ONCE: &str = "all sites at once";

/// Shares of the new pages.
const SHARES: [f64; 12] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];

pub(crate) fn figure(sites: &[&Site]) -> Figure {
    let gains = of_each(sites, |site| {
        let gains = |cover: Vec<policy::discover::Step>| -> Vec<u32> {
            cover.iter().map(|step| step.gained).collect()
        };
        let covers = site.births.iter().map(|births| greedy(&births.leads, Until::Everything));
        covers.map(gains).collect::<Vec<_>>()
    });
    let weeks = gains.iter().map(Vec::len).max().unwrap_or_default();
    let together: Vec<Vec<u32>> = (0..weeks).map(|week| interleaved(&gains, week)).collect();
    let cut = |covers: &[Vec<u32>], share: f64| {
        let mut sums = (0.0, 0.0);
        for gains in covers {
            let some = &gains[..partial(gains, share)];
            sums.0 += some.len() as f64;
            sums.1 += some.iter().map(|&gain| f64::from(gain)).sum::<f64>();
        }
        sums
    };
    let alone = line(EACH_ALONE, &SHARES, |place| {
        ratio(gains.iter().map(|covers| cut(covers, SHARES[place])))
    });
    let at_once = Series::plain(
        ALL_AT_ONCE,
        SHARES.iter().filter_map(|&share| {
            let (visits, covered) = cut(&together, share);
            (covered > 0.0).then(|| (share, visits / covered))
        }),
    );
    let mut figure = Figure::default();
    add(
        &mut figure,
        plot(
            [
                "overhead",
                "visits of greedy covers by new pages covered, summed over all weeks",
                "share of the new pages of a week",
            ],
            false,
            vec![at_once, alone],
        ),
    );
    figure
}

/// The greedy cover of all sites in one week. The gains within a cover never rise, and sites do not
/// lead to pages of each other, so sorting all gains gives the order of a joint greedy cover.
fn interleaved(sites: &[Vec<Vec<u32>>], week: usize) -> Vec<u32> {
    let covers = sites.iter().filter_map(|covers| covers.get(week));
    let mut gains: Vec<u32> = covers.flatten().copied().collect();
    gains.sort_unstable_by(|one, other| other.cmp(one));
    gains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_of_sites_become_one_by_what_pages_add() {
        let sites = [vec![vec![9, 2], vec![4]], vec![vec![5, 5, 1]]];
        assert_eq!(interleaved(&sites, 0), [9, 5, 5, 2, 1]);
        assert_eq!(interleaved(&sites, 1), [4]);
        // Of 22 pages 90 % are 20: the first four of the order have 21.
        assert_eq!(partial(&interleaved(&sites, 0), 0.9), 4);
    }
}
