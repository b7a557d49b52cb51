//! `sanderling crawl`: fetches pages, starting from the seeds.
use clap::Args;
use crawl::{Budget, Fault, FaultKind};
use store::Totals;
use web::BackOff;

use super::{
    failing::{Failing, waiting_words},
    session::{Done, Session, Work},
    tally::{bytes, counted, duration, grouped},
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
    let view = store::View::open(&settings.data)?;
    let failing = Failing::read(&view, session.now())?;
    if !arguments.quiet {
        let mut lines = summary(&session, &done, &view, &settings, &arguments.flags)?;
        lines.extend(failing.host_lines(session.now()));
        output::tell(arguments.json, &lines.join("\n"))?;
    }
    let is_full = arguments.pages.is_some_and(|most| done.tally.made() >= most);
    let awaited = if is_full { vec![] } else { session.awaited(true) };
    finished(&done, &failing, &awaited)
}

/// How a crawl or a cycle ends: done, interrupted, without a single page, without one of its seeds, or
/// waiting for hosts.
pub(crate) fn finished(done: &Done, failing: &Failing, awaited: &[BackOff]) -> Result<(), Failure> {
    let waiting: Vec<String> = awaited.iter().map(waiting_words).collect();
    let with = |first: String, lines: &[String]| [&[first][..], lines].concat().join("\n");
    if done.interrupted {
        let visits = counted(u64::from(done.tally.made()), "visit is", "visits are");
        return Err(Failure::Interrupted(format!("{visits} kept; repeat the command to continue")));
    }
    let tally = &done.tally;
    let tried = tally.made() + tally.refused + tally.unreachable + tally.unreached;
    if tried > 0 && tally.answered() == 0 && !(tally.made() == 0 && tally.unreached == tried) {
        let latest = tally.latest_fault.as_ref();
        let latest = latest.map_or(String::new(), |it| format!(" ({}){}", it.why, hint(it)));
        let first = format!("no page could be fetched: {}{latest}", tally.words());
        let mut lines = waiting;
        if !failing.seeds.is_empty() {
            lines.push(failing.seed_words());
            lines.extend(failing.seed_lines());
        }
        return Err(Failure::Unreachable(with(first, &lines)));
    }
    if !waiting.is_empty() {
        return Err(Failure::Waiting(waiting.join("\n")));
    }
    if !failing.seeds.is_empty() {
        return Err(Failure::Seeds(with(failing.seed_words(), &failing.seed_lines())));
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
    view: &store::View,
    settings: &Settings,
    flags: &Flags,
) -> Result<Vec<String>, Failure> {
    let totals = view.totals()?;
    let hosts = counted(session.crawl.pages.host_count() as u64, "host", "hosts");
    let visits = counted(u64::from(done.tally.made()), "visit", "visits");
    let robots = counted(u64::from(done.robots_fetches), "request", "requests");
    let mut lines = vec![
        format!("{visits} in {}: {}", duration(done.took), done.tally.words()),
        format!(
            "{} held on {hosts}; {} known but not visited yet{}; {robots} for robots.txt",
            held_words(&totals),
            grouped(totals.linked),
            missing_words(&totals),
        ),
    ];
    let files = counted(totals.archive_files, "WARC file", "WARC files");
    let folder = settings.data.display();
    lines.push(format!("{} in {files} in {folder}/archive", bytes(totals.archive_bytes)));
    if !done.interrupted && session.held() > 0 {
        let place = flags.repeated();
        lines.push(format!(
            "Next: sanderling refresh --budget 200{place}, or sanderling status{place}"
        ));
    }
    Ok(lines)
}

/// The held pages, and beside them what else is held: redirects and files without text.
pub(crate) fn held_words(totals: &Totals) -> String {
    let others = totals.redirects + totals.without_text;
    let pages = counted(totals.held.saturating_sub(others), "page", "pages");
    let parts = [
        (totals.redirects, "redirect", "redirects"),
        (totals.without_text, "file without text", "files without text"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(*count, one, many))
        .collect();
    if parts.is_empty() { pages } else { format!("{pages} (and {})", parts.join(", ")) }
}

/// The dead links, if there are any.
fn missing_words(totals: &Totals) -> String {
    match totals.missing {
        0 => String::new(),
        missing => format!("; {} missing (dead links)", grouped(missing)),
    }
}
