//! Clusters as figures of a report.
use policy::features::Group;

use super::{Grouped, Quality, Sizes, Variation};
use crate::report::figure::{Cell, Figure, Plot, Point, Series, Table};

/// Tau by number of clusters (figure 1 of Tan and Mitra 2010), per page so that webs of any size can
/// be compared.
pub fn tau(qualities: &[Quality]) -> Figure {
    let line = |quality: &Quality| {
        let points = quality.points.iter().map(|point| Point {
            x: point.clusters as f64,
            y: Some(point.held_out),
            interval: None,
        });
        Series { name: quality.by.name().to_owned(), points: points.collect() }
    };
    let plot = Plot {
        title: "tau per page".to_owned(),
        caption:
            "mean cosine of pages to the centroid of the nearest of k clusters that were made \
                  without them (cross-validation)"
                .to_owned(),
        x_title: "clusters".to_owned(),
        is_share: true,
        lines: qualities.iter().map(line).collect(),
    };
    let mut rows = vec![];
    for quality in qualities {
        for point in &quality.points {
            let at_elbow = quality.elbow == Some(point.clusters);
            rows.push(vec![
                Cell::text(quality.by.name()),
                Cell::text(point.clusters.to_string()),
                Cell::text(format!("{:.4}", point.trained)),
                Cell::text(format!("{:.4}", point.held_out)),
                Cell::text(format!("{:.4}", point.spread)),
                Cell::text(if at_elbow { "levels off" } else { "" }),
            ]);
        }
    }
    let head = ["by", "clusters", "tau / page", "held out", "deviation", ""];
    let table = Table {
        title: "tau by number of clusters".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows,
    };
    Figure { plots: vec![plot], tables: vec![table], ..Figure::default() }
}

/// Sizes of groups of pages (figure 2 and table II).
pub fn sizes(groups: &[(&str, Sizes)]) -> Figure {
    let row = |(name, sizes): &(&str, Sizes)| {
        vec![
            Cell::text(*name),
            Cell::text(sizes.groups().to_string()),
            Cell::text(sizes.least().to_string()),
            Cell::text(sizes.most().to_string()),
            Cell::text(format!("{:.1}", sizes.mean())),
            Cell::text(format!("{:.3}", sizes.variation())),
        ]
    };
    let head = ["sampling unit", "number", "min", "max", "mean", "deviation / mean"];
    let table = Table {
        title: "pages in each sampling unit".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: groups.iter().map(row).collect(),
    };
    let line = |(name, sizes): &(&str, Sizes)| {
        let count = sizes.groups() as f64;
        let points = (1..).zip(&sizes.sizes);
        Series::plain(name, points.map(|(rank, &size)| (f64::from(rank) / count, f64::from(size))))
    };
    let plot = Plot {
        title: "pages".to_owned(),
        caption: "sizes from the smallest group to the largest".to_owned(),
        x_title: "share of groups".to_owned(),
        is_share: false,
        lines: groups.iter().map(line).collect(),
    };
    Figure { plots: vec![plot], tables: vec![table], ..Figure::default() }
}

/// How similarly the pages of a group change (figure 8).
pub fn variation(variations: &[Variation]) -> Figure {
    let line = |variation: &Variation| {
        let points = variation.points.iter().map(|&(count, value)| (count as f64, value));
        Series::plain(&name(&variation.by), points)
    };
    let plot = Plot {
        title: "mean coefficient of variation".to_owned(),
        caption: "of the change intervals of the pages of a group; lower is more alike".to_owned(),
        x_title: "groups".to_owned(),
        is_share: false,
        lines: variations.iter().map(line).collect(),
    };
    let mut rows = vec![];
    for variation in variations {
        for &(count, value) in &variation.points {
            rows.push(vec![
                Cell::text(name(&variation.by)),
                Cell::text(count.to_string()),
                Cell::text(format!("{value:.3}")),
            ]);
        }
    }
    let table = Table {
        title: "variation of change intervals within groups".to_owned(),
        head: ["grouped by", "groups", "variation"].map(str::to_owned).to_vec(),
        rows,
    };
    Figure { plots: vec![plot], tables: vec![table], ..Figure::default() }
}

/// The name of a grouping, as the paper has it.
fn name(by: &Grouped) -> String {
    let dynamic = [Group::DynamicContent, Group::DynamicLinkage, Group::ChangeFrequency];
    match by {
        Grouped::Features(groups) if groups.iter().all(|group| dynamic.contains(group)) => {
            "dynamic"
        }
        Grouped::Features(groups) if !groups.iter().any(|group| dynamic.contains(group)) => {
            "static"
        }
        Grouped::Features(_) => "combined",
        Grouped::Frequency => "Freq",
        Grouped::EarlyFrequency => "Freq early",
        Grouped::Sites => "SLS",
    }
    .to_owned()
}
