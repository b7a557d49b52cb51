//! Changes are sent to a webhook: signed, repeated until they arrive, also after a restart.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Child,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{serve, tiny::TinyWeb};

/// A delivery as it came: its headers in lower case, and its body.
type Delivery = (Vec<String>, String);

/// Answers 500 until it works, then 204.
struct Receiver {
    address: SocketAddr,
    works: Arc<AtomicBool>,
    came: Arc<Mutex<Vec<Delivery>>>,
}

impl Receiver {
    fn new(works: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let receiver = Self {
            address: listener.local_addr().unwrap(),
            works: Arc::new(AtomicBool::new(works)),
            came: Arc::default(),
        };
        let (works, came) = (Arc::clone(&receiver.works), Arc::clone(&receiver.came));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(&stream);
                let mut head = vec![];
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                        break;
                    }
                    let (name, rest) = line.split_once(' ').unwrap();
                    head.push(format!("{} {}", name.to_lowercase(), rest.trim()));
                }
                let length = head.iter().find_map(|line| line.strip_prefix("content-length: "));
                let Some(length) = length.and_then(|it| it.parse().ok()) else { continue };
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                came.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
                let status = if works.load(Ordering::SeqCst) { "204 OK" } else { "500 No" };
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        receiver
    }

    fn url(&self) -> String {
        format!("http://{}/hook?from=shore", self.address)
    }

    /// Waits for the delivery with this number, counted from 0.
    fn delivery(&self, number: usize) -> Delivery {
        let start = Instant::now();
        loop {
            if let Some(came) = self.came.lock().unwrap().get(number) {
                return came.clone();
            }
            assert!(start.elapsed().as_secs() < 60, "no delivery {number}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

struct Serving(Child);

impl Serving {
    fn new(folder: &Path, receiver: &Receiver) -> Self {
        let settings = format!(
            "webhook = \"{}\"\nwebhook_secret = \"salt, and pepper\"\nindex = false\n",
            receiver.url()
        );
        std::fs::write(folder.join("sanderling.toml"), settings).unwrap();
        Self(serve(folder, "").0)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn web() -> TinyWeb {
    TinyWeb::new(&[
        ("/", "<title>Shore</title><a href=/tides>t</a>"),
        ("/tides", "<title>Tides</title><p>At nine.</p>"),
    ])
}

#[test]
fn changes_arrive_signed_and_a_first_crawl_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (web, receiver) = (web(), Receiver::new(true));
    web.crawl(folder.path());
    let _serving = Serving::new(folder.path(), &receiver);
    web.put("/tides", "<title>Tides</title><p>At ten.</p>");
    web.refresh(folder.path());
    let (head, body) = receiver.delivery(0);
    assert_eq!(head[0], "post /hook?from=shore HTTP/1.1");
    let found: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(found["changes"].as_array().unwrap().len(), 1);
    let change = &found["changes"][0];
    assert_eq!(change["url"], "http://tiny.example/tides");
    assert_eq!(change["title"], "Tides");
    assert_eq!(change["summary"]["words"], "1 word added, 1 removed");
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"salt, and pepper");
    let signed = head.iter().find_map(|line| line.strip_prefix("sanderling-signature: sha256="));
    let signed: Vec<u8> = signed
        .unwrap()
        .as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect();
    ring::hmac::verify(&key, body.as_bytes(), &signed).unwrap();
}

#[test]
fn what_was_not_taken_is_sent_again_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (web, receiver) = (web(), Receiver::new(false));
    web.crawl(folder.path());
    {
        let _serving = Serving::new(folder.path(), &receiver);
        web.put("/tides", "<title>Tides</title><p>At ten.</p>");
        web.refresh(folder.path());
        // Refused, and refused again.
        receiver.delivery(1);
    }
    // A change while nobody delivers.
    web.put("/tides", "<title>Tides</title><p>At eleven.</p>");
    web.refresh(folder.path());
    receiver.works.store(true, Ordering::SeqCst);
    let before = receiver.came.lock().unwrap().len();
    let _serving = Serving::new(folder.path(), &receiver);
    let (_, body) = receiver.delivery(before);
    let found: Value = serde_json::from_str(&body).unwrap();
    let numbers: Vec<u64> = found["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers.len(), 2, "{body}");
    // Once taken, it is not sent again: the next delivery is the next change.
    web.put("/tides", "<title>Tides</title><p>At twelve.</p>");
    web.refresh(folder.path());
    let (_, body) = receiver.delivery(before + 1);
    let found: Value = serde_json::from_str(&body).unwrap();
    let next: Vec<u64> = found["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["number"].as_u64().unwrap())
        .collect();
    assert!(next.len() == 1 && next[0] > numbers[1], "{body}");
}

#[test]
fn no_change_is_lost_when_who_delivers_is_killed() {
    let kills: usize = std::env::var("SANDERLING_KILLS").map_or(3, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (web, receiver) = (web(), Receiver::new(true));
    web.crawl(folder.path());
    // Begins to count from here.
    drop(Serving::new(folder.path(), &receiver));
    for number in 0..kills {
        web.put("/tides", &format!("<title>Tides</title><p>Number {number}.</p>"));
        web.refresh(folder.path());
        let serving = Serving::new(folder.path(), &receiver);
        thread::sleep(Duration::from_millis((number as u64 * 37) % 120));
        drop(serving);
    }
    let delivered = || {
        let mut numbers: Vec<u64> = vec![];
        for (_, body) in receiver.came.lock().unwrap().iter() {
            let found: Value = serde_json::from_str(body).unwrap();
            let changes = found["changes"].as_array().unwrap().clone();
            numbers.extend(changes.iter().map(|change| change["number"].as_u64().unwrap()));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let _serving = Serving::new(folder.path(), &receiver);
    let start = Instant::now();
    while delivered().len() < kills {
        assert!(start.elapsed().as_secs() < 60, "{:?} of {kills} changes", delivered());
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(delivered().len(), kills);
}
