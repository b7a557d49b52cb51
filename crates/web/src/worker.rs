//! Works through the queue of a host: one request after the other, at a polite pace.
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crawl::{Answer, Fault, FaultKind, HostUpdate, Request, Span};
use http::{StatusCode, header};
use tokio::sync::MutexGuard;
use tracing::{debug, info, warn};

use crate::{
    answer,
    batch::{Batch, Event, InFlight},
    client::{NoReply, Reply, RequestContext},
    connect::{Connection, fault},
    head::{self, HttpRequest},
    host::Host,
    politeness::{self, HttpTime, Politeness},
    race::{Raced, race},
    target::Target,
    world::Shared,
};

/// A connection is closed before a wait longer than this.
const SHORT_WAIT: Duration = Duration::from_secs(5);

/// A back-off as short as this is waited for like a delay.
const SHORT_BACK_OFF: Span = Span::from_millis(10_000);

/// Shorter waits are not logged.
const LOGGED_WAIT: Span = Span::from_millis(1_000);

/// A body takes one permit of the unread answers, and one more for each of these.
const SHARE_BYTES: usize = 1 << 20;

/// Why there is no answer to a request.
pub(crate) enum NoAnswer {
    /// The deadline came before the request.
    Unreached,
    /// The request was sent in time and cut some time after the deadline.
    Cut,
    /// The world was stopped.
    Stopped,
    Failed(Fault),
    /// The request was not sent.
    Refused(Fault),
}

/// Visits the pages of one host for a batch.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) shared: Arc<Shared>,
    pub(crate) batch: Arc<Batch>,
}

impl Worker {
    /// Works through the queue of `host` until it is empty.
    pub(crate) async fn run(self, host: Arc<Host>, _in_flight: InFlight) {
        while let Some(request) = host.next() {
            let begun = Instant::now();
            let reply = self.visit(&host, &request).await;
            let took = self.shared.clock.world_time(begun.elapsed());
            match reply {
                Ok(reply) => self.hand_over(request, reply, took).await,
                Err(NoAnswer::Unreached) => {
                    self.batch.answer(request.page, Answer::Unreached, Span::default());
                }
                Err(NoAnswer::Failed(fault)) => {
                    self.batch.answer(request.page, Answer::Failed(fault), took);
                }
                Err(NoAnswer::Refused(fault)) => {
                    self.batch.answer(request.page, Answer::Refused(fault), took);
                }
                Err(NoAnswer::Cut) => {
                    let why = "no answer when the time of the cycle was up".to_owned();
                    let fault = fault(FaultKind::Timeout, why);
                    self.batch.answer(request.page, Answer::Failed(fault), took);
                }
                Err(NoAnswer::Stopped) => return host.clear(),
            }
        }
    }

    async fn visit(&self, host: &Arc<Host>, request: &Request) -> Result<Reply, NoAnswer> {
        let Some(target) = Target::parse(&request.address) else {
            let why = format!("{} is not an http or https address", request.address);
            return Err(NoAnswer::Refused(fault(FaultKind::Unsafe, why)));
        };
        if let Some(why) = self.shared.settings.rules.refusal(&request.address) {
            return Err(NoAnswer::Refused(fault(FaultKind::Excluded, why)));
        }
        if let Some(refused) = host.refused() {
            return Err(NoAnswer::Refused(refused));
        }
        let robots = self.robots(host, target.scheme).await?;
        if let Some(refusal) = robots.refusal(&request.address) {
            return Err(NoAnswer::Refused(refusal));
        }
        let http_request = HttpRequest {
            scheme: target.scheme,
            authority: target.authority,
            path: &target.path,
            validators: request.validators.as_ref().filter(|validators| !validators.is_empty()),
            most: self.shared.settings.limits.body,
            takes_start: false,
            rules: Some(&self.shared.settings.rules),
        };
        self.request(host, &http_request).await
    }

    /// Sends a request as soon as politeness allows.
    pub(crate) async fn request(
        &self,
        host: &Arc<Host>,
        request: &HttpRequest<'_>,
    ) -> Result<Reply, NoAnswer> {
        let mut may_retry = true;
        loop {
            let mut turn = self.turn(host).await?;
            let kept =
                turn.take().filter(|kept| kept.scheme == request.scheme && !kept.is_closed());
            let mut connection = match kept {
                Some(kept) if may_retry => {
                    debug!(host = host.name, remote = %kept.remote, "connection reused");
                    kept
                }
                _ => self.connect(host, request).await?,
            };
            let was_used = connection.is_used;
            match self.send(host, request, &mut connection).await {
                Ok(reply) => {
                    if reply.keeps {
                        self.shared.hosts.keep(host, &mut turn, connection);
                    }
                    return Ok(reply);
                }
                // The server closed an idle connection. If the request was not sent, there is nothing
                // to wait for; if it may have been sent, the delay applies again.
                Err(SendError::Unsent | SendError::Silent(_)) if was_used && may_retry => {
                    may_retry = false;
                }
                Err(SendError::Unsent) => {
                    let why = "the connection was closed before the request was sent".to_owned();
                    return Err(NoAnswer::Failed(fault(FaultKind::Broken, why)));
                }
                Err(SendError::Silent(fault)) => return Err(NoAnswer::Failed(fault)),
                Err(SendError::NoAnswer(no_answer)) => return Err(no_answer),
            }
        }
    }

    /// Sends a request over a connection and records how the host responded.
    async fn send(
        &self,
        host: &Arc<Host>,
        request: &HttpRequest<'_>,
        connection: &mut Connection,
    ) -> Result<Reply, SendError> {
        let shared = &*self.shared;
        let context = RequestContext {
            agent: &shared.agent,
            limits: &shared.settings.limits,
            clock: &shared.clock,
        };
        let begun = Instant::now();
        let reply = race(connection.send(request, &context), self.batch.cut()).await;
        if let Raced::Done(Err(NoReply::Unsent)) = reply {
            return Err(SendError::Unsent);
        }
        let end = Instant::now();
        let took = shared.clock.world_time(end - begun);
        host.politeness().ended(end, shared.clock.now(), took);
        let ms = (end - begun).as_millis();
        match reply {
            Raced::Cancelled(()) => {
                debug!(url = %request, fault = "cut at the deadline", ms, "request");
                Err(SendError::NoAnswer(self.cut()))
            }
            Raced::Done(Ok(reply)) => {
                let (status, bytes) = (reply.status.as_u16(), reply.body.len());
                match &reply.cut {
                    None => debug!(url = %request, status, ms, bytes, "request"),
                    Some((_, fault)) => {
                        debug!(url = %request, status, %fault, ms, bytes, "request");
                    }
                }
                if reply.status.is_redirection() && reply.status != StatusCode::NOT_MODIFIED {
                    let location = || head::text(&reply.headers, &header::LOCATION);
                    debug!(url = %request, status, location = location(), "redirect");
                }
                self.record_reply(host, &reply);
                Ok(reply)
            }
            Raced::Done(Err(NoReply::Silent(fault))) => {
                debug!(url = %request, %fault, ms, "request");
                self.record_fault(host, &fault);
                Err(SendError::Silent(fault))
            }
            Raced::Done(Err(NoReply::Failed(fault))) => {
                debug!(url = %request, %fault, ms, "request");
                self.record_fault(host, &fault);
                Err(SendError::NoAnswer(NoAnswer::Failed(fault)))
            }
            Raced::Done(Err(NoReply::Unsent)) => Err(SendError::Unsent),
        }
    }

    /// Waits until a request to `host` is allowed. Nobody else sends one until the guard is dropped.
    async fn turn<'h>(
        &self,
        host: &'h Host,
    ) -> Result<MutexGuard<'h, Option<Connection>>, NoAnswer> {
        let shared = &*self.shared;
        loop {
            let mut turn = host.turn.lock().await;
            if self.batch.is_stopped() {
                return Err(NoAnswer::Stopped);
            }
            if self.batch.is_over() {
                return Err(NoAnswer::Unreached);
            }
            let wait = host.politeness().wait(&shared.settings, &shared.clock);
            if wait.longest().is_zero() {
                return Ok(turn);
            }
            let is_backing_off = wait.back_off > shared.clock.real_time(SHORT_BACK_OFF);
            if self.batch.is_too_long(wait) || is_backing_off && self.batch.has_given_up() {
                return Err(NoAnswer::Unreached);
            }
            let time = wait.longest();
            if time > SHORT_WAIT {
                *turn = None;
            }
            // Not held while waiting, so that others can close the idle connection.
            drop(turn);
            let span = shared.clock.world_time(time);
            if span > LOGGED_WAIT {
                let until = HttpTime(shared.clock.now() + span);
                debug!(host = host.name, %until, reason = wait.reason(), "waiting");
            }
            if is_backing_off {
                self.batch.rest(time).await;
            } else {
                self.batch.sleep(time).await;
            }
        }
    }

    async fn connect(
        &self,
        host: &Arc<Host>,
        request: &HttpRequest<'_>,
    ) -> Result<Connection, NoAnswer> {
        let shared = &*self.shared;
        let slot = race(shared.hosts.slot(), self.batch.over()).await.done();
        let slot = slot.ok_or_else(|| {
            if self.batch.is_stopped() { NoAnswer::Stopped } else { NoAnswer::Unreached }
        })?;
        let begun = Instant::now();
        // Boxed, because this large future would make every task as large.
        let connecting =
            Box::pin(shared.connector.connect(request.scheme, request.authority, slot));
        let connected = race(connecting, self.batch.cut()).await.done();
        let fault = match connected.ok_or_else(|| self.cut())? {
            Ok(connection) => {
                let (remote, ms) = (connection.remote, begun.elapsed().as_millis());
                debug!(host = host.name, %remote, protocol = connection.protocol(), ms, "connected");
                return Ok(connection);
            }
            Err(fault) => fault,
        };
        debug!(host = host.name, %fault, ms = begun.elapsed().as_millis(), "not connected");
        if fault.kind == FaultKind::Unsafe {
            warn!(host = host.name, why = fault.why, "host refused");
            host.refuse(fault.clone());
            return Err(NoAnswer::Refused(fault));
        }
        let end = Instant::now();
        let took = shared.clock.world_time(end - begun);
        host.politeness().ended(end, shared.clock.now(), took);
        self.record_fault(host, &fault);
        Err(NoAnswer::Failed(fault))
    }

    /// The reason for a cancelled request.
    fn cut(&self) -> NoAnswer {
        if self.batch.is_stopped() { NoAnswer::Stopped } else { NoAnswer::Cut }
    }

    fn record_reply(&self, host: &Host, reply: &Reply) {
        let shared = &*self.shared;
        let now = shared.clock.now();
        let is_busy =
            matches!(reply.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if is_busy {
            let retry_after = head::text(&reply.headers, &header::RETRY_AFTER);
            let retry_after = politeness::retry_after(&retry_after, now);
            let mut politeness = host.politeness();
            politeness.busy(now, retry_after, &shared.settings);
            let with = if retry_after.is_some() { " with Retry-After" } else { "" };
            self.back_off(&mut politeness, format!("{}{with}", reply.status));
        } else if let Some((_, fault)) = &reply.cut {
            self.record_fault(host, fault);
        } else {
            host.politeness().reached(now);
        }
    }

    fn record_fault(&self, host: &Host, fault: &Fault) {
        use FaultKind::{Connect, Name, Timeout, Tls};
        let shared = &*self.shared;
        let now = shared.clock.now();
        let mut politeness = host.politeness();
        if !matches!(fault.kind, Connect | Name | Timeout | Tls) {
            politeness.reached(now);
        } else if politeness.unreached(now, &shared.settings) {
            self.back_off(&mut politeness, fault.why.clone());
        }
    }

    /// Reports that a host backs off.
    fn back_off(&self, politeness: &mut Politeness, reason: String) {
        let state = politeness.host_state();
        if let Some(until) = state.back_off_until {
            let (host, strike) = (&state.host, state.strikes);
            info!(host, until = %HttpTime(until), reason, strike, "backing off");
        }
        politeness.set_reason(reason);
        self.batch.host_update(HostUpdate::State(state));
    }

    /// Parses an answer in the thread pool. Waits while too many answers are unread.
    async fn hand_over(&self, request: Request, reply: Reply, took: Span) {
        let shared = Arc::clone(&self.shared);
        let at = shared.clock.now();
        if !answer::is_read(&reply) {
            let capture = answer::capture(&request, reply, at, took, &shared.settings.limits);
            return self.batch.send(Event::Capture(capture, None));
        }
        let parts = 1 + u32::try_from(reply.body.len() / SHARE_BYTES).unwrap_or(u32::MAX);
        let parts = parts.min(crate::world::UNREAD as u32);
        let unread = Arc::clone(&shared.unread).acquire_many_owned(parts).await;
        let (batch, in_flight) = (Arc::clone(&self.batch), InFlight::new(&self.batch));
        shared.clone().pool.spawn(move || {
            let capture = answer::capture(&request, reply, at, took, &shared.settings.limits);
            batch.send(Event::Capture(capture, unread.ok()));
            drop(in_flight);
        });
    }
}

/// Why there is no reply over a connection.
enum SendError {
    /// The request was not sent.
    Unsent,
    /// The request was sent, and not a byte came back.
    Silent(Fault),
    NoAnswer(NoAnswer),
}
