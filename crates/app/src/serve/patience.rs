//! A connection whose reader has only so long to take an answer.
//!
//! Whoever asks and does not read keeps an answer in our memory and a connection open. From the first
//! byte that we write until all is handed over, there is one time limit; it does not begin again with
//! every byte that a slow reader takes.
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

/// A stream that gives up writing when an answer has taken too long.
pub(crate) struct Patient<S> {
    stream: S,
    limit: Duration,
    /// When the answer that is being written must have been taken.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Set by whoever makes answers, and unset here when one has been handed over.
    is_answering: Arc<AtomicBool>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, limit: Duration, is_answering: Arc<AtomicBool>) -> Self {
        Self { stream, limit, deadline: None, is_answering }
    }

    pub(crate) fn into_inner(self) -> S {
        self.stream
    }

    /// An error once the time is over; begins to count where it did not yet.
    fn check(&mut self, context: &mut Context<'_>) -> Result<(), io::Error> {
        let limit = self.limit;
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + limit)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => {
                Err(io::Error::new(io::ErrorKind::TimedOut, "the answer was not taken in time"))
            }
            Poll::Pending => Ok(()),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
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

    /// Called when everything was written: the answer is over.
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
            let (ours, _theirs) = tokio::io::duplex(16);
            Patient::new(ours, Duration::from_millis(20), Arc::default()).write_all(&[0; 64]).await
        });
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_reader_that_takes_it_byte_by_byte_has_no_longer() {
        let outcome = run(async {
            let (ours, mut theirs) = tokio::io::duplex(1);
            tokio::spawn(async move { while theirs.read_u8().await.is_ok() {} });
            let mut patient = Patient::new(ours, Duration::from_millis(20), Arc::default());
            patient.write_all(&vec![0; 100_000_000]).await
        });
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn every_answer_has_the_whole_time() {
        run(async {
            let (ours, mut theirs) = tokio::io::duplex(64);
            let is_answering = Arc::new(AtomicBool::new(false));
            let mut patient =
                Patient::new(ours, Duration::from_secs(30), Arc::clone(&is_answering));
            for _ in 0..3 {
                is_answering.store(true, Ordering::SeqCst);
                // Nothing was written yet, so nothing is over.
                patient.flush().await.unwrap();
                assert!(is_answering.load(Ordering::SeqCst));
                patient.write_all(&[1; 32]).await.unwrap();
                assert!(patient.deadline.is_some());
                patient.flush().await.unwrap();
                assert!(patient.deadline.is_none() && !is_answering.load(Ordering::SeqCst));
                theirs.read_exact(&mut [0; 32]).await.unwrap();
            }
        });
    }
}
