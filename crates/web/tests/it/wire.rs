//! What goes over the wire, and what is kept of it.
use std::io::Write;

use crawl::Form;
use flate2::{Compression, write};
use web::Settings;

use crate::{
    server::{Server, page, page_with, raw},
    worlds::{fetch, patient, settings, world},
};

const TEXT: &[u8] = b"<p>hello";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = write::GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn each_coding_is_read_and_kept_as_it_was_sent() {
    let mut zlib = write::ZlibEncoder::new(vec![], Compression::default());
    zlib.write_all(TEXT).unwrap();
    let bodies = [
        ("gzip", gzip(TEXT)),
        ("deflate", zlib.finish().unwrap()),
        ("zstd", zstd::encode_all(TEXT, 3).unwrap()),
        // Brotli with the eight bytes as they are.
        ("br", [b"\x8b\x03\x80".as_slice(), TEXT, b"\x03"].concat()),
    ];
    let sent = bodies.clone();
    let server = Server::new(move |asked, stream| {
        assert_eq!(asked.header("Accept-Encoding"), Some("gzip, br, zstd, deflate"));
        let (coding, body) = sent.iter().find(|(name, _)| asked.path[1..] == **name).unwrap();
        let headers = format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n");
        page_with(stream, &headers, body)
    });
    let addresses: Vec<_> =
        bodies.iter().map(|(coding, _)| format!("http://a.example/{coding}")).collect();
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let fetched = fetch(&mut patient(&server), &addresses);
    for (page, (coding, body)) in bodies.iter().enumerate() {
        assert_eq!(fetched.text(page), "hello", "{coding}");
        assert_eq!(&fetched.captures[page].exchange.as_ref().unwrap().body, body);
    }
}

#[test]
fn a_zipped_sitemap_is_read() {
    let sitemap = b"<urlset><url><loc>http://a.example/x</loc></url></urlset>";
    let server = Server::new(move |asked, stream| {
        let kind = if asked.path == "/one.xml.gz" { "x-gzip" } else { "octet-stream" };
        let headers = format!("Content-Type: application/{kind}\r\n");
        page_with(stream, &headers, &gzip(sitemap))
    });
    let addresses =
        ["http://a.example/one.xml.gz", "http://a.example/two.xml.gz?x", "http://a.example/three"];
    let fetched = fetch(&mut patient(&server), &addresses);
    for page in 0..2 {
        let snapshot = fetched.snapshot(page);
        assert_eq!((snapshot.form, snapshot.links.links().len()), (Form::Sitemap, 1));
    }
    // Nothing says that this one should be opened.
    assert_eq!(fetched.snapshot(2).form, Form::Other);
}

#[test]
fn an_answer_is_kept_as_it_was_spelt_with_its_chunks_joined() {
    let server = Server::new(|_, stream| {
        raw(
            stream,
            b"HTTP/1.1 200 Okay Dokay\r\nX-oDD-Case: One\r\ncontent-TYPE: text/html\r\n\
              Transfer-Encoding: chunked\r\nx-odd-case: two\r\n\r\n\
              6;a=b\r\n<p>one\r\n4\r\n two\r\n0\r\nTrailer: x\r\n\r\n",
        )
    });
    let fetched = fetch(&mut patient(&server), &["http://a.example/x?y=z"]);
    let exchange = fetched.captures[0].exchange.as_ref().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&exchange.response_head),
        "HTTP/1.1 200 Okay Dokay\r\nX-oDD-Case: One\r\ncontent-TYPE: text/html\r\n\
         x-odd-case: two\r\n\r\n"
    );
    assert_eq!(exchange.body, b"<p>one two");
    assert_eq!((exchange.status, exchange.content_type.as_str()), (200, "text/html"));
    assert_eq!(exchange.address, "http://a.example/x?y=z");
    assert!(exchange.remote.unwrap().is_loopback());
    assert_eq!(fetched.text(0), "one two");
}

#[test]
fn a_request_is_kept_as_it_was_sent_and_names_us() {
    let server = Server::new(|_, stream| page(stream, "x"));
    let contact = Some("https://sanderling.example/bot".to_owned());
    let mut world = world(Settings { contact, ..settings(&server) });
    let fetched = fetch(&mut world, &["http://a.example/x?y=z"]);
    let asked = server.log().pop().unwrap();
    let kept = &fetched.captures[0].exchange.as_ref().unwrap().request_head;
    assert_eq!(String::from_utf8_lossy(kept), asked.head);
    assert_eq!(
        asked.header("User-Agent"),
        Some("Mozilla/5.0 (compatible; Sanderling/0.1; +https://sanderling.example/bot)")
    );
    assert_eq!((asked.host.as_str(), asked.path.as_str()), ("a.example", "/x?y=z"));
}

#[test]
fn headers_are_limited_by_their_bytes_and_not_below_256() {
    let server = Server::new(|asked, stream| {
        let count: usize = asked.path[1..].parse().unwrap();
        let headers: Vec<String> = (0..count).map(|number| format!("X-{number}: y\r\n")).collect();
        page_with(stream, &headers.concat(), b"<p>fine")
    });
    let addresses = ["http://a.example/256", "http://a.example/1000"];
    let fetched = fetch(&mut patient(&server), &addresses);
    assert_eq!((fetched.text(0), fetched.text(1)), ("fine", "fine"));
}

#[test]
fn an_answer_with_both_lengths_is_kept_without_either() {
    let server = Server::new(|_, stream| {
        raw(
            stream,
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\
              Transfer-Encoding: chunked\r\n\r\n6\r\n<p>one\r\n4\r\n two\r\n0\r\n\r\n",
        )
    });
    let fetched = fetch(&mut patient(&server), &["http://a.example/"]);
    assert_eq!(fetched.text(0), "one two");
    let exchange = fetched.captures[0].exchange.as_ref().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&exchange.response_head),
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    );
    assert_eq!(exchange.body, b"<p>one two");
}
