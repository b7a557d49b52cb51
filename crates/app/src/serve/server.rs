//! The server: connections and their limits.
use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering},
    task::Poll,
    time::Duration,
};

use http::Response;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    runtime::Runtime,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tokio_rustls::TlsAcceptor;
use tracing::info;

use super::{
    access::Access,
    body::ServedBody,
    clients::{Admitted, Clients},
    follower::Follower,
    forecasting,
    request_guard::RequestGuard,
    service::Service,
    state::State,
    tls,
    write_timeout::WriteTimeout,
};
use crate::{
    failure::Failure,
    settings::{ServeSettings, Settings},
};

/// Most connections at once; more wait in the system's queue. Half of the usual limit of open files, so
/// that enough are left for the index and the database.
const CONNECTIONS: u32 = 512;
/// Most connections that wait to be accepted. Where this queue is full, the system drops new ones, and their clients
/// try again after a second. A client that opens a thousand at once must not do that to others. Linux allows 4,096
/// (`net.core.somaxconn`) and takes the smaller number.
const BACKLOG: u32 = 4_096;
/// With fewer free slots, new connections get one answer and little time to send a request.
const CROWDED: usize = 128;
/// Time limit for the head of a request, and for an idle connection.
const HEAD_TIME: Duration = Duration::from_secs(10);
const CROWDED_HEAD_TIME: Duration = Duration::from_secs(2);
/// Time limit for the client to read an answer.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// Time limit for running answers when the server stops.
const ENDING_TIME: Duration = Duration::from_secs(5);
/// Threads that handle connections. Other threads make the answers.
const THREADS: usize = 2;

/// Starts the server.
pub(crate) struct Server;

/// A running server. It stops when dropped.
pub(crate) struct Running {
    address: SocketAddr,
    is_encrypted: bool,
    /// Who can use it, in words; empty if only this machine can.
    reach: &'static str,
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    slots: Arc<Semaphore>,
    /// Ends after the connections, so that their counts are written.
    _follower: Follower,
}

impl Server {
    /// Serves the data folder of the settings in its own threads.
    pub(crate) fn start(settings: Arc<Settings>) -> Result<Running, Failure> {
        let ServeSettings { listen, names, is_public, .. } = settings.serve.clone();
        let access = Access::new(listen.ip(), &settings.serve)?;
        let encryption = settings.serve.tls.as_ref().map(tls::acceptor).transpose()?;
        let reach = match (listen.ip().is_loopback(), is_public) {
            (true, _) => "",
            (false, true) => " (anyone who reaches this address can search)",
            (false, false) => " (needs the token)",
        };
        let state = Arc::new(State::open(settings)?);
        let internal =
            |error: io::Error| Failure::Internal(format!("cannot start the server: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("serving")
            .enable_all()
            .build()
            .map_err(internal)?;
        let listener = runtime.block_on(async { queue(listen) }).map_err(|error| {
            let why = format!("cannot listen at {listen}: {error}");
            match error.kind() {
                io::ErrorKind::AddrInUse => {
                    Failure::Input(format!("{why}; --listen 127.0.0.1:0 takes any free port"))
                }
                _ => Failure::Input(why),
            }
        })?;
        let address = listener.local_addr().map_err(internal)?;
        let follower = Follower::start(Arc::clone(&state)).map_err(internal)?;
        forecasting::start(&state).map_err(internal)?;
        let (stop, stopping) = watch::channel(false);
        let slots = Arc::new(Semaphore::new(CONNECTIONS as usize));
        let clients = Arc::new(Clients::default());
        let guard = RequestGuard::new(address, names);
        let service = Arc::new(Service::new(state, guard, access, Arc::clone(&clients)));
        let is_encrypted = encryption.is_some();
        let accepting = Accepting { listener, service, clients, encryption };
        runtime.spawn(accepting.accept(Arc::clone(&slots), stopping));
        info!(%address, is_encrypted, "server started");
        Ok(Running {
            address,
            is_encrypted,
            reach,
            runtime: Some(runtime),
            stop,
            slots,
            _follower: follower,
        })
    }
}

impl Running {
    /// The address it listens at.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http` or `https`.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_encrypted { "https" } else { "http" }
    }

    /// Who can use it, in words; empty if only this machine can.
    pub(crate) fn reach(&self) -> &'static str {
        self.reach
    }

    /// Stops it: finishes running answers within limits and writes the counts.
    pub(crate) fn stop(self) {
        drop(self);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            // Every connection holds a slot: when all slots are free, all have ended.
            let ended = self.slots.acquire_many(CONNECTIONS);
            let _ = runtime.block_on(async { tokio::time::timeout(ENDING_TIME, ended).await });
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

/// Listens at an address. Must be called in a runtime.
fn queue(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server can be started again at once, as with the standard library's own function.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// What every connection needs.
struct Accepting {
    listener: TcpListener,
    service: Arc<Service>,
    clients: Arc<Clients>,
    encryption: Option<TlsAcceptor>,
}

impl Accepting {
    /// Accepts connections until the server stops.
    async fn accept(self, slots: Arc<Semaphore>, mut stopping: watch::Receiver<bool>) {
        loop {
            let slot = unless_stopping(&mut stopping, Arc::clone(&slots).acquire_owned()).await;
            let Some(Ok(slot)) = slot else { return };
            match unless_stopping(&mut stopping, self.listener.accept()).await {
                None => return,
                Some(Ok((stream, peer))) => {
                    // Closed at once if its address has too many.
                    let Some(admitted) = self.clients.admit(peer.ip()) else { continue };
                    let is_crowded = slots.available_permits() < CROWDED;
                    let connection = Connection {
                        service: Arc::clone(&self.service),
                        stopping: stopping.clone(),
                        is_crowded,
                        admitted,
                        _slot: slot,
                    };
                    tokio::spawn(connection.begin(stream, self.encryption.clone()));
                }
                // Most likely out of file descriptors: other connections will close soon.
                Some(Err(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

/// The result of a future; `None` if the server stops before.
async fn unless_stopping<T>(
    stopping: &mut watch::Receiver<bool>,
    future: impl Future<Output = T>,
) -> Option<T> {
    let mut stop = pin!(stopping.wait_for(|&is_stopping| is_stopping));
    let mut future = pin!(future);
    poll_fn(|context| {
        if stop.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}

/// One connection.
struct Connection {
    service: Arc<Service>,
    stopping: watch::Receiver<bool>,
    is_crowded: bool,
    admitted: Admitted,
    /// Given back when the connection ends.
    _slot: OwnedSemaphorePermit,
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<ServedBody>, Infallible>> + Send>>;

impl Connection {
    async fn begin(self, stream: TcpStream, encryption: Option<TlsAcceptor>) {
        // Answers are small; waiting for more data would only delay them.
        let _ = stream.set_nodelay(true);
        let Some(encryption) = encryption else { return self.serve(stream).await };
        let closing = Arc::clone(&self.admitted.closing);
        let mut closed = pin!(closing.notified());
        let mut handshake = pin!(tokio::time::timeout(self.head_time(), encryption.accept(stream)));
        let encrypted = poll_fn(|context| {
            if closed.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            handshake.as_mut().poll(context).map(|done| done.ok().and_then(Result::ok))
        });
        if let Some(stream) = encrypted.await {
            self.serve(stream).await;
        }
    }

    /// The time limit for the head of a request.
    fn head_time(&self) -> Duration {
        if self.is_crowded { CROWDED_HEAD_TIME } else { HEAD_TIME }
    }

    async fn serve(mut self, stream: impl AsyncRead + AsyncWrite + Unpin + Send) {
        let (service, client) = (Arc::clone(&self.service), self.admitted.address);
        let is_answering = Arc::clone(&self.admitted.is_answering);
        let stream = WriteTimeout::new(stream, ANSWER_TIME, Arc::clone(&is_answering));
        let answering = Arc::clone(&is_answering);
        let service = service_fn(move |request: http::Request<Incoming>| -> Answering {
            let service = Arc::clone(&service);
            answering.store(true, Ordering::SeqCst);
            Box::pin(async move { Ok(service.answer(request, client).await) })
        });
        let time = self.head_time();
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(time)
            .max_buf_size(LONGEST_HEAD)
            .keep_alive(!self.is_crowded)
            .serve_connection(TokioIo::new(stream), service);
        let mut stop = Some(Box::pin(self.stopping.wait_for(|&is_stopping| is_stopping)));
        let closing = Arc::clone(&self.admitted.closing);
        let mut closed = pin!(closing.notified());
        let outcome = poll_fn(|context| {
            // Another connection of the same address needs the place.
            if closed.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            if stop.as_mut().is_some_and(|stop| stop.as_mut().poll(context).is_ready()) {
                stop = None;
                Pin::new(&mut connection).graceful_shutdown();
            }
            // When stopping, do not wait for idle clients.
            let is_over = stop.is_none() && !is_answering.load(Ordering::SeqCst);
            if is_over { Poll::Ready(Ok(())) } else { connection.poll_without_shutdown(context) }
        })
        .await;
        let was_refused = outcome.is_err_and(|error| error.is_parse());
        let stream = connection.into_parts().io.into_inner().into_inner();
        close(stream, was_refused).await;
    }
}

/// Closes a connection. If a request was refused before all of it was read, drains the rest for a moment:
/// closing at once could make the system drop our answer.
async fn close(mut stream: impl AsyncRead + AsyncWrite + Unpin, drain: bool) {
    const LONGEST: u64 = 4 << 20;
    const TIME: Duration = Duration::from_secs(2);
    let _ = stream.shutdown().await;
    if drain {
        let mut rest = stream.take(LONGEST);
        let mut nowhere = tokio::io::sink();
        let drained = tokio::io::copy(&mut rest, &mut nowhere);
        let _ = tokio::time::timeout(TIME, drained).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Instant};

    use super::*;

    #[test]
    fn two_thousand_connections_at_once_do_not_fill_the_queue() {
        let limit = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
        if limit.trim().parse::<u32>().is_ok_and(|limit| limit < 2_100) {
            return eprintln!("skipped: the system allows {} connections to wait", limit.trim());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _inside = runtime.enter();
        let listener = queue((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        // One that its client has closed waits in the queue, too.
        let open = || std::net::TcpStream::connect(address).unwrap();
        (0..2_000).for_each(|_| drop(open()));
        let began = Instant::now();
        drop(open());
        assert!(began.elapsed() < Duration::from_millis(200), "{:?}", began.elapsed());
    }
}
