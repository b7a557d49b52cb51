//! The known robots.txt of an origin: when it expires and what it disallows.
use crawl::{Fault, FaultKind, RobotsCopy, RobotsState, Span, Time};
use extract::read::directives::TOKEN;

use crate::robots::Rules;

/// How long an answer is valid (RFC 9309, section 2.4).
const HOLDS: Span = Span::from_days(1);

/// How long a failure is valid: a host that recovers should not have to wait for a day.
const FAILURE_HOLDS: Span = Span::from_millis(3_600_000);

/// The robots.txt of an origin.
#[derive(Clone, Debug)]
pub(crate) struct Robots {
    /// As stored, without exchanges.
    pub(crate) copy: RobotsCopy,
    pub(crate) rules: Rules,
}

impl Robots {
    pub(crate) fn new(mut copy: RobotsCopy) -> Self {
        copy.exchanges = vec![];
        let rules = match (&copy.state, &copy.good) {
            (RobotsState::Absent(_), _) => Rules::allow_all(),
            (RobotsState::Given | RobotsState::Unreachable(_), Some((_, file))) => {
                Rules::parse(file, TOKEN)
            }
            // There is a file, but its content is unknown, so nothing is allowed.
            (RobotsState::Given | RobotsState::Unreachable(_), None) => Rules::disallow_all(),
        };
        Self { copy, rules }
    }

    /// When it expires.
    pub(crate) fn due(&self) -> Time {
        let holds = match self.copy.state {
            RobotsState::Given | RobotsState::Absent(_) => HOLDS,
            RobotsState::Unreachable(_) => FAILURE_HOLDS,
        };
        self.copy.requested_at + holds
    }

    /// Whether it is still valid. A copy from the future (the clock was set back) is not.
    pub(crate) fn holds(&self, now: Time) -> bool {
        self.copy.requested_at <= now && now < self.due()
    }

    /// Why `address` may not be requested; `None` if it may. A host that cannot be reached is told from
    /// one that forbids it: the fault is the one that robots.txt failed with.
    pub(crate) fn refusal(&self, address: &str) -> Option<Fault> {
        if self.rules.allows(address) {
            return None;
        }
        Some(match (&self.copy.state, &self.copy.good) {
            (RobotsState::Unreachable(Fault { kind, why }), None) => {
                Fault { kind: *kind, why: format!("robots.txt cannot be fetched: {why}") }
            }
            _ => Fault {
                kind: FaultKind::Robots,
                why: match self.rules.matched(address) {
                    Some(line) => format!("robots.txt says \"{line}\""),
                    None => "robots.txt forbids it".to_owned(),
                },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUESTED: Time = Time::from_millis(1_000_000);

    fn robots(state: RobotsState, file: Option<&str>) -> Robots {
        Robots::new(RobotsCopy {
            origin: "http://a.org".to_owned(),
            requested_at: REQUESTED,
            fetches: 1,
            state,
            good: file.map(|file| (REQUESTED, file.as_bytes().to_vec())),
            sitemaps: vec![],
            exchanges: vec![],
        })
    }

    const FILE: Option<&str> = Some("User-agent: *\nDisallow: /private/");
    const PRIVATE: &str = "http://a.org/private/x";
    const PUBLIC: &str = "http://a.org/x";

    #[test]
    fn a_refusal_names_the_line() {
        let given = robots(RobotsState::Given, FILE);
        assert_eq!(given.refusal(PUBLIC), None);
        assert_eq!(
            given.refusal(PRIVATE),
            Some(Fault {
                kind: FaultKind::Robots,
                why: "robots.txt says \"Disallow: /private/\"".to_owned()
            })
        );
    }

    #[test]
    fn out_of_reach_the_last_file_holds_and_without_one_nothing_is_allowed() {
        let down =
            || RobotsState::Unreachable(Fault { kind: FaultKind::Busy, why: "503".to_owned() });
        let kept = robots(down(), FILE);
        assert_eq!(kept.refusal(PUBLIC), None);
        assert!(kept.refusal(PRIVATE).is_some());
        let none = robots(down(), None);
        let why = "robots.txt cannot be fetched: 503".to_owned();
        assert_eq!(none.refusal(PUBLIC), Some(Fault { kind: FaultKind::Busy, why }));
        assert_eq!(robots(RobotsState::Absent(404), FILE).refusal(PRIVATE), None);
    }

    #[test]
    fn an_answer_holds_for_a_day_and_a_failure_for_an_hour() {
        let hour = |hours: i64| REQUESTED + Span::from_millis(hours * 3_600_000);
        let given = robots(RobotsState::Given, FILE);
        assert!(given.holds(hour(23)) && !given.holds(hour(24)));
        let why = Fault { kind: FaultKind::Timeout, why: String::new() };
        let down = robots(RobotsState::Unreachable(why), FILE);
        assert!(down.holds(REQUESTED) && !down.holds(hour(1)));
        assert!(!given.holds(hour(-1)));
    }
}
