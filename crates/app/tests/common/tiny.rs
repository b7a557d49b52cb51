//! A web of a few pages on loopback, whose contents a test chooses and changes.
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Output,
    sync::{Arc, Mutex},
    thread,
};

/// Pages by path; everything else is not found.
pub(crate) struct TinyWeb {
    address: SocketAddr,
    pages: Arc<Mutex<BTreeMap<String, String>>>,
}

impl TinyWeb {
    pub(crate) fn new(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let web = Self { address, pages: Arc::default() };
        for (path, html) in pages {
            web.put(path, html);
        }
        let pages = Arc::clone(&web.pages);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                thread::spawn(move || answer(&stream, &pages));
            }
        });
        web
    }

    /// Puts a page there, over the one that is.
    pub(crate) fn put(&self, path: &str, html: &str) {
        self.pages.lock().unwrap().insert(path.to_owned(), html.to_owned());
    }

    /// Takes a page away.
    pub(crate) fn remove(&self, path: &str) {
        self.pages.lock().unwrap().remove(path);
    }

    /// The program on this web, its data in `folder/data`; it begins at `/`.
    pub(crate) fn run(&self, folder: &Path, arguments: &str) -> Output {
        let resolve = format!("tiny.example={}", self.address);
        let mut command = super::sanderling(folder);
        command.args(arguments.split_whitespace());
        command.args(["--resolve", &resolve, "--data", "data", "--delay", "0s"]);
        command.args(["--response-multiple", "0"]).output().expect("the program starts")
    }

    /// Crawls all of it.
    pub(crate) fn crawl(&self, folder: &Path) {
        let output = self.run(folder, "crawl http://tiny.example/");
        assert!(output.status.success(), "{}", super::errors(&output));
    }

    /// Looks at every page again.
    pub(crate) fn refresh(&self, folder: &Path) {
        let output = self.run(folder, "refresh --budget 1000");
        assert!(output.status.success(), "{}", super::errors(&output));
    }
}

/// Answers one request after another until the other side has had enough.
fn answer(stream: &TcpStream, pages: &Mutex<BTreeMap<String, String>>) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        while line.trim_end() != "" {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
        }
        let page = pages.lock().unwrap().get(&path).cloned();
        let (status, body) = page.map_or(("404 Not Found", String::new()), |page| ("200 OK", page));
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}
