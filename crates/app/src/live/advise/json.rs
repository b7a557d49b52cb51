//! Advice as JSON.
use serde_json::{Value, json};

use super::{Advised, range_json};
use crate::live::tally::stamp;

impl Advised {
    pub(crate) fn json(&self, target: f64) -> Value {
        let Some(advice) = &self.advice else {
            return json!({
                "now": stamp(self.now), "advice": null, "repeated_visits": self.checks,
                "why": self.too_short(), "notes": self.notes,
            });
        };
        let (least, most) = advice.curve.budget_for(target);
        json!({
            "now": stamp(self.now),
            "budget": self.budget,
            "interval_seconds": self.interval.millis() / 1_000,
            "repeated_visits": advice.checks,
            "notes": self.notes,
            "advice": {
                "held": advice.held,
                "simulated": advice.simulated,
                "horizon_days": advice.horizon.days(),
                "policy": advice.contests[advice.best()].policy.name(),
                "policies": advice.contests.iter().map(|contest| json!({
                    "policy": contest.policy.name(),
                    "freshness": range_json(contest.freshness),
                    "changes": range_json(contest.changes),
                    "difference": contest.lead.map(range_json),
                })).collect::<Vec<_>>(),
                "curve": advice.curve.offers().iter().map(|offer| json!({
                    "budget": offer.budget,
                    "freshness": range_json(offer.freshness),
                    "known": offer.freshness.is_known(),
                    "gain": range_json(offer.gain),
                    "changes": range_json(offer.changes),
                    "new_pages": offer.new_pages.map(range_json),
                })).collect::<Vec<_>>(),
                "target": { "freshness": target, "least": least, "most": most },
                "without_visits": advice.unvisited,
                "hosts": advice.hosts.iter().take(100).map(|host| json!({
                    "host": host.host, "pages": host.pages, "visits": host.visits,
                    "freshness": host.freshness,
                })).collect::<Vec<_>>(),
            },
        })
    }
}
