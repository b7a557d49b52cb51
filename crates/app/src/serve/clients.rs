//! What one address may use: connections and requests. One client must not keep others out.
use std::{
    collections::{HashMap, VecDeque},
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::state::lock;

/// Most connections of one address. With one more, the oldest that has not asked for anything is closed, so
/// that a client that fills its share with slow connections keeps out nobody, not even behind the same proxy.
const CONNECTIONS: usize = 100;
/// Requests of an address other than this machine: as many at once, and then as many a second.
const BURST: f64 = 200.0;
const PER_SECOND: f64 = 20.0;
/// Wrong tokens of one address, and of all: as many at once, and then one in this time.
const GUESSES: f64 = 5.0;
const ALL_GUESSES: f64 = 50.0;
const GUESS_TIME: Duration = Duration::from_secs(12);
/// Addresses that are remembered while they have no connection.
const REMEMBERED: usize = 4_096;

/// Everyone who is connected, or was lately.
#[derive(Default)]
pub(crate) struct Clients(Mutex<Registry>);

#[derive(Default)]
struct Registry {
    clients: HashMap<IpAddr, Client>,
    guesses: Allowance,
    next: u64,
}

/// One address.
#[derive(Default)]
struct Client {
    /// Its connections, oldest first.
    open: VecDeque<Open>,
    requests: Allowance,
    guesses: Allowance,
}

struct Open {
    id: u64,
    is_answering: Arc<AtomicBool>,
    closing: Arc<Notify>,
}

/// A connection that was let in. It is counted until dropped.
pub(crate) struct Admitted {
    clients: Arc<Clients>,
    pub(crate) address: IpAddr,
    id: u64,
    /// Whether an answer is being made or sent.
    pub(crate) is_answering: Arc<AtomicBool>,
    /// Notified when the connection must end.
    pub(crate) closing: Arc<Notify>,
}

impl Clients {
    /// Lets a connection in; `None` if the address has too many, and all of them are being answered.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Admitted> {
        let address = group(address);
        let mut registry = lock(&self.0);
        if registry.clients.len() > REMEMBERED {
            registry.clients.retain(|_, client| !client.open.is_empty());
        }
        registry.next += 1;
        let id = registry.next;
        let client = registry.clients.entry(address).or_default();
        if client.open.len() >= CONNECTIONS {
            let is_idle = |open: &Open| !open.is_answering.load(Ordering::SeqCst);
            let oldest = client.open.iter().position(is_idle)?;
            client.open.remove(oldest)?.closing.notify_one();
        }
        let (is_answering, closing) = (Arc::<AtomicBool>::default(), Arc::<Notify>::default());
        client.open.push_back(Open {
            id,
            is_answering: Arc::clone(&is_answering),
            closing: Arc::clone(&closing),
        });
        Some(Admitted { clients: Arc::clone(self), address, id, is_answering, closing })
    }

    /// Whether an address may make a request now. This machine may always: a proxy on it has many clients.
    pub(crate) fn may_ask(&self, address: IpAddr) -> bool {
        if address.is_loopback() {
            return true;
        }
        let mut registry = lock(&self.0);
        let client = registry.clients.entry(address).or_default();
        client.requests.take(BURST, PER_SECOND, Instant::now())
    }

    /// Whether a token that an address sends is looked at. A right one is not counted: see
    /// [`guessed`](Self::guessed).
    pub(crate) fn may_guess(&self, address: IpAddr) -> bool {
        let (mut registry, now) = (lock(&self.0), Instant::now());
        let rate = 1.0 / GUESS_TIME.as_secs_f64();
        let is_left = registry.guesses.is_left(ALL_GUESSES, rate * 10.0, now);
        let client = registry.clients.entry(address).or_default();
        is_left && client.guesses.is_left(GUESSES, rate, now)
    }

    /// Counts a wrong token.
    pub(crate) fn guessed(&self, address: IpAddr) {
        let (mut registry, now) = (lock(&self.0), Instant::now());
        let rate = 1.0 / GUESS_TIME.as_secs_f64();
        registry.guesses.take(ALL_GUESSES, rate * 10.0, now);
        registry.clients.entry(address).or_default().guesses.take(GUESSES, rate, now);
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut registry = lock(&self.clients.0);
        if let Some(client) = registry.clients.get_mut(&self.address) {
            client.open.retain(|open| open.id != self.id);
        }
    }
}

/// A number of things that are allowed, which grows with time up to a limit.
#[derive(Default)]
struct Allowance {
    used: f64,
    since: Option<Instant>,
}

impl Allowance {
    fn is_left(&mut self, most: f64, per_second: f64, now: Instant) -> bool {
        if let Some(since) = self.since.replace(now) {
            let regained = now.duration_since(since).as_secs_f64() * per_second;
            self.used = (self.used - regained).max(0.0);
        }
        self.used + 1.0 <= most
    }

    fn take(&mut self, most: f64, per_second: f64, now: Instant) -> bool {
        let is_left = self.is_left(most, per_second, now);
        if is_left {
            self.used += 1.0;
        }
        is_left
    }
}

/// The address that is counted. One subscriber has a whole network of IPv6 addresses (/64).
fn group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn the_oldest_idle_connection_makes_room_for_a_new_one_of_the_same_address() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(makes_room());
    }

    async fn makes_room() {
        let clients = Arc::new(Clients::default());
        let all: Vec<Admitted> =
            (0..CONNECTIONS).map(|_| clients.admit(address(1)).unwrap()).collect();
        all[0].is_answering.store(true, Ordering::SeqCst);
        let other = clients.admit(address(2)).unwrap();
        let newest = clients.admit(address(1)).unwrap();
        // The second is told to close, and nobody else.
        all[1].closing.notified().await;
        for open in all.iter().skip(2).chain([&all[0], &other, &newest]) {
            let told = tokio::time::timeout(Duration::ZERO, open.closing.notified()).await;
            assert!(told.is_err());
        }
        for open in all.iter().chain([&newest]) {
            open.is_answering.store(true, Ordering::SeqCst);
        }
        assert!(clients.admit(address(1)).is_none() && clients.admit(address(2)).is_some());
        drop(all);
        assert!(clients.admit(address(1)).is_some());
    }

    #[test]
    fn requests_and_wrong_tokens_are_limited_and_allowed_again_with_time() {
        let clients = Clients::default();
        let asked = (0..1_000).filter(|_| clients.may_ask(address(1))).count();
        assert!((200..300).contains(&asked), "{asked}");
        assert!(clients.may_ask(address(2)) && clients.may_ask([127, 0, 0, 1].into()));
        for _ in 0..5 {
            assert!(clients.may_guess(address(1)));
            clients.guessed(address(1));
        }
        assert!(!clients.may_guess(address(1)) && clients.may_guess(address(2)));
        let mut allowance = Allowance::default();
        let now = Instant::now();
        assert!(allowance.take(1.0, 0.1, now) && !allowance.take(1.0, 0.1, now));
        assert!(allowance.take(1.0, 0.1, now + Duration::from_secs(10)));
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one() {
        let of = |text: &str| group(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.7"), of("192.0.2.7"));
    }
}
