//! `sanderling why URL`: what is believed of a page, when it will be visited and for what reason.
use std::{fmt::Write, path::PathBuf};

use clap::Args;
use flow::{Foresight, PageNo, Reason, State, Time, read::address};
use policy::FreshnessEstimate;
use serde_json::{Value, json};
use store::{Loaded, PageView, View, VisitRow};
use web::Verdict;

use super::{
    Reading,
    admission::Admission,
    asked, features,
    forecast::{Forecast, Rank},
    impact::{self, Effects},
    led::Led,
    paid::Shares,
    session,
    tally::{counted, duration, grouped, instant, stamp},
};
use crate::{failure::Failure, output, settings::Settings};

/// So many visits are shown.
const VISITS: usize = 10;
/// So many of the pages that were asked about its future.
const EXPERTS: usize = 5;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The page's address
    #[arg(value_name = "URL")]
    url: String,
    /// Visits in a cycle, against which the page's rank is held [default: the setting, else that of
    /// the last refresh]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// What people ask for, by which the page's place in search results is told [default: the setting,
    /// else the search page's log]
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Everything that is told of a known page.
struct Answer {
    view: PageView,
    visits: Vec<VisitRow>,
    changes_per_day: Option<f64>,
    fresh_chance: Option<f64>,
    /// The share of all looks at search results that falls on it; `None` where that is not known.
    exposure: Option<f32>,
    forecast: Forecast,
    /// The addresses of the pages that were asked for what is predicted of it.
    experts: Vec<String>,
    led: Led,
    /// How the budgets were shared that paid for the visits, where they were.
    paid: Vec<Option<Shares>>,
    policy: String,
    /// The policy that gives its rank.
    ranking: String,
    verdict: Verdict,
}

pub(crate) fn why(arguments: &Arguments) -> Result<(), Failure> {
    let (mut settings, view) = arguments.reading.open()?;
    settings.budget = arguments.budget.or(settings.budget);
    settings.queries = arguments.queries.clone().or(settings.queries);
    let url = crate::settings::values::seed(&arguments.url)
        .map_err(|why| Failure::Input(format!("URL: {why}")))?;
    let loaded = view.load()?;
    let now = super::now(&view)?;
    let Some(page) = loaded.pages.find(&url) else {
        let reason = unknown(&settings, &view, &loaded, &url, now)?;
        return if arguments.json {
            output::print(&format!("{:#}", json!({ "url": url, "known": false, "why": reason })))
        } else {
            output::print(&format!("{url}\n  is not known: {reason}"))
        };
    };
    let answer = answer(&settings, &view, &loaded, page, now)?;
    if arguments.json {
        output::print(&format!("{:#}", answer.json()))
    } else {
        output::print(&answer.text(now))
    }
}

/// Why an address is no page of the crawl.
fn unknown(
    settings: &Settings,
    view: &View,
    loaded: &Loaded,
    url: &str,
    now: Time,
) -> Result<String, Failure> {
    let (seeds, scope) = session::began_with(|key| view.get(key), settings)?;
    let admission = Admission::new(scope, &seeds, settings.traps, &loaded.pages, now);
    Ok(admission.refusal(url).unwrap_or_else(|| {
        "no page that was visited links to it, nor does a sitemap or feed that was read".to_owned()
    }))
}

fn answer(
    settings: &Settings,
    view: &View,
    loaded: &Loaded,
    page: PageNo,
    now: Time,
) -> Result<Answer, Failure> {
    let url = loaded.pages.address(page);
    let page_view = view.page(url)?.ok_or_else(|| {
        Failure::Ours(format!("{url} vanished from the data folder while it was looked at"))
    })?;
    let (mut estimate, mut led) = (FreshnessEstimate::default(), Led::default());
    let choice = asked::policy(settings)?;
    // Where a budget is shared, the order of pages is that of the policy that refreshes.
    let ranking = match Shares::of(choice.name()) {
        Some(_) => choice.parameters().policy("refresh").clone(),
        None => choice.clone(),
    };
    let [mut one, mut other] = [&ranking, &choice].map(|choice| choice.make(settings.seed));
    view.play_log(&mut |seen| {
        estimate.learn(seen);
        led.learn(page, seen);
        one.learn(seen);
        other.learn(seen);
    })?;
    let seen = loaded.pages.last_seen(page).is_some();
    let origin = address::origin(url);
    let robots = view.robots()?;
    let manners = view.manners()?;
    let host = loaded.pages.host_name(loaded.pages.host(page));
    let verdict = web::explain(
        url,
        &settings.web,
        robots.iter().find(|copy| copy.origin == origin),
        manners.iter().find(|manners| manners.host == host),
        now,
    );
    let cycles = view.cycles(20)?;
    let features = features::seen(one.as_ref(), view, settings)?;
    let exposures = impact::exposures(one.as_ref(), settings, &loaded.pages, &loaded.links)?;
    let is_known = !exposures.is_empty() && loaded.pages.state(page) == State::Held;
    let exposure = is_known.then(|| exposures.get(page.index()).copied().unwrap_or(0.0));
    let forecast = Forecast::of(
        page,
        loaded,
        (features, exposures),
        [one.as_mut(), other.as_mut()],
        settings,
        &cycles,
        now,
    );
    let asked = forecast.foresight.iter().flat_map(|foresight| &foresight.experts);
    let experts = asked.map(|&(page, _)| loaded.pages.address(page).to_owned()).collect();
    let visits = view.visits(page, VISITS)?;
    Ok(Answer {
        changes_per_day: seen.then(|| estimate.rate(page, &loaded.pages, now)),
        fresh_chance: estimate.fresh_chance(page, &loaded.pages, now),
        exposure,
        forecast,
        experts,
        led,
        paid: Shares::of_visits(&visits, view)?,
        visits,
        policy: choice.name().to_owned(),
        ranking: ranking.name().to_owned(),
        verdict,
        view: page_view,
    })
}

impl Answer {
    fn text(&self, now: Time) -> String {
        let record = &self.view.record;
        let mut lines =
            vec![self.view.address.clone(), format!("  State       {}", self.state(now))];
        if let Some(held) = &self.view.held {
            let mut notes = vec![];
            if held.directives.noindex {
                notes.push("asks not to be found by searching".to_owned());
            }
            if held.directives.nofollow {
                notes.push("asks that none of its links be followed".to_owned());
            }
            if let Some(own) = &held.directives.canonical {
                notes.push(format!("names {own} as its address"));
            }
            if !notes.is_empty() {
                lines.push(format!("              {}", notes.join("; ")));
            }
        }
        if let Some(said) = record.said_changed {
            lines.push(format!(
                "  Signal      a sitemap or feed says it changed at {}",
                instant(said)
            ));
        }
        lines.push(format!("  Changes     {}", self.changes()));
        if let Some(foresight) = &self.forecast.foresight {
            lines.push(format!("  Prediction  {}", self.prediction(foresight)));
        }
        lines.push(format!("  Impact      {}", self.impact()));
        lines.push(format!("  Leads       {}", self.led.words()));
        lines.push(format!("  Next visit  {}", self.next_visit()));
        lines.push(format!("  Robots      {}", robots_words(&self.verdict)));
        lines.push(format!("  Politeness  {}", politeness_words(&self.verdict)));
        lines.push(String::new());
        if self.visits.is_empty() {
            lines.push("  It has not been visited yet.".to_owned());
        } else {
            lines.push(format!(
                "  Last {}, the latest first",
                counted(self.visits.len() as u64, "visit", "visits")
            ));
        }
        for (visit, shares) in self.visits.iter().zip(&self.paid) {
            lines.push(format!("  {}", visit_line(visit, shares.as_ref())));
        }
        lines.join("\n")
    }

    fn next_visit(&self) -> String {
        let words = self.forecast.words(&self.ranking);
        match (Shares::of(&self.policy), self.forecast.reason) {
            (Some(shares), Some(reason)) => format!("{words}; {}", shares.words(reason)),
            _ => words,
        }
    }

    fn visits_json(&self) -> Vec<Value> {
        let visit = |(visit, shares): (&VisitRow, &Option<Shares>)| {
            let mut value = visit_json(visit);
            value["paid_by"] = json!(shares.as_ref().map(|shares| shares.name(visit.reason)));
            value
        };
        self.visits.iter().zip(&self.paid).map(visit).collect()
    }

    fn state(&self, now: Time) -> String {
        let record = &self.view.record;
        let ago = |time: Time| format!("{} ago", duration(now - time));
        match (record.state, &self.view.held) {
            (State::Held, Some(held)) => format!(
                "held: {:?}, {} of text, as fetched {}",
                held.form,
                counted(u64::from(held.counts.words), "word", "words"),
                ago(held.at)
            ),
            (State::Held, None) => "held".to_owned(),
            (State::Linked, _) => {
                format!("known since {}, not held yet", instant(record.first_seen))
            }
            (State::Gone, _) => "gone; looked at again, rarely".to_owned(),
        }
    }

    fn changes(&self) -> String {
        let record = &self.view.record;
        let counts = format!(
            "{} found in {} that told something",
            counted(u64::from(record.changes), "change", "changes"),
            counted(u64::from(record.visits), "visit", "visits")
        );
        match (self.changes_per_day, self.fresh_chance) {
            (Some(rate), Some(chance)) if record.state == State::Held => format!(
                "{counts}; believed to change once in {}, and with {:.0} % to be as held",
                duration(flow::Span::from_millis((86_400_000.0 / rate) as i64)),
                chance * 100.0
            ),
            _ => counts,
        }
    }

    /// What is predicted of it, and by whom.
    fn prediction(&self, foresight: &Foresight) -> String {
        let chance = format!("changed by the next cycle with {:.0} %", foresight.chance * 100.0);
        let visits = counted(foresight.visits as u64, "visit", "visits");
        match (foresight.visits, &self.experts[..]) {
            (0, _) => format!("{chance}, by change rates: there is too little to learn from"),
            (_, []) => format!("{chance}, as learned from its last {visits}"),
            (_, experts) => {
                let others = counted(experts.len() as u64, "related page", "related pages");
                let first = experts.iter().take(EXPERTS).map(String::as_str);
                let first: Vec<&str> = first.collect();
                let more = if experts.len() > EXPERTS { " and others" } else { "" };
                format!(
                    "{chance}, as learned from its last {visits} and those of {others}:\n{:14}{}{more}",
                    "",
                    first.join("\n              ")
                )
            }
        }
    }

    fn prediction_json(&self) -> Option<Value> {
        let Foresight { chance, visits, experts } = self.forecast.foresight.as_ref()?;
        let expert =
            |(url, (_, weight)): (&String, &(PageNo, f64))| json!({ "url": url, "weight": weight });
        let experts: Vec<Value> = self.experts.iter().zip(experts).map(expert).collect();
        Some(json!({ "chance": chance, "visits": visits, "experts": experts }))
    }

    fn impact(&self) -> String {
        let exposure = self.exposure.map(|exposure| impact::exposure_words(f64::from(exposure)));
        let told = [exposure, Effects::of(&self.visits).words()];
        let told: Vec<String> = told.into_iter().flatten().collect();
        if told.is_empty() {
            "not measured yet: that takes a file of queries (--queries) or some days of searches, and \
             then visits"
                .to_owned()
        } else {
            told.join("; ")
        }
    }

    fn json(&self) -> Value {
        let record = &self.view.record;
        let rank = self.forecast.rank.as_ref();
        json!({
            "url": self.view.address,
            "known": true,
            "state": format!("{:?}", record.state).to_lowercase(),
            "first_seen": stamp(record.first_seen),
            "last_tried": record.last_tried.map(stamp),
            "last_seen": record.last_seen.map(stamp),
            "visits_answered": record.visits, "changes": record.changes,
            "misses": record.misses, "failures": record.failures,
            "said_changed": record.said_changed.map(stamp),
            "noindex": self.view.held.as_ref().map(|held| held.directives.noindex),
            "canonical": self.view.held.as_ref().and_then(|held| held.directives.canonical.clone()),
            "changes_per_day": self.changes_per_day,
            "fresh_chance": self.fresh_chance,
            "exposure": self.exposure,
            "prediction": self.prediction_json(),
            "policy": self.policy, "ranked_by": self.ranking,
            "score": rank.map(|rank| rank.score),
            "rank": rank.map(|rank| rank.place),
            "due_pages": self.forecast.due,
            "budget": self.forecast.budget,
            "cycles_until_visit": self.forecast.cycles,
            "next_visit": self.forecast.at.map(stamp),
            "next_visit_reason": self.forecast.reason.map(word),
            "robots": { "allowed": self.verdict.allowed, "rule": self.verdict.rule },
            "delay_seconds": self.verdict.delay.millis() as f64 / 1e3,
            "resting_until": self.verdict.resting_until.map(stamp),
            "leads": self.led.leads, "led_last": self.led.last.map(stamp),
            "visits": self.visits_json(),
        })
    }
}

/// A visit, as `why --json` and the API tell it.
pub(crate) fn visit_json(visit: &VisitRow) -> Value {
    json!({
        "number": visit.no, "cycle": visit.cycle, "at": stamp(visit.at),
        "reason": word(visit.reason),
        "outcome": store::outcome_name(visit.outcome),
        "change": match visit.outcome {
            flow::Outcome::Changed(change) => Some(change),
            _ => None,
        },
        "leads": visit.leads,
        "impact": visit.impact,
        "status": visit.status, "mime": visit.mime, "bytes": visit.bytes,
        "fault": visit.fault.as_ref().map(|fault| json!({
            "kind": fault.kind.name(), "why": fault.why,
        })),
        "warc": visit.position.as_ref().map(super::export::position_json),
    })
}

/// The word for a reason.
fn word(reason: Reason) -> String {
    format!("{reason:?}").to_lowercase()
}

fn robots_words(verdict: &Verdict) -> String {
    let rule = verdict.rule.as_ref().map_or(String::new(), |rule| format!(": {rule}"));
    match verdict.allowed {
        None => "robots.txt has not been asked for yet".to_owned(),
        Some(true) => format!("allowed{rule}"),
        Some(false) => format!("not allowed{rule}"),
    }
}

fn politeness_words(verdict: &Verdict) -> String {
    let because = match verdict.delay_reason {
        web::DelayReason::Configured => "as configured",
        web::DelayReason::CrawlDelay => "as its Crawl-delay asks",
        web::DelayReason::ResponseTime => "because its last answer was slow",
    };
    let mut words = format!(
        "its host is left alone for {} after an answer, {because}",
        duration(verdict.delay)
    );
    if let Some(until) = verdict.resting_until {
        let _ = write!(words, "; it rests until {}", instant(until));
    }
    words
}

fn visit_line(visit: &VisitRow, shares: Option<&Shares>) -> String {
    let outcome = match visit.outcome {
        // A detector that only tells whether something changed says that all of it did.
        flow::Outcome::Changed(change) if change < 1.0 => {
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
    let led = match visit.leads {
        0 => String::new(),
        // When a crawl begins, every page is new.
        _ if visit.reason == Reason::First => String::new(),
        leads => format!(", led to {}", counted(leads as u64, "new page", "new pages")),
    };
    let paid = shares.map_or(String::new(), |shares| format!(", {}", shares.words(visit.reason)));
    let place = visit.position.as_ref().map_or(String::new(), |position| {
        format!("  {} at {}", position.file, grouped(position.offset))
    });
    format!("{}  {outcome}{status}{fault}{effect}{led}{paid}{place}", instant(visit.at))
}

impl Rank {
    /// Whether a budget reaches down to this place.
    pub(super) fn is_within(&self, budget: u32) -> bool {
        self.place <= budget as usize
    }
}
