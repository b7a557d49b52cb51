//! Greedy covers of each site in each week: figures 2 to 4.
use lab::{
    oracle::fewest_rows_exactly,
    report::figure::{Cell, Figure, Scatter, Series, Table},
};
use policy::discover::{Until, greedy};

use crate::{
    dasgupta_2007::{
        figures::{by_site, line, of_each, ratio},
        site::{Site, graph::Births},
    },
    draw::{add, plot, table, texts},
};

/// Sizes to which covers are cut; the paper names 83 and 200.
const SIZES: [f64; 11] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 83.0, 100.0, 200.0, 400.0, 600.0];

/// Ends of the ranges of figure 4.
const ENDS: [f64; 10] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0];

/// The share of new pages in a cover of "most" of them.
const SHARE: f64 = 0.9;

/// The limit of the search for the smallest cover of one site in one week.
const NODES: usize = 20_000;

/// The line of shares of covers by their size.
pub(crate) const MOST: &str = "90 % covers of at most so many pages";
/// The line of the largest covers.
pub(crate) const LARGEST: &str = "largest 90 % cover";

/// The new pages that each page of a cover adds, in order.
type Gains = Vec<u32>;

/// Dividend and divisor of a ratio, from a cover cut to a size.
type Ratio = fn(&[u32], usize) -> (usize, usize);

/// The covers of a site, one for each week in which old pages lead to any new one.
fn covers(site: &Site) -> Vec<Gains> {
    let weeks = site.births.iter().filter(|births| births.coverable() > 0);
    let gains = |births: &Births| {
        greedy(&births.leads, Until::Everything).iter().map(|step| step.gained).collect()
    };
    weeks.map(gains).collect()
}

fn covered(gains: &[u32], size: usize) -> usize {
    gains.iter().take(size).map(|&gain| gain as usize).sum()
}

/// The length of the shortest prefix of a cover that covers at least `share` of what it covers.
pub(crate) fn partial(gains: &[u32], share: f64) -> usize {
    let wanted = share * covered(gains, gains.len()) as f64 - 1e-9;
    let mut sum = 0.0;
    gains
        .iter()
        .take_while(|&&gain| {
            let is_needed = sum < wanted;
            sum += f64::from(gain);
            is_needed
        })
        .count()
}

/// Figures 2 and 3.
pub(crate) fn figure(sites: &[&Site]) -> Figure {
    let all = of_each(sites, covers);
    let mut figure = Figure::default();
    let of_size = |place: usize, of: Ratio| {
        let size = SIZES[place] as usize;
        ratio(all.iter().map(move |covers| {
            let sums = covers.iter().map(|gains| of(gains, size));
            let sums = sums.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
            (sums.0 as f64, sums.1 as f64)
        }))
    };
    let lines: [(&str, bool, Ratio); 3] = [
        ("new pages covered", false, |gains, size| (covered(gains, size), 1)),
        ("overhead", false, |gains, size| (gains.len().min(size), covered(gains, size))),
        ("share covered", true, |gains, size| (covered(gains, size), covered(gains, gains.len()))),
    ];
    for (name, is_share, of) in lines {
        add(
            &mut figure,
            plot(
                [
                    name,
                    "of greedy covers of at most so many pages for each site and week",
                    "pages in the cover",
                ],
                is_share,
                vec![line(name, &SIZES, |place| of_size(place, of))],
            ),
        );
    }
    figure.tables.insert(0, summary(sites, &all));
    let whole =
        |gains: &Gains| (1..=gains.len()).map(|size| (size, covered(gains, size))).collect();
    let most = |gains: &Gains| {
        let size = partial(gains, SHARE);
        vec![(size, covered(gains, size))]
    };
    figure.scatters = vec![
        scatter("covers, page by page (figure 2)", &all, whole),
        scatter("90 % covers (figure 3c)", &all, most),
    ];
    figure
}

fn scatter(
    title: &str,
    all: &[Vec<Gains>],
    dots: impl Fn(&Gains) -> Vec<(usize, usize)>,
) -> Scatter {
    let mut seen: Vec<(usize, usize)> = all.iter().flatten().flat_map(dots).collect();
    seen.sort_unstable();
    seen.dedup();
    let dots = seen.into_iter().map(|(size, pages)| (size as f64, pages as f64)).collect();
    Scatter {
        title: title.to_owned(),
        caption: "on the diagonal every visit finds one page".to_owned(),
        x_title: "pages in the cover".to_owned(),
        y_title: "new pages covered".to_owned(),
        groups: vec![("sites and weeks".to_owned(), dots)],
    }
}

/// All covers in numbers, and how many of them are minimal.
fn summary(sites: &[&Site], all: &[Vec<Gains>]) -> Table {
    let smallest = of_each(sites, |site| {
        let weeks = site.births.iter().filter(|births| births.coverable() > 0);
        let exact = |births: &Births| fewest_rows_exactly(&births.leads, births.coverable(), NODES);
        weeks.map(exact).collect::<Vec<_>>()
    });
    let pairs = || all.iter().flatten().zip(smallest.iter().flatten());
    let searched = pairs().filter(|(_, exact)| exact.is_some()).count();
    let best = pairs().filter(|(gains, exact)| **exact == Some(gains.len())).count();
    let sum = |of: fn(&Gains) -> usize| all.iter().flatten().map(of).sum::<usize>();
    let count = sum(|_| 1);
    let (pages, new) = (sum(Gains::len), sum(|gains| covered(gains, gains.len())));
    let mean = |sum: usize| format!("{:.2}", sum as f64 / count.max(1) as f64);
    let cells = [
        count.to_string(),
        new.to_string(),
        mean(new),
        mean(pages),
        format!("{best} of {searched}"),
    ];
    let head = [
        "sites and weeks with new pages that are led to",
        "these pages",
        "pages for each",
        "mean size of a cover of all",
        "covers that are the smallest there are, of those for which that is known",
    ];
    table("greedy covers", head, vec![texts(cells)])
}

/// Figure 4.
pub(crate) fn sizes(sites: &[&Site]) -> Figure {
    let of_sites = of_each(sites, |site| {
        covers(site).iter().map(|gains| partial(gains, SHARE)).collect::<Vec<_>>()
    });
    let mut figure = Figure::default();
    let at_most = |place: usize| {
        let within = |sizes: &Vec<usize>| {
            let within = sizes.iter().filter(|size| **size as f64 <= ENDS[place]).count();
            (within as f64, sizes.len() as f64)
        };
        ratio(of_sites.iter().map(within))
    };
    add(
        &mut figure,
        plot(
            [MOST, "share of sites and weeks", "pages in the cover"],
            true,
            vec![line(MOST, &ENDS, at_most)],
        ),
    );
    let largest: Series =
        by_site(LARGEST, of_sites.iter().map(|sizes| sizes.iter().max().map(|&size| size as f64)));
    add(&mut figure, plot([LARGEST, "of any week", "site"], false, vec![largest]));
    figure.tables.insert(0, histogram(&of_sites));
    figure
}

fn histogram(sizes: &[Vec<usize>]) -> Table {
    let mut rows = vec![];
    let mut below = 0;
    for end in ENDS.map(|end| end as usize).into_iter().chain([usize::MAX]) {
        let count = sizes.iter().flatten().filter(|size| (below + 1..=end).contains(size)).count();
        let range = match end {
            usize::MAX => format!("more than {below}"),
            end if end == below + 1 => end.to_string(),
            end => format!("{} to {end}", below + 1),
        };
        rows.push(vec![Cell::text(range), Cell::text(count.to_string())]);
        below = end;
    }
    table("sizes of 90 % covers (figure 4)", ["pages in the 90 % cover", "sites and weeks"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_cover_is_the_shortest_beginning_that_is_enough() {
        let gains = [6, 3, 1];
        for (share, size) in [(0.1, 1), (0.6, 1), (0.61, 2), (0.9, 2), (0.91, 3), (1.0, 3)] {
            assert_eq!(partial(&gains, share), size, "{share}");
        }
        assert_eq!(partial(&[], 0.9), 0);
    }

    #[test]
    fn sizes_are_counted_in_ranges() {
        let table = histogram(&[vec![1, 1, 4], vec![2_000]]);
        let cells: Vec<(&str, &str)> =
            table.rows.iter().map(|row| (row[0].text.as_str(), row[1].text.as_str())).collect();
        assert_eq!(cells[..3], [("1", "2"), ("2", "0"), ("3 to 5", "1")]);
        assert_eq!(cells.last(), Some(&("more than 1000", "1")));
    }
}
