//! Asks for a robots.txt (RFC 9309, section 2.3.1).
use std::sync::{Arc, atomic::Ordering};

use flow::{
    Fault, FaultKind, Note, RobotsCopy, RobotsState, Truncation,
    read::{
        address::Resolver,
        coding::{self, Undecodable},
    },
};
use http::{StatusCode, header};

use crate::{
    answer,
    client::Reply,
    connect::fault,
    head::{self, Ask},
    host::Host,
    robots::LONGEST_FILE,
    robots_cache::Robots,
    target::{Scheme, Target},
    visit::{NoAnswer, Visitor},
};

/// How many redirects are followed.
const MOST_REDIRECTS: usize = 5;

/// One byte more than is looked at, so that it can be told whether the last line is whole.
const MOST_BYTES: usize = LONGEST_FILE + 1;

/// What came of one request.
enum Hop {
    /// It is somewhere else.
    Moved(String),
    File(Vec<u8>),
    Absent(u16),
    Failed(String),
}

impl Visitor {
    /// What the robots.txt of an origin says, asked for where what is known no longer holds.
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
                RobotsState::Unreachable(format!("more than {MOST_REDIRECTS} redirects"))
            }
            Hop::Failed(why) => RobotsState::Unreachable(why),
        };
        copy.asked = self.shared.clock.now();
        let exchanges = std::mem::take(&mut copy.exchanges);
        let mut robots = Robots::new(copy);
        robots.copy.sitemaps = robots.rules.sitemaps().to_vec();
        let note = RobotsCopy { exchanges, ..robots.copy.clone() };
        let robots = host.set_robots(scheme, robots);
        self.round.note(Note::Robots(note));
        Ok(robots)
    }

    /// Follows redirects to the file, or to why there is none.
    async fn fetch_robots(&self, host: &Arc<Host>, copy: &mut RobotsCopy) -> Result<Hop, NoAnswer> {
        let address = format!("{}/robots.txt", copy.origin);
        let mut hop = self.ask_robots(host, &address, copy).await?;
        for _ in 0..MOST_REDIRECTS {
            let Hop::Moved(to) = hop else { return Ok(hop) };
            let next = Target::of(&to).and_then(|target| self.shared.hosts.get(target.authority));
            hop = match next {
                // Where a redirect cannot be followed, the file cannot be had, whatever the reason.
                Some(next) => match self.ask_robots(&next, &to, copy).await {
                    Ok(hop) => hop,
                    Err(NoAnswer::Failed(fault)) => Hop::Failed(fault.why),
                    Err(NoAnswer::Unreached) if !self.round.is_over() => {
                        Hop::Failed(format!("{} must be left alone", next.name))
                    }
                    Err(no_answer) => return Err(no_answer),
                },
                None => Hop::Failed(format!("it redirects to {to}")),
            };
        }
        Ok(hop)
    }

    async fn ask_robots(
        &self,
        host: &Arc<Host>,
        address: &str,
        copy: &mut RobotsCopy,
    ) -> Result<Hop, NoAnswer> {
        let Some(target) = Target::of(address) else {
            return Ok(Hop::Failed(format!("it redirects to {address}")));
        };
        let ask = Ask {
            scheme: target.scheme,
            authority: target.authority,
            path: &target.path,
            validators: None,
            most: MOST_BYTES,
            takes_start: true,
        };
        let asked = self.ask(host, &ask).await;
        match asked {
            // That we could not wait says nothing of the host.
            Err(NoAnswer::Cut) => Err(NoAnswer::Unreached),
            Err(no_answer @ (NoAnswer::Unreached | NoAnswer::Stopped)) => Err(no_answer),
            Err(NoAnswer::Failed(fault)) if fault.kind == FaultKind::Unsafe => {
                Err(NoAnswer::Failed(fault))
            }
            Err(NoAnswer::Failed(fault)) => {
                self.count_robots(copy);
                Ok(Hop::Failed(fault.why))
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

fn blank(origin: &str) -> RobotsCopy {
    RobotsCopy {
        origin: origin.to_owned(),
        asked: flow::Time::from_millis(0),
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
        return Hop::Failed(fault.why);
    }
    if status.is_redirection() {
        let location = head::text(&reply.headers, &header::LOCATION);
        let to = Resolver::new(address).resolve(&location).map(str::to_owned);
        return match to {
            Some(to) if !location.is_empty() => Hop::Moved(to),
            _ => Hop::Failed(format!("it redirects ({}) to nowhere", status.as_u16())),
        };
    }
    if status.is_success() {
        return file(reply);
    }
    if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
        return Hop::Absent(status.as_u16());
    }
    Hop::Failed(format!("the server answers {}", status.as_u16()))
}

/// What is wrong with an answer, but that it is longer than we look at.
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
        // The start of a compressed file is decoded as far as it goes.
        Err(Undecodable::Broken { start, .. }) if is_cut => Hop::File(start),
        Err(error) => Hop::Failed(fault(FaultKind::Malformed, error.to_string()).why),
    }
}
