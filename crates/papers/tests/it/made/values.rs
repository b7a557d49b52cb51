//! Webs on which everything that the papers claim is so.
use lab::report::stats::Interval;
use papers::{
    Analysis,
    figure::{Example, Point, Scatter, Series},
};

use super::Case;

/// Change ratios (and the rest) as the paper of 2007 has them.
pub(crate) fn as_in_2007(case: &Case<'_>) -> f64 {
    let d = case.x.unwrap_or(0) as f64;
    let curve = || match case.label {
        // Highest at d = 1, then down; negative ones below.
        "DB" | "DB literal" if d < 0.0 => 0.18 + 0.005 * d,
        "DB" | "DB literal" => 0.33 - 0.02 * (d - 1.0).abs(),
        // Highest at d = 3.
        "LB" if d < 0.0 => 0.12 + 0.005 * d,
        "LB" => 0.26 - 0.02 * (d - 3.0).abs(),
        // Falls from d = 0 on, above DB up to d = 3.
        _ => 0.45 - 0.03 * d,
    };
    match (case.part, case.metric) {
        ("figure-5", "change_ratio") => curve(),
        // The same curves, higher for longer cycles, lower for larger budgets.
        ("figure-7", "change_ratio") => {
            curve() + 0.05 * case.length as f64 - 0.03 * case.budget as f64
        }
        ("figure-6", "change_ratio") => match case.label {
            "RNS" => 0.13,
            "RR" => 0.131,
            "GSB" => 0.2,
            "LB" => 0.4,
            "DB" => 0.42,
            _ => 0.45,
        },
        ("figure-8", "weighted_change_ratio") if case.label == "PRA" => 1.9e-4,
        ("figure-8", "weighted_change_ratio") => 1e-4,
        ("figure-9", "change_ratio") => {
            let learned = (case.cycle as f64 - 5.0).max(0.0);
            match case.label {
                "RNS" => 0.1,
                "DB" => 0.25,
                "HA" => 0.1 + 0.013 * learned,
                _ => 0.1 + 0.016 * learned,
            }
        }
        _ => 0.5,
    }
}

/// Values as the paper of 2010 has them.
pub(crate) fn as_in_2010(case: &Case<'_>) -> f64 {
    let late = case.cycle > 12;
    match (case.part, case.metric) {
        ("figure-3", "change_ratio") if case.x == Some(5) => 0.3,
        ("figure-3", "change_ratio") => 0.35,
        ("figure-4", "change_ratio") if case.budget == 1 => 0.2,
        ("figure-4", "change_ratio") => match case.label {
            "URL" => 0.2,
            "content" | "URL + content" => 0.25,
            "static" => 0.28,
            "dynamic" => 0.32,
            "ranking" => 0.24,
            _ => 0.4,
        },
        ("figure-5", "change_ratio") => match case.label {
            "CLS-nad" if late => 0.4,
            "CLS-nad" => 0.2,
            "CLS-sad" if late => 0.39,
            "CLS-sad" => 0.5,
            _ if late => 0.42,
            _ => 0.3,
        },
        ("figure-6", "change_ratio") => match case.label {
            "Ideal" => 0.9,
            label if label.starts_with("CLS") => 0.5,
            "Freq" => 0.3,
            _ => 0.2,
        },
        // Of what searchers see CLS lacks a tenth, of changes four ninths.
        ("figure-6", "freshness_at_10" | "precision_at_10") => match case.label {
            "Ideal without budget" => 0.9,
            label if label.starts_with("CLS") => 0.81,
            _ => 0.7,
        },
        ("figure-7", "precision_at_10") if case.label == "with ranking" => 0.8,
        _ => 0.5,
    }
}

/// Qualities as the paper of 2005 has them, and as we hope for.
pub(crate) fn as_in_2005(case: &Case<'_>) -> f64 {
    if !case.metric.starts_with("quality") || case.part == "pieces" {
        return 0.5;
    }
    let ours = [0.92, 0.94, 0.96, 0.995, 0.996, 0.997, 0.998][case.budget];
    let rivals = [0.88, 0.9, 0.93, 0.95, 0.96, 0.97, 0.98][case.budget];
    match case.label {
        "UCI" => ours + 0.001,
        label if label.starts_with("UC") => ours,
        label if label.starts_with("SBR") => rivals,
        label if label.starts_with("EBR") => rivals - 0.01,
        _ => rivals - 0.02,
    }
}

/// Runs in which discovery goes as we hope for.
pub(crate) fn of_discovery(case: &Case<'_>) -> f64 {
    match (case.metric, case.label) {
        ("new_coverage", "Cover") => 0.9,
        ("new_coverage", "bandit") => 0.8,
        ("new_coverage", label) if label.starts_with("mix") => 0.6,
        ("new_coverage", _) => 0.4,
        _ => 0.5,
    }
}

/// Table 2 of the paper of Dasgupta et al., with the lines that claims look at besides.
fn table_2() -> Vec<Series> {
    let budgets = [0.0, 1.0, 2.0, 3.0, 4.0];
    let line =
        |name: String, values: [f64; 5]| Series::plain(&name, budgets.into_iter().zip(values));
    let mut lines = vec![];
    for (name, coverage, overhead) in [
        ("CLIQ-WIN", [0.08, 0.19, 0.37, 0.52, 0.69], 1.563),
        ("OD-WIN", [0.08, 0.18, 0.35, 0.53, 0.69], 1.538),
        ("COV", [0.09, 0.23, 0.37, 0.37, 0.37], 0.1389),
        ("OD-1", [0.09, 0.21, 0.28, 0.43, 0.44], 1.099),
        ("GREEDY", [0.56, 0.81, 0.95, 0.98, 1.0], 0.2674),
        ("OD-ALL", [0.16, 0.24, 0.36, 0.55, 0.74], 1.639),
        ("bandit", [0.1, 0.2, 0.4, 0.5, 0.64], 1.5),
    ] {
        lines.push(line(format!("{name}, coverage"), coverage));
        lines.push(line(format!("{name}, overhead of sums"), [overhead; 5]));
        lines.push(line(format!("{name}, mean overhead"), [overhead; 5]));
    }
    lines.push(line("OD-WIN less CLIQ-WIN, coverage".to_owned(), [0.001; 5]));
    for name in [
        "OD-WIN less COV, coverage",
        "OD-WIN less COV, overhead of sums",
        "OD-ALL less OD-1, coverage",
    ] {
        lines.push(sure(name, &budgets.map(|budget| (budget, 0.3))));
    }
    lines
}

/// Differences of forecasts' accuracies, each with the same on six sites.
fn differences(all: &[(&str, &str, f64)]) -> Vec<Series> {
    let lines = |&(one, other, value): &(&str, &str, f64)| {
        let name = format!("{one} less {other}");
        let sites = (1..=6).map(|site| (f64::from(site), value));
        [sure(&name, &[(1.0, value)]), Series::plain(&format!("{name}, by site"), sites)]
    };
    all.iter().flat_map(lines).collect()
}

/// The paper of 2013 has analyses only.
pub(crate) fn as_in_2013(_: &Case<'_>) -> f64 {
    0.5
}

/// A line whose intervals are narrow.
fn sure(name: &str, points: &[(f64, f64)]) -> Series {
    let point = |&(x, y): &(f64, f64)| Point {
        x,
        y: Some(y),
        interval: Some(Interval { low: y * 0.9, high: y * 1.1 }),
    };
    Series { name: name.to_owned(), points: points.iter().map(point).collect() }
}

/// The dots of an analysis that has any.
pub(crate) fn scatters(analysis: &Analysis) -> Vec<Scatter> {
    if analysis.name != "predictability" {
        return vec![];
    }
    vec![Scatter {
        title: "impact <per day>".to_owned(),
        caption: "three pages".to_owned(),
        x_title: "first".to_owned(),
        y_title: "second".to_owned(),
        groups: vec![
            ("near".to_owned(), vec![(1e-5, 2e-5), (3e-4, 3e-4)]),
            ("far".to_owned(), vec![(0.0, 1e-3)]),
        ],
    }]
}

/// A page on which policies differed.
pub(crate) fn example() -> Example {
    Example {
        says: "Found late: a change that moved answers waited for a visit.".to_owned(),
        address: "http://a.example/seminars".to_owned(),
        title: "Seminars & <more>".to_owned(),
        date: "2026-01-12".to_owned(),
        change: "40 % of the page changed".to_owned(),
        policies: vec![
            ("staleness-based".to_owned(), "never found it".to_owned()),
            ("user-centric-index".to_owned(), "found it in the first cycle".to_owned()),
        ],
        queries: vec!["law | seminar".to_owned()],
        removed: vec!["the *old* seminar".to_owned()],
        added: vec!["a law seminar <series>".to_owned()],
    }
}

/// Lines of analyses as the papers have them.
pub(crate) fn analysed(analysis: &Analysis) -> Vec<Series> {
    let line = |name: &str, points: &[(f64, f64)]| Series::plain(name, points.iter().copied());
    match analysis.name {
        // To k = 100 by 0.004 a cluster, from there by 0.0005.
        "tau" => ["URL", "content"]
            .map(|name| line(name, &[(10.0, 0.2), (50.0, 0.4), (100.0, 0.56), (200.0, 0.61)]))
            .into(),
        "sizes" => vec![
            line("clusters, deviation / mean by web", &[(1.0, 0.2), (2.0, 0.3), (3.0, 0.2)]),
            line("sites, deviation / mean by web", &[(1.0, 0.9), (2.0, 0.8), (3.0, 0.9)]),
        ],
        "variation" => vec![
            line("combined", &[(1.0, 2.0), (50.0, 0.8), (100.0, 0.5)]),
            line("dynamic", &[(1.0, 2.1), (50.0, 0.9), (100.0, 0.6)]),
            line("static", &[(1.0, 2.2), (50.0, 1.1), (100.0, 0.9)]),
            line("SLS", &[(17.0, 1.5)]),
            line("Freq", &[(1.0, 2.3), (50.0, 1.3), (100.0, 1.1)]),
            line("Freq early", &[(1.0, 2.4), (50.0, 1.4), (100.0, 1.2)]),
        ],
        "predictability" => {
            let names = ["rank correlation", "within a factor of 2"];
            let of = |scoring: &str| {
                names.map(|name| {
                    line(&format!("{scoring}, {name}"), &[(1.0, 0.8), (2.0, 0.79), (3.0, 0.81)])
                })
            };
            [of("tf-idf"), of("in-links")].concat()
        }
        "forecasts" => differences(&[
            ("single", "coin", 0.08),
            ("multiple", "single", 0.1),
            ("multiple", "majority", 0.05),
            ("multiple", "last label", 0.2),
            ("multiple", "flipped label", 0.1),
        ]),
        "combinations" => differences(&[
            ("multiple", "union", 0.1),
            ("multiple", "bagging", 0.1),
            ("multiple", "boosting", 0.1),
        ]),
        "relations" => differences(&[
            ("content", "links", 0.03),
            ("warping", "content", 0.03),
            ("correlation", "content", 0.05),
            ("correlation", "warping", 0.004),
            ("links", "single", 0.01),
            ("content", "single", 0.04),
            ("correlation", "single", 0.1),
            ("warping", "single", 0.07),
        ]),
        "window-sizes" => ["single", "multiple"]
            .map(|method| {
                let name = format!("{method}, with 50 days less with so many");
                sure(&name, &[(10.0, 0.1), (20.0, 0.05), (30.0, 0.002), (50.0, 0.0), (80.0, 0.001)])
            })
            .into(),
        "expert-counts" => vec![
            sure("20 experts less so many", &[(10.0, 0.01), (20.0, 0.0), (40.0, 0.02)]),
            sure("so many experts less single", &[(1.0, 0.03), (2.0, 0.05), (5.0, 0.07)]),
        ],
        "crawls" => vec![
            sure("2D less 1D", &[(50.0, 0.1)]),
            sure("3D less 1D", &[(50.0, 0.1)]),
            sure("3D less 2D", &[(80.0, 0.005), (100.0, 0.1)]),
        ],
        "covers" => vec![
            line("share covered", &[(83.0, 0.9), (200.0, 0.98)]),
            line("new pages covered", &[(600.0, 300.0)]),
        ],
        "cover-sizes" => vec![
            line("90 % covers of at most so many pages", &[(5.0, 0.7)]),
            line("largest 90 % cover", &[(1.0, 4.0), (2.0, 900.0)]),
        ],
        "overlap" => ["all pairs, near 0 or 1", "pairs that share a page, near 0 or 1"]
            .map(|name| line(name, &[(1.0, 0.85), (2.0, 0.86), (3.0, 0.87)]))
            .into(),
        "overhead" => ["all sites at once", "each site by itself"]
            .map(|name| line(name, &[(0.9, 0.028), (1.0, 0.09)]))
            .into(),
        "history" => vec![
            line("share covered", &[(1.0, 0.74), (2.0, 0.64), (4.0, 0.59)]),
            sure("lost by rarer recrawls, same weeks", &[(2.0, 0.1), (4.0, 0.05)]),
        ],
        "algorithms" => table_2(),
        "neighbourhoods" => vec![line("DB", &[(0.0, 0.1), (1.0, 0.2)])],
        _ => vec![],
    }
}
