//! `run --autopilot`: once a week the policy is chosen anew by advice.
//!
//! Each decision is kept in the data folder with its reason, so that a restart goes on with the chosen
//! policy and `status` can tell it.
use crawl::{Span, Time};
use policy::PolicySpec;
use serde::{Deserialize, Serialize};
use store::View;
use tracing::info;

use super::{advise::Advised, session::is_begun, tally::instant};
use crate::{failure::Failure, settings::Settings};

/// The key of the decisions in a data folder.
pub(super) const KEY: &str = "autopilot";
/// The time between two decisions.
const INTERVAL: Span = Span::from_days(7);
/// Decisions that are kept.
const MOST: usize = 100;

/// A decision about the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// Milliseconds since 1970-01-01.
    at: i64,
    /// The policy from then on.
    pub(crate) policy: String,
    /// Whether it was another one before.
    pub(crate) is_change: bool,
    /// Why, in a sentence.
    reason: String,
}

impl Decision {
    /// In a line.
    pub(crate) fn words(&self) -> String {
        let at = instant(Time::from_millis(self.at));
        let what = if self.is_change { "changed to" } else { "kept" };
        format!("{at}: {what} {}: {}", self.policy, self.reason)
    }
}

/// The decisions so far, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Autopilot {
    decisions: Vec<Decision>,
}

impl Autopilot {
    /// The decisions that a data folder keeps; none where there is no folder yet.
    pub(crate) fn of_folder(settings: &Settings) -> Result<Self, Failure> {
        if !is_begun(settings) {
            return Ok(Self::default());
        }
        Self::read(View::open(&settings.data)?.get(KEY)?.as_deref())
    }

    /// Reads what a data folder keeps.
    pub(crate) fn read(stored: Option<&str>) -> Result<Self, Failure> {
        let Some(stored) = stored else { return Ok(Self::default()) };
        let decisions = serde_json::from_str(stored).map_err(|error| {
            Failure::Internal(format!("the autopilot's decisions cannot be read: {error}"))
        })?;
        Ok(Self { decisions })
    }

    /// What the data folder is to keep.
    pub(crate) fn stored(&self) -> Result<String, Failure> {
        serde_json::to_string(&self.decisions)
            .map_err(|error| Failure::Internal(format!("decisions cannot be written: {error}")))
    }

    /// The last decision.
    pub(crate) fn last(&self) -> Option<&Decision> {
        self.decisions.last()
    }

    /// The policy of the last decision.
    pub(crate) fn policy(&self) -> Option<PolicySpec> {
        PolicySpec::parse(&self.last()?.policy).ok()
    }

    /// Decides if a week has passed since the last decision. `None` where it has not, or where there is
    /// too little history.
    pub(crate) fn decide(
        &mut self,
        settings: &Settings,
        in_use: &str,
        now: Time,
    ) -> Result<Option<Decision>, Failure> {
        let is_early = |last: &Decision| now - Time::from_millis(last.at) < INTERVAL;
        if self.last().is_some_and(is_early) {
            return Ok(None);
        }
        let view = View::open(&settings.data)?;
        let advised = Advised::new(settings, &view, now)?;
        let Some(advice) = &advised.advice else {
            info!(checks = advised.checks, "autopilot: the history is too short");
            return Ok(None);
        };
        let best = &advice.contests[advice.best()];
        // A policy that cannot be simulated was stood in for by another one; it stays.
        let stays = advice.best() == 0;
        let policy = if stays { in_use } else { best.policy.name() };
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let reason = match best.lead.filter(|_| !stays) {
            Some(lead) => format!(
                "{} expected up to date, {:+.1} points ({:+.1} to {:+.1}) against {in_use}",
                percent(best.freshness.mean),
                lead.mean * 100.0,
                lead.low * 100.0,
                lead.high * 100.0
            ),
            None => format!(
                "{} expected up to date; no other policy is clearly better",
                percent(advice.contests[0].freshness.mean)
            ),
        };
        let decision =
            Decision { at: now.millis(), policy: policy.to_owned(), is_change: !stays, reason };
        info!(
            policy = decision.policy,
            changed = decision.is_change,
            reason = decision.reason,
            "autopilot"
        );
        self.decisions.push(decision);
        let surplus = self.decisions.len().saturating_sub(MOST);
        self.decisions.drain(..surplus);
        Ok(self.last().cloned())
    }
}

/// The last decision in a data folder, in words. One that cannot be read is left out: it only informs.
pub(crate) fn last(view: &View) -> Result<Option<String>, store::StoreError> {
    let stored = view.get(KEY)?;
    let autopilot = Autopilot::read(stored.as_deref()).unwrap_or_default();
    Ok(autopilot.last().map(Decision::words))
}
