//! Hosts that ask for fewer requests, or cannot be reached, are left alone; others are not.

use std::{cell::RefCell, rc::Rc};

use crawl::{Answer, FaultKind, HostState, Span, Time, World};
use web::{Clock, LiveWorld, Settings};

use crate::{
    server::{Server, page, status},
    worlds::{fetch, patient, settings},
};

const START: Time = Time::from_millis(1_000_000_000_000);

const BUSY: &str = "http://a.example/busy";
const NEXT: &str = "http://a.example/next";
const OTHER: &str = "http://b.example/other";

/// A server whose page `/busy` asks for fewer requests.
fn busy(line: &'static str, headers: &'static str) -> Server {
    Server::new(move |asked, stream| match asked.path.as_str() {
        "/busy" => status(stream, line, headers),
        _ => page(stream, "fine"),
    })
}

/// A world in which a minute takes some milliseconds.
fn fast(settings: Settings) -> LiveWorld {
    LiveWorld::new(settings, Clock::fast(START, 2_000.0), vec![], vec![]).unwrap()
}

fn back_off(state: &HostState) -> Span {
    state.back_off_until.unwrap() - state.last_strike.unwrap()
}

#[test]
fn a_host_is_left_alone_for_as_long_as_it_asks() {
    for line in ["429 Too Many", "503 Unavailable"] {
        let server = busy(line, "Retry-After: 3600\r\n");
        let mut world = patient(&server);
        let fetched = fetch(&mut world, &[BUSY, NEXT, OTHER]);
        assert_eq!(fetched.kind(0), FaultKind::Busy);
        assert!(matches!(fetched.captures[1].answer, Answer::Unreached));
        assert_eq!(fetched.text(2), "fine");
        assert_eq!(back_off(fetched.host_state("a.example")), Span::from_millis(3_600_000));
        assert_eq!(world.backing_off(), ["a.example"]);
        // The next world knows it from the updates.
        let states = vec![fetched.host_state("a.example").clone()];
        let mut world = LiveWorld::new(settings(&server), Clock::real(), vec![], states).unwrap();
        assert_eq!(world.backing_off(), ["a.example"]);
        let fetched = fetch(&mut world, &[NEXT, OTHER]);
        assert!(matches!(fetched.captures[0].answer, Answer::Unreached));
        assert_eq!(server.paths().iter().filter(|path| *path == "/next").count(), 0);
    }
}

#[test]
fn a_host_that_does_not_say_for_how_long_rests_for_a_minute_and_a_bit() {
    for (line, headers) in [
        ("429 Too Many", ""),
        ("503 Unavailable", ""),
        // Neither means that more requests are welcome.
        ("429 Too Many", "Retry-After: 0\r\n"),
        ("503 Unavailable", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
    ] {
        let server = busy(line, headers);
        let mut world = fast(settings(&server));
        let fetched = fetch(&mut world, &[BUSY, NEXT, OTHER]);
        assert_eq!(fetched.kind(0), FaultKind::Busy);
        // A minute is waited out.
        assert_eq!((fetched.text(1), fetched.text(2)), ("fine", "fine"));
        let state = fetched.host_state("a.example");
        let rest = back_off(state).millis();
        assert!((60_000..=66_000).contains(&rest), "{rest}");
        assert!(fetched.captures[1].at >= state.back_off_until.unwrap());
        assert_eq!(state.strikes, 1);
        // Having been told again, it backs off for longer.
        let fetched = fetch(&mut world, &[BUSY, NEXT]);
        let state = fetched.host_state("a.example");
        let rest = back_off(state).millis();
        assert!((120_000..=132_000).contains(&rest), "{rest}");
        assert!(fetched.captures[1].at >= state.back_off_until.unwrap());
        assert_eq!(state.strikes, 2);
    }
}

#[test]
fn a_host_that_cannot_be_reached_rests_after_three_failures() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let mut world = patient(&server);
    // Its robots.txt is known, so that only the pages fail.
    let known = fetch(&mut world, &["http://a.example/", OTHER]);
    let robots = known.robots().into_iter().cloned().collect();
    let mut settings = settings(&server);
    settings.resolve.insert("a.example".to_owned(), crate::server::dead_host());
    let mut world = LiveWorld::new(settings, Clock::fast(world.now(), 0.001), robots, vec![]);
    let world = world.as_mut().unwrap();
    // A back-off of a minute takes most of a day here, so the end is set before it.
    world.set_deadline(Some(world.now() + Span::from_millis(30_000)));
    let addresses: Vec<String> = (0..50).map(|page| format!("http://a.example/{page}")).collect();
    let mut addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    addresses.push(OTHER);
    let fetched = fetch(world, &addresses);
    for page in 0..3 {
        assert_eq!(fetched.kind(page), FaultKind::Connect);
    }
    for page in 3..50 {
        assert!(matches!(fetched.captures[page].answer, Answer::Unreached));
    }
    assert_eq!(fetched.text(50), "fine");
    assert_eq!(fetched.host_state("a.example").strikes, 1);
    assert_eq!(world.backing_off(), ["a.example"]);
}

#[test]
fn it_is_told_when_every_host_that_is_left_backs_off_and_the_wait_can_be_left_out() {
    let server = busy("503 Unavailable", "");
    let told = Rc::new(RefCell::new(vec![]));
    let mut world = fast(settings(&server));
    let hears = Rc::clone(&told);
    world.on_waiting(move |back_offs, _| hears.borrow_mut().push(back_offs.to_vec()));
    let fetched = fetch(&mut world, &[BUSY, NEXT, OTHER]);
    // It waits, and says for whom, until when and why.
    assert_eq!((fetched.text(1), fetched.text(2)), ("fine", "fine"));
    let first = told.borrow()[0][0].clone();
    assert_eq!((first.host.as_str(), first.strikes), ("a.example", 1));
    assert_eq!(Some(first.until), fetched.host_state("a.example").back_off_until);
    assert_eq!(first.reason.as_deref(), Some("503 Service Unavailable"));
    // It does not wait, and what is left is not reached.
    let mut world = patient(&server);
    world.set_waits(false);
    let fetched = fetch(&mut world, &[BUSY, NEXT, OTHER]);
    assert!(matches!(fetched.captures[1].answer, Answer::Unreached));
    assert_eq!(fetched.text(2), "fine");
    assert_eq!(world.back_offs().len(), 1);
}

#[test]
fn a_host_without_an_address_is_a_failure_of_dns() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let mut settings = settings(&server);
    settings.contact = Some("me@example.org".to_owned());
    let mut world = LiveWorld::new(settings, Clock::real(), vec![], vec![]).unwrap();
    // A label of more than 63 letters is not looked up in any network.
    let host = format!("{}.example", "a".repeat(64));
    let fetched = fetch(&mut world, &[&format!("http://{host}/")]);
    let (kind, why) = fetched.fault(0);
    assert_eq!(kind, FaultKind::Name);
    assert!(why.contains(&format!("{host} has no address")), "{why}");
}
