//! A server on loopback that says what it is told, byte by byte, and remembers who asked.
use std::{
    io::{self, ErrorKind, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) host: String,
    pub(crate) path: String,
    /// All of the head.
    pub(crate) head: String,
    /// The number of the connection, in the order they came.
    pub(crate) connection: usize,
    /// When all of the request was there.
    pub(crate) start: Instant,
    /// When the last of the answer was about to be written; `None` where the client had left.
    pub(crate) end: Option<Instant>,
}

impl Asked {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Keep,
    Close,
}

pub(crate) type Said = io::Result<Then>;

type Handler = dyn Fn(&Asked, &mut TcpStream) -> Said + Send + Sync;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// A server without a robots.txt.
    pub(crate) fn new(
        handler: impl Fn(&Asked, &mut TcpStream) -> Said + Send + Sync + 'static,
    ) -> Self {
        Self::with_robots(move |asked, stream| {
            if asked.path == "/robots.txt" {
                status(stream, "404 Not Found", "")
            } else {
                handler(asked, stream)
            }
        })
    }

    /// A server whose robots.txt comes from the handler, too.
    pub(crate) fn with_robots(
        handler: impl Fn(&Asked, &mut TcpStream) -> Said + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(vec![]));
        let is_over = Arc::new(AtomicBool::new(false));
        let handler: Arc<Handler> = Arc::new(handler);
        let (all, over) = (Arc::clone(&log), Arc::clone(&is_over));
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                if over.load(Ordering::Acquire) {
                    return;
                }
                let (handler, log) = (Arc::clone(&handler), Arc::clone(&all));
                let Ok(stream) = stream else { continue };
                thread::spawn(move || serve(stream, number, &*handler, &log));
            }
        });
        Self { address, log, is_over }
    }

    /// Everything that was asked so far.
    pub(crate) fn log(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }

    /// The paths that were asked for, robots.txt aside.
    pub(crate) fn paths(&self) -> Vec<String> {
        let pages = self.log().into_iter().filter(|asked| asked.path != "/robots.txt");
        pages.map(|asked| asked.path).collect()
    }

    /// How often robots.txt was asked for.
    pub(crate) fn robots(&self) -> usize {
        self.log().iter().filter(|asked| asked.path == "/robots.txt").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // Wakes the one who accepts.
        let _ = TcpStream::connect(self.address);
    }
}

/// A host that takes connections and never says anything.
pub(crate) fn silent_host() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// An address where nobody listens.
pub(crate) fn dead_host() -> SocketAddr {
    silent_host().1
}

fn serve(mut stream: TcpStream, connection: usize, handler: &Handler, log: &Mutex<Vec<Asked>>) {
    let _ = stream.set_nodelay(true);
    while let Ok(Some(asked)) = read_head(&mut stream, connection) {
        let at = {
            let mut log = log.lock().unwrap();
            log.push(asked.clone());
            log.len() - 1
        };
        let said = handler(&asked, &mut stream);
        // Written down by those who write the end of an answer; others have no end to tell.
        if let Some(end) = END.take() {
            log.lock().unwrap()[at].end = Some(end);
        }
        if !matches!(said, Ok(Then::Keep)) {
            return;
        }
    }
}

/// Reads one head. What is under `/reset` is left unread, so that closing resets the connection.
fn read_head(stream: &mut TcpStream, connection: usize) -> io::Result<Option<Asked>> {
    let mut seen = vec![0; 16 << 10];
    let end = loop {
        let length = stream.peek(&mut seen)?;
        if length == 0 {
            return Ok(None);
        }
        if let Some(end) = seen[..length].windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        thread::yield_now();
    };
    let head = String::from_utf8_lossy(&seen[..end]).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    if !path.starts_with("/reset") {
        stream.read_exact(&mut seen[..end])?;
    }
    let host = String::new();
    let mut asked = Asked { host, path, head, connection, start: Instant::now(), end: None };
    asked.host = asked.header("Host").unwrap_or_default().to_owned();
    Ok(Some(asked))
}

thread_local! {
    /// When the answer that this thread is at was about to end.
    static END: std::cell::Cell<Option<Instant>> = const { std::cell::Cell::new(None) };
}

/// Writes an answer whole. Its end is taken before the last byte leaves: whoever reads it then
/// cannot have had it earlier.
pub(crate) fn raw(stream: &mut TcpStream, answer: &[u8]) -> Said {
    if !has_left(stream) {
        END.set(Some(Instant::now()));
    }
    stream.write_all(answer)?;
    Ok(Then::Keep)
}

/// Whether the client has closed the connection.
fn has_left(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let peeked = stream.peek(&mut [0]);
    let _ = stream.set_nonblocking(false);
    match peeked {
        Ok(length) => length == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// A page with more headers than usual.
pub(crate) fn page_with(stream: &mut TcpStream, headers: &str, body: &[u8]) -> Said {
    let length = body.len();
    let mut answer = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {length}\r\n\r\n");
    let mut answer = std::mem::take(&mut answer).into_bytes();
    answer.extend_from_slice(body);
    raw(stream, &answer)
}

/// A page.
pub(crate) fn page(stream: &mut TcpStream, body: &str) -> Said {
    page_with(stream, "Content-Type: text/html; charset=utf-8\r\n", body.as_bytes())
}

/// A robots.txt.
pub(crate) fn robots(stream: &mut TcpStream, body: &str) -> Said {
    page_with(stream, "Content-Type: text/plain\r\n", body.as_bytes())
}

/// An answer with this status line and these headers, and no body.
pub(crate) fn status(stream: &mut TcpStream, status: &str, headers: &str) -> Said {
    raw(stream, format!("HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\n\r\n").as_bytes())
}

/// Says nothing until the client leaves.
pub(crate) fn silence(stream: &mut TcpStream) -> Then {
    let mut byte = [0];
    while matches!(stream.read(&mut byte), Ok(1..)) {}
    Then::Close
}
