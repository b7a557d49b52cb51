//! Bodies of answers that are sent while they are made.
use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use hyper::body::{Body as HttpBody, Bytes, Frame};
use tokio::sync::mpsc;

/// Pieces of a body that another thread makes. An error cuts the connection, so that the client knows that
/// the answer is not complete.
#[derive(Debug)]
pub(crate) struct Stream(mpsc::Receiver<io::Result<Bytes>>);

impl Stream {
    /// A stream that holds at most `waiting` pieces, and where to send them.
    pub(crate) fn new(waiting: usize) -> (mpsc::Sender<io::Result<Bytes>>, Self) {
        let (sender, receiver) = mpsc::channel(waiting);
        (sender, Self(receiver))
    }
}

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
