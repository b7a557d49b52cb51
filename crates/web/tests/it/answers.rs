//! What each status means.
use crawl::{Answer, FaultKind, Form};

use crate::{
    server::{Server, page_with, raw, status},
    worlds::{conditional, fetch, fetch_all, patient},
};

fn answer(line: &'static str, headers: &'static str) -> Answer {
    let server = Server::new(move |_, stream| status(stream, line, headers));
    let mut fetched = fetch(&mut patient(&server), &["http://a.example/x"]);
    assert!(fetched.captures[0].exchange.is_some(), "what was said is kept");
    fetched.captures.remove(0).answer
}

#[test]
fn every_status_says_what_happened() {
    let kind = |line, headers| match answer(line, headers) {
        Answer::Failed(fault) => fault.kind,
        other => panic!("{line} is {other:?}"),
    };
    assert!(matches!(answer("404 Not Found", ""), Answer::Missing));
    assert!(matches!(answer("410 Gone", ""), Answer::Gone));
    assert!(matches!(answer("204 No Content", ""), Answer::Content(_)));
    for denied in ["400 Bad", "401 Who", "403 No", "405 How", "418 Tea", "451 Law"] {
        assert_eq!(kind(denied, ""), FaultKind::Denied);
    }
    for server in ["500 Oops", "502 Gateway", "504 Late", "599 Odd"] {
        assert_eq!(kind(server, ""), FaultKind::Server);
    }
    assert_eq!(kind("429 Slow", ""), FaultKind::Busy);
    assert_eq!(kind("503 Busy", "Retry-After: 1\r\n"), FaultKind::Busy);
    assert_eq!(kind("206 Partial", ""), FaultKind::Malformed);
    assert_eq!(kind("304 Same", ""), FaultKind::Malformed);
    assert_eq!(kind("302 Found", ""), FaultKind::Malformed);
    assert_eq!(kind("302 Found", "Location: mailto:a@b.org\r\n"), FaultKind::Malformed);
    assert_eq!(kind("700 Strange", ""), FaultKind::Malformed);
}

#[test]
fn a_redirect_is_recorded_and_not_followed() {
    let server = Server::new(|_, stream| status(stream, "301 Moved", "Location: ../new#x\r\n"));
    let fetched = fetch(&mut patient(&server), &["http://a.example/dir/old"]);
    let snapshot = fetched.snapshot(0);
    assert_eq!(snapshot.form, Form::Moved);
    assert_eq!(&*snapshot.links.links()[0].address, "http://a.example/new");
    assert_eq!(server.paths(), ["/dir/old"]);
}

#[test]
fn a_redirect_loop_is_one_request_a_visit() {
    let server = Server::new(|_, stream| status(stream, "302 Found", "Location: /loop\r\n"));
    let mut world = patient(&server);
    for visits in 1..=3 {
        let fetched = fetch(&mut world, &["http://a.example/loop"]);
        assert_eq!(&*fetched.snapshot(0).links.links()[0].address, "http://a.example/loop");
        assert_eq!(server.paths().len(), visits);
    }
}

#[test]
fn not_modified_is_an_answer_to_validators() {
    let server = Server::new(|asked, stream| {
        assert_eq!(asked.header("If-None-Match"), Some("\"v1\""));
        assert_eq!(asked.header("If-Modified-Since"), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        raw(stream, b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n")
    });
    let requests = (0..3).map(|page| conditional(page, &format!("http://a.example/{page}")));
    let fetched = fetch_all(&mut patient(&server), requests.collect());
    for capture in &fetched.captures {
        assert!(matches!(capture.answer, Answer::NotModified));
        assert_eq!(capture.exchange.as_ref().unwrap().status, 304);
    }
}

#[test]
fn what_lets_us_ask_again_is_kept() {
    let server = Server::new(|_, stream| {
        let headers = "ETag: W/\"7\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
        page_with(stream, headers, b"x")
    });
    let fetched = fetch(&mut patient(&server), &["http://a.example/"]);
    let validators = &fetched.captures[0].exchange.as_ref().unwrap().validators;
    assert_eq!(validators.entity_tag.as_deref(), Some("W/\"7\""));
    assert_eq!(validators.last_modified.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
}

#[test]
fn the_header_for_robots_is_respected() {
    let server = Server::new(|_, stream| {
        let headers = "Content-Type: text/html\r\nX-Robots-Tag: otherbot: none\r\n\
            x-robots-tag: noindex\r\nX-Robots-Tag: Sanderling: nofollow\r\n";
        page_with(stream, headers, b"<a href=/x>x</a>")
    });
    let fetched = fetch(&mut patient(&server), &["http://a.example/"]);
    let snapshot = fetched.snapshot(0);
    assert!(snapshot.directives.noindex && snapshot.directives.nofollow);
    assert!(snapshot.links.links().iter().all(|link| !link.follow));
}

#[test]
fn an_address_of_no_web_is_refused_unasked() {
    let server = Server::new(|_, stream| status(stream, "204 None", ""));
    let addresses = ["ftp://a.example/", "file:///etc/passwd", "nonsense", "http://A.example/"];
    let fetched = fetch(&mut patient(&server), &addresses);
    for page in 0..addresses.len() {
        assert_eq!(fetched.kind(page), FaultKind::Unsafe);
    }
    assert!(server.log().is_empty());
}
