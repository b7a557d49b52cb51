//! A small HTTP server on loopback.
use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::Arc,
    thread,
};

/// Serves HTML pages by path until the process ends. `None` is answered 404.
pub(crate) fn serve_pages(
    page: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> SocketAddr {
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
fn answer(stream: &TcpStream, page: &dyn Fn(&str) -> Option<String>) {
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
        let (status, body) =
            page(&path).map_or(("404 Not Found", String::new()), |page| ("200 OK", page));
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}
