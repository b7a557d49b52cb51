//! What is refused, and that a crowd does not keep others out.
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use super::served::{Reply, Served};

#[test]
fn only_reading_is_answered() {
    let served = Served::without_index();
    let host = served.address.to_string();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        for path in ["/", "/api/status", "/go/0"] {
            let reply = served.ask(method, path, &host);
            assert_eq!(
                (reply.status, reply.header("allow")),
                (405, "GET, HEAD"),
                "{method} {path}"
            );
        }
    }
}

#[test]
fn only_names_of_this_machine_are_answered_and_those_that_were_allowed() {
    let served = Served::new("--listen-names search.example");
    let port = served.address.port();
    for host in ["localhost".to_owned(), format!("127.0.0.1:{port}"), "search.example".to_owned()] {
        assert_eq!(served.ask("GET", "/", &host).status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "10.1.2.3"] {
        let reply = served.ask("GET", "/api/status", host);
        assert_eq!(reply.status, 421, "{host}");
        assert!(reply.body.contains("--listen-names"), "{}", reply.body);
    }
    // A name in the request line counts more than that of the header, and none is no name.
    let reply = served
        .say("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(reply.status, 421);
    assert_eq!(served.say("GET / HTTP/1.0\r\n\r\n").status, 421);
}

#[test]
fn long_queries_are_refused_in_words_and_endless_ones_at_all() {
    let served = Served::new("");
    let fits = "a".repeat(1_000);
    assert_eq!(served.get(&format!("/search?q={fits}")).status, 200);
    let reply = served.get(&format!("/search?q={fits}a"));
    assert_eq!(reply.status, 414);
    assert!(reply.body.contains("longer than 1000 characters"), "{}", reply.body);
    for length in [20_000, 1_000_000] {
        let reply = served.get(&format!("/search?q={}", "a".repeat(length)));
        assert!([414, 431].contains(&reply.status), "{length}: {}", reply.status);
    }
    let long_head =
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(40_000));
    assert_eq!(served.say(&long_head).status, 431);
    assert_eq!(served.say("\u{0}\u{1}nonsense\r\n\r\n").status, 400);
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn a_connection_can_ask_again() {
    let served = Served::without_index();
    let mut stream = served.connect();
    for _ in 0..3 {
        stream.write_all(b"HEAD /robots.txt HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut head = vec![];
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
    }
}

/// More connections than are served at once, none of which ever finishes its request.
#[test]
fn many_that_never_finish_asking_are_cut_off_and_others_are_answered() {
    let served = Served::without_index();
    let slow = |_| {
        let mut stream = served.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
        stream
    };
    let mut crowd: Vec<TcpStream> = (0..600).map(slow).collect();
    let start = Instant::now();
    assert_eq!(served.get("/robots.txt").status, 200);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // They are cut off one after another, those first that came when it was crowded already.
    for stream in crowd.iter_mut().rev().take(120) {
        let mut rest = vec![];
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.len() < 1_000);
    }
    assert_eq!(served.get("/healthz").status, 503);
}

#[test]
fn a_signal_ends_it_with_code_0_whoever_is_connected() {
    let mut served = Served::without_index();
    let idle = served.connect();
    let mut half = served.connect();
    half.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let mut asked = served.connect();
    asked.write_all(b"GET /dashboard HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    // It has been heard when the first byte of the answer is here.
    asked.read_exact(&mut [0]).unwrap();
    let start = Instant::now();
    assert_eq!(served.stop(), Some(0));
    // Whoever has not asked for anything is not waited for.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(Reply::read(&mut asked).body.contains("</html>"));
    assert!(TcpStream::connect(served.address).is_err());
    drop(idle);
}

#[test]
fn a_port_that_is_taken_and_settings_that_are_wrong_are_refused_in_a_line() {
    let served = Served::without_index();
    let folder = served.data();
    for (flags, says) in [
        (format!("--listen {}", served.address), "cannot listen at"),
        ("--listen everywhere".to_owned(), "--listen: \"everywhere\" is not ADDRESS:PORT"),
        ("--query-log maybe".to_owned(), "--query-log: \"maybe\" is neither yes nor no"),
    ] {
        let arguments = format!("serve --data data {flags}");
        let output = crate::common::run(folder.parent().unwrap(), &arguments);
        let line = crate::common::errors(&output);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.contains(says) && line.lines().count() == 1, "{line}");
    }
}
