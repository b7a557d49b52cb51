//! What a demonstration shows while it runs, and its final table.
use std::net::SocketAddr;

use super::judge::{Judged, SHOWN};
use crate::{
    failure::Failure,
    live::{
        session::Done,
        tally::{Tally, counted, duration, grouped},
        watch::Line,
    },
    output,
};

/// How wide the bar of freshness is.
const BAR: usize = 40;

/// Where a demonstration is shown: lines that stay, and one that tells what is being done.
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
            "A web of {sites} sites and {} pages is served at {server}; its days pass in about a \
             second.",
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
            "Crawled: {} in {} of its time: {}; {} for robots.txt.\n\
             Now {policy} keeps {} fresh with {} a day, for {cycles} days.\n\n\
             {:>5} {:>6} {:>5} {:>8} {:>10} {:>8} {:>5} {:>7}  fresh",
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
            "failed"
        ))?;
        self.begin("refreshing");
        Ok(())
    }

    /// Another thing is being done from now on.
    fn begin(&mut self, what: &'static str) {
        self.line.clear();
        self.line = Line::new(what, self.quiet);
    }

    pub(super) fn cycle(&mut self, day: u32, tally: &Tally, fresh: f64) -> Result<(), Failure> {
        let full = (fresh * BAR as f64).round() as usize;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full.min(BAR)));
        self.print(&format!(
            "{day:>5} {:>6} {:>5} {:>8} {:>10} {:>8} {:>5} {:>7}  {bar} {:.1} %",
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

    pub(super) fn judging(&mut self) {
        self.begin("replaying the web's history in the lab");
    }

    pub(super) fn verdict(
        &self,
        judged: &[Judged],
        budget: u32,
        cycles: u32,
    ) -> Result<(), Failure> {
        self.line.clear();
        let mut lines = vec![format!(
            "\nThe lab's verdict: {} a day for {cycles} days, every line on exactly the same history",
            counted(u64::from(budget), "visit", "visits"),
        )];
        let heads: Vec<String> = SHOWN.iter().map(|(_, head)| format!("{head:>14}")).collect();
        let width = judged.iter().map(|judged| judged.name.len()).max().unwrap_or(0);
        lines.push(format!("{:width$} {}", "", heads.join(" ")));
        for Judged { name, values } in judged {
            let cells: Vec<String> = SHOWN
                .iter()
                .zip(values)
                .map(|((metric, _), value)| match value {
                    None => format!("{:>14}", "-"),
                    Some(value) if *metric == "changes_caught" => format!("{value:>14.0}"),
                    Some(value) if *metric == "age" => format!("{value:>14.2}"),
                    Some(value) => format!("{:>12.1} %", value * 100.0),
                })
                .collect();
            lines.push(format!("{name:width$} {}", cells.join(" ")));
        }
        lines.push(
            "fresh: share of held pages that are as on the web, just after the visits; new pages \
             held: of those\nborn since the crawl; days stale: mean over held pages; changes caught: \
             visits that found a change."
                .to_owned(),
        );
        self.print(&lines.join("\n"))
    }
}
