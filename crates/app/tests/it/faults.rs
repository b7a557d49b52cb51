//! One crawl of a server that misbehaves in every way of a table, each on a host of its own. Every fault is told by its
//! kind, the others are held, and the data folder is consistent.
use std::{
    fs,
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use crawl::FaultKind::{self, Broken, Busy, Denied, Malformed, Server, Timeout, Tls, TooLarge};
use rustls::{ServerConnection, StreamOwned};
use store::View;

use crate::{
    certificates::{Validity, certified},
    common::{errors, run, sanderling, text},
};

/// What a fault must come to: a fault of this kind, or a held page.
type Expected = Option<FaultKind>;
type Say = fn(&mut TcpStream, &str) -> io::Result<()>;

const HTML: &str = "Content-Type: text/html\r\n";

/// Every fault: its host, what it says, what it must come to.
const FAULTS: &[(&str, Say, Expected)] = &[
    ("slow-head", |stream, _| drip(stream, "HTTP/1.1 200 OK\r\nX: "), Some(Timeout)),
    ("slow-body", |stream, _| drip(stream, "HTTP/1.1 200 OK\r\n\r\n"), Some(Timeout)),
    ("silent", |stream, _| drip(stream, ""), Some(Timeout)),
    ("endless-body", |stream, _| endless(stream, "HTTP/1.1 200 OK\r\n\r\n", "x"), Some(TooLarge)),
    (
        "endless-head",
        |stream, _| endless(stream, "HTTP/1.1 200 OK\r\n", "X: y\r\n"),
        Some(TooLarge),
    ),
    ("long-header", |stream, _| endless(stream, "HTTP/1.1 200 OK\r\nX: ", "y"), Some(TooLarge)),
    (
        "truncated",
        |stream, _| raw(stream, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nshort"),
        Some(Broken),
    ),
    ("truncated-chunk", |stream, _| chunked(stream, "ff\r\nshort"), Some(Broken)),
    ("wrong-chunk", |stream, _| chunked(stream, "zz\r\nwhat\r\n0\r\n\r\n"), Some(Malformed)),
    ("negative-chunk", |stream, _| chunked(stream, "-1\r\nwhat\r\n0\r\n\r\n"), Some(Malformed)),
    ("huge-chunk", |stream, _| chunked(stream, "ffffffffffffffffff\r\nx"), Some(Malformed)),
    (
        "nonsense",
        |stream, _| raw(stream, "\u{1}\u{2}\u{3} this is not HTTP\r\n\r\n"),
        Some(Malformed),
    ),
    (
        "http2-unasked",
        |stream, _| {
            // The settings and ten thousand pings of a server that speaks HTTP/2 to everybody.
            stream.write_all(b"\0\0\0\x04\0\0\0\0\0")?;
            stream.write_all(&b"\0\0\x08\x06\0\0\0\0\0pingpong".repeat(10_000))
        },
        Some(Malformed),
    ),
    ("http2-preface", |stream, _| raw(stream, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Some(Malformed)),
    (
        "two-lengths",
        |stream, _| {
            raw(stream, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello")
        },
        Some(Malformed),
    ),
    ("gzip-bomb", |stream, _| bomb(stream, "gzip", gzip), Some(TooLarge)),
    ("deflate-bomb", |stream, _| bomb(stream, "deflate", zlib), Some(TooLarge)),
    ("brotli-bomb", |stream, _| bomb(stream, "br", |_| BROTLI_BOMB.to_vec()), Some(TooLarge)),
    ("zstd-bomb", |stream, _| bomb(stream, "zstd", zstd), Some(TooLarge)),
    (
        "double-bomb",
        |stream, _| bomb(stream, "gzip, gzip", |bytes| gzip(&gzip(bytes))),
        Some(TooLarge),
    ),
    (
        "not-gzip",
        |stream, _| page(stream, "Content-Encoding: gzip\r\n", b"<p>plain"),
        Some(Malformed),
    ),
    (
        "unknown-coding",
        |stream, _| page(stream, "Content-Encoding: lzma\r\n", b"x"),
        Some(Malformed),
    ),
    ("reset", |stream, _| stream.shutdown(Shutdown::Both), Some(Broken)),
    ("to-file", |stream, _| moved(stream, "file:///etc/passwd"), Some(Malformed)),
    ("to-script", |stream, _| moved(stream, "javascript:alert(1)"), Some(Malformed)),
    (
        "to-nowhere",
        |stream, _| raw(stream, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
        Some(Malformed),
    ),
    ("to-private", |stream, _| moved(stream, "http://169.254.169.254/latest/meta-data"), None),
    ("loop", |stream, host| moved(stream, &format!("http://{host}/?again")), None),
    (
        "busy",
        |stream, _| raw(stream, "HTTP/1.1 429 No\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
        Some(Busy),
    ),
    (
        "busy-for-ever",
        |stream, _| {
            raw(
                stream,
                "HTTP/1.1 503 No\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n",
            )
        },
        Some(Busy),
    ),
    (
        "denied",
        |stream, _| raw(stream, "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"),
        Some(Denied),
    ),
    (
        "broken-server",
        |stream, _| raw(stream, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
        Some(Server),
    ),
    (
        "odd-status",
        |stream, _| raw(stream, "HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n"),
        Some(Malformed),
    ),
    (
        "part",
        |stream, _| raw(stream, "HTTP/1.1 206 Part\r\nContent-Length: 1\r\n\r\nx"),
        Some(Malformed),
    ),
    ("soft-404", |stream, _| page(stream, HTML, b"<title>Not found</title><p>Sorry"), None),
    (
        "absurd-dates",
        |stream, _| {
            let dates = "Content-Type: text/html\r\nDate: Tue, 99 Foo 99999 99:99:99 GMT\r\n\
            Last-Modified: Mon, 01 Jan 0000 00:00:00 GMT\r\nExpires: -1\r\nAge: 99999999999999999999\r\n";
            page(stream, dates, b"<p>Since 31 February 12345")
        },
        None,
    ),
    (
        "calendar",
        |stream, host| {
            let links: Vec<String> = (0..2_000)
                .map(|day| {
                    format!("<a href=\"http://{host}/?day={day}&month={day}&year={day}\">{day}</a>")
                })
                .collect();
            page(stream, HTML, links.concat().as_bytes())
        },
        None,
    ),
    (
        "invisible",
        |stream, _| {
            page(
                stream,
                HTML,
                "<title>\u{202e}\u{0}\u{1b}[2J</title><p>\u{fffe}\u{200b}</p>".as_bytes(),
            )
        },
        None,
    ),
];

/// Every bad certificate: its host, the name in the certificate, when it is valid, whether the crawler was told to trust
/// whoever signed it, and what must be said. The last one is good.
const CERTIFICATES: &[(&str, &str, Validity, bool, &str)] = &[
    ("expired", "expired.example", Validity::Over, true, "certificate expired"),
    ("not-yet", "not-yet.example", Validity::NotYet, true, "certificate not valid yet"),
    ("wrong-host", "other.example", Validity::Now, true, "certificate not valid for name"),
    ("self-signed", "self-signed.example", Validity::Now, false, "UnknownIssuer"),
    ("good", "good.example", Validity::Now, true, ""),
];

fn raw(stream: &mut TcpStream, answer: &str) -> io::Result<()> {
    stream.write_all(answer.as_bytes())
}

fn drip(stream: &mut TcpStream, start: &str) -> io::Result<()> {
    raw(stream, start)?;
    loop {
        thread::sleep(Duration::from_millis(50));
        if !start.is_empty() {
            stream.write_all(b"x")?;
        } else if stream.read(&mut [0; 64])? == 0 {
            return Ok(());
        }
    }
}

fn endless(stream: &mut TcpStream, start: &str, more: &str) -> io::Result<()> {
    raw(stream, start)?;
    let more = more.repeat(4_096);
    loop {
        raw(stream, &more)?;
    }
}

fn chunked(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    raw(stream, &format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}"))
}

fn page(stream: &mut TcpStream, headers: &str, body: &[u8]) -> io::Result<()> {
    raw(stream, &format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n", body.len()))?;
    stream.write_all(body)
}

fn moved(stream: &mut TcpStream, to: &str) -> io::Result<()> {
    raw(stream, &format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
}

fn bomb(stream: &mut TcpStream, coding: &str, pack: fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
    let headers = format!("{HTML}Content-Encoding: {coding}\r\n");
    page(stream, &headers, &pack(&vec![b' '; 20 << 20]))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What `bomb` packs, in brotli.
const BROTLI_BOMB: &[u8] = &[
    0xcb, 0xff, 0xff, 0x3f, 0xf8, 0x25, 0x40, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x8f, 0xff, 0xff,
    0x7f, 0xf0, 0x4b, 0x00, 0xc4, 0x61, 0x11, 0x80, 0xee, 0xfd, 0x5f, 0xfe, 0xff, 0xff, 0xe0, 0x97,
    0x00, 0x88, 0xc3, 0x02, 0x00, 0xdd, 0xfb, 0x1f,
];

/// A frame of blocks that repeat the first byte (RFC 8878, 3.1.1).
fn zstd(bytes: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    // No length of the content; a window of 8 MiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68];
    let count = bytes.len() / BLOCK;
    for number in 1..=count {
        let header = (BLOCK << 3 | 1 << 1 | usize::from(number == count)) as u32;
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(bytes[0]);
    }
    frame
}

/// Answers by the table, until the process ends.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Errors are the client's leaving, which is what most of these are about.
            thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let mut head = vec![];
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let name = host.split('.').next().unwrap_or_default();
    if path == "/robots.txt" {
        return raw(
            &mut stream,
            "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    }
    match FAULTS.iter().find(|(fault, ..)| *fault == name) {
        Some((_, say, _)) => say(&mut stream, host),
        None => page(&mut stream, HTML, b"<title>Fine</title><p>A page that is fine"),
    }
}

/// Answers everything with a page, over TLS with this certificate. Returns where, and the certificate.
fn serve_certified(name: &str, validity: Validity) -> (SocketAddr, String) {
    let (config, certificate) = certified(name, "http/1.1", validity);
    let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            thread::spawn(move || -> io::Result<()> {
                let mut stream = StreamOwned::new(connection, stream);
                stream.read_exact(&mut [0; 64])?;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n";
                write!(stream, "{head}Content-Length: 0\r\n\r\n")?;
                stream.conn.send_close_notify();
                stream.flush()
            });
        }
    });
    (address, certificate)
}

#[test]
fn every_bad_certificate_is_told_as_a_failure_of_tls() {
    let folder = tempfile::tempdir().unwrap();
    let (mut resolve, mut roots) = (vec![], String::new());
    for (host, name, validity, is_trusted, _) in CERTIFICATES {
        let (address, certificate) = serve_certified(name, *validity);
        resolve.push(format!("{host}.example={address}"));
        if *is_trusted {
            roots.push_str(&certificate);
        }
    }
    fs::write(folder.path().join("roots.pem"), roots).unwrap();
    let mut command = sanderling(folder.path());
    command.arg("crawl");
    command.args(CERTIFICATES.iter().map(|(host, ..)| format!("https://{host}.example/")));
    command.args(["--data", "data", "--delay", "0s", "--response-multiple", "0", "--quiet"]);
    command.args(["--resolve", &resolve.join(","), "--roots", "roots.pem"]);
    command.args(["--cycle-limit", "20s"]);
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(7 | 8)), "{}", errors(&output));

    let view = View::open(&folder.path().join("data")).unwrap();
    let pages = view.load().unwrap().pages;
    let status = text(&run(folder.path(), "status --data data"));
    for (host, .., says) in CERTIFICATES {
        let page = pages.find(&format!("https://{host}.example/")).unwrap();
        let visits = view.visits(page, usize::MAX).unwrap();
        let first = visits.last().unwrap_or_else(|| panic!("{host} was never visited"));
        let Some(fault) = &first.fault else {
            assert_eq!(*host, "good");
            continue;
        };
        assert_eq!(fault.kind, Tls, "{host}: {fault:?}");
        assert!(fault.why.contains(says), "{host}: {}", fault.why);
        // Whoever looks at the end of the crawl or at the status reads the same.
        for words in [&errors(&output), &status] {
            let line = words.lines().find(|line| line.contains(&format!("{host}.example")));
            let line = line.unwrap_or_else(|| panic!("{host} is not named in\n{words}"));
            assert!(line.contains("TLS") && !line.contains("not allowed"), "{line}");
        }
    }
}

#[test]
fn every_fault_is_told_by_its_kind_and_costs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let address = serve();
    let hosts: Vec<String> = FAULTS
        .iter()
        .map(|(name, ..)| format!("{name}.example"))
        .chain(["fine.example".to_owned()])
        .collect();
    let resolve: Vec<String> = hosts.iter().map(|host| format!("{host}={address}")).collect();
    let mut command = sanderling(folder.path());
    command.arg("crawl").args(hosts.iter().map(|host| format!("http://{host}/")));
    command.args(["--data", "data", "--delay", "0s", "--response-multiple", "0", "--quiet"]);
    command.args(["--resolve", &resolve.join(","), "--queries-per-path", "20"]);
    command.args(["--max-body", "300KB", "--max-decompressed", "1MB"]);
    // Enough for a busy machine to send a page, and no longer than the test should take.
    command.args(["--first-byte-time", "6s", "--total-time", "6s", "--cycle-limit", "40s"]);
    let output = command.output().unwrap();
    // Seeds that gave nothing are told; hosts that are busy are waited for.
    assert!(matches!(output.status.code(), Some(7 | 8)), "{}", errors(&output));

    let view = View::open(&folder.path().join("data")).unwrap();
    let pages = view.load().unwrap().pages;
    for (name, _, expected) in FAULTS {
        let page = pages.find(&format!("http://{name}.example/")).unwrap();
        let visits = view.visits(page, usize::MAX).unwrap();
        let first = visits.last().unwrap_or_else(|| panic!("{name} was never visited"));
        let kind = first.fault.as_ref().map(|fault| fault.kind);
        assert_eq!(kind, *expected, "{name}: {:?}", first.fault);
    }
    let fine = pages.find("http://fine.example/").unwrap();
    assert!(view.held(fine).unwrap().is_some());
    let of_calendar =
        pages.numbers().filter(|page| pages.address(*page).contains("calendar")).count();
    assert!(of_calendar <= 22, "{of_calendar} pages of an endless calendar");
    drop(view);
    let output = run(folder.path(), "verify --data data");
    assert!(output.status.success(), "{}", errors(&output));
}
