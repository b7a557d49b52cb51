//! The next visits if nothing changes, each with its reason: the real loop on a simulated world, as for
//! `sanderling why`.
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crawl::{Allowance, HostNo, Observation, PageNo, Pages, Reason, State, Time, Visit};
use policy::FreshnessEstimate;
use store::View;

use super::{
    forecast::{Simulated, Start},
    preparation::Preparation,
    tally::{counted, duration, instant},
};
use crate::{failure::Failure, settings::Settings};

/// After this time no further cycle is simulated.
const LONGEST: Duration = Duration::from_secs(2);
/// The most cycles to simulate.
const MOST_CYCLES: u32 = 30;

/// The next visits.
#[derive(Clone, Debug)]
pub(crate) struct NextVisits {
    /// The policy, and why it is used.
    pub(crate) policy: String,
    pub(crate) policy_reason: &'static str,
    pub(crate) budget: Option<Allowance>,
    /// Whether the interval between cycles is known; else a day is assumed.
    pub(crate) has_interval: bool,
    pub(crate) visits: Vec<PlannedVisit>,
    /// How many cycles were simulated.
    pub(crate) cycles: u32,
    /// The start of the first cycle that visits each host.
    pub(crate) hosts: BTreeMap<HostNo, Time>,
}

/// A visit to come.
#[derive(Clone, Debug)]
pub(crate) struct PlannedVisit {
    pub(crate) page: PageNo,
    pub(crate) address: String,
    /// Cycles until then: 1 is the next.
    pub(crate) cycle: u32,
    /// The start of that cycle.
    pub(crate) at: Time,
    /// Why, in one sentence.
    pub(crate) why: String,
}

/// What the sentences are made from.
#[derive(Default)]
struct Facts {
    estimate: FreshnessEstimate,
    /// New pages that each page led to, without those of first visits.
    leads: BTreeMap<PageNo, u64>,
}

impl Facts {
    fn learn(&mut self, seen: &Observation) {
        self.estimate.learn(seen);
        if !seen.leads.is_empty() && seen.reason != Reason::First {
            *self.leads.entry(seen.page).or_default() += seen.leads.len() as u64;
        }
    }
}

impl NextVisits {
    /// The next `most` visits.
    pub(crate) fn new(
        settings: &Settings,
        view: &View,
        now: Time,
        most: usize,
    ) -> Result<Self, Failure> {
        let loaded = view.load()?;
        let mut facts = Facts::default();
        let prepared = Preparation::new(settings, view, &loaded, &mut |seen| facts.learn(seen))?;
        let Preparation { spec, policy, instruments, hosts, cycles } = prepared;
        let has_refreshed = cycles.iter().any(|cycle| cycle.kind == "refresh");
        let start =
            Start { loaded: &loaded, policy, instruments, hosts: &hosts, cycles: &cycles, now };
        let mut simulated = Simulated::new(start, settings)?;
        let mut next = Self {
            policy: spec.name().to_owned(),
            policy_reason: policy_reason(settings, spec.name(), has_refreshed),
            budget: simulated.budget,
            has_interval: simulated.interval.is_some(),
            visits: vec![],
            cycles: 0,
            hosts: BTreeMap::new(),
        };
        let begun = Instant::now();
        while next.cycles < MOST_CYCLES
            && (next.cycles == 0 || begun.elapsed() < LONGEST)
            && next.goes_on(most, loaded.pages.host_count())
        {
            let at = simulated.start_of(next.cycles);
            let visits = simulated.cycle(next.cycles)?;
            next.cycles += 1;
            next.add(&visits, at, most, &loaded.pages, &facts);
            // Without a budget everything is visited in one cycle.
            if next.budget.is_none() {
                break;
            }
        }
        Ok(next)
    }

    fn goes_on(&self, most: usize, hosts: usize) -> bool {
        self.visits.len() < most || self.hosts.len() < hosts
    }

    fn add(&mut self, visits: &[Visit], at: Time, most: usize, pages: &Pages, facts: &Facts) {
        for visit in visits {
            if visit.page.index() >= pages.len() {
                continue;
            }
            self.hosts.entry(pages.host(visit.page)).or_insert(at);
            if self.visits.len() < most {
                self.visits.push(PlannedVisit {
                    page: visit.page,
                    address: pages.address(visit.page).to_owned(),
                    cycle: self.cycles,
                    at,
                    why: sentence(visit, at, pages, facts),
                });
            }
        }
    }
}

/// Why a visit is planned.
fn sentence(visit: &Visit, at: Time, pages: &Pages, facts: &Facts) -> String {
    let page = visit.page;
    let record = pages.record(page);
    let seen = record.last_seen;
    match visit.reason {
        Reason::Sample => return "Its change tells whether pages like it have changed.".to_owned(),
        Reason::Discover => {
            let found = facts.leads.get(&page).copied().unwrap_or(0);
            return match found {
                0 => "It may link to new pages.".to_owned(),
                found => format!(
                    "It may link to new pages: its visits led to {} so far.",
                    counted(found, "new page", "new pages")
                ),
            };
        }
        Reason::First | Reason::Refresh => {}
    }
    let Some(seen) = seen else {
        return match record.failures {
            0 => format!(
                "It is linked, but was never visited; known since {}.",
                day(record.first_seen)
            ),
            failures => format!(
                "It was never held: its last {} failed or were not allowed.",
                counted(u64::from(failures), "try", "tries")
            ),
        };
    };
    let ago = duration(at - seen);
    if record.state == State::Gone {
        return format!("It was gone {ago} before; that is checked now and then.");
    }
    if let Some(claimed) = record.claimed_change.filter(|&claimed| claimed > seen) {
        return format!(
            "A sitemap or feed says that it changed on {}, after our last visit.",
            day(claimed)
        );
    }
    if record.misses > 0 {
        return "It was not found at its last visit; a second look decides whether it is gone."
            .to_owned();
    }
    if record.visits < 2 {
        return format!(
            "It was seen only once, {ago} before, so nobody knows how often it changes."
        );
    }
    let stale = facts.estimate.fresh_probability(page, pages, at).map(|fresh| 1.0 - fresh);
    // Not how often it changes: that and the chance are from two estimates, which need not agree.
    let visits = counted(u64::from(record.visits), "visit", "visits");
    let changes = match record.changes {
        0 => format!("no change in {visits} so far"),
        some => format!("{} in {visits} so far", counted(u64::from(some), "change", "changes")),
    };
    match stale {
        Some(stale) => format!(
            "Last seen {ago} before, and {changes}: {:.0} % likely to be out of date by then.",
            stale * 100.0
        ),
        None => format!("Last seen {ago} before, and {changes}."),
    }
}

fn day(time: Time) -> String {
    instant(time).get(..10).unwrap_or_default().to_owned()
}

/// Why this policy is used.
fn policy_reason(settings: &Settings, name: &str, has_refreshed: bool) -> &'static str {
    match &settings.policy {
        Some(chosen) if chosen.name() == name => "The settings name it.",
        _ if has_refreshed && settings.policy.is_some() => {
            "It is the policy of the last refresh; the settings name another one, which the next refresh \
             uses."
        }
        _ if name.contains("searchers") => {
            "It is the default where a query workload is known: pages that people find count more."
        }
        _ if name.contains("weights") => {
            "It is the default where the settings have weights for pages."
        }
        _ if name == "unified" => {
            "It is the default without a query workload: all pages count the same."
        }
        _ => "It is the policy of the last refresh.",
    }
}
