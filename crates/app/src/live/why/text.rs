//! The explanation of a page as text.
use std::fmt::Write;

use crawl::{Form, Outcome, Prediction, Reason, Span, State, Time};
use store::VisitRow;
use web::{DelayReason, FetchPermission};

use super::Explanation;
use crate::live::{
    impact::{self, Effects},
    shares::Shares,
    tally::{counted, duration, grouped, instant},
};

/// The number of related pages shown.
const EXPERTS: usize = 5;

impl Explanation {
    pub(super) fn text(&self, now: Time) -> String {
        let mut lines = vec![self.view.address.clone()];
        lines.extend(self.lines(now).iter().map(|(name, text)| format!("  {name:<11} {text}")));
        lines.push(String::new());
        lines.push(match self.visits.len() {
            0 => "  No visits yet.".to_owned(),
            visits => {
                format!("  Last {}, newest first", counted(visits as u64, "visit", "visits"))
            }
        });
        for (visit, shares) in self.visits.iter().zip(&self.shares) {
            lines.push(format!("  {}", visit_line(visit, shares.as_ref())));
        }
        lines.join("\n")
    }

    /// Names and texts; an empty name continues the text above.
    pub(super) fn lines(&self, now: Time) -> Vec<(&'static str, String)> {
        let mut lines = vec![];
        let mut line = |name, text| lines.push((name, text));
        line("State", self.state(now));
        let notes = self.notes();
        if !notes.is_empty() {
            line("", notes.join("; "));
        }
        if let Some(claimed) = self.view.record.claimed_change {
            line("Signal", format!("a sitemap or feed says it changed at {}", instant(claimed)));
        }
        line("Changes", self.changes());
        if let Some(prediction) = &self.forecast.prediction {
            line("Prediction", self.prediction(prediction));
        }
        for (place, reason) in self.forecast.reasons.iter().enumerate() {
            line(if place == 0 { "Estimate" } else { "" }, reason.clone());
        }
        line("Impact", self.impact());
        line("New pages", self.leads.words());
        line("Next visit", self.next_visit());
        if let Some(other) = &self.other_policy {
            let used = &self.policy;
            line(
                "",
                format!("{used} is the policy of the last refresh; the settings name {other}"),
            );
        }
        line("Robots", robots_words(&self.permission));
        line("Politeness", politeness_words(&self.permission));
        lines
    }

    fn state(&self, now: Time) -> String {
        let record = &self.view.record;
        match (record.state, &self.view.held) {
            (State::Held, Some(held)) => format!(
                "held: {}, {}, fetched {} ago",
                form_words(held.form),
                counted(u64::from(held.counts.words), "word", "words"),
                duration(now - held.at)
            ),
            (State::Held, None) => "held".to_owned(),
            _ if record.is_missing() => {
                let times = counted(u64::from(record.misses), "time", "times");
                format!("missing: a dead link, not found {times}, never held; checked rarely")
            }
            (State::Linked, _) => {
                format!("known since {}, not held yet", instant(record.first_seen))
            }
            (State::Gone, _) => "gone; revisited rarely".to_owned(),
        }
    }

    /// What the page itself says to crawlers.
    fn notes(&self) -> Vec<String> {
        let Some(held) = &self.view.held else { return vec![] };
        let directives = &held.directives;
        let mut notes = vec![];
        if directives.noindex {
            notes.push("noindex: not in search results".to_owned());
        }
        if directives.nofollow {
            notes.push("nofollow: its links are not followed".to_owned());
        }
        if let Some(own) = &directives.canonical {
            notes.push(format!("its canonical URL is {own}"));
        }
        notes
    }

    fn changes(&self) -> String {
        let record = &self.view.record;
        let counts = format!(
            "{} in {}",
            counted(u64::from(record.changes), "change", "changes"),
            counted(u64::from(record.visits), "answered visit", "answered visits")
        );
        match (self.changes_per_day, self.fresh_probability) {
            (Some(rate), Some(probability)) if record.state == State::Held => format!(
                "{counts}; estimated change interval {}; {:.0} % likely still fresh",
                duration(Span::from_millis((86_400_000.0 / rate) as i64)),
                probability * 100.0
            ),
            _ => counts,
        }
    }

    fn prediction(&self, prediction: &Prediction) -> String {
        let change =
            format!("{:.0} % likely to change by the next cycle", prediction.probability * 100.0);
        let visits = counted(prediction.visits as u64, "visit", "visits");
        match (prediction.visits, &self.experts[..]) {
            (0, _) => format!("{change}, from change rates: too few visits to learn from"),
            (_, []) => format!("{change}, learned from its last {visits}"),
            (_, experts) => {
                let pages = counted(experts.len() as u64, "related page", "related pages");
                let shown: Vec<&str> = experts.iter().take(EXPERTS).map(String::as_str).collect();
                let more = if experts.len() > EXPERTS { " and others" } else { "" };
                let indent = format!("\n{:14}", "");
                format!(
                    "{change}, learned from its last {visits} and those of {pages}:{indent}{}{more}",
                    shown.join(&indent)
                )
            }
        }
    }

    fn impact(&self) -> String {
        let exposure = self.exposure.map(|exposure| impact::exposure_words(f64::from(exposure)));
        let effects = Effects::from_visits(&self.visits).words();
        let words: Vec<String> = exposure.into_iter().chain(effects).collect();
        if words.is_empty() {
            "not measured yet: it needs a query workload (--queries, or some days of searches), then visits"
                .to_owned()
        } else {
            words.join("; ")
        }
    }

    fn next_visit(&self) -> String {
        let words = self.forecast.words(&self.policy);
        let reason = self.forecast.next.as_ref().map(|next| next.reason);
        match (Shares::parse(&self.policy), reason) {
            (Some(shares), Some(reason)) => format!("{words}; {}", shares.words(reason)),
            _ => words,
        }
    }
}

fn robots_words(permission: &FetchPermission) -> String {
    let rule = permission.rule.as_ref().map_or(String::new(), |rule| format!(": {rule}"));
    match permission.allowed {
        None => "robots.txt not fetched yet".to_owned(),
        _ if permission.is_unreachable => permission.rule.clone().unwrap_or_default(),
        Some(true) => format!("allowed{rule}"),
        Some(false) => format!("not allowed{rule}"),
    }
}

fn politeness_words(permission: &FetchPermission) -> String {
    let because = match permission.delay_reason {
        DelayReason::Configured => "as configured",
        DelayReason::CrawlDelay => "because of its Crawl-delay",
        DelayReason::ResponseTime => "because its last response was slow",
    };
    let mut words =
        format!("{} between requests to its host, {because}", duration(permission.delay));
    if let Some(until) = permission.back_off_until {
        let _ = write!(words, "; the host backs off until {}", instant(until));
    }
    words
}

fn visit_line(visit: &VisitRow, shares: Option<&Shares>) -> String {
    let outcome = match visit.outcome {
        // Detectors that do not measure the amount of change report 1.
        Outcome::Changed(change) if change < 1.0 => {
            format!("changed by {:.0} %", (change * 100.0).max(1.0))
        }
        other => store::outcome_name(other).to_owned(),
    };
    let status = visit.status.map_or(String::new(), |status| format!(" {status}"));
    let fault = visit.fault.as_ref().map_or(String::new(), |fault| format!(": {fault}"));
    let effect = match visit.impact {
        Some(share) if share > 0.0 => format!(", {}", impact::words(f64::from(share))),
        _ => String::new(),
    };
    let leads = match visit.leads {
        // When a crawl starts, every page is new.
        leads if leads > 0 && visit.reason != Reason::First => {
            format!(", found {}", counted(leads as u64, "new page", "new pages"))
        }
        _ => String::new(),
    };
    let share = shares.map_or(String::new(), |shares| format!(", {}", shares.words(visit.reason)));
    let place = visit.position.as_ref().map_or(String::new(), |position| {
        format!("  {} at {}", position.file, grouped(position.offset))
    });
    format!("{}  {outcome}{status}{fault}{effect}{leads}{share}{place}", instant(visit.at))
}

/// The form of a page as people call it.
fn form_words(form: Form) -> &'static str {
    match form {
        Form::Html => "HTML",
        Form::Text => "plain text",
        Form::Sitemap => "sitemap",
        Form::Feed => "feed",
        Form::Xml => "XML",
        Form::Other => "a file without text",
        Form::Moved => "redirect",
        Form::Pdf => "PDF",
    }
}
