//! `sanderling run`: cycles for ever, and the search page beside them.
use std::sync::atomic::Ordering;

use clap::Args;
use flow::{Budget, World};
use web::Clock;

use super::{
    refresh::existing,
    session::{Session, Work},
    stop,
    tally::{counted, duration, instant},
    watch::Line,
};
use crate::{
    failure::Failure,
    output,
    serve::{Server, opened},
    settings::{Settings, keys::Flags, usual_cycle_limit},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Addresses to begin with [default: those of the settings file or the data folder]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// Stop after so many cycles [default: go on for ever]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cycles: Option<u32>,
    /// Open the search page, too, at the address that `listen` gives
    #[arg(long)]
    serve: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

/// Runs until a signal. The first finishes what is being fetched, keeps it and ends with exit code 0,
/// since for a command that runs for ever a signal is the way to end.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::beginning_with(&arguments.flags, &arguments.seeds)?;
    let (Some(budget), Some(every)) = (settings.budget, settings.every) else {
        return Err(Failure::Input(
            "run needs a budget and the time between cycles, such as --budget 200 --every 1d"
                .to_owned(),
        ));
    };
    existing(&settings)?;
    let mut session = Session::open(&settings, Clock::real())?;
    let stopper = session.world.stopper();
    let is_over = stop::on_signal(move || stopper.stop())?;
    let served = if arguments.serve {
        let running = Server::start(&settings.data, settings.serve)?;
        if !arguments.quiet {
            output::print(&opened(&running))?;
        }
        Some(running)
    } else {
        None
    };
    let limit = settings.cycle_limit.unwrap_or_else(|| usual_cycle_limit().min(every));
    let mut number = 0;
    while !is_over.load(Ordering::SeqCst) && arguments.cycles.is_none_or(|most| number < most) {
        let start = session.now();
        let mut line = Line::new("refreshing", arguments.quiet);
        let work = Work::Cycle(Budget(budget), Some(every));
        let done = session.work(work, Some(limit), &mut |_, tally| line.show(tally))?;
        line.clear();
        number += 1;
        if !arguments.quiet {
            output::print(&format!(
                "{}: {} in {}: {}; {} held",
                instant(start),
                counted(u64::from(done.tally.made()), "visit", "visits"),
                duration(done.took),
                done.tally.words(),
                counted(session.held(), "page", "pages"),
            ))?;
        }
        if done.interrupted || arguments.cycles.is_some_and(|most| number >= most) {
            break;
        }
        // A cycle that took longer than the time between them is followed by the next at once.
        session.world.wait_until(start + every);
    }
    if let Some(running) = served {
        running.stop();
    }
    Ok(())
}
