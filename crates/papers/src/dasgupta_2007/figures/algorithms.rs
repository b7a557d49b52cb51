//! Algorithms that know only the past: table 2, with and without the cost of full recrawls, by the
//! interval of recrawls and by parameters.
use lab::report::figure::{Cell, Figure, Plot, Point, Series, Table};
use policy::discover::{Algorithm, Memory};

use crate::{
    dasgupta_2007::{
        figures::{of_each, ratio},
        site::{
            Site,
            algorithms::{BUDGETS, Sums, bandit, bounded, greedily, historical},
        },
    },
    draw::{add, cell, plot, point},
    sample::{Estimate, Sample, combined},
};

/// The places of the budgets 1, 10, 100, 1,000 and 10,000 on the axis: powers of ten.
pub(crate) const BUDGETS_AT: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];

/// The eps of the paper for every CLIQ, larger than its proof allows.
const EPS: f64 = 0.8;
/// The values of eps in the table of parameters.
const EPS_TRIED: [f64; 4] = [0.2, 0.33, 0.5, 0.8];
/// The weight of a recrawl from one to the next: older ones count the same, as in the paper.
const ALPHA: f64 = 1.0;
/// The values that worked well in the paper.
const ALPHA_TRIED: [f64; 2] = [0.8, 1.0];
/// OD-WIN and CLIQ-WIN are means over these intervals, as in the paper.
const WINDOWS: [usize; 5] = [2, 3, 4, 5, 6];
/// All intervals, in weeks.
const INTERVALS: [usize; 6] = [1, 2, 3, 4, 5, 6];
/// The figures of coverage by cover size, and their intervals.
const BY_SIZE: [(usize, usize); 2] = [(8, 1), (9, 4)];
/// The seed of the bandit.
const SEED: u64 = 1;

/// Covered new pages, divided by all that old pages lead to.
pub(crate) const SHARE: &str = "coverage";
/// Visits, divided by covered new pages; both are sums over all sites and weeks.
pub(crate) const OVERHEAD: &str = "overhead of sums";
/// The mean of that ratio over sites and weeks in which anything was covered.
pub(crate) const MEAN_OVERHEAD: &str = "mean overhead";

/// A number about an algorithm; `of` gives the dividend and the divisor.
struct Quantity {
    name: &'static str,
    caption: &'static str,
    is_share: bool,
    of: fn(&Sums) -> (f64, f64),
}

const QUANTITIES: [Quantity; 6] = [
    Quantity {
        name: SHARE,
        caption: "new pages covered by all that old pages lead to, in weeks without a recrawl",
        is_share: true,
        of: |sums| (sums.covered as f64, sums.new as f64),
    },
    Quantity {
        name: OVERHEAD,
        caption: "visits by new pages covered, both summed over all sites and weeks without a recrawl",
        is_share: false,
        of: |sums| (sums.visits as f64, sums.covered as f64),
    },
    Quantity {
        name: MEAN_OVERHEAD,
        caption: "visits by new pages covered, mean over sites and weeks in which any was",
        is_share: false,
        of: |sums| (sums.ratios, sums.fruitful as f64),
    },
    Quantity {
        name: "cover size",
        caption: "visits, mean over sites and weeks without a recrawl",
        is_share: false,
        of: |sums| (sums.visits as f64, sums.cycles as f64),
    },
    Quantity {
        name: "coverage with recrawls",
        caption: "new pages covered by visits or recrawls by all that old pages lead to, in all weeks \
                  after the first recrawl",
        is_share: true,
        of: |sums| {
            let covered = sums.covered + sums.recrawl_covered;
            (covered as f64, (sums.new + sums.recrawl_new) as f64)
        },
    },
    Quantity {
        name: "overhead with recrawls",
        caption: "visits, with those of recrawls, by new pages covered by either, summed over all sites \
                  and all weeks after the first recrawl",
        is_share: false,
        of: |sums| {
            let covered = sums.covered + sums.recrawl_covered;
            ((sums.visits + sums.recrawl_visits) as f64, covered as f64)
        },
    },
];

/// The sums of an algorithm by site and budget.
type SumsBySite = Vec<[Sums; 5]>;

/// A row of table 2: its name, and its sums for each interval over which it is a mean.
struct Row {
    name: String,
    sums: Vec<SumsBySite>,
    /// Whether it has visits, so that it has more than coverage.
    visits: bool,
}

impl Row {
    fn new(name: &str, sums: Vec<SumsBySite>) -> Self {
        Self { name: name.to_owned(), sums, visits: true }
    }

    /// One quantity with one budget: the mean over the row's intervals.
    fn estimate(&self, quantity: &Quantity, budget: usize) -> Option<Estimate> {
        let samples = self.samples(quantity, budget)?;
        let samples: Vec<&Sample> = samples.iter().collect();
        combined(&samples, |values| values.iter().sum::<f64>() / values.len() as f64)
    }

    fn samples(&self, quantity: &Quantity, budget: usize) -> Option<Vec<Sample>> {
        let sample =
            |sites: &SumsBySite| ratio(sites.iter().map(|sums| (quantity.of)(&sums[budget])));
        (self.visits || quantity.name == SHARE).then(|| self.sums.iter().map(sample).collect())
    }

    fn series(&self, quantity: &Quantity) -> Series {
        let at = |(budget, &x): (usize, &f64)| point(x, self.estimate(quantity, budget));
        let name = format!("{}, {}", self.name, quantity.name);
        Series { name, points: BUDGETS_AT.iter().enumerate().map(at).collect() }
    }
}

fn od(memory: Memory) -> Algorithm {
    Algorithm::OutDegree { memory }
}

fn cliq(memory: Memory, eps: f64) -> Algorithm {
    Algorithm::Cliques { memory, eps }
}

fn learned(sites: &[&Site], algorithm: Algorithm, interval: usize) -> SumsBySite {
    of_each(sites, |site| historical(site, algorithm, interval))
}

/// Table 2, and differences of pairs of algorithms.
pub(crate) fn figure(sites: &[&Site]) -> Figure {
    let windows = |algorithm| WINDOWS.map(|interval| learned(sites, algorithm, interval)).into();
    let weekly = |algorithm| vec![learned(sites, algorithm, 1)];
    let faded = Memory::Faded(ALPHA);
    let rows = [
        Row::new("CLIQ-WIN", windows(cliq(faded, EPS))),
        Row::new("COV", weekly(Algorithm::Cover)),
        Row::new("OD-WIN", windows(od(faded))),
        Row::new("OD-1", weekly(od(Memory::Last))),
        Row::new("CLIQ-1", weekly(cliq(Memory::Last, EPS))),
        Row::new("OD-ALL", weekly(od(faded))),
        Row::new("GREEDY", vec![of_each(sites, greedily)]),
        Row { visits: false, ..Row::new("certified bound", vec![of_each(sites, bounded)]) },
        Row::new("bandit", vec![of_each(sites, |site| bandit(site, SEED))]),
    ];
    let mut figure = Figure::default();
    for quantity in &QUANTITIES {
        let shown = rows.iter().filter(|row| row.visits || quantity.name == SHARE);
        let lines = shown.map(|row| row.series(quantity)).collect();
        add_budgets(&mut figure, quantity, lines);
    }
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    let differences = [
        ("OD-WIN", "CLIQ-WIN", &QUANTITIES[0]),
        ("OD-ALL", "OD-1", &QUANTITIES[0]),
        ("OD-WIN", "COV", &QUANTITIES[0]),
        ("OD-WIN", "COV", &QUANTITIES[1]),
        ("bandit", "OD-WIN", &QUANTITIES[0]),
    ];
    let lines = differences.iter().filter_map(|(one, other, quantity)| {
        let (one, other) = (find(one)?, find(other)?);
        let name = format!("{} less {}, {}", one.name, other.name, quantity.name);
        let at = |(budget, &x): (usize, &f64)| point(x, difference(one, other, quantity, budget));
        Some(Series { name, points: BUDGETS_AT.iter().enumerate().map(at).collect() })
    });
    let of_pairs = Quantity {
        name: "differences",
        caption: "of what the same sites give, so that intervals are of the difference",
        is_share: false,
        of: QUANTITIES[0].of,
    };
    add_budgets(&mut figure, &of_pairs, lines.collect());
    figure
}

/// The difference of two rows; both are drawn from the same sites.
fn difference(one: &Row, other: &Row, quantity: &Quantity, budget: usize) -> Option<Estimate> {
    let (first, second) = (one.samples(quantity, budget)?, other.samples(quantity, budget)?);
    let samples: Vec<&Sample> = first.iter().chain(&second).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    combined(&samples, |values| {
        let (one, other) = values.split_at(first.len());
        mean(one) - mean(other)
    })
}

/// A plot with budgets on its axis, and a table with a row for each line.
fn add_budgets(figure: &mut Figure, quantity: &Quantity, lines: Vec<Series>) {
    let mut head = vec!["algorithm".to_owned()];
    head.extend(BUDGETS.iter().map(ToString::to_string));
    let ending = format!(", {}", quantity.name);
    let row = |line: &Series| {
        let name = line.name.strip_suffix(&ending).unwrap_or(&line.name);
        let value =
            |point: &Point| cell(point.y.map(|value| Estimate { value, interval: point.interval }));
        let mut row = vec![Cell::text(name)];
        row.extend(line.points.iter().map(value));
        row
    };
    let title = format!("{} by visits per site and week", quantity.name);
    figure.tables.push(Table { title, head, rows: lines.iter().map(row).collect() });
    figure.plots.push(Plot {
        title: quantity.name.to_owned(),
        caption: quantity.caption.to_owned(),
        x_title: "visits per site and week, as a power of ten".to_owned(),
        is_share: quantity.is_share,
        lines,
    });
}

/// Table 2 by the interval of recrawls: figures 8 and 9 have intervals of 1 and 4.
pub(crate) fn recrawls(sites: &[&Site]) -> Figure {
    let faded = Memory::Faded(ALPHA);
    let algorithms = [
        ("CLIQ-WIN", cliq(faded, EPS)),
        ("OD-WIN", od(faded)),
        ("OD-1", od(Memory::Last)),
        ("CLIQ-1", cliq(Memory::Last, EPS)),
        ("COV", Algorithm::Cover),
    ];
    let rows: Vec<Vec<Row>> = algorithms
        .iter()
        .map(|(name, algorithm)| {
            let row = |interval| Row::new(name, vec![learned(sites, *algorithm, interval)]);
            INTERVALS.map(row).into()
        })
        .collect();
    let mut figure = Figure::default();
    figure.plots.extend(BY_SIZE.map(|(number, interval)| by_size(&rows, number, interval)));
    for quantity in [&QUANTITIES[0], &QUANTITIES[1], &QUANTITIES[4], &QUANTITIES[5]] {
        for (budget, visits) in BUDGETS.iter().enumerate().skip(2) {
            let line = |intervals: &Vec<Row>| {
                let at = |(row, interval): (&Row, usize)| {
                    point(interval as f64, row.estimate(quantity, budget))
                };
                let name = format!("{}, {}, {visits}", intervals[0].name, quantity.name);
                Series { name, points: intervals.iter().zip(INTERVALS).map(at).collect() }
            };
            add(
                &mut figure,
                plot(
                    [
                        &format!("{} with {visits} visits", quantity.name),
                        quantity.caption,
                        "weeks from one full recrawl to the next",
                    ],
                    quantity.is_share,
                    rows.iter().map(line).collect(),
                ),
            );
        }
    }
    figure
}

/// Coverage against the mean number of visits, one point for each budget.
fn by_size(rows: &[Vec<Row>], number: usize, interval: usize) -> Plot {
    let line = |intervals: &Vec<Row>| {
        let row = &intervals[interval - 1];
        let at = |budget: usize| {
            let size = row.estimate(&QUANTITIES[3], budget)?;
            Some(point(size.value, row.estimate(&QUANTITIES[0], budget)))
        };
        let name = format!("{}, by size, {interval}", row.name);
        Series { name, points: (0..BUDGETS.len()).filter_map(at).collect() }
    };
    plot(
        [
            &format!("coverage by cover size, recrawls every {interval} weeks (figure {number})"),
            "one point for each number of visits per site and week",
            "mean cover size",
        ],
        true,
        rows.iter().map(line).collect(),
    )
}

/// Small tables of the two parameters, as means over the intervals 2 to 6.
pub(crate) fn parameters(sites: &[&Site]) -> Figure {
    let windows = |algorithm| WINDOWS.map(|interval| learned(sites, algorithm, interval)).into();
    let eps = EPS_TRIED.map(|eps| {
        Row::new(&format!("CLIQ-WIN, eps {eps}"), windows(cliq(Memory::Faded(ALPHA), eps)))
    });
    let last = EPS_TRIED.map(|eps| {
        let found = vec![learned(sites, cliq(Memory::Last, eps), 1)];
        Row::new(&format!("CLIQ-1, eps {eps}"), found)
    });
    let alpha = ALPHA_TRIED.map(|alpha| {
        Row::new(&format!("OD-WIN, alpha {alpha}"), windows(od(Memory::Faded(alpha))))
    });
    let rows: Vec<&Row> = eps.iter().chain(&last).chain(&alpha).collect();
    let mut figure = Figure::default();
    for quantity in [&QUANTITIES[0], &QUANTITIES[1]] {
        let lines = rows.iter().map(|row| row.series(quantity)).collect();
        add_budgets(&mut figure, quantity, lines);
    }
    figure
}
