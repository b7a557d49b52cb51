//! Turns to make an answer, a few at a time. Addresses take turns, so that a client with many requests delays
//! others by one of its answers, not by all of them.
use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::oneshot::{self, Sender};

use super::state::lock;

/// The longest wait. How many wait is limited by the number of connections.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

pub(crate) struct Turns(Mutex<Queue>);

struct Queue {
    free: usize,
    /// Requests that wait, by address. The first address is next.
    waiting: VecDeque<(IpAddr, VecDeque<Sender<Turn>>)>,
}

/// Leave to make an answer. It is passed on when dropped.
pub(crate) struct Turn(Option<Arc<Turns>>);

impl Turns {
    pub(crate) fn new(count: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Queue { free: count, waiting: VecDeque::new() })))
    }

    /// Waits for a turn; `None` if that takes too long.
    pub(crate) async fn take(self: &Arc<Self>, address: IpAddr) -> Option<Turn> {
        let receiver = {
            let mut queue = lock(&self.0);
            if queue.free > 0 {
                queue.free -= 1;
                return Some(Turn(Some(Arc::clone(self))));
            }
            let (sender, receiver) = oneshot::channel();
            match queue.waiting.iter_mut().find(|(other, _)| *other == address) {
                Some((_, requests)) => requests.push_back(sender),
                None => queue.waiting.push_back((address, VecDeque::from([sender]))),
            }
            receiver
        };
        tokio::time::timeout(LONGEST_WAIT, receiver).await.ok()?.ok()
    }

    /// Who is next. If nobody waits, the turn is free.
    fn next(&self) -> Option<Sender<Turn>> {
        let mut queue = lock(&self.0);
        while let Some((address, mut requests)) = queue.waiting.pop_front() {
            let next = requests.pop_front();
            if !requests.is_empty() {
                queue.waiting.push_back((address, requests));
            }
            if next.is_some() {
                return next;
            }
        }
        queue.free += 1;
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(turns) = self.0.take() else { return };
        let mut turn = Turn(Some(Arc::clone(&turns)));
        while let Some(next) = turns.next() {
            match next.send(turn) {
                Ok(()) => return,
                // That one has waited too long, or its client has left.
                Err(back) => turn = back,
            }
        }
        turn.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn addresses_take_turns() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::new(1);
            let running = turns.take(address(1)).await.unwrap();
            let (sender, mut came) = tokio::sync::mpsc::unbounded_channel();
            let requests = [1, 1, 1, 1, 1, 2, 2, 3];
            for last in requests {
                let (turns, sender) = (Arc::clone(&turns), sender.clone());
                tokio::spawn(async move {
                    let turn = turns.take(address(last)).await;
                    let _ = sender.send(last);
                    drop(turn);
                });
                tokio::task::yield_now().await;
            }
            // One that leaves before it has its turn holds up nobody.
            drop(Box::pin(turns.take(address(4))));
            drop(running);
            let mut order = vec![];
            for _ in requests {
                order.push(came.recv().await.unwrap());
            }
            assert_eq!(order, [1, 2, 3, 1, 2, 1, 1, 1]);
            assert!(turns.take(address(1)).await.is_some());
        });
    }

    #[test]
    fn a_turn_of_one_that_has_left_is_passed_on() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::new(1);
            let running = turns.take(address(1)).await.unwrap();
            let left = {
                let turns = Arc::clone(&turns);
                tokio::spawn(async move { turns.take(address(1)).await.is_some() })
            };
            tokio::task::yield_now().await;
            left.abort();
            assert!(left.await.is_err());
            drop(running);
            assert!(turns.take(address(2)).await.is_some());
        });
    }
}
