//! The clock of crawls, and one that is before the last visit of a data folder.
use std::thread;

use crawl::{Span, Time};
use store::Store;
use web::Clock;

use super::tally::{duration, instant};
use crate::failure::Failure;

/// The variable that sets the clock of a process, in milliseconds since 1970: for tests of long runs.
const NOW: &str = "SANDERLING_NOW";

/// The clock of crawls: the machine's, unless a test sets another.
pub(crate) fn clock() -> Clock {
    let Ok(text) = std::env::var(NOW) else { return Clock::real() };
    text.parse().map_or_else(
        |_| {
            eprintln!("{NOW} is not a number of milliseconds: {text}; the machine's clock is used");
            Clock::real()
        },
        |now| Clock::fast(Time::from_millis(now), 1.0),
    )
}

/// A difference as small as this, as after a correction of the clock, is waited out.
const SHORT: Span = Span::from_millis(60_000);

/// Waits until the clock shows the last instant of the data folder, and says so. A clock that is further
/// back is refused: every visit would be before the last one, and nothing would be due for that long.
pub(crate) fn check(store: &Store, clock: &Clock) -> Result<(), Failure> {
    let Some(last) = store.last_instant()? else { return Ok(()) };
    match wait(last, clock.now()) {
        Ok(None) => Ok(()),
        Ok(Some(span)) => {
            eprintln!(
                "the clock is {} before the last visit of this data folder; waiting until {}",
                duration(span),
                instant(last)
            );
            thread::sleep(clock.real_time(span));
            Ok(())
        }
        Err(why) => Err(Failure::Input(why)),
    }
}

/// How long to wait; an error if that is too long.
fn wait(last: Time, now: Time) -> Result<Option<Span>, String> {
    let behind = last - now;
    if behind.millis() <= 0 {
        return Ok(None);
    }
    if behind <= SHORT {
        return Ok(Some(behind));
    }
    Err(format!(
        "the clock shows {}, which is {} before the last visit of this data folder ({}); set the clock, or \
         continue from a copy of the folder that is older than the wrong time",
        instant(now),
        duration(behind),
        instant(last)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_a_little_behind_is_waited_for_and_one_far_behind_is_refused() {
        let last = Time::from_millis(1_794_744_000_000);
        let at = |seconds: i64| Time::from_millis(last.millis() - seconds * 1_000);
        assert_eq!(wait(last, last), Ok(None));
        assert_eq!(wait(last, at(-5)), Ok(None));
        assert_eq!(wait(last, at(30)), Ok(Some(Span::from_millis(30_000))));
        let why = wait(last, at(90 * 86_400)).unwrap_err();
        assert!(why.contains("before the last visit") && why.contains("set the clock"), "{why}");
    }
}
