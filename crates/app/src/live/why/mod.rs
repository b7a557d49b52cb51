//! `sanderling why URL`: explains one page, its changes, its impact and its next visit.
mod json;
mod text;

use std::path::PathBuf;

use clap::Args;
use crawl::{Allowance, PageNo, State, Time};
use extract::read::address;
use instruments::impact::Impact;
use policy::FreshnessEstimate;
use serde_json::json;
use store::{Loaded, PageView, View, VisitRow};
use web::FetchPermission;

pub(super) use self::json::reason_name;
pub(crate) use self::json::visit_json;
use super::{
    FolderFlags,
    admission::Admission,
    forecast::{Forecast, Start},
    leads::Leads,
    preparation::Preparation,
    session,
    shares::Shares,
};
use crate::{
    failure::Failure,
    output,
    settings::{Settings, values},
};

/// The number of visits shown.
const VISITS: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The URL of the page
    #[arg(value_name = "URL")]
    url: String,
    /// Budget of a cycle, such as 200 (visits), 20MB or 10min [default: the setting, otherwise that of
    /// the last refresh]
    #[arg(long, value_name = "BUDGET", value_parser = values::budget)]
    budget: Option<Allowance>,
    /// Query workload (TSV: query, count) [default: the setting, otherwise the query log of the search
    /// page]
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

/// Everything about a known page.
struct Explanation {
    view: PageView,
    visits: Vec<VisitRow>,
    /// An estimate of how often it changes; `None` if the policy has its own, which may be another one
    changes_per_day: Option<f64>,
    /// and the probability that the held content is still current.
    fresh_probability: Option<f64>,
    /// The share of all views of search results that it gets; `None` if unknown.
    exposure: Option<f32>,
    forecast: Forecast,
    /// The URLs of the pages that the prediction is learned from.
    experts: Vec<String>,
    leads: Leads,
    /// How the budget of each visit was split, if it was.
    shares: Vec<Option<Shares>>,
    /// The policy of the last refresh.
    policy: String,
    /// The policy that the settings name, if it is another one.
    other_policy: Option<String>,
    permission: FetchPermission,
}

pub(crate) fn why(arguments: &Arguments) -> Result<(), Failure> {
    let (mut settings, view) = arguments.folder.open()?;
    settings.budget = arguments.budget.or(settings.budget);
    settings.queries = arguments.queries.clone().or(settings.queries);
    let loaded = view.load()?;
    let now = super::now(&view)?;
    let (url, page) = find(&arguments.url, &loaded)?;
    let Some(page) = page else {
        let reason = unknown(&settings, &view, &loaded, &url, now)?;
        return if arguments.json {
            output::print(&format!("{:#}", json!({ "url": url, "known": false, "why": reason })))
        } else {
            output::print(&format!("{url}\n  is not known: {reason}"))
        };
    };
    let explanation = explain(&settings, &view, &loaded, page, now)?;
    if arguments.json {
        output::print(&format!("{:#}", explanation.json()))
    } else {
        output::print(&explanation.text(now))
    }
}

/// The explanation of a page as names and texts; an empty name continues the text above.
pub(crate) fn lines(
    settings: &Settings,
    view: &View,
    page: PageNo,
    now: Time,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let loaded = view.load()?;
    if page.index() >= loaded.pages.len() {
        return Ok(vec![]);
    }
    Ok(explain(settings, view, &loaded, page, now)?.lines(now))
}

/// The canonical URL of a word, and its page. A word without a scheme means HTTPS, or HTTP if only that
/// page is known.
fn find(word: &str, loaded: &Loaded) -> Result<(String, Option<PageNo>), Failure> {
    let canonical =
        |word: &str| values::seed(word).map_err(|why| Failure::Input(format!("URL: {why}")));
    let url = canonical(word)?;
    let page = loaded.pages.find(&url);
    if page.is_none() && !word.contains("://") {
        let plain = canonical(&format!("http://{word}"))?;
        if let Some(page) = loaded.pages.find(&plain) {
            return Ok((plain, Some(page)));
        }
    }
    Ok((url, page))
}

/// Why the crawl does not know a URL.
fn unknown(
    settings: &Settings,
    view: &View,
    loaded: &Loaded,
    url: &str,
    now: Time,
) -> Result<String, Failure> {
    let (seeds, scope) = session::seeds_and_scope(|key| view.get(key), settings)?;
    let mut rules = settings.web.rules.clone();
    rules.seeds.extend(seeds.iter().cloned());
    let admission = Admission::new(scope, &seeds, rules, settings.traps, &loaded.pages, now);
    Ok(admission
        .refusal(url)
        .unwrap_or_else(|| "no visited page, sitemap or feed links to it".to_owned()))
}

fn explain(
    settings: &Settings,
    view: &View,
    loaded: &Loaded,
    page: PageNo,
    now: Time,
) -> Result<Explanation, Failure> {
    let url = loaded.pages.address(page);
    let page_view = view.page(url)?.ok_or_else(|| {
        Failure::Internal(format!("{url} disappeared from the data folder during the command"))
    })?;
    let (mut estimate, mut leads) = (FreshnessEstimate::default(), Leads::default());
    let Preparation { spec, policy, instruments, hosts, cycles } =
        Preparation::new(settings, view, loaded, &mut |seen| {
            estimate.learn(seen);
            leads.learn(page, seen);
        })?;
    let robots = view.robots()?;
    let origin = address::origin(url);
    let host = loaded.pages.host_name(loaded.pages.host(page));
    let permission = web::fetch_permission(
        url,
        &settings.web,
        robots.iter().find(|copy| copy.origin == origin),
        hosts.iter().find(|state| state.host == host),
        now,
    );
    let exposures = instruments.find::<Impact>().map_or(&[][..], Impact::exposures);
    let is_measured = !exposures.is_empty() && loaded.pages.state(page) == State::Held;
    let exposure = is_measured.then(|| exposures.get(page.index()).copied().unwrap_or(0.0));
    let start = Start { loaded, policy, instruments, hosts: &hosts, cycles: &cycles, now };
    let forecast = Forecast::new(page, start, settings)?;
    let experts = forecast.prediction.iter().flat_map(|prediction| &prediction.experts);
    let experts = experts.map(|&(page, _)| loaded.pages.address(page).to_owned()).collect();
    let visits = view.visits(page, VISITS)?;
    let is_seen = loaded.pages.last_seen(page).is_some();
    // Visits are planned by the policy's own estimate. A second one beside it could say the opposite.
    let is_ours = forecast.prediction.is_none() && forecast.reasons.is_empty();
    let configured = settings.policy.as_ref().map(|policy| policy.name().to_owned());
    Ok(Explanation {
        changes_per_day: (is_ours && is_seen).then(|| estimate.rate(page, &loaded.pages, now)),
        fresh_probability: estimate.fresh_probability(page, &loaded.pages, now).filter(|_| is_ours),
        exposure,
        forecast,
        experts,
        leads,
        shares: Shares::for_visits(&visits, view)?,
        visits,
        other_policy: configured.filter(|name| name != spec.name()),
        policy: spec.name().to_owned(),
        permission,
        view: page_view,
    })
}
