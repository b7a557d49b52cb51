//! Servers that speak HTTP/2 to do harm, frame by frame. Each comes to a fault within the limits, and a host beside
//! it is fetched from all the same.
use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use crawl::{
    FaultKind::{Broken, Malformed, Timeout, TooLarge},
    RobotsCopy, RobotsState,
};
use rustls::{ServerConnection, StreamOwned};
use web::{Limits, LiveWorld, Settings};

use crate::{
    certificates::self_signed,
    server::{Server, page},
    worlds::{PATIENT, at, fetch},
};

type Tls = StreamOwned<ServerConnection, TcpStream>;

// Types of frames (RFC 9113, 6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

/// `:status: 200` in HPACK.
const STATUS_200: &[u8] = &[0x88];

/// Every flood: what it is, and what it sends after the start.
const FLOODS: &[(&str, Flood)] = &[
    ("silence", |_| Ok(false)),
    ("pings", |tls| again(tls, PING, 0, 0, &[0; 8])),
    ("settings", |tls| again(tls, SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 9])),
    ("empty data", |tls| again(tls, DATA, 0, 1, b"")),
    ("window updates", |tls| again(tls, WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
    ("resets", |tls| again(tls, RST_STREAM, 0, 1, &[0, 0, 0, 8])),
    ("go away", |tls| again(tls, GO_AWAY, 0, 0, &[0; 8])),
    ("pushes", |tls| again(tls, PUSH_PROMISE, 4, 1, &[0, 0, 0, 2, 0x82])),
    ("continuations", continuations),
    ("a window too large", |tls| again(tls, WINDOW_UPDATE, 0, 0, &[0x7f, 255, 255, 255])),
    ("a frame too long", |tls| write(tls, &[255, 255, 255, DATA, 0, 0, 0, 0, 1])),
    ("no frames", |tls| write(tls, b"HTTP/1.1 200 OK\r\n\r\nhello")),
    ("endless data", endless),
];

/// Sends something. Returns whether it is to be called again.
type Flood = fn(&mut Tls) -> io::Result<bool>;

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

fn again(tls: &mut Tls, kind: u8, flags: u8, stream: u8, payload: &[u8]) -> io::Result<bool> {
    tls.write_all(&frame(kind, flags, stream, payload).repeat(500))?;
    Ok(true)
}

fn write(tls: &mut Tls, bytes: &[u8]) -> io::Result<bool> {
    tls.write_all(bytes)?;
    tls.flush()?;
    Ok(false)
}

/// A head that never ends (CVE-2024-27983 and others).
fn continuations(tls: &mut Tls) -> io::Result<bool> {
    tls.write_all(&frame(HEADERS, 0, 1, STATUS_200))?;
    // A literal without a name of its own: `accept-charset: y…`.
    let field = [&[0x0f, 0x00, 0x7f, 0x81, 0x07][..], &[b'y'; 1_024]].concat();
    loop {
        tls.write_all(&frame(CONTINUATION, 0, 1, &field))?;
    }
}

/// A page that never ends, whatever the windows say.
fn endless(tls: &mut Tls) -> io::Result<bool> {
    tls.write_all(&frame(HEADERS, 4, 1, STATUS_200))?;
    loop {
        // The client opens its window again as it reads.
        tls.write_all(&frame(DATA, 0, 1, &[b'x'; 1_000]))?;
    }
}

/// A server that floods whoever asks for something.
fn serve(flood: Flood) -> (SocketAddr, String) {
    let (config, certificate) = self_signed("a.example", "h2");
    let config = Arc::new(config);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            thread::spawn(move || flood_one(StreamOwned::new(connection, stream), flood));
        }
    });
    (address, certificate)
}

fn flood_one(mut tls: Tls, flood: Flood) -> io::Result<()> {
    let preface = &mut [0; 24];
    tls.read_exact(preface)?;
    assert!(preface.starts_with(b"PRI * HTTP/2.0"));
    tls.write_all(&frame(SETTINGS, 0, 0, b""))?;
    // Until the client has asked for something.
    let mut head = [0; 9];
    loop {
        tls.read_exact(&mut head)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        io::copy(&mut (&mut tls).take(length.into()), &mut io::sink())?;
        if head[3] == HEADERS {
            break;
        }
    }
    while flood(&mut tls)? {}
    // Stays, so that the client has to end it.
    io::copy(&mut tls, &mut io::sink()).map(|_| ())
}

#[test]
fn every_flood_of_frames_comes_to_a_fault_and_costs_nothing_else() {
    let other = Server::new(|_, stream| page(stream, "<p>fine"));
    let fetched: Vec<_> = FLOODS
        .iter()
        .map(|&(name, flood)| {
            let other = other.address;
            let one = thread::spawn(move || {
                let (address, certificate) = serve(flood);
                let mut settings = at(address);
                settings.resolve.insert("b.example".to_owned(), other);
                let (first_byte, total) = (Duration::from_secs(5), Duration::from_secs(6));
                settings.limits = Limits { first_byte, total, ..PATIENT };
                // Its robots.txt is known, so that the flood is the answer to a page.
                let settings = Settings { extra_roots: certificate.into_bytes(), ..settings };
                let mut world = known(settings);
                fetch(&mut world, &["https://a.example/", "http://b.example/"])
            });
            (name, one)
        })
        .collect();
    let mut wrong = vec![];
    for (name, one) in fetched {
        let fetched = one.join().unwrap();
        let (kind, why) = fetched.fault(0);
        if !matches!(kind, Timeout | Broken | Malformed | TooLarge) {
            wrong.push(format!("{name}: {kind:?}, {why}"));
        }
        assert_eq!(fetched.text(1), "fine", "{name}");
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A world that knows that `https://a.example` has no robots.txt.
fn known(settings: Settings) -> LiveWorld {
    let clock = web::Clock::real();
    let absent = RobotsCopy {
        origin: "https://a.example".to_owned(),
        requested_at: clock.now(),
        fetches: 1,
        state: RobotsState::Absent(404),
        good: None,
        sitemaps: vec![],
        exchanges: vec![],
    };
    LiveWorld::new(settings, clock, vec![absent], vec![]).unwrap()
}
