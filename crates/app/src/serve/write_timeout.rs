//! A connection with a time limit for reading each answer.
//!
//! A client that does not read keeps an answer in memory and a connection open. The limit covers the whole
//! answer from its first byte on; it does not restart with every byte that a slow client reads.
use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// A stream that fails when writing an answer takes too long.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// When the current answer must have been read.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Set while an answer is made; cleared here when it has been sent.
    is_answering: Arc<AtomicBool>,
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, limit: Duration, is_answering: Arc<AtomicBool>) -> Self {
        Self { stream, limit, deadline: None, is_answering }
    }

    pub(crate) fn into_inner(self) -> S {
        self.stream
    }

    /// Starts the time limit if necessary; an error once it is over.
    fn check(&mut self, context: &mut Context<'_>) -> Result<(), io::Error> {
        let limit = self.limit;
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + limit)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client did not read the answer in time",
            )),
            Poll::Pending => Ok(()),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when everything was written: the answer has been sent.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        if self.deadline.take().is_some() {
            self.is_answering.store(false, Ordering::SeqCst);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn run<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
    }

    #[test]
    fn a_reader_that_takes_nothing_is_given_up() {
        let outcome = run(async {
            let (server, _client) = tokio::io::duplex(16);
            WriteTimeout::new(server, Duration::from_millis(20), Arc::default())
                .write_all(&[0; 64])
                .await
        });
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_reader_that_takes_it_byte_by_byte_has_no_longer() {
        let outcome = run(async {
            let (server, mut client) = tokio::io::duplex(1);
            tokio::spawn(async move { while client.read_u8().await.is_ok() {} });
            let mut limited = WriteTimeout::new(server, Duration::from_millis(20), Arc::default());
            limited.write_all(&vec![0; 100_000_000]).await
        });
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn every_answer_has_the_whole_time() {
        run(async {
            let (server, mut client) = tokio::io::duplex(64);
            let is_answering = Arc::new(AtomicBool::new(false));
            let mut limited =
                WriteTimeout::new(server, Duration::from_secs(30), Arc::clone(&is_answering));
            for _ in 0..3 {
                is_answering.store(true, Ordering::SeqCst);
                // Nothing was written yet, so nothing is over.
                limited.flush().await.unwrap();
                assert!(is_answering.load(Ordering::SeqCst));
                limited.write_all(&[1; 32]).await.unwrap();
                assert!(limited.deadline.is_some());
                limited.flush().await.unwrap();
                assert!(limited.deadline.is_none() && !is_answering.load(Ordering::SeqCst));
                client.read_exact(&mut [0; 32]).await.unwrap();
            }
        });
    }
}
