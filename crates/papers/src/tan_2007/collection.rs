//! Table 1 and figure 4: the pages of a repository by top-level domain and by depth.
use std::collections::BTreeMap;

use crawl::Span;
use lab::{
    report::figure::{Figure, Series},
    tournament::TournamentError,
};

use crate::{
    analysis::Context,
    draw::{add, plot, table, texts},
    evidence::Measured,
};

/// The domains of table 1, and its pages and sites of each; the rest are others.
const PAPER: [(&str, u32, u32); 6] = [
    ("edu", 107_204, 68),
    ("com", 100_725, 92),
    ("gov", 38_696, 23),
    ("org", 22_391, 16),
    ("net", 12_972, 12),
    ("mil", 1_998, 1),
];

/// Pages at the start by domain and by depth, over all webs.
#[derive(Default)]
struct Collection {
    /// By host, its pages.
    hosts: BTreeMap<String, usize>,
    /// By depth, the number of slashes after the host.
    depths: BTreeMap<usize, usize>,
    pages: usize,
}

/// The pages by domain and depth.
pub(crate) fn figure(context: &Context<'_>) -> Result<Measured, TournamentError> {
    let mut collection = Collection::default();
    for source in context.webs {
        let (_, web) = context.load(source, Span::from_days(28), context.detector)?;
        let history = web.truth.history();
        for page in history.pages.iter().filter(|page| page.reading(history.window.start).is_some())
        {
            collection.add(&page.address);
        }
    }
    Ok(Measured::Analysis(collection.figure()))
}

impl Collection {
    fn add(&mut self, address: &str) {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.split('?').next().unwrap_or_default();
        *self.hosts.entry(host.to_owned()).or_default() += 1;
        *self.depths.entry(1 + path.matches('/').count()).or_default() += 1;
        self.pages += 1;
    }

    fn figure(&self) -> Figure {
        let all: u32 = PAPER.iter().map(|row| row.1).sum();
        let is_listed = |domain: &str| PAPER.iter().any(|row| row.0 == domain);
        let row = |name: &str, of_paper: Option<(u32, u32)>, wanted: &dyn Fn(&str) -> bool| {
            let of = self.hosts.iter().filter(|(host, _)| wanted(domain_of(host)));
            let (sites, pages) =
                of.fold((0, 0), |(sites, pages), (_, more)| (sites + 1, pages + more));
            let share = format!("{:.3}", pages as f64 / self.pages.max(1) as f64);
            let paper = of_paper.map_or_else(
                || "–".to_owned(),
                |(pages, sites)| format!("{:.3} on {sites}", f64::from(pages) / f64::from(all)),
            );
            texts([name.to_owned(), pages.to_string(), share, sites.to_string(), paper])
        };
        let mut rows: Vec<_> = PAPER
            .iter()
            .map(|&(name, pages, sites)| row(name, Some((pages, sites)), &|domain| domain == name))
            .collect();
        rows.push(row("other", None, &|domain| !is_listed(domain)));
        let mut figure = Figure::default();
        let head = ["domain", "pages", "share", "hosts", "paper: share on sites"];
        figure.tables.push(table("pages by top-level domain", head, rows));
        let share = |(&depth, &pages): (&usize, &usize)| {
            (depth as f64, pages as f64 / self.pages.max(1) as f64)
        };
        let line = Series::plain("share of the pages", self.depths.iter().map(share));
        add(
            &mut figure,
            plot(["pages by depth", "slashes after the host", "depth"], true, vec![line]),
        );
        figure
    }
}

/// The top-level domain of a host, which may have a port.
fn domain_of(host: &str) -> &str {
    let host = host.split(':').next().unwrap_or_default();
    host.rsplit('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_by_domain_and_depth() {
        let mut collection = Collection::default();
        for address in [
            "http://a.edu/",
            "http://a.edu/x/y?z=/",
            "https://b.edu:8080/x",
            "http://c.example/1/2/3",
        ] {
            collection.add(address);
        }
        let figure = collection.figure();
        let edu: Vec<&str> =
            figure.tables[0].rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(edu, ["edu", "3", "0.750", "2", "0.377 on 68"]);
        let depths = figure.plots[0].lines[0].values();
        assert_eq!(depths, [(1.0, 0.5), (2.0, 0.25), (3.0, 0.25)]);
    }
}
