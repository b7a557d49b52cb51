//! Fetches robots.txt (RFC 9309, section 2.3.1).
use std::sync::{Arc, atomic::Ordering};

use crawl::{Fault, FaultKind, HostUpdate, RobotsCopy, RobotsState, Truncation};
use extract::read::{
    address::Resolver,
    coding::{self, Undecodable},
};
use http::{StatusCode, header};
use tracing::{debug, info};

use crate::{
    answer,
    client::Reply,
    connect::fault,
    head::{self, HttpRequest},
    host::Host,
    robots::LONGEST_FILE,
    robots_cache::Robots,
    target::{Scheme, Target},
    worker::{NoAnswer, Worker},
};

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// One byte more than is parsed, to see whether the last line is complete.
const MOST_BYTES: usize = LONGEST_FILE + 1;

/// The result of one request.
enum Hop {
    /// A redirect.
    Moved(String),
    File(Vec<u8>),
    Absent(u16),
    Failed(Fault),
}

impl Worker {
    /// The robots.txt of an origin. It is fetched if the known copy has expired.
    pub(crate) async fn robots(
        &self,
        host: &Arc<Host>,
        scheme: Scheme,
    ) -> Result<Arc<Robots>, NoAnswer> {
        let known = host.robots(scheme);
        if let Some(known) = &known
            && known.holds(self.shared.clock.now())
        {
            return Ok(Arc::clone(known));
        }
        let origin = scheme.origin(&host.name);
        let mut copy = known.map_or_else(|| blank(&origin), |known| known.copy.clone());
        copy.state = match Box::pin(self.fetch_robots(host, &mut copy)).await? {
            Hop::File(file) => {
                copy.good = Some((self.shared.clock.now(), file));
                RobotsState::Given
            }
            Hop::Absent(status) => RobotsState::Absent(status),
            Hop::Moved(_) => {
                let why = format!("more than {MOST_REDIRECTS} redirects");
                RobotsState::Unreachable(fault(FaultKind::Malformed, why))
            }
            Hop::Failed(fault) => RobotsState::Unreachable(fault),
        };
        copy.requested_at = self.shared.clock.now();
        let exchanges = std::mem::take(&mut copy.exchanges);
        let mut robots = Robots::new(copy);
        robots.copy.sitemaps = robots.rules.sitemaps().to_vec();
        let update = RobotsCopy { exchanges, ..robots.copy.clone() };
        log(&robots);
        let robots = host.set_robots(scheme, robots);
        self.batch.host_update(HostUpdate::Robots(update));
        Ok(robots)
    }

    /// Follows redirects to the file, or to the reason why there is none.
    async fn fetch_robots(&self, host: &Arc<Host>, copy: &mut RobotsCopy) -> Result<Hop, NoAnswer> {
        let address = format!("{}/robots.txt", copy.origin);
        let mut hop = self.request_robots(host, &address, copy).await?;
        for _ in 0..MOST_REDIRECTS {
            let Hop::Moved(to) = hop else { return Ok(hop) };
            debug!(origin = copy.origin, location = to, "robots.txt redirects");
            let next =
                Target::parse(&to).and_then(|target| self.shared.hosts.get(target.authority));
            hop = match next {
                // If a redirect cannot be followed, the file is unreachable.
                Some(next) => match self.request_robots(&next, &to, copy).await {
                    Ok(hop) => hop,
                    Err(NoAnswer::Failed(fault) | NoAnswer::Refused(fault)) => Hop::Failed(fault),
                    Err(NoAnswer::Unreached) if !self.batch.is_over() => {
                        let why = format!("{} must be left alone", next.name);
                        Hop::Failed(fault(FaultKind::Busy, why))
                    }
                    Err(no_answer) => return Err(no_answer),
                },
                None => lost(&to),
            };
        }
        Ok(hop)
    }

    async fn request_robots(
        &self,
        host: &Arc<Host>,
        address: &str,
        copy: &mut RobotsCopy,
    ) -> Result<Hop, NoAnswer> {
        let Some(target) = Target::parse(address) else {
            return Ok(lost(address));
        };
        let request = HttpRequest {
            scheme: target.scheme,
            authority: target.authority,
            path: &target.path,
            validators: None,
            most: MOST_BYTES,
            takes_start: true,
            rules: None,
        };
        match self.request(host, &request).await {
            // A deadline says nothing about the host.
            Err(NoAnswer::Cut) => Err(NoAnswer::Unreached),
            Err(no_answer @ (NoAnswer::Unreached | NoAnswer::Stopped | NoAnswer::Refused(_))) => {
                Err(no_answer)
            }
            Err(NoAnswer::Failed(fault)) => {
                self.count_robots(copy);
                Ok(Hop::Failed(fault))
            }
            Ok(reply) => {
                self.count_robots(copy);
                let hop = hop(address, &reply);
                copy.exchanges.push(answer::exchange(address, reply));
                Ok(hop)
            }
        }
    }

    fn count_robots(&self, copy: &mut RobotsCopy) {
        copy.fetches = copy.fetches.saturating_add(1);
        self.shared.robots_fetches.fetch_add(1, Ordering::Relaxed);
    }
}

/// Logs the result of a fetch.
fn log(robots: &Robots) {
    let RobotsCopy { origin, state, good, .. } = &robots.copy;
    let crawl_delay = robots.rules.crawl_delay().map(|delay| delay.as_secs_f64());
    match state {
        RobotsState::Given => {
            let bytes = good.as_ref().map_or(0, |(_, file)| file.len());
            info!(origin, outcome = "found", bytes, crawl_delay, "robots.txt fetched");
        }
        RobotsState::Absent(status) => {
            info!(origin, outcome = "absent", status, "robots.txt fetched");
        }
        RobotsState::Unreachable(fault) => {
            info!(origin, why = fault.why, crawl_delay, "robots.txt unreachable");
        }
    }
}

fn blank(origin: &str) -> RobotsCopy {
    RobotsCopy {
        origin: origin.to_owned(),
        requested_at: crawl::Time::from_millis(0),
        fetches: 0,
        state: RobotsState::Given,
        good: None,
        sitemaps: vec![],
        exchanges: vec![],
    }
}

fn hop(address: &str, reply: &Reply) -> Hop {
    let status = reply.status;
    if let Some(fault) = broken(reply) {
        return Hop::Failed(fault);
    }
    if status.is_redirection() {
        let location = head::text(&reply.headers, &header::LOCATION);
        let to = Resolver::new(address).resolve(&location).map(str::to_owned);
        return match to {
            Some(to) if !location.is_empty() => Hop::Moved(to),
            _ => {
                let why = format!("it redirects ({}) to nowhere", status.as_u16());
                Hop::Failed(fault(FaultKind::Malformed, why))
            }
        };
    }
    if status.is_success() {
        return file(reply);
    }
    if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
        return Hop::Absent(status.as_u16());
    }
    let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let kind = if is_busy { FaultKind::Busy } else { FaultKind::Server };
    Hop::Failed(fault(kind, format!("the server answers {}", status.as_u16())))
}

/// A redirect to an address that cannot be requested.
fn lost(to: &str) -> Hop {
    Hop::Failed(fault(FaultKind::Malformed, format!("it redirects to {to}")))
}

/// What is wrong with an answer, except that it is too long.
fn broken(reply: &Reply) -> Option<Fault> {
    match &reply.cut {
        None | Some((Truncation::Length, _)) => None,
        Some((_, fault)) => Some(fault.clone()),
    }
}

fn file(reply: &Reply) -> Hop {
    let codings = head::text(&reply.headers, &header::CONTENT_ENCODING);
    let is_cut = reply.cut.is_some();
    match coding::decode(&codings, &reply.body, MOST_BYTES) {
        Ok(file) => Hop::File(file.into_owned()),
        Err(Undecodable::TooLong(start)) => Hop::File(start),
        // The start of a compressed file is decoded as far as possible.
        Err(Undecodable::Broken { start, .. }) if is_cut => Hop::File(start),
        Err(error) => Hop::Failed(fault(FaultKind::Malformed, error.to_string())),
    }
}
