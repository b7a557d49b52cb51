//! Worlds for tests, and what they hand over.
use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use crawl::{
    Answer, Arrival, Capture, Error, FaultKind, HostState, HostUpdate, PageNo, Request, RobotsCopy,
    Snapshot, Span, Validators, World,
};
use web::{Clock, Limits, LiveWorld, Settings};

use crate::server::Server;

/// Longest times for what must work, on a machine that has other things to do.
pub(crate) const PATIENT: Limits = Limits {
    body: 100_000,
    decompressed: 400_000,
    headers: 16_384,
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    total: Duration::from_secs(20),
};

/// Short times, where running into them is the point.
pub(crate) const HASTY: Limits =
    Limits { first_byte: Duration::from_millis(400), total: Duration::from_millis(600), ..PATIENT };

/// The hosts `a.example` to `d.example` are all at this server; nobody is waited for.
pub(crate) fn settings(server: &Server) -> Settings {
    at(server.address)
}

/// As [`settings`], for a server of another kind.
pub(crate) fn at(address: SocketAddr) -> Settings {
    let hosts = ["a.example", "b.example", "c.example", "d.example"];
    Settings {
        delay: Span::default(),
        response_multiple: 0.0,
        limits: PATIENT,
        resolve: hosts.iter().map(|host| ((*host).to_owned(), address)).collect(),
        ..Settings::default()
    }
}

pub(crate) fn world(settings: Settings) -> LiveWorld {
    LiveWorld::new(settings, Clock::real(), vec![], vec![]).unwrap()
}

/// A world at this server, in no hurry.
pub(crate) fn patient(server: &Server) -> LiveWorld {
    world(settings(server))
}

/// A world at this server, in a hurry.
pub(crate) fn hasty(server: &Server) -> LiveWorld {
    world(Settings { limits: HASTY, ..settings(server) })
}

/// What came back: a capture for each address, in their order, and the updates of hosts.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) captures: Vec<Capture>,
    pub(crate) updates: Vec<HostUpdate>,
}

pub(crate) fn request(page: usize, address: &str) -> Request {
    Request { page: PageNo(page as u32), address: address.to_owned(), validators: None }
}

pub(crate) fn fetch(world: &mut LiveWorld, addresses: &[&str]) -> Fetched {
    let requests = addresses.iter().enumerate().map(|(page, address)| request(page, address));
    fetch_all(world, requests.collect())
}

pub(crate) fn fetch_all(world: &mut LiveWorld, requests: Vec<Request>) -> Fetched {
    let count = requests.len();
    let (fetched, end) = fetch_until_end(world, requests);
    end.unwrap();
    assert_eq!(fetched.captures.len(), count, "one capture for each request");
    fetched
}

/// As [`fetch_all`], with how it ended; captures may be missing.
pub(crate) fn fetch_until_end(
    world: &mut LiveWorld,
    requests: Vec<Request>,
) -> (Fetched, Result<(), Error>) {
    let (mut captures, mut updates) = (BTreeMap::new(), vec![]);
    let end = world.fetch(requests, &mut |arrival| {
        match arrival {
            Arrival::Capture(capture) => {
                let doubled = captures.insert(capture.page, capture);
                assert!(doubled.is_none(), "no page is answered twice");
            }
            Arrival::Host(update) => updates.push(update),
        }
        Ok(vec![])
    });
    (Fetched { captures: captures.into_values().collect(), updates }, end)
}

/// A request with validators.
pub(crate) fn conditional(page: usize, address: &str) -> Request {
    let validators = Validators {
        entity_tag: Some("\"v1\"".to_owned()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
    };
    Request { validators: Some(validators), ..request(page, address) }
}

impl Fetched {
    pub(crate) fn snapshot(&self, page: usize) -> &Snapshot {
        match &self.captures[page].answer {
            Answer::Content(snapshot) => snapshot,
            other => panic!("page {page} is {other:?}"),
        }
    }

    pub(crate) fn text(&self, page: usize) -> &str {
        &self.snapshot(page).content.as_ref().unwrap().text
    }

    pub(crate) fn fault(&self, page: usize) -> (FaultKind, &str) {
        match &self.captures[page].answer {
            Answer::Failed(fault) | Answer::Refused(fault) => (fault.kind, &fault.why),
            other => panic!("page {page} is {other:?}"),
        }
    }

    pub(crate) fn kind(&self, page: usize) -> FaultKind {
        self.fault(page).0
    }

    pub(crate) fn robots(&self) -> Vec<&RobotsCopy> {
        let mut all = vec![];
        for update in &self.updates {
            if let HostUpdate::Robots(copy) = update {
                all.push(copy);
            }
        }
        all
    }

    /// The last state handed over of a host.
    pub(crate) fn host_state(&self, host: &str) -> &HostState {
        let of_host =
            |update: &HostUpdate| matches!(update, HostUpdate::State(one) if one.host == host);
        match self.updates.iter().rev().find(|update| of_host(update)) {
            Some(HostUpdate::State(state)) => state,
            _ => panic!("nothing was handed over of {host}"),
        }
    }
}
