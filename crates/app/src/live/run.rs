//! `sanderling run`: cycles at an interval, with the search page and the dashboard beside them.
use std::sync::{Arc, atomic::Ordering};

use clap::Args;
use crawl::{Allowance, World};

use super::{
    autopilot::{self, Autopilot},
    clock::clock,
    crawl::held_words,
    failing::{Failing, waiting_words},
    refresh::check_begun,
    session::{Session, Work},
    stop::StopSignal,
    tally::{counted, duration, instant, spending},
};
use crate::{
    failure::Failure,
    output,
    serve::{Deliverer, Server, announcement},
    settings::{Settings, default_cycle_limit, keys::Flags},
};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Arguments {
    /// URLs to start from [default: those of the settings file or the data folder]
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// Stop after this many cycles [default: run until stopped]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cycles: Option<u32>,
    /// Choose the policy once a week by what `sanderling advise` says of this data folder
    #[arg(long)]
    autopilot: bool,
    /// Also serve the search page and the dashboard, at the address of --listen
    #[arg(long)]
    serve: bool,
    /// Write every event as a line of JSON to standard output, and everything else to standard error
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

/// Runs until a signal. The first one finishes the running requests and ends with exit code 0: a signal
/// is the normal way to stop this command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut settings = Settings::load_with_seeds(&arguments.flags, &arguments.seeds)?;
    let (Some(budget), Some(interval)) = (settings.budget, settings.interval) else {
        return Err(Failure::Input(
            "run needs a budget and an interval, such as --budget 200 --interval 1d".to_owned(),
        ));
    };
    check_begun(&settings)?;
    let mut autopilot = None;
    if arguments.autopilot {
        let kept = Autopilot::of_folder(&settings)?;
        settings.policy = kept.policy().or(settings.policy);
        autopilot = Some(kept);
    }
    let mut settings = Arc::new(settings);
    let mut signal = StopSignal::listen()?;
    let mut session = Session::open(&settings, clock())?;
    signal.stops(&session);
    let is_over = signal.flag();
    let deliverer = Deliverer::start(&settings)?;
    session.set_events(arguments.json);
    let served = if arguments.serve {
        let running = Server::start(Arc::clone(&settings))?;
        if !arguments.quiet {
            output::tell(arguments.json, &announcement(&running))?;
        }
        Some(running)
    } else {
        None
    };
    let limit = settings.cycle_limit.unwrap_or_else(|| default_cycle_limit().min(interval));
    let mut number = 0;
    while !is_over.load(Ordering::SeqCst) && arguments.cycles.is_none_or(|most| number < most) {
        session.check_clock()?;
        let start = session.now();
        let work = Work::Cycle(budget, Some(interval));
        let done = session.work_with_progress(work, Some(limit), arguments.quiet)?;
        number += 1;
        if !arguments.quiet {
            let visits = done.tally.made();
            let spent = match budget {
                // The same every time.
                Allowance::Visits(_) => {
                    let visits = counted(u64::from(visits), "visit", "visits");
                    format!("{visits} in {}", duration(done.took))
                }
                _ => spending(budget, visits, done.received, done.took),
            };
            let view = store::View::open(&settings.data)?;
            let failing = Failing::read(&view, session.now())?;
            let mut lines = vec![format!(
                "{}: {spent}: {}; {} held",
                instant(start),
                done.tally.words(),
                held_words(&view.totals()?),
            )];
            lines.extend(failing.host_lines(session.now()));
            if !failing.seeds.is_empty() {
                lines.push(failing.seed_words());
                lines.extend(failing.seed_lines());
            }
            if !done.is_spent(budget) {
                lines.extend(session.awaited(false).iter().map(waiting_words));
            }
            output::tell(arguments.json, &lines.join("\n"))?;
        }
        if done.interrupted || arguments.cycles.is_some_and(|most| number >= most) {
            break;
        }
        if let Some(autopilot) = &mut autopilot
            && let Some(line) = autopilot.decide(&settings, session.policy_name(), session.now())?
        {
            let (line, policy, is_change) = (line.words(), autopilot.policy(), line.is_change);
            session.remember(autopilot::KEY, &autopilot.stored()?)?;
            if !arguments.quiet {
                output::tell(arguments.json, &format!("autopilot: {line}"))?;
            }
            if is_change {
                // The other policy may need other instruments, so everything is opened anew.
                drop(session);
                let mut changed = Settings::load_with_seeds(&arguments.flags, &arguments.seeds)?;
                changed.policy = policy;
                settings = Arc::new(changed);
                session = Session::open(&settings, clock())?;
                session.set_events(arguments.json);
                signal.stops(&session);
            }
        }
        session.set_next_cycle(start + interval)?;
        // After a cycle that took longer than the interval, the next one starts at once.
        session.crawl.world.wait_until(start + interval);
    }
    if let Some(running) = served {
        running.stop();
    }
    drop(deliverer);
    Ok(())
}
