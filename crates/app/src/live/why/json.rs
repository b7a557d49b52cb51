//! The explanation of a page as JSON.
use crawl::{Outcome, PageNo, Prediction, Reason};
use serde_json::{Value, json};
use store::{VisitRow, budget_unit, budget_value};

use super::Explanation;
use crate::live::{export::position_json, shares::Shares, tally::stamp};

impl Explanation {
    pub(super) fn json(&self) -> Value {
        let record = &self.view.record;
        let held = self.view.held.as_ref();
        let forecast = &self.forecast;
        let next = forecast.next.as_ref();
        json!({
            "url": self.view.address,
            "known": true,
            "state": record.state_name(),
            "first_seen": stamp(record.first_seen),
            "last_tried": record.last_tried.map(stamp),
            "last_seen": record.last_seen.map(stamp),
            "visits_answered": record.visits, "changes": record.changes,
            "misses": record.misses, "failures": record.failures,
            "said_changed": record.claimed_change.map(stamp),
            "noindex": held.map(|held| held.directives.noindex),
            "canonical": held.and_then(|held| held.directives.canonical.clone()),
            "changes_per_day": self.changes_per_day,
            "fresh_chance": self.fresh_probability,
            "exposure": self.exposure,
            "prediction": self.prediction_json(),
            "reasons": forecast.reasons,
            "policy": self.policy,
            "settings_policy": self.other_policy,
            "score": next.and_then(|next| next.score),
            "rank": next.map(|next| next.rank),
            "visits_in_cycle": next.map(|next| next.visits),
            "due_pages": forecast.due,
            "budget": forecast.budget.map(budget_value),
            "budget_unit": forecast.budget.map_or("visits", budget_unit),
            "cycles_until_visit": next.filter(|_| forecast.budget.is_some()).map(|next| next.cycles),
            "next_visit": next.and_then(|next| next.at).map(stamp),
            "next_visit_reason": next.map(|next| reason_name(next.reason)),
            "robots": { "allowed": self.permission.allowed, "rule": self.permission.rule },
            "delay_seconds": self.permission.delay.millis() as f64 / 1e3,
            "back_off_until": self.permission.back_off_until.map(stamp),
            "leads": self.leads.pages, "led_last": self.leads.last.map(stamp),
            "visits": self.visits_json(),
        })
    }

    fn prediction_json(&self) -> Option<Value> {
        let Prediction { probability, visits, experts } = self.forecast.prediction.as_ref()?;
        let expert =
            |(url, (_, weight)): (&String, &(PageNo, f64))| json!({ "url": url, "weight": weight });
        let experts: Vec<Value> = self.experts.iter().zip(experts).map(expert).collect();
        Some(json!({ "probability": probability, "visits": visits, "experts": experts }))
    }

    fn visits_json(&self) -> Vec<Value> {
        let visit = |(visit, shares): (&VisitRow, &Option<Shares>)| {
            let mut value = visit_json(visit);
            value["paid_by"] = json!(shares.as_ref().map(|shares| shares.name(visit.reason)));
            value
        };
        self.visits.iter().zip(&self.shares).map(visit).collect()
    }
}

/// A visit, as in `why --json` and the API.
pub(crate) fn visit_json(visit: &VisitRow) -> Value {
    json!({
        "number": visit.no, "cycle": visit.cycle, "at": stamp(visit.at),
        "reason": reason_name(visit.reason),
        "outcome": store::outcome_name(visit.outcome),
        "change": match visit.outcome {
            Outcome::Changed(change) => Some(change),
            _ => None,
        },
        "leads": visit.leads,
        "impact": visit.impact,
        "status": visit.status, "mime": visit.mime, "bytes": visit.bytes,
        "fault": visit.fault.as_ref().map(|fault| json!({
            "kind": fault.kind.name(), "why": fault.why,
        })),
        "warc": visit.position.as_ref().map(position_json),
    })
}

/// The name of a reason in JSON and in the log.
pub(crate) fn reason_name(reason: Reason) -> String {
    format!("{reason:?}").to_lowercase()
}
