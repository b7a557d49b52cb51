//! What the demo prints: a line per day, and the final table.
use std::net::SocketAddr;

use policy::Freshness;

use super::judge::{Beliefs, Judged, QUALITY, SHOWN};
use crate::{
    failure::Failure,
    live::{
        session::Done,
        tally::{Tally, counted, duration, grouped},
        watch::Line,
    },
    output,
};

/// The width of the bar of freshness.
const BAR: usize = 30;

/// The output: lines that stay, and a progress line.
pub(super) struct Screen {
    quiet: bool,
    line: Line,
}

impl Screen {
    pub(super) fn new(quiet: bool) -> Self {
        Self { quiet, line: Line::new("crawling", quiet) }
    }

    fn print(&self, text: &str) -> Result<(), Failure> {
        if self.quiet {
            return Ok(());
        }
        self.line.aside(|| output::print(text))
    }

    pub(super) fn title(
        &self,
        sites: usize,
        pages: usize,
        server: SocketAddr,
    ) -> Result<(), Failure> {
        self.print(&format!(
            "Serving a web of {sites} sites and {} pages at {server}; a day of it takes about a second.",
            grouped(pages as u64)
        ))
    }

    pub(super) fn working(&mut self, tally: &Tally) {
        self.line.show(tally);
    }

    pub(super) fn crawled(
        &mut self,
        done: &Done,
        held: u64,
        budget: u32,
        cycles: u32,
        policy: &str,
    ) -> Result<(), Failure> {
        self.print(&format!(
            "First crawl: {} in {} of the web's time: {}; {} for robots.txt.\n\
             Now {policy} keeps {} fresh with {} a day, for {cycles} days.\n\n\
             {:>5} {:>6} {:>5} {:>8} {:>10} {:>8} {:>5} {:>7}  {:<19} truly fresh",
            counted(u64::from(done.tally.made()), "visit", "visits"),
            duration(done.took),
            done.tally.words(),
            counted(u64::from(done.robots_fetches), "request", "requests"),
            counted(held, "page", "pages"),
            counted(u64::from(budget), "visit", "visits"),
            "day",
            "visits",
            "new",
            "changed",
            "unchanged",
            "missing",
            "gone",
            "failed",
            "believed fresh"
        ))?;
        self.begin("refreshing");
        Ok(())
    }

    /// Starts another progress line.
    fn begin(&mut self, what: &'static str) {
        self.line.clear();
        self.line = Line::new(what, self.quiet);
    }

    pub(super) fn cycle(
        &mut self,
        day: u32,
        tally: &Tally,
        fresh: f64,
        believed: Option<&Freshness>,
    ) -> Result<(), Failure> {
        let believed = believed.map_or("not known yet".to_owned(), |it| {
            format!("{:.1} ({:.0} to {:.0}) %", it.share * 100.0, it.low * 100.0, it.high * 100.0)
        });
        let full = (fresh * BAR as f64).round() as usize;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full.min(BAR)));
        self.print(&format!(
            "{day:>5} {:>6} {:>5} {:>8} {:>10} {:>8} {:>5} {:>7}  {believed:<19} {bar} {:.1} %",
            tally.made(),
            tally.first,
            tally.changed,
            tally.same,
            tally.missing,
            tally.gone,
            tally.failed,
            fresh * 100.0
        ))?;
        self.begin("refreshing");
        Ok(())
    }

    /// How well the crawler knew how fresh it was.
    pub(super) fn beliefs(&self, beliefs: Option<Beliefs>) -> Result<(), Failure> {
        let Some(Beliefs { days, held, error }) = beliefs else { return Ok(()) };
        self.print(&format!(
            "Believed freshness comes from the crawler's own log: off by {:.1} points on average, and on {held} of\n\
             {} its 95 % interval held the truth.",
            error * 100.0,
            counted(days as u64, "day", "days"),
        ))
    }

    pub(super) fn judging(&mut self) {
        self.begin("replaying the history in the lab");
    }

    pub(super) fn verdict(
        &self,
        judged: &[Judged],
        budget: u32,
        cycles: u32,
    ) -> Result<(), Failure> {
        self.line.clear();
        let mut lines = vec![format!(
            "\nResult: {} a day for {cycles} days. The first line is the live crawl: its freshness (mean of the\n\
             days above) and the changes it caught (changed + gone). Its other numbers and the other\n\
             lines come from replaying the history of this web in the lab.",
            counted(u64::from(budget), "visit", "visits"),
        )];
        // Search quality is measured only with queries.
        let shown: Vec<usize> = (0..SHOWN.len())
            .filter(|&place| judged.iter().any(|judged| judged.values[place].is_some()))
            .collect();
        let heads: Vec<String> =
            shown.iter().map(|&place| format!("{:>14}", SHOWN[place].1)).collect();
        let width = judged.iter().map(|judged| judged.name.len()).max().unwrap_or(0);
        lines.push(format!("{:width$} {}", "", heads.join(" ")));
        for Judged { name, values } in judged {
            let cells: Vec<String> = shown
                .iter()
                .map(|&place| match (SHOWN[place].0, values[place]) {
                    (_, None) => format!("{:>14}", "-"),
                    ("changes_caught", Some(value)) => format!("{value:>14.0}"),
                    ("age", Some(value)) => format!("{value:>14.2}"),
                    (_, Some(value)) => format!("{:>12.1} %", value * 100.0),
                })
                .collect();
            lines.push(format!("{name:width$} {}", cells.join(" ")));
        }
        lines.push(
            "fresh: share of held pages that are up to date just after the visits; new pages held: share of\n\
             those created since the first crawl; days stale: mean over held pages; changes caught: visits\n\
             that found a change or a page gone."
                .to_owned(),
        );
        if shown.contains(&QUALITY) {
            lines.push(
                "search quality: what results by TF-IDF are worth, compared with a repository that is always\n\
                 up to date, over the queries that have good answers on this web."
                    .to_owned(),
            );
        }
        self.print(&lines.join("\n"))
    }
}
