//! What robots.txt and politeness say about one page, from stored state.
use crawl::{FaultKind, HostState, RobotsCopy, Span, Time};

use crate::{
    DelayReason, Settings,
    politeness::{self, Politeness},
    robots_cache::Robots,
};

/// What robots.txt and politeness say about one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchPermission {
    /// Whether robots.txt allows it; `None` if robots.txt was never fetched.
    pub allowed: Option<bool>,
    /// The line of robots.txt that decides, or why nothing is allowed.
    pub rule: Option<String>,
    /// Whether nothing is allowed because robots.txt cannot be fetched; no rule forbids it.
    pub is_unreachable: bool,
    /// When robots.txt expires; the next visit after that fetches it again. `None` if it was
    /// never fetched.
    pub robots_due: Option<Time>,
    /// The delay after an answer of its host.
    pub delay: Span,
    /// The reason for the delay.
    pub delay_reason: DelayReason,
    /// The end of its host's back-off; `None` if it does not back off.
    pub back_off_until: Option<Time>,
}

/// What robots.txt and politeness say about the page at `address` at `now`, from the stored state of
/// its origin and its host. Sends no request.
pub fn fetch_permission(
    address: &str,
    settings: &Settings,
    robots: Option<&RobotsCopy>,
    state: Option<&HostState>,
    now: Time,
) -> FetchPermission {
    let robots = robots.map(|copy| {
        // Exchanges do not matter here and may be large.
        Robots::new(RobotsCopy { exchanges: vec![], ..copy.clone() })
    });
    let refusal = robots.as_ref().and_then(|robots| robots.refusal(address));
    let is_unreachable = refusal.as_ref().is_some_and(|fault| fault.kind != FaultKind::Robots);
    let refusal = refusal.map(|fault| fault.why);
    let matched = || {
        let line = robots.as_ref()?.rules.matched(address)?;
        Some(format!("robots.txt says \"{line}\""))
    };
    let crawl_delay = robots.as_ref().and_then(|robots| robots.rules.crawl_delay());
    let response_millis = state.map_or(0, |state| state.response_millis);
    let (delay, delay_reason) = politeness::delay(settings, crawl_delay, response_millis);
    let state = state.map(|state| Politeness::new(state.clone(), settings, now).host_state());
    FetchPermission {
        allowed: robots.as_ref().map(|_| refusal.is_none()),
        robots_due: robots.as_ref().map(Robots::due),
        rule: refusal.clone().or_else(matched),
        is_unreachable,
        delay,
        delay_reason,
        back_off_until: state.and_then(|state| state.back_off_until).filter(|&at| at > now),
    }
}

#[cfg(test)]
mod tests {
    use crawl::RobotsState;

    use super::*;

    const NOW: Time = Time::from_millis(1_000_000_000);

    fn copy(file: &str) -> RobotsCopy {
        RobotsCopy {
            origin: "http://a.org".to_owned(),
            requested_at: NOW,
            fetches: 1,
            state: RobotsState::Given,
            good: Some((NOW, file.as_bytes().to_vec())),
            sitemaps: vec![],
            exchanges: vec![],
        }
    }

    #[test]
    fn says_which_rule_decides_and_why_a_host_is_left_alone() {
        let settings = Settings::default();
        let file = copy("User-agent: *\nCrawl-delay: 5\nDisallow: /x");
        let state = HostState {
            back_off_until: Some(NOW + Span::from_millis(9)),
            response_millis: 10,
            ..HostState::default()
        };
        let permission =
            fetch_permission("http://a.org/x", &settings, Some(&file), Some(&state), NOW);
        assert_eq!(
            permission,
            FetchPermission {
                allowed: Some(false),
                rule: Some("robots.txt says \"Disallow: /x\"".to_owned()),
                is_unreachable: false,
                robots_due: Some(NOW + Span::from_days(1)),
                delay: Span::from_millis(5_000),
                delay_reason: DelayReason::CrawlDelay,
                back_off_until: Some(NOW + Span::from_millis(9)),
            }
        );
    }

    #[test]
    fn says_nothing_of_what_is_not_known() {
        let permission = fetch_permission("http://a.org/x", &Settings::default(), None, None, NOW);
        assert_eq!(
            (permission.allowed, permission.rule, permission.back_off_until),
            (None, None, None)
        );
        assert_eq!(permission.delay_reason, DelayReason::Configured);
    }
}
