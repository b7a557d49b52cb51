//! Waits for whichever of two things happens first.
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

/// What happened first.
pub(crate) enum First<A, B> {
    /// The one that was wanted.
    Wanted(A),
    /// The one that ends the waiting.
    Other(B),
}

impl<A, B> First<A, B> {
    /// What was wanted, if it came first.
    pub(crate) fn wanted(self) -> Option<A> {
        match self {
            Self::Wanted(wanted) => Some(wanted),
            Self::Other(_) => None,
        }
    }
}

/// Waits for `wanted` or `other`. Where both are there, `wanted` wins.
pub(crate) async fn first<A, B>(
    wanted: impl Future<Output = A>,
    other: impl Future<Output = B>,
) -> First<A, B> {
    let (mut wanted, mut other) = (pin!(wanted), pin!(other));
    poll_fn(|context| {
        if let Poll::Ready(value) = wanted.as_mut().poll(context) {
            return Poll::Ready(First::Wanted(value));
        }
        other.as_mut().poll(context).map(First::Other)
    })
    .await
}
