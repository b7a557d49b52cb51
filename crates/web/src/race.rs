//! Runs a future until it is done or cancelled.
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

/// Which of two futures was ready first.
pub(crate) enum Raced<A, B> {
    /// The future itself.
    Done(A),
    /// The one that cancels it.
    Cancelled(B),
}

impl<A, B> Raced<A, B> {
    /// The output of the future, if it was done first.
    pub(crate) fn done(self) -> Option<A> {
        match self {
            Self::Done(output) => Some(output),
            Self::Cancelled(_) => None,
        }
    }
}

/// Waits for `future` or `cancel`. If both are ready, `future` wins.
pub(crate) async fn race<A, B>(
    future: impl Future<Output = A>,
    cancel: impl Future<Output = B>,
) -> Raced<A, B> {
    let (mut future, mut cancel) = (pin!(future), pin!(cancel));
    poll_fn(|context| {
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Raced::Done(value));
        }
        cancel.as_mut().poll(context).map(Raced::Cancelled)
    })
    .await
}
