//! Events that tell an operator why a host is slow.
use std::io;
use std::sync::{Arc, Mutex};

use crate::{
    server::{Server, page, status},
    worlds::{fetch, patient},
};

/// Collects lines of JSON.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// The first line that contains all of `parts`.
    fn find(&self, parts: &[&str]) -> String {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let found = text.lines().find(|line| parts.iter().all(|part| line.contains(part)));
        found.unwrap_or_else(|| panic!("no line with {parts:?} in\n{text}")).to_owned()
    }
}

#[test]
fn a_back_off_is_logged_with_its_reason() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(move || writer.clone())
        .finish();
    // The events come from the threads of the network.
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let server = Server::new(|asked, stream| match asked.path.as_str() {
        "/busy" => status(stream, "429 Too Many Requests", "Retry-After: 3600\r\n"),
        "/moved" => status(stream, "301 Moved", "Location: /page\r\n"),
        _ => page(stream, "fine"),
    });
    let addresses = ["http://d.example/moved", "http://d.example/busy"];
    fetch(&mut patient(&server), &addresses);

    let back_off = lines.find(&["backing off", "d.example"]);
    assert!(back_off.contains(r#""level":"INFO""#), "{back_off}");
    assert!(back_off.contains(r#""strike":1"#), "{back_off}");
    assert!(back_off.contains(r#""until":""#), "{back_off}");
    let reason = r#""reason":"429 Too Many Requests with Retry-After""#;
    assert!(back_off.contains(reason), "{back_off}");

    lines.find(&["robots.txt fetched", r#""origin":"http://d.example""#, "INFO"]);
    lines.find(&[r#""message":"request""#, "http://d.example/busy", r#""status":429"#]);
    lines.find(&["redirect", "http://d.example/moved", r#""location":"/page""#]);
    lines.find(&[r#""message":"connected""#, "d.example", "http/1.1"]);
    lines.find(&[r#""message":"connection reused""#, "d.example"]);
}
