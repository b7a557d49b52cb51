//! Answers that are too long, too slow, broken or not what they say. After each, the next page of
//! the same host and a page of another must still come.
use std::{
    io::Write,
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use crawl::{FaultKind, Truncation};
use flate2::{Compression, write::GzEncoder};

use crate::{
    server::{Asked, Said, Server, Then, page, page_with, raw},
    worlds::{Fetched, fetch, hasty, patient},
};

const BAD: &str = "http://a.example/bad";
const NEXT: &str = "http://a.example/next";
const OTHER: &str = "http://b.example/other";

/// A server with one bad page.
fn bad(say: impl Fn(&Asked, &mut TcpStream) -> Said + Send + Sync + 'static) -> Server {
    Server::new(move |asked, stream| match asked.path.as_str() {
        "/bad" | "/reset" => say(asked, stream),
        _ => page(stream, "<p>fine"),
    })
}

fn others_are_fine(fetched: &Fetched) {
    assert_eq!((fetched.text(1), fetched.text(2)), ("fine", "fine"));
}

fn truncated(fetched: &Fetched) -> Option<Truncation> {
    fetched.captures[0].exchange.as_ref().unwrap().truncated
}

#[test]
fn an_endless_body_is_cut_at_the_limit() {
    let server = bad(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")?;
        loop {
            stream.write_all(&[b'x'; 4096])?;
        }
    });
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::TooLarge);
    assert_eq!(truncated(&fetched), Some(Truncation::Length));
    assert_eq!(fetched.captures[0].exchange.as_ref().unwrap().body.len(), 100_000);
    others_are_fine(&fetched);
}

#[test]
fn a_body_that_is_said_to_be_too_long_is_not_taken() {
    let server = bad(|_, stream| page_with(stream, "", &vec![b'x'; 200_000]));
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.fault(0), (FaultKind::TooLarge, "longer than 100000 bytes"));
    assert_eq!(truncated(&fetched), Some(Truncation::Length));
    others_are_fine(&fetched);
}

#[test]
fn a_body_that_comes_drop_by_drop_is_given_up() {
    let server = bad(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        loop {
            stream.write_all(b"x")?;
            thread::sleep(Duration::from_millis(20));
        }
    });
    let begun = Instant::now();
    let fetched = fetch(&mut hasty(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::Timeout);
    assert_eq!(truncated(&fetched), Some(Truncation::Time));
    assert!(begun.elapsed() < Duration::from_secs(10));
    others_are_fine(&fetched);
}

#[test]
fn a_head_that_comes_drop_by_drop_is_given_up() {
    let server = bad(|_, stream| {
        loop {
            stream.write_all(b"H")?;
            thread::sleep(Duration::from_millis(20));
        }
    });
    let fetched = fetch(&mut hasty(&server), &[BAD, NEXT, OTHER]);
    // Not HTTP at all, or too slow: whichever shows first.
    assert!(matches!(fetched.kind(0), FaultKind::Timeout | FaultKind::Malformed));
    others_are_fine(&fetched);
}

#[test]
fn endless_headers_are_too_large() {
    let server = bad(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        loop {
            stream.write_all(b"X-Filler: ")?;
            stream.write_all(&[b'y'; 1000])?;
            stream.write_all(b"\r\n")?;
        }
    });
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::TooLarge);
    others_are_fine(&fetched);
}

#[test]
fn a_bomb_is_too_large_and_kept_as_it_was_sent() {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(&vec![b'0'; 10 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    let body = bomb.clone();
    let server = bad(move |_, stream| page_with(stream, "Content-Encoding: gzip\r\n", &body));
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::TooLarge);
    let exchange = fetched.captures[0].exchange.as_ref().unwrap();
    assert_eq!((&exchange.body, exchange.truncated), (&bomb, None));
    others_are_fine(&fetched);
}

/// XML of 300,000 bytes, three times what a page may have.
fn long_xml(root: &str) -> String {
    let entry = |page| format!("<url><loc>http://a.example/{page}</loc></url>");
    let entries: Vec<String> = (0..3_000).map(entry).collect();
    let entries = entries.concat();
    let filler = " ".repeat(300_000 - entries.len());
    format!("<{root}>{entries}{filler}</{root}>")
}

#[test]
fn a_sitemap_may_be_longer_than_a_page() {
    // As announced, and to the end of the connection.
    for is_announced in [true, false] {
        let server = Server::new(move |asked, stream| {
            let body = match asked.path.as_str() {
                "/sitemap.xml" => long_xml("urlset"),
                "/other.xml" => long_xml("rss"),
                _ => return page(stream, "<p>fine"),
            };
            if is_announced {
                return page_with(stream, "Content-Type: text/xml\r\n", body.as_bytes());
            }
            raw(stream, b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n")?;
            stream.write_all(body.as_bytes())?;
            Ok(Then::Close)
        });
        let addresses = ["http://a.example/sitemap.xml", "http://b.example/other.xml", NEXT];
        let fetched = fetch(&mut patient(&server), &addresses);
        assert_eq!(fetched.snapshot(0).links.links().len(), 3_000);
        assert_eq!(fetched.captures[0].exchange.as_ref().unwrap().truncated, None);
        assert_eq!(fetched.fault(1), (FaultKind::TooLarge, "longer than 100000 bytes"));
        let kept = &fetched.captures[1].exchange.as_ref().unwrap().body;
        assert_eq!(kept.len(), if is_announced { 0 } else { 100_000 });
        assert_eq!(fetched.text(2), "fine");
    }
}

#[test]
fn a_body_that_is_not_in_its_coding_is_malformed() {
    let server = bad(|_, stream| page_with(stream, "Content-Encoding: gzip\r\n", b"plain"));
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::Malformed);
    others_are_fine(&fetched);
}

#[test]
fn a_reset_in_the_middle_of_a_body_is_a_broken_connection() {
    let server = bad(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")?;
        Ok(Then::Close)
    });
    let fetched = fetch(&mut patient(&server), &["http://a.example/reset", NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::Broken);
    others_are_fine(&fetched);
}

#[test]
fn a_body_shorter_than_promised_is_a_broken_connection_and_kept() {
    let server = bad(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")?;
        Ok(Then::Close)
    });
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::Broken);
    assert_eq!(truncated(&fetched), Some(Truncation::Disconnect));
    assert_eq!(fetched.captures[0].exchange.as_ref().unwrap().body, b"half");
    others_are_fine(&fetched);
}

#[test]
fn a_body_longer_than_promised_does_not_spill_into_the_next() {
    let server = bad(|_, stream| {
        raw(
            stream,
            b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhalfHTTP/1.1 200 OK\r\n\r\nforged",
        )
    });
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.text(0), "half");
    others_are_fine(&fetched);
}

#[test]
fn chunks_that_make_no_sense_are_malformed() {
    let server = bad(|_, stream| {
        raw(stream, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfour\r\nbody\r\n")
    });
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::Malformed);
    others_are_fine(&fetched);
}

#[test]
fn what_is_not_http_is_malformed() {
    let server = bad(|_, stream| raw(stream, b"SSH-2.0-OpenSSH_9.2\r\n\r\n"));
    let fetched = fetch(&mut patient(&server), &[BAD, NEXT, OTHER]);
    assert_eq!(fetched.kind(0), FaultKind::Malformed);
    others_are_fine(&fetched);
}

#[test]
fn a_wrong_charset_is_read_as_well_as_can_be() {
    let server = Server::new(|asked, stream| {
        let charset = if asked.path == "/latin" { "utf-8" } else { "no-such-charset" };
        let headers = format!("Content-Type: text/html; charset={charset}\r\n");
        page_with(
            stream,
            &headers,
            if asked.path == "/latin" { b"<p>caf\xe9 au lait" } else { b"<p>plain" },
        )
    });
    let fetched =
        fetch(&mut patient(&server), &["http://a.example/latin", "http://a.example/unknown"]);
    assert_eq!(fetched.text(0), "caf\u{fffd} au lait");
    assert_eq!(fetched.text(1), "plain");
}

#[test]
fn an_error_page_that_claims_to_be_fine_is_content() {
    let server = Server::new(|_, stream| page(stream, "<h1>Error 500</h1>"));
    let fetched = fetch(&mut patient(&server), &[BAD]);
    assert_eq!(fetched.text(0), "Error 500");
}
