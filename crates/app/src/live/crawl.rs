//! `sanderling crawl`: from seeds to a repository.
use clap::Args;
use flow::Budget;
use web::Clock;

use super::{
    session::{Done, Session, Work},
    stop,
    tally::{bytes, counted, duration},
    watch::Line,
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, keys::Flags},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Addresses to begin with [default: those of the settings file or the data folder]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// Visit at most so many pages [default: all that are in scope]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pages: Option<u32>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn crawl(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::beginning_with(&arguments.flags, &arguments.seeds)?;
    let mut session = Session::open(&settings, Clock::real())?;
    let stopper = session.world.stopper();
    stop::on_signal(move || stopper.stop())?;
    let mut line = Line::new("crawling", arguments.quiet);
    let budget = arguments.pages.map_or(Budget::UNLIMITED, Budget);
    let done = session.work(Work::Follow(budget), settings.cycle_limit, &mut |_, tally| {
        line.show(tally);
    })?;
    line.clear();
    if !arguments.quiet {
        output::print(&summary(&session, &done, &settings)?)?;
    }
    finished(&done)
}

/// How a crawl or a cycle ends: well, interrupted, or with nothing to show.
pub(crate) fn finished(done: &Done) -> Result<(), Failure> {
    if done.interrupted {
        let visits = counted(u64::from(done.tally.made()), "visit is", "visits are");
        return Err(Failure::Interrupted(format!(
            "{visits} kept; the same command goes on from there"
        )));
    }
    let tally = &done.tally;
    if tally.made() + tally.refused + tally.unreached > 0 && tally.answered() == 0 {
        let latest = tally.latest_fault.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        return Err(Failure::Unreachable(format!(
            "not one page could be fetched: {}{latest}",
            tally.words()
        )));
    }
    Ok(())
}

fn summary(session: &Session, done: &Done, settings: &Settings) -> Result<String, Failure> {
    let hosts = counted(session.pages.host_count() as u64, "host", "hosts");
    let visits = counted(u64::from(done.tally.made()), "visit", "visits");
    let asked = counted(u64::from(done.robots_fetches), "request", "requests");
    let mut lines = vec![
        format!("{visits} in {}: {}", duration(done.took), done.tally.words()),
        format!(
            "{} held on {hosts}; {} known and not visited yet; {asked} for robots.txt",
            counted(session.held(), "page", "pages"),
            counted(session.waiting(), "page", "pages"),
        ),
    ];
    let totals = store::View::open(&settings.data)?.totals()?;
    let files = counted(totals.archive_files, "WARC file", "WARC files");
    let folder = settings.data.display();
    lines.push(format!("{} in {files} in {folder}/archive", bytes(totals.archive_bytes)));
    if !done.interrupted && session.held() > 0 {
        lines.push("Next: sanderling refresh --budget 200, or sanderling status".to_owned());
    }
    Ok(lines.join("\n"))
}
