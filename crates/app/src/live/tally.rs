//! Counts visits by outcome, and formats numbers, sizes and times.
use std::collections::BTreeMap;

use crawl::{Allowance, Fault, FaultKind, Observation, Outcome, Reason, Span};

/// What became of visits, in words.
const FAILED: &str = "failed";
const UNREACHABLE: &str = "on unreachable hosts";
const NOT_ALLOWED: &str = "not allowed";

/// Visits by outcome, failures by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) first: u32,
    pub(crate) same: u32,
    pub(crate) changed: u32,
    pub(crate) missing: u32,
    pub(crate) gone: u32,
    pub(crate) failed: u32,
    pub(crate) unreached: u32,
    pub(crate) refused: u32,
    /// Not requested, because the robots.txt of the host cannot be fetched.
    pub(crate) unreachable: u32,
    /// By what became of the visits, in words, and by kind.
    faults: BTreeMap<(&'static str, FaultKind), u32>,
    /// The latest failure or refusal.
    pub(crate) latest_fault: Option<Fault>,
}

impl Tally {
    pub(crate) fn add(&mut self, seen: &Observation) {
        let is_rule = seen.fault.as_ref().is_none_or(|fault| fault.kind.is_rule());
        let count = match seen.outcome {
            // What was not held cannot go away.
            Outcome::Gone if seen.reason == Reason::First => &mut self.missing,
            Outcome::Refused if !is_rule => &mut self.unreachable,
            Outcome::First => &mut self.first,
            Outcome::Same => &mut self.same,
            Outcome::Changed(_) => &mut self.changed,
            Outcome::Missing => &mut self.missing,
            Outcome::Gone => &mut self.gone,
            Outcome::Failed => &mut self.failed,
            Outcome::Unreached => &mut self.unreached,
            Outcome::Refused => &mut self.refused,
        };
        *count += 1;
        if let Some(fault) = &seen.fault {
            self.latest_fault = Some(fault.clone());
        }
        if let Some(fault) = &seen.fault {
            let what = match seen.outcome {
                Outcome::Refused if is_rule => NOT_ALLOWED,
                Outcome::Refused => UNREACHABLE,
                _ => FAILED,
            };
            *self.faults.entry((what, fault.kind)).or_default() += 1;
        }
    }

    /// Visits made: all but those not reached, not allowed or not requested.
    pub(crate) fn made(&self) -> u32 {
        self.first + self.same + self.changed + self.missing + self.gone + self.failed
    }

    /// Visits that got an answer.
    pub(crate) fn answered(&self) -> u32 {
        self.made() - self.failed
    }

    /// The outcomes that occurred, such as "12 new, 3 changed, 180 unchanged, 5 failed (timeout 5)".
    pub(crate) fn words(&self) -> String {
        let mut parts = vec![];
        let named = [
            (self.first, "new"),
            (self.changed, "changed"),
            (self.same, "unchanged"),
            (self.missing, "missing"),
            (self.gone, "gone"),
            (self.failed, FAILED),
            (self.unreachable, UNREACHABLE),
            (self.refused, NOT_ALLOWED),
            (self.unreached, "not reached"),
        ];
        for (count, word) in named.into_iter().filter(|(count, _)| *count > 0) {
            let of_word = self.faults.iter().filter(|((what, _), _)| *what == word);
            let kinds: Vec<String> =
                of_word.map(|((_, kind), count)| format!("{} {count}", kind.label())).collect();
            let kinds =
                if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
            parts.push(format!("{} {word}{kinds}", grouped(u64::from(count))));
        }
        if parts.is_empty() { "nothing to visit".to_owned() } else { parts.join(", ") }
    }
}

/// 1234567 as 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with the singular or plural of its unit.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A number of bytes in the unit that fits.
pub(crate) fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.2} GB", number as f64 / 1e9),
    }
}

/// A budget with its unit.
pub(crate) fn budget(budget: Allowance) -> String {
    match budget {
        Allowance::Visits(visits) => counted(u64::from(visits), "visit", "visits"),
        Allowance::Bytes(number) => bytes(number),
        Allowance::Time(span) => duration(span),
    }
}

/// What was spent of a budget, such as "200 visits of a budget of 200 in 3.0 s".
pub(crate) fn spending(budget: Allowance, visits: u32, received: u64, took: Span) -> String {
    let visits = counted(u64::from(visits), "visit", "visits");
    let took = duration(took);
    match budget {
        Allowance::Visits(most) => format!("{visits} of a budget of {most} in {took}"),
        Allowance::Bytes(most) => {
            format!("{visits}, {} of a budget of {}, in {took}", bytes(received), bytes(most))
        }
        Allowance::Time(most) => {
            let most = duration(most);
            format!("{visits}, {}, in {took} of a budget of {most}", bytes(received))
        }
    }
}

/// A length of time in the unit that fits.
pub(crate) fn duration(span: Span) -> String {
    let seconds = span.millis() as f64 / 1e3;
    match seconds {
        ..1.0 => format!("{:.0} ms", seconds * 1e3),
        1.0..120.0 => format!("{seconds:.1} s"),
        120.0..7_200.0 => format!("{:.0} min", seconds / 60.0),
        7_200.0..172_800.0 => format!("{:.1} h", seconds / 3_600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

/// An instant as 2026-11-15 12:00:00 UTC.
pub(crate) fn instant(time: crawl::Time) -> String {
    let stamp = jiff::Timestamp::from_millisecond(time.millis()).unwrap_or_default();
    stamp.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// An instant as 2026-11-15T12:00:00.123Z, for machines.
pub(crate) fn stamp(time: crawl::Time) -> String {
    jiff::Timestamp::from_millisecond(time.millis()).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use crawl::Time;

    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "page", "pages"), "1 page");
        assert_eq!(bytes(34_500_000), "34.5 MB");
        assert_eq!(duration(Span::from_millis(1_500)), "1.5 s");
        assert_eq!(duration(Span::from_days(3)), "3.0 days");
        assert_eq!(instant(Time::from_millis(0)), "1970-01-01 00:00:00 UTC");
    }

    #[test]
    fn what_was_spent_is_told_in_the_unit_of_the_budget() {
        let spent = |budget| spending(budget, 12, 19_800_000, Span::from_millis(61_000));
        assert_eq!(spent(Allowance::Visits(15)), "12 visits of a budget of 15 in 61.0 s");
        assert_eq!(
            spent(Allowance::Bytes(20_000_000)),
            "12 visits, 19.8 MB of a budget of 20.0 MB, in 61.0 s"
        );
        assert_eq!(
            spent(Allowance::Time(Span::from_millis(60_000))),
            "12 visits, 19.8 MB, in 61.0 s of a budget of 60.0 s"
        );
        assert_eq!(budget(Allowance::Visits(1)), "1 visit");
    }

    #[test]
    fn outcomes_are_listed_and_failures_by_kind() {
        let mut tally = Tally {
            first: 1_200,
            same: 3,
            failed: 2,
            refused: 1,
            unreached: 4,
            ..Tally::default()
        };
        tally.faults.insert((FAILED, FaultKind::Timeout), 2);
        tally.faults.insert((NOT_ALLOWED, FaultKind::Robots), 1);
        assert_eq!(
            tally.words(),
            "1,200 new, 3 unchanged, 2 failed (timeout 2), 1 not allowed (robots.txt 1), 4 not reached"
        );
        assert_eq!((tally.made(), tally.answered()), (1_205, 1_203));
        assert_eq!(Tally::default().words(), "nothing to visit");
    }
}
