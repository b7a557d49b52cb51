//! The server: connections and their limits.
use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    net::SocketAddr,
    path::Path,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use http::Response;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tracing::info;

use super::{
    following::Follower, request_guard::RequestGuard, service::Service, state::State, stream::Body,
    write_timeout::WriteTimeout,
};
use crate::{failure::Failure, settings::ServeSettings};

/// Most connections at once; more wait in the system's queue. Half of the usual limit of open files, so
/// that enough are left for the index and the database.
const CONNECTIONS: u32 = 512;
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
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    slots: Arc<Semaphore>,
    /// Ends after the connections, so that their counts are written.
    _follower: Follower,
}

impl Server {
    /// Serves the data folder at `folder` in its own threads.
    pub(crate) fn start(folder: &Path, settings: ServeSettings) -> Result<Running, Failure> {
        let state = Arc::new(State::open(folder, settings.query_log)?);
        let internal =
            |error: io::Error| Failure::Internal(format!("cannot start the server: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("serving")
            .enable_all()
            .build()
            .map_err(internal)?;
        let listener = runtime.block_on(TcpListener::bind(settings.listen)).map_err(|error| {
            let why = format!("cannot listen at {}: {error}", settings.listen);
            match error.kind() {
                io::ErrorKind::AddrInUse => {
                    Failure::Input(format!("{why}; --listen 127.0.0.1:0 takes any free port"))
                }
                _ => Failure::Input(why),
            }
        })?;
        let address = listener.local_addr().map_err(internal)?;
        let follower = Follower::start(Arc::clone(&state)).map_err(internal)?;
        let (stop, stopping) = watch::channel(false);
        let slots = Arc::new(Semaphore::new(CONNECTIONS as usize));
        let service = Arc::new(Service::new(state, RequestGuard::new(address, settings.names)));
        runtime.spawn(accept(listener, service, Arc::clone(&slots), stopping));
        info!(%address, "server started");
        Ok(Running { address, runtime: Some(runtime), stop, slots, _follower: follower })
    }
}

impl Running {
    /// The address it listens at.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
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

/// Accepts connections until the server stops.
async fn accept(
    listener: TcpListener,
    service: Arc<Service>,
    slots: Arc<Semaphore>,
    mut stopping: watch::Receiver<bool>,
) {
    loop {
        let slot = unless_stopping(&mut stopping, Arc::clone(&slots).acquire_owned()).await;
        let Some(Ok(slot)) = slot else { return };
        match unless_stopping(&mut stopping, listener.accept()).await {
            None => return,
            Some(Ok((stream, _))) => {
                let is_crowded = slots.available_permits() < CROWDED;
                let connection = Connection {
                    service: Arc::clone(&service),
                    stopping: stopping.clone(),
                    is_crowded,
                    _slot: slot,
                };
                tokio::spawn(connection.serve(stream));
            }
            // Most likely out of file descriptors: other connections will close soon.
            Some(Err(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
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
    /// Given back when the connection ends.
    _slot: OwnedSemaphorePermit,
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl Connection {
    async fn serve(mut self, stream: TcpStream) {
        // Answers are small; waiting for more data would only delay them.
        let _ = stream.set_nodelay(true);
        let service = Arc::clone(&self.service);
        let is_answering = Arc::new(AtomicBool::new(false));
        let stream = WriteTimeout::new(stream, ANSWER_TIME, Arc::clone(&is_answering));
        let answering = Arc::clone(&is_answering);
        let service = service_fn(move |request: http::Request<Incoming>| -> Answering {
            let service = Arc::clone(&service);
            answering.store(true, Ordering::SeqCst);
            Box::pin(async move { Ok(service.answer(&request).await) })
        });
        let time = if self.is_crowded { CROWDED_HEAD_TIME } else { HEAD_TIME };
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(time)
            .max_buf_size(LONGEST_HEAD)
            .keep_alive(!self.is_crowded)
            .serve_connection(TokioIo::new(stream), service);
        let mut stop = Some(Box::pin(self.stopping.wait_for(|&is_stopping| is_stopping)));
        let outcome = poll_fn(|context| {
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
async fn close(mut stream: TcpStream, drain: bool) {
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
