//! A served data folder, and a client that says exactly what a test wants said.
use std::{
    fmt::Write as _,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command},
    time::Duration,
};

use serde_json::Value;

use crate::common::{self, tiny::TinyWeb};

/// The title of a page that means no good.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>";

/// No answer takes longer, even while the machine is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Served {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Answers for as long as it is kept.
    web: TinyWeb,
    folder: tempfile::TempDir,
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Served {
    /// A small web, crawled, changed, looked at again, indexed and served.
    pub(crate) fn new(flags: &str) -> Self {
        Self::started(flags, true)
    }

    /// The same without an index.
    pub(crate) fn without_index() -> Self {
        Self::started("", false)
    }

    fn started(flags: &str, with_index: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hostile = format!(
            "<title>{}</title><p>Hostile sandpiper text: &lt;img src=x onerror=alert(2)&gt;</p>",
            HOSTILE.replace('<', "&lt;")
        );
        let web = TinyWeb::new(&[
            (
                "/",
                "<title>Shore</title><p>All about the shore.</p><a href=/tides>t</a> <a href=/evil>e</a>",
            ),
            ("/tides", "<title>Tide tables</title><p>The tide turns at nine in the harbour.</p>"),
            ("/evil", &hostile),
        ]);
        web.crawl(folder.path());
        web.put(
            "/tides",
            "<title>Tide tables</title><p>The tide turns at ten in the old harbour.</p>",
        );
        web.refresh(folder.path());
        if !with_index {
            std::fs::remove_dir_all(folder.path().join("data/search")).unwrap();
            // Else it would make one.
            std::fs::write(folder.path().join("sanderling.toml"), "index = false\n").unwrap();
        }
        let (child, address) = common::serve(folder.path(), flags);
        Self { child, address, web, folder }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Visits every page again.
    pub(crate) fn refresh(&self) {
        self.web.refresh(self.folder.path());
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &self.address.to_string())
    }

    pub(crate) fn ask(&self, method: &str, path: &str, host: &str) -> Reply {
        self.say(&format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    /// Says something and reads to the end.
    pub(crate) fn say(&self, words: &str) -> Reply {
        let mut stream = self.connect();
        // It may refuse before all was said.
        let _ = stream.write_all(words.as_bytes());
        Reply::read(&mut stream)
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.header("content-type"), "application/json", "{path}");
        serde_json::from_str(&reply.body).unwrap()
    }

    /// The number of the page at a path of the web.
    pub(crate) fn number(&self, path: &str) -> u64 {
        let asked = format!("/api/page?url=http://tiny.example{path}");
        self.json(&asked)["page"].as_u64().unwrap()
    }

    /// Asks it to stop, and waits for its exit code.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    /// Reads until the connection ends.
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = vec![];
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A header; empty where there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map_or("", |(_, value)| value)
    }

    /// The head without what may differ from one moment to the next.
    pub(crate) fn lasting_head(&self) -> String {
        self.head.lines().filter(|line| !line.starts_with("date: ")).fold(
            String::new(),
            |mut all, line| {
                let _ = writeln!(all, "{line}");
                all
            },
        )
    }
}
