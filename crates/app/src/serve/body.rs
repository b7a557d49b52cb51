//! The body of a response: all of it, pieces as they are made, or events as they happen.
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::{mpsc, watch};

use super::stream::Stream;

/// The most streams of events at once: a share of all connections, so that open dashboards keep no reader
/// of the search page out.
const MOST_STREAMS: usize = 64;
/// A stream says something this often, so that proxies and we notice that the other side has gone.
const QUIET: Duration = Duration::from_secs(15);
/// The browser connects again this long after a stream ended, in milliseconds.
const RETRY: &str = "retry: 5000\n\n";

/// The body of a response.
pub(crate) enum ServedBody {
    Whole(Full<Bytes>),
    /// Sent while it is made.
    Pieces(Stream),
    Events(mpsc::Receiver<Bytes>),
}

impl ServedBody {
    pub(crate) fn whole(bytes: Bytes) -> Self {
        Self::Whole(Full::new(bytes))
    }
}

impl Body for ServedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Self::Whole(body) => Pin::new(body).poll_frame(context).map_err(|never| match never {}),
            Self::Pieces(pieces) => Pin::new(pieces).poll_frame(context),
            Self::Events(events) => {
                events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(body) if body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Pieces(_) | Self::Events(_) => SizeHint::default(),
        }
    }
}

/// Counts open streams.
#[derive(Debug, Default)]
pub(crate) struct Streams(Arc<AtomicUsize>);

/// Counts down when a stream ends.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Streams {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// A stream with an event for every publication; `None` if there are too many.
    pub(crate) fn open(&self, publications: watch::Receiver<u64>) -> Option<ServedBody> {
        let open = Open(Arc::clone(&self.0));
        if open.0.fetch_add(1, Ordering::Relaxed) >= MOST_STREAMS {
            return None;
        }
        let (sender, receiver) = mpsc::channel(4);
        tokio::spawn(tell(open, sender, publications));
        Some(ServedBody::Events(receiver))
    }
}

/// Writes events until the reader has gone. A slow reader gets fewer events, not a longer queue.
async fn tell(open: Open, sender: mpsc::Sender<Bytes>, mut publications: watch::Receiver<u64>) {
    let _open = open;
    if sender.send(Bytes::from_static(RETRY.as_bytes())).await.is_err() {
        return;
    }
    loop {
        let line = match tokio::time::timeout(QUIET, publications.changed()).await {
            Ok(Ok(())) => {
                let number = *publications.borrow_and_update();
                format!("event: published\ndata: {number}\n\n")
            }
            // The server has ended.
            Ok(Err(_)) => return,
            Err(_) => ": still here\n\n".to_owned(),
        };
        if sender.send(line.into()).await.is_err() {
            return;
        }
    }
}
