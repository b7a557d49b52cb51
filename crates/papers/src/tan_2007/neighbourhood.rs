//! How much of a site is near a page: the share of the pages of its host within distance d by
//! directory or by links (eqs. 1 and 2; `docs/papers.md` A2.2-5). If every page links to every
//! section, three hops are often the whole site.
//!
//! The distances are those of `directory-sample` and `link-sample`, written a second time from the
//! text of the paper, page by page and without shortcuts.
use std::{collections::VecDeque, ops::RangeInclusive};

use crawl::{HostNo, Links, PageNo, Pages, Span};
use lab::{
    report::figure::{Figure, Series},
    tournament::{Dataset, PageSet, Start, TournamentError},
};
use rayon::prelude::*;

use crate::{
    analysis::Context,
    draw::{add, plot, point},
    evidence::Measured,
    sample::{Sample, combined},
};

/// The share of a site within each distance, as a mean over hosts.
pub(crate) fn figure(context: &Context<'_>) -> Result<Measured, TournamentError> {
    let mut hosts = vec![];
    for source in context.webs {
        let (_, web) = context.load(source, Span::from_days(28), context.detector)?;
        let dataset = Dataset::new(web.truth, PageSet::Fixed, &Start::Synchronised)?;
        hosts.extend(by_host(dataset.pages(), dataset.links()));
    }
    let line = |name: &str, of: fn(&HostShares) -> &Shares| {
        let point = |(place, d): (usize, i64)| {
            let values = hosts.iter().map(|host| Some(of(host)[place])).collect();
            point(d as f64, combined(&[&Sample::Values(values)], |values| values[0]))
        };
        Series { name: name.to_owned(), points: DISTANCES.enumerate().map(point).collect() }
    };
    let plot = plot(
        ["share of the site within d of a page", &format!("mean over {} hosts", hosts.len()), "d"],
        true,
        vec![line("DB", |host| &host.1), line("LB", |host| &host.2)],
    );
    let mut figure = Figure::default();
    add(&mut figure, plot);
    Ok(Measured::Analysis(figure))
}

/// The most pages of a host from which distances are measured, evenly over its addresses.
const SEEDS: usize = 100;

/// The distances of figure 5.
const DISTANCES: RangeInclusive<i64> = -6..=8;

/// Shares by distance, as in [`DISTANCES`].
type Shares = Vec<f64>;

/// A host: its name, and the mean shares within each distance, by directory and by links.
type HostShares = (String, Shares, Shares);

/// The shares of every host with at least two pages.
fn by_host(pages: &Pages, links: &Links) -> Vec<HostShares> {
    let mut hosts: Vec<Vec<PageNo>> = vec![vec![]; pages.host_count()];
    for page in pages.numbers() {
        hosts[pages.host(page).0 as usize].push(page);
    }
    let incoming = incoming(pages, links);
    (0_u32..)
        .zip(&hosts)
        .filter(|(_, members)| members.len() > 1)
        .map(|(host, members)| {
            let seeds: Vec<PageNo> = spread(members);
            let of_seed = |&seed: &PageNo| {
                let directory = members.iter().map(|&page| by_directory(pages, seed, page));
                let hops = by_links(pages, links, &incoming, seed);
                let linked = members.iter().map(|page| hops[page.index()]);
                (shares(members.len(), directory), shares(members.len(), linked))
            };
            let all: Vec<(Shares, Shares)> = seeds.par_iter().map(of_seed).collect();
            let mean = |side: fn(&(Shares, Shares)) -> &Shares| -> Shares {
                let count = all.len() as f64;
                let of =
                    |place: usize| all.iter().map(|both| side(both)[place]).sum::<f64>() / count;
                (0..DISTANCES.count()).map(of).collect()
            };
            let name = pages.host_name(HostNo(host)).to_owned();
            (name, mean(|both| &both.0), mean(|both| &both.1))
        })
        .collect()
}

/// At most [`SEEDS`] of the pages, evenly.
fn spread(members: &[PageNo]) -> Vec<PageNo> {
    let count = members.len().min(SEEDS);
    (0..count).map(|seed| members[seed * members.len() / count]).collect()
}

/// By d, the share of the other pages whose distance lies between 0 and d.
fn shares(pages: usize, distances: impl Iterator<Item = Option<i64>>) -> Shares {
    let distances: Vec<i64> = distances.flatten().collect();
    let within = |d: i64| {
        let near = distances.iter().filter(|at| (d.min(0)..=d.max(0)).contains(at)).count();
        near as f64 / (pages - 1) as f64
    };
    DISTANCES.map(within).collect()
}

/// The corrected distance by directory (`docs/papers.md` A2.2-2 and 3) of two pages of one host;
/// `None` for the page itself.
fn by_directory(pages: &Pages, seed: PageNo, page: PageNo) -> Option<i64> {
    if seed == page {
        return None;
    }
    let (from, to) = (directories(pages, seed), directories(pages, page));
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let hops = (from.len() + to.len() - 2 * common) as i64;
    Some(if to.len() > from.len() { -hops } else { hops })
}

/// The directories of an address below its host.
fn directories(pages: &Pages, page: PageNo) -> Vec<&str> {
    let address = pages.address(page);
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.split('?').next().unwrap_or_default();
    let mut parts: Vec<&str> = path.split('/').skip(1).collect();
    parts.pop();
    parts
}

/// The pages that link to each page, without links of a page to itself.
fn incoming(pages: &Pages, links: &Links) -> Vec<Vec<PageNo>> {
    let mut incoming = vec![vec![]; pages.len()];
    for from in pages.numbers() {
        for &to in links.of(from) {
            if to != from {
                incoming[to.index()].push(from);
            }
        }
    }
    incoming
}

/// By page, its distance by links from `seed`: 0 for siblings, which share a page that links to
/// both; else the hops by out-links, or the negative hops by in-links where these are fewer.
fn by_links(
    pages: &Pages,
    links: &Links,
    incoming: &[Vec<PageNo>],
    seed: PageNo,
) -> Vec<Option<i64>> {
    let outwards = hops(pages.len(), seed, *DISTANCES.end(), |page| links.of(page));
    let inwards = hops(pages.len(), seed, *DISTANCES.end(), |page| &incoming[page.index()]);
    let mut distances: Vec<Option<i64>> = outwards
        .into_iter()
        .zip(inwards)
        .map(|both| match both {
            (Some(out), Some(back)) if back < out => Some(-back),
            (None, Some(back)) => Some(-back),
            (out, _) => out,
        })
        .collect();
    for parent in &incoming[seed.index()] {
        for child in links.of(*parent).iter().filter(|child| *child != parent) {
            distances[child.index()] = Some(0);
        }
    }
    distances[seed.index()] = None;
    distances
}

/// By page, the least number of hops from `start`, up to a limit.
fn hops<'a>(
    pages: usize,
    start: PageNo,
    limit: i64,
    next: impl Fn(PageNo) -> &'a [PageNo],
) -> Vec<Option<i64>> {
    let mut found = vec![None; pages];
    found[start.index()] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((page, at)) = queue.pop_front() {
        if at == limit {
            break;
        }
        for &to in next(page) {
            if found[to.index()].is_none() {
                found[to.index()] = Some(at + 1);
                queue.push_back((to, at + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crawl::Time;

    use super::*;

    fn web(addresses: &[&str], linked: &[(usize, &[u32])]) -> (Pages, Links) {
        let (mut pages, mut links) = (Pages::default(), Links::default());
        for address in addresses {
            pages.insert(address, Time::from_millis(0));
        }
        for row in 0..addresses.len() {
            let of_row = linked.iter().find(|(from, _)| *from == row).map_or(&[][..], |(_, to)| to);
            let targets: Vec<PageNo> = of_row.iter().map(|to| PageNo(*to)).collect();
            links.restore_list(row as u64, &targets);
            links.restore_shown(Some(row as u32));
        }
        (pages, links)
    }

    /// The share at one distance.
    fn at(shares: &Shares, d: i64) -> f64 {
        shares[(d - DISTANCES.start()) as usize]
    }

    #[test]
    fn directories_are_near_by_the_papers_words() {
        let (pages, _) = web(
            &[
                "http://a.example/dir/one.htm",
                "http://a.example/dir/two.htm?x=/y",
                "http://a.example/",
                "http://a.example/other/one.htm",
                "http://a.example/dir/sub/one.htm",
            ],
            &[],
        );
        let from_first = |page: u32| by_directory(&pages, PageNo(0), PageNo(page));
        let distances: Vec<Option<i64>> = (0..5).map(from_first).collect();
        assert_eq!(distances, [None, Some(0), Some(1), Some(2), Some(-1)]);
        // Of the four others: one at 0, one more within 1, one more within 2; one more at -1.
        let shares = shares(5, distances.into_iter());
        for (d, share) in [(-1, 0.5), (0, 0.25), (1, 0.5), (2, 0.75)] {
            assert!((at(&shares, d) - share).abs() < 1e-12, "within {d}");
        }
    }

    #[test]
    fn links_are_near_in_their_direction_and_siblings_first() {
        // 0 -> 1 -> 2, 3 -> 0 and 3 -> 4, so 4 is a sibling of 0; 5 is nowhere.
        let addresses: Vec<String> =
            (0..6).map(|page| format!("http://a.example/{page}")).collect();
        let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
        let (pages, links) = web(&addresses, &[(0, &[1]), (1, &[2]), (3, &[0, 4])]);
        let distances = by_links(&pages, &links, &incoming(&pages, &links), PageNo(0));
        assert_eq!(distances, [None, Some(1), Some(2), Some(-1), Some(0), None]);
    }

    #[test]
    fn the_mean_is_over_the_pages_of_each_host() {
        let (pages, links) =
            web(&["http://a.example/x/1", "http://a.example/x/2", "http://b.example/1"], &[]);
        let hosts = by_host(&pages, &links);
        assert_eq!(hosts.len(), 1, "a host of one page has no neighbours");
        assert_eq!(hosts[0].0, "a.example");
        assert!((at(&hosts[0].1, 0) - 1.0).abs() < 1e-12 && at(&hosts[0].2, 8).abs() < 1e-12);
    }
}
