//! Asks the policy for the next visits in the background, while nothing else happens. Then the same thread
//! asks for advice.
use std::{
    sync::{Arc, Mutex, TryLockError, Weak},
    thread,
    time::{Duration, Instant},
};

use store::View;

use super::{
    advising,
    state::{State, lock},
};
use crate::{
    failure::Failure,
    live::{next_visits::NextVisits, why},
};

/// The visits shown.
pub(crate) const VISITS: usize = 50;
/// A forecast loads the whole data folder a second time, so it is made up to this many pages.
pub(crate) const MOST_PAGES: u64 = 250_000;
/// How often to look whether a forecast is due.
const TICK: Duration = Duration::from_secs(1);
/// After a forecast the thread pauses this many times as long.
const PAUSE: u32 = 20;
/// Without new visits pages still age, so a forecast is made anew after this time.
const OLDEST: Duration = Duration::from_mins(10);

/// The last forecast.
#[derive(Default)]
pub(crate) struct Forecasted {
    last: Mutex<Option<Result<Arc<NextVisits>, String>>>,
    /// One explanation of a page at a time: each reads the whole log.
    explaining: Mutex<()>,
}

impl Forecasted {
    /// The last forecast, or why there is none; `None` before the first.
    pub(crate) fn last(&self) -> Option<Result<Arc<NextVisits>, String>> {
        lock(&self.last).clone()
    }

    /// What `sanderling why` says about a page; `None` while another page is explained.
    pub(crate) fn explain(
        &self,
        state: &State,
        page: crawl::PageNo,
    ) -> Option<Result<Vec<(&'static str, String)>, Failure>> {
        let _turn = match self.explaining.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let explained = View::open(state.folder())
            .map_err(Failure::from)
            .and_then(|view| why::lines(&state.settings, &view, page, state.now_of(&view)));
        Some(explained)
    }
}

/// Whether the data folder is too large for forecasts beside a crawl.
pub(crate) fn is_too_large(state: &State) -> bool {
    let totals = &state.following.published().status.totals;
    totals.held + totals.linked + totals.gone > MOST_PAGES
}

/// Starts the thread. It ends with the state, at most a forecast later.
pub(crate) fn start(state: &Arc<State>) -> std::io::Result<()> {
    let state = Arc::downgrade(state);
    thread::Builder::new().name("forecasting".to_owned()).spawn(move || run(&state)).map(drop)
}

fn run(state: &Weak<State>) {
    let (mut seen, mut done): (u64, Option<(u64, Instant)>) = (0, None);
    let (mut pause_until, mut advise_after) = (Instant::now(), Instant::now());
    loop {
        {
            let Some(state) = state.upgrade() else { return };
            let published = state.following.published();
            let position = published.position;
            let is_running = published.activity.is_running;
            let is_quiet = position == seen && position > 0 && !is_running;
            seen = position;
            let is_due = done.is_none_or(|(of, at)| of != position || at.elapsed() >= OLDEST);
            let is_idle = is_quiet && !is_too_large(&state);
            if is_idle && is_due && Instant::now() >= pause_until {
                let begun = Instant::now();
                forecast(&state);
                done = Some((position, Instant::now()));
                pause_until = Instant::now() + begun.elapsed() * PAUSE;
                state.changed();
            } else if is_idle
                && Instant::now() >= advise_after
                && state.advising.is_due(position, Instant::now())
            {
                let begun = Instant::now();
                if advising::advise(&state, position) {
                    state.changed();
                }
                advise_after = Instant::now() + begun.elapsed() * PAUSE;
            }
        }
        thread::sleep(TICK);
    }
}

fn forecast(state: &State) {
    let made = View::open(state.folder())
        .map_err(Failure::from)
        .and_then(|view| NextVisits::new(&state.settings, &view, state.now_of(&view), VISITS));
    let made = made.map(Arc::new).map_err(|failure| {
        let why = failure.to_string();
        state.report(why.trim_start_matches("error: "));
        why
    });
    *lock(&state.forecasted.last) = Some(made);
}
