//! `sanderling refresh`: one cycle, whose budget the policy spends.
use clap::Args;

use super::{
    crawl::{finished, held_words},
    failing::Failing,
    session::{Session, Work, is_begun},
    tally::{counted, spending},
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, default_cycle_limit, keys::Flags},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Write every event as a line of JSON to standard output, and everything else to standard error
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn refresh(arguments: &Arguments) -> Result<(), Failure> {
    let settings = Settings::load(&arguments.flags)?;
    let Some(budget) = settings.budget else {
        return Err(Failure::Input(
            "no budget is set; add --budget 200 (visits), 20MB or 10min, or budget = 200 to \
             sanderling.toml"
                .to_owned(),
        ));
    };
    check_begun(&settings)?;
    let (mut session, _) = Session::open_real(&settings)?;
    session.set_events(arguments.json);
    let limit = settings.cycle_limit.unwrap_or_else(default_cycle_limit);
    let work = Work::Cycle(budget, settings.interval);
    // Whoever waits at a terminal is told that there is nothing to do but wait.
    session.crawl.world.set_waits(false);
    let done = session.work_with_progress(work, Some(limit), arguments.quiet)?;
    let view = store::View::open(&settings.data)?;
    let failing = Failing::read(&view, session.now())?;
    if !arguments.quiet {
        let robots = counted(u64::from(done.robots_fetches), "request", "requests");
        let mut lines = vec![
            format!(
                "{} by {}: {}",
                spending(budget, done.tally.made(), done.received, done.took),
                session.policy_name(),
                done.tally.words(),
            ),
            format!("{} held; {robots} for robots.txt", held_words(&view.totals()?)),
        ];
        lines.extend(failing.host_lines(session.now()));
        output::tell(arguments.json, &lines.join("\n"))?;
    }
    let awaited = if done.is_spent(budget) { vec![] } else { session.awaited(false) };
    finished(&done, &failing, &awaited)
}

/// Refuses a folder without a crawl.
pub(crate) fn check_begun(settings: &Settings) -> Result<(), Failure> {
    if is_begun(settings) || !settings.seeds.is_empty() {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{} has no crawl yet; start one with: sanderling crawl https://docs.example.org",
        settings.data.display()
    )))
}
