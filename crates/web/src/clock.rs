//! The clock of the live world: the machine's, or a faster one for demonstrations.
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crawl::{Span, Time};

/// The clock of a world. All clones show the same time.
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Real,
    Fast { start: Time, began: Instant, speed: f64, jumped: Option<Arc<AtomicI64>> },
}

impl Clock {
    /// The machine's clock.
    pub fn real() -> Self {
        Self(Kind::Real)
    }

    /// A clock that shows `start` now and runs `speed` times as fast as real time.
    ///
    /// # Panics
    /// If `speed` is not a positive number.
    pub fn fast(start: Time, speed: f64) -> Self {
        assert!(speed.is_finite() && speed > 0.0, "a clock must run");
        Self(Kind::Fast { start, began: Instant::now(), speed, jumped: None })
    }

    /// Like [`fast`](Self::fast), but waiting for an instant jumps there. For a web whose server uses
    /// the same clock.
    ///
    /// # Panics
    /// If `speed` is not a positive number.
    pub fn stepped(start: Time, speed: f64) -> Self {
        let mut clock = Self::fast(start, speed);
        if let Kind::Fast { jumped, .. } = &mut clock.0 {
            *jumped = Some(Arc::default());
        }
        clock
    }

    /// Jumps forward to `then`; false if this clock cannot jump.
    pub(crate) fn jump_to(&self, then: Time) -> bool {
        let Kind::Fast { jumped: Some(jumped), .. } = &self.0 else { return false };
        let ahead = (then - self.now()).millis();
        if ahead > 0 {
            jumped.fetch_add(ahead, Ordering::SeqCst);
        }
        true
    }

    /// The current time.
    pub fn now(&self) -> Time {
        match &self.0 {
            Kind::Real => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Time::from_millis(i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
            }
            Kind::Fast { start, began, jumped, .. } => {
                let jumped = jumped.as_ref().map_or(0, |jumped| jumped.load(Ordering::SeqCst));
                *start + self.world_time(began.elapsed()) + Span::from_millis(jumped)
            }
        }
    }

    /// The real time of `span`; zero if it is negative.
    pub fn real_time(&self, span: Span) -> Duration {
        let span = Duration::from_millis(u64::try_from(span.millis()).unwrap_or(0));
        match self.0 {
            Kind::Real => span,
            Kind::Fast { speed, .. } => {
                Duration::try_from_secs_f64(span.as_secs_f64() / speed).unwrap_or(Duration::MAX)
            }
        }
    }

    /// The time that passes on this clock during `real`.
    pub fn world_time(&self, real: Duration) -> Span {
        let speed = match self.0 {
            Kind::Real => 1.0,
            Kind::Fast { speed, .. } => speed,
        };
        Span::from_millis((real.as_secs_f64() * 1e3 * speed) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_clock_starts_where_it_is_told_and_takes_less_of_our_time() {
        let start = Time::from_millis(1_000_000);
        let clock = Clock::fast(start, 1_000.0);
        assert!(clock.now() >= start);
        assert_eq!(clock.real_time(Span::from_millis(60_000)), Duration::from_millis(60));
        assert_eq!(clock.world_time(Duration::from_millis(60)), Span::from_millis(60_000));
        assert_eq!(clock.real_time(Span::from_millis(-5)), Duration::ZERO);
    }

    #[test]
    fn a_stepped_clock_jumps_forward_and_never_back() {
        let start = Time::from_millis(1_000_000);
        let (clock, day) = (Clock::stepped(start, 1.0), Span::from_days(1));
        let copy = clock.clone();
        assert!(clock.jump_to(start + day) && copy.now() >= start + day);
        assert!(clock.jump_to(start) && copy.now() >= start + day);
        assert!(!Clock::fast(start, 1.0).jump_to(start + day) && !Clock::real().jump_to(start));
    }

    #[test]
    fn copies_of_a_clock_tell_the_same_time() {
        let clock = Clock::fast(Time::from_millis(0), 100.0);
        let copy = clock.clone();
        let (before, shown, after) = (clock.now(), copy.now(), clock.now());
        assert!(before <= shown && shown <= after);
    }
}
