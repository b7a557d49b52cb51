//! Seeds and hosts that gave nothing, each with its reason, and hosts that must be waited for.
use std::collections::BTreeMap;

use crawl::{Fault, Form, Outcome, PageNo, Time};
use serde_json::{Value, json};
use store::{HostSummary, HostVisit, StoreError, View, VisitRow};
use web::BackOff;

use super::{
    session,
    tally::{counted, instant, stamp},
};

/// The most redirects that are followed from a seed.
const MOST_REDIRECTS: u32 = 5;
/// The most lines of hosts or seeds after a command. `status --json` has them all.
const MOST_LINES: usize = 20;

/// Why something gave nothing: a word to group by, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// DNS, TLS, connection, timeout, robots.txt, HTTP 404, scope and so on.
    pub(crate) label: String,
    pub(crate) why: String,
}

/// What gave nothing or cannot be reached now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Failing {
    /// Seeds without a page, with the reasons.
    pub(crate) seeds: Vec<(String, Reason)>,
    /// The number of all seeds.
    pub(crate) of_seeds: usize,
    /// Hosts of which nothing is held, or that cannot be reached now.
    pub(crate) hosts: Vec<HostSummary>,
}

impl Failing {
    /// Reads which seeds and hosts of a data folder gave nothing, and which hosts cannot be reached at
    /// `now`.
    pub(crate) fn read(view: &View, now: Time) -> Result<Self, StoreError> {
        let mut hosts = view.hosts()?;
        hosts.retain(|host| host.gave_nothing() || host.is_failing(now));
        let all = session::stored_seeds(|key| view.get(key))?;
        let seeds = empty_seeds(view, &all)?;
        Ok(Self { seeds, of_seeds: all.len(), hosts })
    }

    /// The hosts in lines, one each.
    pub(crate) fn host_lines(&self, now: Time) -> Vec<String> {
        let (nothing, some): (Vec<&HostSummary>, Vec<&HostSummary>) =
            self.hosts.iter().partition(|host| host.gave_nothing());
        let mut lines = vec![];
        for (hosts, what) in [(nothing, "Nothing is held of"), (some, "Not reachable now:")] {
            if hosts.is_empty() {
                continue;
            }
            lines.push(format!("{what} {}", counted(hosts.len() as u64, "host", "hosts")));
            lines.extend(hosts.iter().take(MOST_LINES).map(|host| host_line(host, now)));
            lines.extend(more(hosts.len()));
        }
        lines
    }

    /// The seeds in lines, one each.
    pub(crate) fn seed_lines(&self) -> Vec<String> {
        let seed = |(seed, reason): &(String, Reason)| format!("  {seed}: {}", reason.words());
        let mut lines: Vec<String> = self.seeds.iter().take(MOST_LINES).map(seed).collect();
        lines.extend(more(self.seeds.len()));
        lines
    }

    /// The number of all seeds and of those that gave nothing.
    pub(crate) fn seed_words(&self) -> String {
        let seeds = counted(self.of_seeds as u64, "seed", "seeds");
        format!("{} of {seeds} gave nothing", self.seeds.len())
    }

    pub(crate) fn seeds_json(&self) -> Vec<Value> {
        let seed = |(url, Reason { label, why }): &(String, Reason)| json!({ "url": url, "reason": label, "why": why });
        self.seeds.iter().map(seed).collect()
    }

    pub(crate) fn hosts_json(&self) -> Vec<Value> {
        let host = |host: &HostSummary| {
            let reason = host_reason(host);
            json!({
                "host": host.host,
                "pages": host.pages, "held": host.held, "missing": host.missing,
                "reason": reason.as_ref().map(|reason| &reason.label),
                "why": reason.as_ref().map(|reason| &reason.why),
                "at": host.last.as_ref().map(|last| stamp(last.at)),
                "back_off_until": host.back_off_until.map(stamp),
                "strikes": host.strikes,
            })
        };
        self.hosts.iter().map(host).collect()
    }
}

impl Reason {
    fn from_fault(fault: &Fault) -> Self {
        Self { label: fault.kind.label().to_owned(), why: fault.why.clone() }
    }

    pub(crate) fn words(&self) -> String {
        format!("{}: {}", self.label, self.why)
    }
}

fn more(count: usize) -> Option<String> {
    let rest = count.checked_sub(MOST_LINES).filter(|rest| *rest > 0)?;
    Some(format!("  and {rest} more; `sanderling status --json` lists all"))
}

fn host_line(host: &HostSummary, now: Time) -> String {
    let reason = host_reason(host).map_or("not visited yet".to_owned(), |reason| reason.words());
    let until = host.back_off_until.filter(|&until| until > now);
    let until =
        until.map_or(String::new(), |until| format!("; left alone until {}", instant(until)));
    format!("  {}: {reason}{until}", host.host)
}

/// How the last visit to a host ended, if it was not well.
pub(crate) fn host_reason(host: &HostSummary) -> Option<Reason> {
    let HostVisit { outcome, fault, status, .. } = host.last.as_ref()?;
    reason(*outcome, fault.as_ref(), *status)
}

/// Why a visit gave nothing; `None` if it gave something.
fn reason(outcome: Outcome, fault: Option<&Fault>, status: Option<u16>) -> Option<Reason> {
    if let Some(fault) = fault {
        return Some(Reason::from_fault(fault));
    }
    match outcome {
        Outcome::Missing | Outcome::Gone => {
            let label = status.map_or("HTTP 404".to_owned(), |status| format!("HTTP {status}"));
            Some(Reason { label, why: "there is no such page".to_owned() })
        }
        Outcome::Unreached => Some(Reason {
            label: "not reached".to_owned(),
            why: "the time was up, or its host must be left alone".to_owned(),
        }),
        _ => None,
    }
}

/// The seeds behind which there is no page, with the reasons. Seeds that were not visited yet are not among
/// them.
fn empty_seeds(view: &View, all: &[String]) -> Result<Vec<(String, Reason)>, StoreError> {
    let mut empty: BTreeMap<&String, Reason> = BTreeMap::new();
    // Each seed with the address that it leads to so far.
    let mut open: Vec<(&String, String)> = all.iter().map(|seed| (seed, seed.clone())).collect();
    for _ in 0..MOST_REDIRECTS {
        let addresses: Vec<&str> = open.iter().map(|(_, address)| address.as_str()).collect();
        let found = view.find_all(&addresses)?;
        let mut next = vec![];
        for (seed, address) in open {
            let end = match found.get(&address) {
                Some(&page) => end(view, page)?,
                None if *seed == address => End::Page,
                None => End::Nothing(Reason {
                    label: "scope".to_owned(),
                    why: "that is outside the scope".to_owned(),
                }),
            };
            match end {
                End::Page => {}
                End::Redirect(target) => next.push((seed, target)),
                End::Nothing(Reason { label, why }) if *seed != address => {
                    let why = format!("it redirects to {address}: {why}");
                    empty.insert(seed, Reason { label, why });
                }
                End::Nothing(reason) => {
                    empty.insert(seed, reason);
                }
            }
        }
        open = next;
    }
    Ok(all.iter().filter_map(|seed| Some((seed.clone(), empty.remove(seed)?))).collect())
}

/// What is behind an address.
enum End {
    /// A page, or nothing is known yet.
    Page,
    Redirect(String),
    Nothing(Reason),
}

fn end(view: &View, page: PageNo) -> Result<End, StoreError> {
    let Some(known) = view.page_numbered(page)? else { return Ok(End::Page) };
    if let Some(held) = &known.held {
        if held.form != Form::Moved {
            return Ok(End::Page);
        }
        let held = view.held(page)?;
        let links = held.as_ref().map_or(&[][..], |held| held.snapshot.links.links());
        let target = links.first().map(|link| link.address.to_string());
        return Ok(target.map_or(End::Page, End::Redirect));
    }
    let visits = view.visits(page, 1)?;
    let of = |visit: &VisitRow| reason(visit.outcome, visit.fault.as_ref(), visit.status);
    Ok(visits.first().and_then(of).map_or(End::Page, End::Nothing))
}

/// "waiting for HOST until 07:29:00 UTC (connection refused, third time)".
pub(crate) fn waiting_words(back_off: &BackOff) -> String {
    let BackOff { host, until, strikes, reason } = back_off;
    let time = match strikes {
        0 | 1 => "first time".to_owned(),
        2 => "second time".to_owned(),
        3 => "third time".to_owned(),
        times => format!("{times} times in a row"),
    };
    let reason = reason.as_deref().map_or(String::new(), |reason| format!("{}, ", short(reason)));
    format!("waiting for {host} until {} ({reason}{time})", instant(*until))
}

/// The end of a reason, which says most: "no connection to a.example: Connection refused (os error 111)"
/// is "connection refused".
fn short(reason: &str) -> String {
    let end = reason.rsplit(": ").next().unwrap_or(reason);
    let end = end.split(" (os error").next().unwrap_or(end);
    let mut letters = end.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_told_with_the_host_the_time_the_reason_and_how_often() {
        let back_off = |strikes, reason: Option<&str>| BackOff {
            host: "a.example".to_owned(),
            until: Time::from_millis(1_767_598_140_000),
            strikes,
            reason: reason.map(str::to_owned),
        };
        let refused = "no connection to a.example: Connection refused (os error 111)";
        assert_eq!(
            waiting_words(&back_off(3, Some(refused))),
            "waiting for a.example until 2026-01-05 07:29:00 UTC (connection refused, third time)"
        );
        assert_eq!(
            waiting_words(&back_off(1, None)),
            "waiting for a.example until 2026-01-05 07:29:00 UTC (first time)"
        );
    }
}
