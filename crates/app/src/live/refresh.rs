//! `sanderling refresh`: one cycle, one budget, spent where the policy says.
use clap::Args;
use flow::Budget;
use web::Clock;

use super::{
    crawl::finished,
    session::{Session, Work, is_begun},
    stop,
    tally::{counted, duration},
    watch::Line,
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, keys::Flags, usual_cycle_limit},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn refresh(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::of(&arguments.flags)?;
    let Some(budget) = settings.budget else {
        return Err(Failure::Input(
            "how many visits may it make? Add --budget 200, or budget = 200 to sanderling.toml"
                .to_owned(),
        ));
    };
    existing(&settings)?;
    let mut session = Session::open(&settings, Clock::real())?;
    let stopper = session.world.stopper();
    stop::on_signal(move || stopper.stop())?;
    let mut line = Line::new("refreshing", arguments.quiet);
    let limit = settings.cycle_limit.unwrap_or_else(usual_cycle_limit);
    let work = Work::Cycle(Budget(budget), settings.every);
    let done = session.work(work, Some(limit), &mut |_, tally| line.show(tally))?;
    line.clear();
    if !arguments.quiet {
        let visits = counted(u64::from(done.tally.made()), "visit", "visits");
        let asked = counted(u64::from(done.robots_fetches), "request", "requests");
        output::print(&format!(
            "{visits} of a budget of {budget} in {} by {}: {}\n{} held; {asked} for robots.txt",
            duration(done.took),
            session.policy_name(),
            done.tally.words(),
            counted(session.held(), "page", "pages"),
        ))?;
    }
    finished(&done)
}

/// Refuses a folder in which no crawl has begun.
pub(crate) fn existing(settings: &Settings) -> Result<(), Failure> {
    if is_begun(settings) || !settings.seeds.is_empty() {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{} holds no crawl yet; begin one with: sanderling crawl https://docs.example.org",
        settings.data.display()
    )))
}
