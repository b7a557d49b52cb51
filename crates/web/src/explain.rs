//! What robots.txt and politeness say of one page, from what is remembered: for those who ask why.
use flow::{Manners, RobotsCopy, Span, Time};

use crate::{
    DelayReason, Settings,
    polite::{self, Polite},
    robots_cache::Robots,
};

/// What robots.txt and politeness say of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may be fetched; `None` where robots.txt was never asked for.
    pub allowed: Option<bool>,
    /// The line of robots.txt that decides, or why nothing is allowed.
    pub rule: Option<String>,
    /// When robots.txt will be asked for again, at the next visit after that; `None` where it was
    /// never asked for.
    pub robots_due: Option<Time>,
    /// How long its host is left alone after an answer.
    pub delay: Span,
    /// Why that long.
    pub delay_reason: DelayReason,
    /// Until when its host rests; `None` where it does not.
    pub resting_until: Option<Time>,
}

/// What robots.txt and politeness say of the page at `address`, from what is remembered of its
/// origin and its host, seen from `now`. Asks nobody.
pub fn explain(
    address: &str,
    settings: &Settings,
    robots: Option<&RobotsCopy>,
    manners: Option<&Manners>,
    now: Time,
) -> Verdict {
    let robots = robots.map(|copy| {
        // What was said on the wire does not matter here, and may be large.
        Robots::new(RobotsCopy { exchanges: vec![], ..copy.clone() })
    });
    let refusal = robots.as_ref().and_then(|robots| robots.refusal(address));
    let matched = || {
        let line = robots.as_ref()?.rules.matched(address)?;
        Some(format!("robots.txt says \"{line}\""))
    };
    let crawl_delay = robots.as_ref().and_then(|robots| robots.rules.crawl_delay());
    let response_millis = manners.map_or(0, |manners| manners.response_millis);
    let (delay, delay_reason) = polite::delay(settings, crawl_delay, response_millis);
    let manners = manners.map(|manners| Polite::new(manners.clone(), settings, now).manners());
    Verdict {
        allowed: robots.as_ref().map(|_| refusal.is_none()),
        robots_due: robots.as_ref().map(Robots::due),
        rule: refusal.clone().or_else(matched),
        delay,
        delay_reason,
        resting_until: manners.and_then(|manners| manners.resting_until).filter(|&at| at > now),
    }
}

#[cfg(test)]
mod tests {
    use flow::RobotsState;

    use super::*;

    const NOW: Time = Time::from_millis(1_000_000_000);

    fn copy(file: &str) -> RobotsCopy {
        RobotsCopy {
            origin: "http://a.org".to_owned(),
            asked: NOW,
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
        let manners = Manners {
            resting_until: Some(NOW + Span::from_millis(9)),
            response_millis: 10,
            ..Manners::default()
        };
        let verdict = explain("http://a.org/x", &settings, Some(&file), Some(&manners), NOW);
        assert_eq!(
            verdict,
            Verdict {
                allowed: Some(false),
                rule: Some("robots.txt says \"Disallow: /x\"".to_owned()),
                robots_due: Some(NOW + Span::from_days(1)),
                delay: Span::from_millis(5_000),
                delay_reason: DelayReason::CrawlDelay,
                resting_until: Some(NOW + Span::from_millis(9)),
            }
        );
    }

    #[test]
    fn says_nothing_of_what_is_not_known() {
        let verdict = explain("http://a.org/x", &Settings::default(), None, None, NOW);
        assert_eq!((verdict.allowed, verdict.rule, verdict.resting_until), (None, None, None));
        assert_eq!(verdict.delay_reason, DelayReason::Configured);
    }
}
