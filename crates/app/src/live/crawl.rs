//! `sanderling crawl`: fetches pages, starting from the seeds.
use clap::Args;
use crawl::{Budget, Fault, FaultKind};

use super::{
    session::{Done, Session, Work},
    tally::{bytes, counted, duration},
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, keys::Flags},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// URLs to start from [default: those of the settings file or the data folder]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// Visit at most this many pages [default: all in scope]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pages: Option<u32>,
    /// Write every event as a line of JSON to standard output, and everything else to standard error
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn crawl(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load_with_seeds(&arguments.flags, &arguments.seeds)?;
    let (mut session, _) = Session::open_real(&settings)?;
    session.set_events(arguments.json);
    let work = Work::Follow(arguments.pages.map_or(Budget::UNLIMITED, Budget));
    let done = session.work_with_progress(work, settings.cycle_limit, arguments.quiet)?;
    if !arguments.quiet {
        let text = summary(&session, &done, &settings, &arguments.flags)?;
        output::tell(arguments.json, &text)?;
    }
    finished(&done)
}

/// How a crawl or a cycle ends: done, interrupted, or without a single page.
pub(crate) fn finished(done: &Done) -> Result<(), Failure> {
    if done.interrupted {
        let visits = counted(u64::from(done.tally.made()), "visit is", "visits are");
        return Err(Failure::Interrupted(format!("{visits} kept; repeat the command to continue")));
    }
    let tally = &done.tally;
    if tally.made() + tally.refused + tally.unreached > 0 && tally.answered() == 0 {
        let latest = tally.latest_fault.as_ref();
        let latest = latest.map_or(String::new(), |it| format!(" ({}){}", it.why, hint(it)));
        return Err(Failure::Unreachable(format!(
            "no page could be fetched: {}{latest}",
            tally.words()
        )));
    }
    Ok(())
}

/// What to do about it, if that is known.
fn hint(fault: &Fault) -> &'static str {
    match fault.kind {
        FaultKind::Unsafe => "; to crawl a private or loopback address, add --allow HOST",
        _ => "",
    }
}

fn summary(
    session: &Session,
    done: &Done,
    settings: &Settings,
    flags: &Flags,
) -> Result<String, Failure> {
    let hosts = counted(session.crawl.pages.host_count() as u64, "host", "hosts");
    let visits = counted(u64::from(done.tally.made()), "visit", "visits");
    let robots = counted(u64::from(done.robots_fetches), "request", "requests");
    let mut lines = vec![
        format!("{visits} in {}: {}", duration(done.took), done.tally.words()),
        format!(
            "{} held on {hosts}; {} known but not visited yet; {robots} for robots.txt",
            counted(session.held(), "page", "pages"),
            counted(session.waiting(), "page", "pages"),
        ),
    ];
    let totals = store::View::open(&settings.data)?.totals()?;
    let files = counted(totals.archive_files, "WARC file", "WARC files");
    let folder = settings.data.display();
    lines.push(format!("{} in {files} in {folder}/archive", bytes(totals.archive_bytes)));
    if !done.interrupted && session.held() > 0 {
        let place = flags.repeated();
        lines.push(format!(
            "Next: sanderling refresh --budget 200{place}, or sanderling status{place}"
        ));
    }
    Ok(lines.join("\n"))
}
