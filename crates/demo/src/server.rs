//! Serves the web over HTTP/1.1 on loopback, all hosts on one socket.
mod answer;
mod log;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use crawl::Time;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::web::DemoWeb;
use answer::RequestParts;
use log::Log;
pub use log::{Arrival, HostCount};

/// The clock of the web.
type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

/// A running server; it stops when it is dropped.
pub struct DemoServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What every connection needs.
struct Shared {
    web: Arc<DemoWeb>,
    clock: Clock,
    log: Log,
}

impl DemoServer {
    /// Serves `web` on a free port of 127.0.0.1 from its own thread. Each request reads `clock` once.
    ///
    /// # Errors
    /// If there is no free port or no thread.
    pub fn start(
        web: Arc<DemoWeb>,
        clock: Arc<dyn Fn() -> Time + Send + Sync>,
    ) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { web, clock, log: Log::default() });
        let (stop, stopped) = oneshot::channel();
        let accepting = Arc::clone(&shared);
        let thread = thread::Builder::new().name("demo web".to_owned()).spawn(move || {
            runtime.spawn(accept(listener, accepting));
            // Ends when the sender is dropped. Dropping the runtime then closes every connection.
            let _ = runtime.block_on(stopped);
        })?;
        Ok(Self { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// The socket that serves every host.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The hosts it serves, in order.
    pub fn hosts(&self) -> Vec<String> {
        self.shared.web.hosts()
    }

    /// The number of requests by host and status, in that order. All other hosts count as one with
    /// an empty name.
    pub fn counts(&self) -> Vec<HostCount> {
        self.shared.log.counts()
    }

    /// Sets whether every request is recorded.
    pub fn keep_visits(&self, keep: bool) {
        self.shared.log.keep(keep);
    }

    /// The recorded requests, in order.
    pub fn visits(&self) -> Vec<Arrival> {
        self.shared.log.visits()
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked needs no stop.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for DemoServer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("DemoServer").field("address", &self.address).finish_non_exhaustive()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
            // Probably out of file descriptors; others will be closed soon.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    // Answers are small; Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(respond(&shared, &request).await) }
    });
    // The `Date` header shows the clock of the web, not of the machine.
    let connection = http1::Builder::new()
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    // If the client closes the connection, nobody needs the error.
    let _ = connection.await;
}

async fn respond(shared: &Shared, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let at = (shared.clock)();
    let parts = RequestParts::new(request);
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let served = shared.web.answer(&parts.host, path, at);
    let slowness = served.slowness;
    let response = if parts.is_reading {
        parts.response(served, at)
    } else {
        answer::empty(StatusCode::METHOD_NOT_ALLOWED)
    };
    if !slowness.is_zero() {
        tokio::time::sleep(slowness).await;
    }
    let host = shared.web.site(&parts.host).map_or("", |site| &*site.spec.host);
    shared.log.add(host, path, at, response.status().as_u16());
    response
}
