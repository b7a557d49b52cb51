//! Whether the impact of the changes of a page is predictable (figure 3): its impact per day in the
//! first half of the weeks against the second, with every change refreshed at once.
use instruments::impact::Measure;
use lab::{
    hindsight::{ObservedChange, WholeRecord, mean_of_ratios},
    report::figure::{Cell, Figure, Plot, Scatter, Series, Table},
    tournament::TournamentError,
};
use text::relevance::Scoring;

use crate::{
    analysis::Context, draw::add, evidence::Measured, pandey_2005::searched_web::SearchedWeb,
    rules::short,
};

/// The scoring functions of the paper.
pub(crate) const SCORINGS: [(Scoring, &str); 2] =
    [(Scoring::TfIdf, "tf-idf"), (Scoring::InLinks, "in-links")];

/// The name of the lines of rank correlations by web.
pub(crate) const CORRELATION: &str = "rank correlation";
/// The name of the lines of shares of pages near the diagonal by web.
pub(crate) const NEAR: &str = "within a factor of 2";

/// The colours of dots in the paper: quantiles of their distance to the diagonal.
const QUANTILES: [(f64, &str); 4] =
    [(0.5, "nearest 50 %"), (0.8, "to 80 %"), (0.9, "to 90 %"), (1.0, "remaining")];

/// Less impact per day than this is a rounding error.
const NONE: f64 = 1e-12;

/// A page: its impact per day in both halves.
type Halves = (f64, f64);

/// Measures every web with both scoring functions. Pages without impact in either half are left
/// out, as in the paper.
pub(crate) fn predictability(context: &Context<'_>) -> Result<Measured, TournamentError> {
    // By scoring function, then by web.
    let mut found: [Vec<Vec<Halves>>; 2] = Default::default();
    for source in context.webs {
        let Some(web) = SearchedWeb::load(context, source)? else { continue };
        let half = web.loaded.truth.grid().cycles / 2;
        for (of_scoring, (scoring, _)) in found.iter_mut().zip(SCORINGS) {
            let record = WholeRecord::record(&web.dataset, Some(Measure::by(scoring)))?;
            of_scoring.push(halves(&record, half));
        }
    }
    if found[0].is_empty() {
        return Ok(Measured::Nothing("no web has a workload".to_owned()));
    }
    Ok(Measured::Analysis(figure(&found)))
}

fn halves(record: &WholeRecord, half: usize) -> Vec<Halves> {
    let of_page = |changes: &[ObservedChange]| {
        let (early, late) = changes.split_at(changes.partition_point(|found| found.cycle <= half));
        let impact = |half| Some(mean_of_ratios(half)).filter(|&impact| impact >= NONE);
        (impact(early).unwrap_or(0.0), impact(late).unwrap_or(0.0))
    };
    let pages = record.pages.iter().map(|page| of_page(&page.changes));
    pages.filter(|halves| halves.0 > 0.0 || halves.1 > 0.0).collect()
}

fn figure(found: &[Vec<Vec<Halves>>; 2]) -> Figure {
    let mut figure = Figure::default();
    for (title, of) in [(CORRELATION, spearman as fn(&[Halves]) -> Option<f64>), (NEAR, near)] {
        let line = |(webs, (_, scoring)): (&Vec<Vec<Halves>>, (Scoring, &str))| {
            let value = |(web, pages): (usize, &Vec<Halves>)| Some((web as f64 + 1.0, of(pages)?));
            Series::plain(&format!("{scoring}, {title}"), webs.iter().enumerate().filter_map(value))
        };
        let lines = found.iter().zip(SCORINGS).map(line).collect();
        let plot = Plot {
            title: title.to_owned(),
            caption: "of impact per day in the first half of the weeks and in the second"
                .to_owned(),
            x_title: "web".to_owned(),
            is_share: title == NEAR,
            lines,
        };
        add(&mut figure, plot);
    }
    let mut rows = vec![];
    for (webs, (_, scoring)) in found.iter().zip(SCORINGS) {
        let pages: Vec<Halves> = webs.concat();
        rows.push(summary(&pages, scoring));
        figure.scatters.push(scatter(pages, scoring));
    }
    let head = ["scoring", "pages with impact", CORRELATION, NEAR, "50 % within", "80 %", "90 %"];
    let head = head.map(str::to_owned).into();
    let title = "all webs together".to_owned();
    figure.tables.insert(0, Table { title, head, rows });
    figure
}

fn summary(pages: &[Halves], scoring: &str) -> Vec<Cell> {
    let number = |value: Option<f64>| Cell::text(value.map_or_else(|| "–".to_owned(), short));
    let mut distances: Vec<f64> = pages.iter().map(distance).collect();
    distances.sort_by(f64::total_cmp);
    let factor = |share: f64| {
        let place = ((share * distances.len() as f64).ceil() as usize).max(1) - 1;
        let factor = distances.get(place).map(|distance| distance.exp());
        Cell::text(match factor {
            None => "–".to_owned(),
            Some(factor) if factor.is_finite() => format!("a factor of {factor:.1}"),
            Some(_) => "0 in one half".to_owned(),
        })
    };
    let count = Cell::text(pages.len().to_string());
    let mut row = vec![Cell::text(scoring), count, number(spearman(pages)), number(near(pages))];
    row.extend(QUANTILES[..3].iter().map(|(share, _)| factor(*share)));
    row
}

fn scatter(mut pages: Vec<Halves>, scoring: &str) -> Scatter {
    pages.sort_by(|one, other| {
        let ends = || one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1));
        distance(one).total_cmp(&distance(other)).then_with(ends)
    });
    let (count, mut from) = (pages.len(), 0);
    // Pages without impact in one half have no finite distance.
    let finite = pages.partition_point(|halves| distance(halves).is_finite());
    let group = |(share, name): (f64, &str)| {
        let most = if share < 1.0 { finite } else { count };
        let to = ((share * count as f64).ceil() as usize).clamp(from, most);
        let dots = pages[from..to].to_vec();
        from = to;
        (name.to_owned(), dots)
    };
    Scatter {
        title: format!("impact per day by {scoring}"),
        caption: format!("{count} pages; 0 in one of the halves is drawn at the edge"),
        x_title: "first half of the weeks".to_owned(),
        y_title: "second half".to_owned(),
        groups: QUANTILES.map(group).into(),
    }
}

/// The distance of a page from the diagonal: the logarithm of the factor between its halves.
fn distance(&(early, late): &Halves) -> f64 {
    (early.ln() - late.ln()).abs()
}

/// The share of pages whose halves differ by at most a factor of 2; `None` of no pages.
fn near(pages: &[Halves]) -> Option<f64> {
    let near = pages.iter().filter(|halves| distance(halves) <= std::f64::consts::LN_2).count();
    (!pages.is_empty()).then(|| near as f64 / pages.len() as f64)
}

/// Spearman's rank correlation, where equal values share their mean rank; `None` if one side is
/// constant.
fn spearman(pages: &[Halves]) -> Option<f64> {
    let one = ranks(pages.iter().map(|halves| halves.0));
    let other = ranks(pages.iter().map(|halves| halves.1));
    let middle = f64::midpoint(pages.len() as f64, 1.0);
    let product = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - middle) * (other - middle)).sum()
    };
    let both = (product(&one, &one) * product(&other, &other)).sqrt();
    (both > 0.0).then(|| product(&one, &other) / both)
}

fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&one, &other| values[one].total_cmp(&values[other]).is_eq()) {
        let rank = first as f64 + f64::midpoint(equal.len() as f64, 1.0);
        for &place in equal {
            ranks[place] = rank;
        }
        first += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_equal_values_are_shared() {
        assert_eq!(ranks([3.0, 1.0, 3.0, 2.0].into_iter()), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn the_rank_correlation_is_spearmans() {
        let rising = [(1.0, 10.0), (2.0, 20.0), (3.0, 300.0)];
        assert!((spearman(&rising).unwrap() - 1.0).abs() < 1e-12);
        // Ranks 1, 2, 3 against 2, 1, 3: 1 - 6 * 2 / (3 * 8).
        let mixed = [(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)];
        assert!((spearman(&mixed).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(spearman(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(spearman(&[]), None);
    }

    #[test]
    fn near_is_within_a_factor_of_two_and_zero_is_far() {
        let pages = [(1.0, 2.0), (1.0, 2.1), (0.0, 1.0), (4.0, 4.0)];
        assert!((near(&pages).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(near(&[]), None);
    }

    #[test]
    fn dots_are_coloured_from_the_diagonal_outwards() {
        let pages: Vec<Halves> = (1..=10).map(|place| (1.0, f64::from(place))).collect();
        let scatter = scatter(pages, "tf-idf");
        let sizes: Vec<usize> = scatter.groups.iter().map(|group| group.1.len()).collect();
        assert_eq!(sizes, [5, 3, 1, 1]);
        assert_eq!(scatter.groups[3].1, [(1.0, 10.0)]);
    }

    #[test]
    fn what_has_nothing_in_one_half_is_never_near() {
        let scatter = scatter(vec![(0.0, 1.0), (2.0, 2.0), (1.0, 0.0), (3.0, 0.0)], "tf-idf");
        let sizes: Vec<usize> = scatter.groups.iter().map(|group| group.1.len()).collect();
        assert_eq!(sizes, [1, 0, 0, 3]);
    }

    #[test]
    fn a_record_is_cut_in_the_middle() {
        let found = |cycle: usize, impact: f64| ObservedChange {
            cycle,
            gap_days: 2.0,
            amount: 1.0,
            impact,
        };
        let page = |changes: Vec<ObservedChange>| lab::hindsight::PageRecord {
            page: crawl::PageId::from_address("a"),
            days: 70.0,
            changes,
            exposure: 0.0,
        };
        let record = WholeRecord {
            pages: vec![
                page(vec![found(1, 0.2), found(5, 0.4), found(6, 0.8)]),
                page(vec![found(6, 0.0)]),
            ],
        };
        // (0.2 + 0.4) / 2 / 2 days; 0.8 / 2 days. The other page has no impact at all.
        let found = halves(&record, 5);
        assert_eq!(found.len(), 1);
        assert!((found[0].0 - 0.15).abs() < 1e-12 && (found[0].1 - 0.4).abs() < 1e-12);
    }
}
