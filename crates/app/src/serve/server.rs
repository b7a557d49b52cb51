//! The server: connections, their limits, and how it ends.
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
use http_body_util::Full;
use hyper::{
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};

use super::{desk::Desk, following::Follower, gate::Gate, patience::Patient, state::State};
use crate::{failure::Failure, settings::ServeSettings};

/// Connections at once; more wait in the system's queue. Half of the files that a process may usually
/// open, so that the index and the database have theirs.
const CONNECTIONS: u32 = 512;
/// When fewer than this are free, new connections get one answer and little time to ask.
const CROWDED: usize = 128;
/// A request's head must have come within this time; also how long a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(10);
const CROWDED_HEAD_TIME: Duration = Duration::from_secs(2);
/// An answer must have been taken within this time.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// How long what is being answered may take at the end.
const ENDING_TIME: Duration = Duration::from_secs(5);
/// Threads that speak with connections. What takes time is done by others.
const THREADS: usize = 2;

/// Starts serving.
pub(crate) struct Server;

/// A search page that is being served; it stops when it is dropped.
pub(crate) struct Running {
    address: SocketAddr,
    runtime: Option<Runtime>,
    stop: watch::Sender<bool>,
    slots: Arc<Semaphore>,
    /// Ends after the connections did, so that what they counted is written.
    _follower: Follower,
}

impl Server {
    /// Serves the data folder at `folder` from threads of its own.
    pub(crate) fn start(folder: &Path, settings: ServeSettings) -> Result<Running, Failure> {
        let state = Arc::new(State::open(folder, settings.query_log)?);
        let ours = |error: io::Error| Failure::Ours(format!("cannot start serving: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("serving")
            .enable_all()
            .build()
            .map_err(ours)?;
        let listener = runtime.block_on(TcpListener::bind(settings.listen)).map_err(|error| {
            let why = format!("cannot listen at {}: {error}", settings.listen);
            match error.kind() {
                io::ErrorKind::AddrInUse => {
                    Failure::Input(format!("{why}; --listen 127.0.0.1:0 takes any free port"))
                }
                _ => Failure::Input(why),
            }
        })?;
        let address = listener.local_addr().map_err(ours)?;
        let follower = Follower::start(Arc::clone(&state)).map_err(ours)?;
        let (stop, stopping) = watch::channel(false);
        let slots = Arc::new(Semaphore::new(CONNECTIONS as usize));
        let desk = Arc::new(Desk::new(state, Gate::new(address, settings.names)));
        runtime.spawn(accept(listener, desk, Arc::clone(&slots), stopping));
        Ok(Running { address, runtime: Some(runtime), stop, slots, _follower: follower })
    }
}

impl Running {
    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it: what is being answered is finished, within limits; what was counted is written.
    pub(crate) fn stop(self) {
        drop(self);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            // Every connection holds a slot: when all are back, all have ended.
            let ended = self.slots.acquire_many(CONNECTIONS);
            let _ = runtime.block_on(async { tokio::time::timeout(ENDING_TIME, ended).await });
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

/// Takes connections until it is told to stop.
async fn accept(
    listener: TcpListener,
    desk: Arc<Desk>,
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
                    desk: Arc::clone(&desk),
                    stopping: stopping.clone(),
                    is_crowded,
                    _slot: slot,
                };
                tokio::spawn(connection.serve(stream));
            }
            // Out of files, most likely: others will be closed soon.
            Some(Err(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

/// What a future comes to; `None` where it is time to stop before.
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
    desk: Arc<Desk>,
    stopping: watch::Receiver<bool>,
    is_crowded: bool,
    /// Given back when the connection ends.
    _slot: OwnedSemaphorePermit,
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<Full<Bytes>>, Infallible>> + Send>>;

impl Connection {
    async fn serve(mut self, stream: TcpStream) {
        // Answers are small, and waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        let desk = Arc::clone(&self.desk);
        let is_answering = Arc::new(AtomicBool::new(false));
        let stream = Patient::new(stream, ANSWER_TIME, Arc::clone(&is_answering));
        let answering = Arc::clone(&is_answering);
        let service = service_fn(move |request: http::Request<Incoming>| -> Answering {
            let desk = Arc::clone(&desk);
            answering.store(true, Ordering::SeqCst);
            Box::pin(async move { Ok(desk.answer(&request).await) })
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
            // At the end, whoever is not being answered is not waited for.
            let is_over = stop.is_none() && !is_answering.load(Ordering::SeqCst);
            if is_over { Poll::Ready(Ok(())) } else { connection.poll_without_shutdown(context) }
        })
        .await;
        let was_refused = outcome.is_err_and(|error| error.is_parse());
        let stream = connection.into_parts().io.into_inner().into_inner();
        close(stream, was_refused).await;
    }
}

/// Closes a connection. Where a request was refused before it was read to its end, what still comes is
/// thrown away for a moment: closing at once would make the system throw away our answer instead.
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
