//! robots.txt that is slow, huge, elsewhere, broken or not to be had.
use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crawl::{Answer, FaultKind, RobotsState, Span, Time, World};
use web::{Clock, LiveWorld, Settings};

use crate::{
    server::{Server, dead_host, page, page_with, raw, robots, silence, status},
    worlds::{fetch, hasty, patient, settings, world},
};

const PAGE: &str = "http://a.example/page";
const PRIVATE: &str = "http://a.example/private/page";
const OTHER: &str = "http://b.example/page";

const RULES: &str = "User-agent: *\nDisallow: /private/\nSitemap: http://a.example/map.xml\n";

/// A server whose host `a.example` has a robots.txt with a story; all others have none.
fn with_robots(
    say: impl Fn(&mut std::net::TcpStream) -> crate::server::Said + Send + Sync + 'static,
) -> Server {
    Server::with_robots(move |asked, stream| match (asked.host.as_str(), asked.path.as_str()) {
        ("a.example", "/robots.txt") => say(stream),
        (_, "/robots.txt") => status(stream, "404 None", ""),
        _ => page(stream, "fine"),
    })
}

#[test]
fn rules_hold_and_a_refusal_names_the_line() {
    let server = with_robots(|stream| robots(stream, RULES));
    let mut world = patient(&server);
    let fetched = fetch(&mut world, &[PRIVATE, PAGE, OTHER]);
    assert_eq!(fetched.fault(0), (FaultKind::Robots, "robots.txt says \"Disallow: /private/\""));
    assert_eq!((fetched.text(1), fetched.text(2)), ("fine", "fine"));
    assert_eq!(server.paths(), ["/page", "/page"]);
    let robots = fetched.robots();
    let a = robots.iter().find(|copy| copy.origin == "http://a.example").unwrap();
    assert_eq!((&a.state, a.fetches), (&RobotsState::Given, 1));
    assert_eq!(a.sitemaps, ["http://a.example/map.xml"]);
    assert_eq!(a.good.as_ref().unwrap().1, RULES.as_bytes());
    assert_eq!(a.exchanges.len(), 1);
    let b = robots.iter().find(|copy| copy.origin == "http://b.example").unwrap();
    assert_eq!(b.state, RobotsState::Absent(404));
    assert_eq!(world.robots_fetches(), 2);
}

/// Nothing of the host is asked for, and the fault says why, by kind and in words; others are fine.
fn forbids_all(server: &Server, mut world: LiveWorld, expected: FaultKind, why: &str) {
    let fetched = fetch(&mut world, &[PAGE, OTHER, PRIVATE]);
    for page in [0, 2] {
        let (kind, said) = fetched.fault(page);
        assert_eq!(kind, expected);
        assert!(matches!(fetched.captures[page].answer, Answer::Refused(_)));
        assert!(said.starts_with("robots.txt cannot be fetched: "), "{said}");
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(fetched.text(1), "fine");
    assert_eq!(server.paths().len(), 1);
}

#[test]
fn a_robots_txt_that_never_comes_forbids_all() {
    let server = with_robots(|stream| Ok(silence(stream)));
    forbids_all(&server, hasty(&server), FaultKind::Timeout, "no answer within 400ms");
}

#[test]
fn a_robots_txt_that_fails_forbids_all() {
    use FaultKind::{Busy, Server};
    for (line, kind, code) in
        [("500 Oops", Server, "500"), ("429 Slow", Busy, "429"), ("503 Busy", Busy, "503")]
    {
        let server = with_robots(move |stream| status(stream, line, "Retry-After: 0\r\n"));
        forbids_all(&server, patient(&server), kind, code);
    }
}

#[test]
fn a_robots_txt_in_a_loop_forbids_all_after_five_redirects() {
    let server = with_robots(|stream| {
        status(stream, "302 Found", "Location: http://a.example/robots.txt\r\n")
    });
    forbids_all(&server, patient(&server), FaultKind::Malformed, "more than 5 redirects");
    let asked = server.log().iter().filter(|asked| asked.host == "a.example").count();
    assert_eq!(asked, 6);
}

#[test]
fn a_robots_txt_that_leads_to_a_private_address_forbids_all() {
    let server =
        with_robots(|stream| status(stream, "302 Found", "Location: http://169.254.169.254/\r\n"));
    let contact = Some("me@example.org".to_owned());
    let world = world(Settings { contact, ..settings(&server) });
    forbids_all(&server, world, FaultKind::Unsafe, "metadata");
}

#[test]
fn a_robots_txt_out_of_reach_forbids_all() {
    let server = with_robots(|stream| Ok(silence(stream)));
    let mut settings = settings(&server);
    settings.resolve.insert("a.example".to_owned(), dead_host());
    forbids_all(&server, world(settings), FaultKind::Connect, "no connection to a.example");
}

#[test]
fn a_robots_txt_cut_short_forbids_all() {
    let server = with_robots(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nUser-agent: *\n")?;
        Ok(crate::server::Then::Close)
    });
    forbids_all(&server, patient(&server), FaultKind::Broken, "broke");
}

#[test]
fn any_other_status_of_the_400s_allows_all() {
    for line in ["400 Bad", "401 Who", "403 No", "404 None", "410 Gone"] {
        let server = with_robots(move |stream| status(stream, line, ""));
        let fetched = fetch(&mut patient(&server), &[PRIVATE]);
        assert_eq!(fetched.text(0), "fine");
    }
}

#[test]
fn a_robots_txt_elsewhere_is_found() {
    let server = Server::with_robots(|asked, stream| {
        let to = match (asked.host.as_str(), asked.path.as_str()) {
            ("a.example", "/robots.txt") => "/one",
            ("a.example", "/one") => "http://b.example/two",
            ("b.example", "/two") => "//c.example/three",
            ("c.example", "/three") => "/four",
            ("c.example", "/four") => "http://a.example/five",
            (_, "/five") => return robots(stream, RULES),
            (_, "/robots.txt") => return status(stream, "404 None", ""),
            _ => return page(stream, "fine"),
        };
        status(stream, "301 Moved", &format!("Location: {to}\r\n"))
    });
    let fetched = fetch(&mut patient(&server), &[PRIVATE, PAGE]);
    assert_eq!(fetched.kind(0), FaultKind::Robots);
    assert_eq!(fetched.text(1), "fine");
    let copy = fetched.robots()[0];
    assert_eq!((copy.origin.as_str(), copy.fetches), ("http://a.example", 6));
    assert_eq!(copy.exchanges.len(), 6);
    assert_eq!(copy.exchanges[5].address, "http://a.example/five");
}

#[test]
fn of_a_huge_robots_txt_the_first_500_kib_hold() {
    let long = format!(
        "User-agent: *\nDisallow: /before\n{}\nDisallow: /behind\n",
        "#23456789\n".repeat(60_000)
    );
    for is_chunked in [false, true] {
        let file = long.clone();
        let server = with_robots(move |stream| {
            if is_chunked {
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
                let length = file.len();
                raw(stream, format!("{head}{length:x}\r\n{file}\r\n0\r\n\r\n").as_bytes())
            } else {
                robots(stream, &file)
            }
        });
        let addresses = ["http://a.example/before", "http://a.example/behind"];
        let fetched = fetch(&mut patient(&server), &addresses);
        assert_eq!(fetched.kind(0), FaultKind::Robots);
        assert_eq!(fetched.text(1), "fine");
        assert!(fetched.robots()[0].good.as_ref().unwrap().1.len() <= 512_001);
    }
}

#[test]
fn a_compressed_robots_txt_is_read_as_far_as_it_is_looked_at() {
    let long = format!("User-agent: *\nDisallow: /private/\n{}", "#\n".repeat(400_000));
    let packed = zstd::encode_all(long.as_bytes(), 3).unwrap();
    let server =
        with_robots(move |stream| page_with(stream, "Content-Encoding: zstd\r\n", &packed));
    let fetched = fetch(&mut patient(&server), &[PRIVATE, PAGE]);
    assert_eq!(fetched.kind(0), FaultKind::Robots);
    assert_eq!(fetched.text(1), "fine");
}

#[test]
fn it_is_asked_for_once_a_day_and_the_last_file_holds_while_it_cannot_be_had() {
    let is_down = Arc::new(AtomicBool::new(false));
    let down = Arc::clone(&is_down);
    let server = with_robots(move |stream| {
        if down.load(Ordering::Acquire) {
            status(stream, "500 Oops", "")
        } else {
            robots(stream, RULES)
        }
    });
    let start = Time::from_millis(1_000_000_000_000);
    let clock = Clock::fast(start, 1.0);
    let hour = Span::from_millis(3_600_000);
    let mut first = LiveWorld::new(settings(&server), clock, vec![], vec![]).unwrap();
    let fetched = fetch(&mut first, &[PRIVATE, PAGE]);
    assert_eq!(server.robots(), 1);
    let copy = fetched.robots()[0].clone();
    drop(first);
    // Another world remembers, and does not ask before its time.
    let at = |copy: &crawl::RobotsCopy, hours: i64| {
        let clock = Clock::fast(copy.requested_at + hour.times(hours), 1.0);
        LiveWorld::new(settings(&server), clock, vec![copy.clone()], vec![]).unwrap()
    };
    let fetched = fetch(&mut at(&copy, 23), &[PRIVATE, PAGE]);
    assert_eq!((server.robots(), fetched.kind(0)), (1, FaultKind::Robots));
    is_down.store(true, Ordering::Release);
    let fetched = fetch(&mut at(&copy, 24), &[PRIVATE, PAGE]);
    assert_eq!((server.robots(), fetched.kind(0)), (2, FaultKind::Robots));
    assert_eq!(fetched.text(1), "fine");
    let copy = fetched.robots()[0].clone();
    assert!(matches!(copy.state, RobotsState::Unreachable(_)));
    assert_eq!((copy.fetches, copy.good.as_ref().unwrap().1.as_slice()), (2, RULES.as_bytes()));
    // A failure is asked about again after an hour.
    fetch(&mut at(&copy, 0), &[PAGE]);
    assert_eq!(server.robots(), 2);
    is_down.store(false, Ordering::Release);
    let mut world = at(&copy, 1);
    let fetched = fetch(&mut world, &[PAGE]);
    assert_eq!((server.robots(), fetched.robots()[0].fetches), (3, 3));
    assert_eq!(fetched.robots()[0].state, RobotsState::Given);
    assert!(world.now() > copy.requested_at);
}
