//! What a client of the demo server sees on the wire.
#![expect(clippy::unwrap_used, reason = "a test stops where it cannot go on")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crawl::Time;
use demo::{DemoServer, DemoWeb};

const START: i64 = 1_772_524_800_000;
const HOUR: i64 = 3_600_000;

/// A server whose clock the test moves.
struct Stage {
    server: DemoServer,
    web: Arc<DemoWeb>,
    now: Arc<AtomicI64>,
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

fn stage() -> Stage {
    let web = Arc::new(DemoWeb::new(11, Time::from_millis(START), 10));
    let now = Arc::new(AtomicI64::new(START + HOUR));
    let hand = Arc::clone(&now);
    let clock = Arc::new(move || Time::from_millis(hand.load(Ordering::SeqCst)));
    let server = DemoServer::start(Arc::clone(&web), clock).unwrap();
    Stage { server, web, now }
}

impl Stage {
    fn connect(&self) -> BufReader<TcpStream> {
        let stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        BufReader::new(stream)
    }

    fn get(&self, host: &str, path: &str, more: &str) -> Answer {
        ask(&mut self.connect(), "GET", host, path, more)
    }
}

fn ask(
    stream: &mut BufReader<TcpStream>,
    method: &str,
    host: &str,
    path: &str,
    more: &str,
) -> Answer {
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n");
    stream.get_mut().write_all(request.as_bytes()).unwrap();
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(stream.read_line(&mut head).unwrap() > 0, "the connection ended");
    }
    let status = head[9..12].parse().unwrap();
    let mut answer = Answer { status, head, body: Vec::new() };
    let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
    if method != "HEAD" && answer.status != 304 {
        answer.body = vec![0; length];
        stream.read_exact(&mut answer.body).unwrap();
    }
    answer
}

#[test]
fn a_page_is_served_as_the_web_says() {
    let stage = stage();
    let answer = stage.get("index.example", "/", "");
    let served = stage.web.page("http://index.example/", Time::from_millis(START + HOUR));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, served.body);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.header("date"), Some("Tue, 03 Mar 2026 09:00:00 GMT"));
}

#[test]
fn many_hosts_share_one_connection() {
    let stage = stage();
    let mut stream = stage.connect();
    for host in stage.server.hosts() {
        let answer = ask(&mut stream, "GET", &host, "/", "");
        assert_eq!(answer.status, if host.starts_with("old") { 301 } else { 200 }, "{host}");
    }
}

#[test]
fn the_clock_decides_what_is_served() {
    let stage = stage();
    let before = stage.get("daily-tide.example", "/", "").body;
    stage.now.fetch_add(48 * HOUR, Ordering::SeqCst);
    assert_ne!(stage.get("daily-tide.example", "/", "").body, before);
}

#[test]
fn an_entity_tag_spares_the_body_until_the_page_changes() {
    let stage = stage();
    let tag = stage.get("harbour-herald.example", "/", "").header("etag").unwrap().to_owned();
    let condition = format!("If-None-Match: {tag}\r\n");
    assert_eq!(stage.get("harbour-herald.example", "/", &condition).status, 304);
    stage.now.fetch_add(48 * HOUR, Ordering::SeqCst);
    assert_eq!(stage.get("harbour-herald.example", "/", &condition).status, 200);
}

#[test]
fn a_date_spares_the_body_until_the_page_changes() {
    let stage = stage();
    let (host, path) = ("coast-cyclopedia.example", "/recent");
    let date = stage.get(host, path, "").header("last-modified").unwrap().to_owned();
    let condition = format!("If-Modified-Since: {date}\r\n");
    assert_eq!(stage.get(host, path, &condition).status, 304);
    stage.now.fetch_add(48 * HOUR, Ordering::SeqCst);
    assert_eq!(stage.get(host, path, &condition).status, 200);
}

#[test]
fn some_sites_compress_for_those_who_accept_it() {
    let stage = stage();
    let plain = stage.get("shore-docs.example", "/", "");
    let packed = stage.get("shore-docs.example", "/", "Accept-Encoding: gzip\r\n");
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    let never = stage.get("gull-gazette.example", "/", "Accept-Encoding: gzip\r\n");
    assert_eq!(never.header("content-encoding"), None);
}

#[test]
fn head_says_the_length_and_sends_nothing() {
    let stage = stage();
    let mut stream = stage.connect();
    let length = ask(&mut stream, "GET", "index.example", "/", "").body.len();
    let head = ask(&mut stream, "HEAD", "index.example", "/", "");
    assert_eq!(head.header("content-length"), Some(&*length.to_string()));
    // The next answer follows at once: no body stood between.
    assert_eq!(ask(&mut stream, "GET", "index.example", "/about", "").status, 200);
}

#[test]
fn what_is_not_there_is_refused() {
    let stage = stage();
    assert_eq!(stage.get("index.example", "/nothing", "").status, 404);
    assert_eq!(stage.get("elsewhere.example", "/", "").status, 421);
    assert_eq!(ask(&mut stage.connect(), "DELETE", "index.example", "/", "").status, 405);
    let moved = stage.get("old-harbour.example", "/about", "");
    assert_eq!(moved.header("location"), Some("http://harbour-office.example/about"));
}

#[test]
fn a_page_can_ask_in_a_header_not_to_be_indexed() {
    let answer = stage().get("pier-talk.example", "/members/3", "");
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
}

#[test]
fn requests_are_counted_and_kept_when_asked_for() {
    let stage = stage();
    stage.get("index.example", "/", "");
    assert!(stage.server.visits().is_empty());
    stage.server.keep_visits(true);
    stage.get("index.example", "/nothing", "");
    let visits = stage.server.visits();
    assert_eq!((visits[0].host, &*visits[0].path), ("index.example", "/nothing"));
    assert_eq!(visits[0].at, Time::from_millis(START + HOUR));
    let counts: Vec<_> =
        stage.server.counts().iter().map(|row| (row.status, row.requests)).collect();
    assert_eq!(counts, [(200, 1), (404, 1)]);
}

#[test]
fn a_dropped_server_leaves_its_port() {
    let stage = stage();
    let address = stage.server.address();
    let idle = stage.connect();
    drop(stage);
    assert!(TcpStream::connect(address).is_err());
    drop(idle);
}
