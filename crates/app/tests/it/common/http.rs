//! A small HTTP server on loopback.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::Arc,
    thread,
};

/// An answer: the status line without its version, the type and the body.
pub(crate) type Reply = (&'static str, &'static str, Vec<u8>);

/// Serves HTML pages by path until the process ends. `None` is answered 404.
pub(crate) fn serve_pages(
    page: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> SocketAddr {
    serve_replies(move |path| {
        let (status, page) =
            page(path).map_or(("404 Not Found", String::new()), |it| ("200 OK", it));
        (status, "text/html; charset=utf-8", page.into_bytes())
    })
}

/// Serves anything by path until the process ends.
pub(crate) fn serve_replies(page: impl Fn(&str) -> Reply + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let page = Arc::new(page);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let page = Arc::clone(&page);
            thread::spawn(move || answer(&stream, &*page));
        }
    });
    address
}

/// The program with the flags that a crawl of `host` at `address` needs, its data in `folder/data`.
pub(crate) fn crawler(folder: &Path, host: &str, address: SocketAddr, arguments: &str) -> Command {
    let mut command = super::sanderling(folder);
    command.args(arguments.split_whitespace());
    command.args(["--resolve", &format!("{host}={address}"), "--data", "data"]);
    command.args(["--delay", "0s", "--response-multiple", "0"]);
    command
}

/// Answers one request after another until the client closes the connection.
fn answer(stream: &TcpStream, page: &dyn Fn(&str) -> Reply) {
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
        let (status, content_type, body) = page(&path);
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if writer.write_all(&[head.as_bytes(), &body].concat()).is_err() {
            return;
        }
    }
}

/// What a server answers, headers and all.
pub(crate) fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
