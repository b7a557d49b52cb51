//! The work at one host's queue: one request after the other, each in its turn.
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use flow::{Answer, Fault, FaultKind, Note, Request};
use http::{StatusCode, header};
use tokio::sync::MutexGuard;

use crate::{
    answer,
    client::{Means, NoReply, Reply},
    connect::{Connection, fault},
    first::{First, first},
    head::{self, Ask},
    host::Host,
    polite,
    round::{Busy, Event, Round},
    target::Target,
    world::Shared,
};

/// A connection is closed before a longer wait.
const SHORT_WAIT: Duration = Duration::from_secs(5);

/// A body takes one share of what may wait to be read, and one more for each of these.
const SHARE_BYTES: usize = 1 << 20;

/// Why there is no answer to a request.
pub(crate) enum NoAnswer {
    /// It was not asked for in time.
    Unreached,
    /// It was asked for in time, and cut when the time of the cycle had long been up.
    Cut,
    /// It was not asked for, or cut, because everything is to end.
    Stopped,
    Failed(Fault),
}

/// One who works for a round.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) shared: Arc<Shared>,
    pub(crate) round: Arc<Round>,
}

impl Visitor {
    /// Works at the queue of `host` until it is empty.
    pub(crate) async fn serve(self, host: Arc<Host>, _busy: Busy) {
        while let Some(request) = host.next() {
            match self.visit(&host, &request).await {
                Ok(reply) => self.hand_over(request, reply).await,
                Err(NoAnswer::Unreached) => {
                    self.round.answer(request.page, Answer::Unreached, None);
                }
                Err(NoAnswer::Failed(fault)) => {
                    self.round.answer(request.page, Answer::Failed(fault), None);
                }
                Err(NoAnswer::Cut) => {
                    let why = "no answer when the time of the cycle was up".to_owned();
                    let fault = fault(FaultKind::Timeout, why);
                    self.round.answer(request.page, Answer::Failed(fault), None);
                }
                Err(NoAnswer::Stopped) => return host.clear(),
            }
        }
    }

    async fn visit(&self, host: &Arc<Host>, request: &Request) -> Result<Reply, NoAnswer> {
        let Some(target) = Target::of(&request.address) else {
            let why = format!("{} is not an address of the web", request.address);
            return Err(NoAnswer::Failed(fault(FaultKind::Unsafe, why)));
        };
        if let Some(refused) = host.refused() {
            return Err(NoAnswer::Failed(refused));
        }
        let robots = self.robots(host, target.scheme).await?;
        if let Some(why) = robots.refusal(&request.address) {
            return Err(NoAnswer::Failed(fault(FaultKind::Robots, why)));
        }
        let ask = Ask {
            scheme: target.scheme,
            authority: target.authority,
            path: &target.path,
            validators: request.validators.as_ref().filter(|validators| !validators.is_empty()),
            most: self.shared.settings.limits.body,
            takes_start: false,
        };
        self.ask(host, &ask).await
    }

    /// Asks a host for something, as soon as it may be asked.
    pub(crate) async fn ask(&self, host: &Arc<Host>, ask: &Ask<'_>) -> Result<Reply, NoAnswer> {
        let mut may_retry = true;
        loop {
            let mut turn = self.turn(host).await?;
            let kept = turn.take().filter(|kept| kept.scheme == ask.scheme && !kept.is_closed());
            let mut connection = match kept {
                Some(kept) if may_retry => kept,
                _ => self.connect(host, ask).await?,
            };
            let was_used = connection.is_used;
            match self.ask_over(host, ask, &mut connection).await {
                Ok(reply) => {
                    if reply.keeps {
                        self.shared.hosts.keep(host, &mut turn, connection);
                    }
                    return Ok(reply);
                }
                // It was closed while nobody used it. Nothing was asked, so nothing is to be waited
                // for; or it may have been asked, and then the host has its delay again.
                Err(Silence::Unsent | Silence::Heard(_)) if was_used && may_retry => {
                    may_retry = false;
                }
                Err(Silence::Unsent) => {
                    let why = "the connection was closed before anything was asked".to_owned();
                    return Err(NoAnswer::Failed(fault(FaultKind::Broken, why)));
                }
                Err(Silence::Heard(fault)) => return Err(NoAnswer::Failed(fault)),
                Err(Silence::NoAnswer(no_answer)) => return Err(no_answer),
            }
        }
    }

    /// Sends a request and takes down how the host did.
    async fn ask_over(
        &self,
        host: &Arc<Host>,
        ask: &Ask<'_>,
        connection: &mut Connection,
    ) -> Result<Reply, Silence> {
        let shared = &*self.shared;
        let means =
            Means { agent: &shared.agent, limits: &shared.settings.limits, clock: &shared.clock };
        let begun = Instant::now();
        let asked = first(connection.ask(ask, &means), self.round.cut()).await;
        if let First::Wanted(Err(NoReply::Unsent)) = asked {
            return Err(Silence::Unsent);
        }
        let end = Instant::now();
        let took = shared.clock.world_time(end - begun);
        host.polite().ended(end, shared.clock.now(), took);
        match asked {
            First::Other(()) => Err(Silence::NoAnswer(self.cut())),
            First::Wanted(Ok(reply)) => {
                self.note_reply(host, &reply);
                Ok(reply)
            }
            First::Wanted(Err(NoReply::Silent(fault))) => {
                self.note_fault(host, &fault);
                Err(Silence::Heard(fault))
            }
            First::Wanted(Err(NoReply::Failed(fault))) => {
                self.note_fault(host, &fault);
                Err(Silence::NoAnswer(NoAnswer::Failed(fault)))
            }
            First::Wanted(Err(NoReply::Unsent)) => Err(Silence::Unsent),
        }
    }

    /// Waits until `host` may be asked. Nobody else can ask it before the turn is given back.
    async fn turn<'h>(
        &self,
        host: &'h Host,
    ) -> Result<MutexGuard<'h, Option<Connection>>, NoAnswer> {
        let shared = &*self.shared;
        loop {
            let mut turn = host.turn.lock().await;
            if self.round.is_stopped() {
                return Err(NoAnswer::Stopped);
            }
            if self.round.is_over() {
                return Err(NoAnswer::Unreached);
            }
            let wait = host.polite().wait(&shared.settings, &shared.clock);
            if wait.all().is_zero() {
                return Ok(turn);
            }
            if self.round.is_too_long(wait) {
                return Err(NoAnswer::Unreached);
            }
            let wait = wait.all();
            if wait > SHORT_WAIT {
                *turn = None;
            }
            // Not held while waiting: it is not ours until it can be used.
            drop(turn);
            self.round.rest(wait).await;
        }
    }

    async fn connect(&self, host: &Arc<Host>, ask: &Ask<'_>) -> Result<Connection, NoAnswer> {
        let shared = &*self.shared;
        let slot = first(shared.hosts.slot(), self.round.over()).await.wanted();
        let slot = slot.ok_or_else(|| {
            if self.round.is_stopped() { NoAnswer::Stopped } else { NoAnswer::Unreached }
        })?;
        let begun = Instant::now();
        // Boxed: it is large, rare, and would make every task as large.
        let connecting = Box::pin(shared.connector.connect(ask.scheme, ask.authority, slot));
        let connected = first(connecting, self.round.cut()).await.wanted();
        let fault = match connected.ok_or_else(|| self.cut())? {
            Ok(connection) => return Ok(connection),
            Err(fault) => fault,
        };
        if fault.kind == FaultKind::Unsafe {
            host.refuse(fault.clone());
        } else {
            let end = Instant::now();
            let took = shared.clock.world_time(end - begun);
            host.polite().ended(end, shared.clock.now(), took);
            self.note_fault(host, &fault);
        }
        Err(NoAnswer::Failed(fault))
    }

    /// What it means that something under way was cut.
    fn cut(&self) -> NoAnswer {
        if self.round.is_stopped() { NoAnswer::Stopped } else { NoAnswer::Cut }
    }

    fn note_reply(&self, host: &Host, reply: &Reply) {
        let shared = &*self.shared;
        let now = shared.clock.now();
        let is_busy =
            matches!(reply.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if is_busy {
            let asked = head::text(&reply.headers, &header::RETRY_AFTER);
            let mut polite = host.polite();
            polite.busy(now, polite::retry_after(&asked, now), &shared.settings);
            self.round.note(Note::Manners(polite.manners()));
        } else if let Some((_, fault)) = &reply.cut {
            self.note_fault(host, fault);
        } else {
            host.polite().reached(now);
        }
    }

    fn note_fault(&self, host: &Host, fault: &Fault) {
        use FaultKind::{Connect, Name, Timeout, Tls};
        let shared = &*self.shared;
        let now = shared.clock.now();
        let mut polite = host.polite();
        if !matches!(fault.kind, Connect | Name | Timeout | Tls) {
            polite.reached(now);
        } else if polite.unreached(now, &shared.settings) {
            self.round.note(Note::Manners(polite.manners()));
        }
    }

    /// Has an answer read, off the threads of the network. Waits while too many wait to be read.
    async fn hand_over(&self, request: Request, reply: Reply) {
        let shared = Arc::clone(&self.shared);
        let at = shared.clock.now();
        if !answer::is_read(&reply) {
            let capture = answer::capture(&request, reply, at, &shared.settings.limits);
            return self.round.send(Event::Capture(capture, None));
        }
        let parts = 1 + u32::try_from(reply.body.len() / SHARE_BYTES).unwrap_or(u32::MAX);
        let parts = parts.min(crate::world::UNREAD as u32);
        let unread = Arc::clone(&shared.unread).acquire_many_owned(parts).await;
        let (round, busy) = (Arc::clone(&self.round), Busy::new(&self.round));
        shared.clone().pool.spawn(move || {
            let capture = answer::capture(&request, reply, at, &shared.settings.limits);
            round.send(Event::Capture(capture, unread.ok()));
            drop(busy);
        });
    }
}

/// Why nothing was heard over a connection.
enum Silence {
    /// The request did not leave.
    Unsent,
    /// The request left, and not a byte came back.
    Heard(Fault),
    NoAnswer(NoAnswer),
}
