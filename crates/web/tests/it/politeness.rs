//! Politeness as the server sees it: hundreds of hosts, thousands of visits, restarts in between.
use std::{collections::BTreeMap, thread, time::Duration};

use crawl::{Arrival, Error, FaultKind, HostState, HostUpdate, Request, RobotsCopy, Span, World};
use web::{Clock, LiveWorld, Settings};

use crate::{
    server::{Asked, Server, page, robots, status},
    worlds::{PATIENT, request},
};

const HOSTS: usize = 300;
const PAGES: usize = 4;

const DELAY: Duration = Duration::from_millis(25);
const LONG_DELAY: Duration = Duration::from_millis(100);
const TOLERANCE: Duration = Duration::from_millis(1);

/// The host whose robots.txt asks for more.
const SLOW: usize = 7;

fn name(host: usize) -> String {
    format!("h{host:03}.example")
}

fn forbids(host: usize) -> bool {
    host.is_multiple_of(3)
}

/// What is remembered between worlds.
#[derive(Default)]
struct Memory {
    robots: BTreeMap<String, RobotsCopy>,
    states: BTreeMap<String, HostState>,
}

impl Memory {
    fn remember(&mut self, update: HostUpdate) {
        match update {
            HostUpdate::Robots(copy) => {
                self.robots.insert(copy.origin.clone(), copy);
            }
            HostUpdate::State(state) => {
                self.states.insert(state.host.clone(), state);
            }
        }
    }

    fn world(&self, server: &Server, after_restart: bool) -> LiveWorld {
        let settings = Settings {
            delay: Span::from_millis(DELAY.as_millis() as i64),
            response_multiple: 0.0,
            limits: PATIENT,
            resolve: (0..HOSTS).map(|host| (name(host), server.address)).collect(),
            after_restart,
            ..Settings::default()
        };
        let robots = self.robots.values().cloned().collect();
        let states = self.states.values().cloned().collect();
        LiveWorld::new(settings, Clock::real(), robots, states).unwrap()
    }
}

/// A few pages of every host, and one that some of them forbid.
fn requests() -> Vec<Request> {
    let paths = (0..PAGES).map(|page| format!("{page}")).chain(["private/x".to_owned()]);
    let addresses = paths.flat_map(|path| (0..HOSTS).map(move |host| (host, path.clone())));
    addresses
        .enumerate()
        .map(|(page, (host, path))| request(page, &format!("http://{}/{path}", name(host))))
        .collect()
}

/// Fetches until `most` captures have come, and then lets `end` end it.
fn run(
    world: &mut LiveWorld,
    memory: &mut Memory,
    most: usize,
    end: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut captures = 0;
    world.fetch(requests(), &mut |arrival| {
        match arrival {
            Arrival::Capture(capture) => {
                captures += 1;
                let host = capture.page.0 as usize % HOSTS;
                let is_private = capture.page.0 as usize >= PAGES * HOSTS;
                let refused = matches!(&capture.answer,
                    crawl::Answer::Refused(fault) if fault.kind == FaultKind::Robots);
                assert_eq!(refused, is_private && forbids(host), "{:?}", capture.answer);
            }
            Arrival::Host(update) => memory.remember(update),
        }
        if captures >= most { end().map(|()| vec![]) } else { Ok(vec![]) }
    })?;
    Ok(captures)
}

#[test]
fn no_two_requests_to_a_host_overlap_or_come_too_close_through_restarts() {
    let server = Server::with_robots(|asked, stream| {
        let host: usize = asked.host[1..4].parse().unwrap();
        // Some take longer than others.
        thread::sleep(Duration::from_millis((host % 4) as u64));
        match asked.path.as_str() {
            "/robots.txt" if host == SLOW => robots(stream, "User-agent: *\nCrawl-delay: 0.1"),
            "/robots.txt" if forbids(host) => robots(stream, "User-agent: *\nDisallow: /private/"),
            "/robots.txt" => status(stream, "404 None", ""),
            _ => page(stream, "fine"),
        }
    });
    let mut memory = Memory::default();
    let all = HOSTS * (PAGES + 1);
    let go_on = &mut || Ok(());

    // The first is left to finish.
    let visits = run(&mut memory.world(&server, false), &mut memory, all, go_on).unwrap();
    assert_eq!(visits, all);
    assert_eq!(server.robots(), HOSTS);

    // The second knows of the first. It dies in the middle.
    let mut forgotten = Memory::default();
    let mut world = memory.world(&server, true);
    let die = &mut || Err(Error::Unrequested { address: "killed".to_owned() });
    run(&mut world, &mut forgotten, all / 2, die).unwrap_err();
    drop(world);
    assert_eq!(server.robots(), HOSTS, "robots.txt is known for a day");

    // The third follows at once and knows nothing at all. It is told to stop.
    let mut memory = Memory::default();
    let mut world = memory.world(&server, true);
    let stopper = world.stopper();
    let stop = &mut || {
        stopper.stop();
        Ok(())
    };
    let ended = run(&mut world, &mut memory, all / 2, stop);
    assert!(matches!(ended, Err(Error::Interrupted)));
    drop(world);

    // The fourth knows of the third.
    let visits = run(&mut memory.world(&server, true), &mut memory, all, go_on).unwrap();
    assert_eq!(visits, all);

    let log = server.log();
    assert!(log.len() > 3 * HOSTS * PAGES);
    let mut by_host: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    for asked in log {
        by_host.entry(asked.host.clone()).or_default().push(asked);
    }
    assert_eq!(by_host.len(), HOSTS);
    for (host, asked) in &by_host {
        keeps_its_distance(host, asked);
    }
}

fn keeps_its_distance(name: &str, asked: &[Asked]) {
    let host: usize = name[1..4].parse().unwrap();
    let robots = asked.iter().filter(|one| one.path == "/robots.txt").count();
    assert_eq!(robots, 2, "{name}: once a day, and once for the world that knew nothing");
    if forbids(host) {
        assert!(asked.iter().all(|one| !one.path.starts_with("/private/")), "{name}");
    }
    // Those that the world died over have no end; nobody can know when they had one.
    let whole: Vec<_> = asked.iter().filter(|one| one.end.is_some()).collect();
    assert!(whole.len() + 1 >= asked.len(), "{name}");
    for pair in whole.windows(2) {
        // Whoever knows nothing cannot know what robots.txt asks for before it is read.
        let is_known = host == SLOW && pair[1].path != "/robots.txt";
        let delay = if is_known { LONG_DELAY } else { DELAY };
        let gap = pair[1].start.checked_duration_since(pair[0].end.unwrap());
        assert!(
            gap.is_some_and(|gap| gap + TOLERANCE >= delay),
            "{name}: {} came {gap:?} after {}",
            pair[1].path,
            pair[0].path
        );
    }
}
