//! Sends one request over an open connection and receives the reply within the limits.
use std::{net::IpAddr, time::Instant};

use bytes::Bytes;
use crawl::{Fault, FaultKind, Time, Truncation};
use extract::read::response;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use tokio::sync::Semaphore;

use crate::{
    Clock,
    connect::{Connection, Sender, fault},
    head::{self, Agent, HttpRequest},
    settings::Limits,
};

/// The most memory reserved for a body in advance: servers may promise anything.
const MOST_ROOM: u64 = 1 << 20;

/// How much of a body tells whether it is a sitemap.
const START_BYTES: usize = 64 << 10;

/// Sitemaps may be longer than pages. So that not every host fills the memory at once, few of those that are
/// longer are received at a time.
static LONG_SITEMAPS: Semaphore = Semaphore::const_new(4);

/// A response as received.
pub(crate) struct Reply {
    /// When the response began.
    pub(crate) at: Time,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The address of the host; `None` if a proxy knows it.
    pub(crate) remote: Option<IpAddr>,
    pub(crate) request_head: Vec<u8>,
    pub(crate) response_head: Vec<u8>,
    pub(crate) body: Vec<u8>,
    /// Why the body is incomplete; `None` if it is complete.
    pub(crate) cut: Option<(Truncation, Fault)>,
    /// Whether the connection can be reused.
    pub(crate) keeps: bool,
}

/// Why there is no reply.
pub(crate) enum NoReply {
    /// The request was not sent: the connection was closed.
    Unsent,
    /// Not a byte came back.
    Silent(Fault),
    /// Something came back, but not a response.
    Failed(Fault),
}

/// What every request needs.
pub(crate) struct RequestContext<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) limits: &'a Limits,
    pub(crate) clock: &'a Clock,
}

impl Connection {
    /// Sends a request and receives the reply.
    pub(crate) async fn send(
        &mut self,
        request: &HttpRequest<'_>,
        context: &RequestContext<'_>,
    ) -> Result<Reply, NoReply> {
        let begun = Instant::now();
        let limits = context.limits;
        let (message, request_head) = self.message(request, context.agent).ok_or_else(|| {
            let why = format!("{} on {} is not a valid request", request.path, request.authority);
            NoReply::Failed(fault(FaultKind::Malformed, why))
        })?;
        let first_byte = limits.first_byte.min(limits.total);
        let answer = tokio::time::timeout(first_byte, self.sender.send(message)).await;
        let answer = answer.unwrap_or_else(|_| {
            let why = format!("no answer within {first_byte:?}");
            Err(NoReply::Failed(fault(FaultKind::Timeout, why)))
        })?;
        let at = context.clock.now();
        self.is_used = true;
        let (parts, mut incoming) = answer.into_parts();
        let length = content_length(&parts.headers);
        let response_head = match &self.sender {
            Sender::One(_, recorder) => head::http1_head(&recorder.take_head()),
            Sender::Two(_) => head::http2_head(parts.status, &parts.headers),
        };
        let mut body = Vec::with_capacity(length.unwrap_or(0).min(MOST_ROOM) as usize);
        let too_long = |most: usize| {
            (Truncation::Length, fault(FaultKind::TooLarge, format!("longer than {most} bytes")))
        };
        let is_promised = |most: usize| length.is_some_and(|length| length > most as u64);
        let is_read = parts.status.is_success();
        let excluded = request.rules.filter(|_| is_read).and_then(|rules| {
            let content_type = head::text(&parts.headers, &header::CONTENT_TYPE);
            rules.type_refusal(&content_type, request.path)
        });
        let address = request.to_string();
        let read_headers = head::for_reading(&parts.headers);
        let may_be_sitemap = is_read
            && !request.takes_start
            && response::may_be_sitemap(&address, &read_headers.content_type);
        let longest =
            if may_be_sitemap { response::LONGEST_BODY.max(request.most) } else { request.most };
        let cut = if let Some(why) = excluded {
            Some((Truncation::Length, fault(FaultKind::Excluded, why)))
        } else if is_promised(longest) && !request.takes_start {
            Some(too_long(longest))
        } else {
            let left = limits.total.saturating_sub(begun.elapsed());
            let is_refused = is_promised(request.most) && !request.takes_start;
            let room = Room { most: request.most, longest, is_refused };
            let is_sitemap = |start: &[u8]| response::is_sitemap(&address, &read_headers, start);
            let taken = take(&mut incoming, &mut body, room, is_sitemap);
            match tokio::time::timeout(left, taken).await {
                Ok(Ok(None)) => None,
                Ok(Ok(Some(most))) => Some(too_long(most)),
                Ok(Err(error)) => Some((Truncation::Disconnect, broken_body(&error, body.len()))),
                Err(_) => {
                    let why = format!("not whole within {:?}", limits.total);
                    Some((Truncation::Time, fault(FaultKind::Timeout, why)))
                }
            }
        };
        let keeps = cut.is_none() && !self.is_closed() && !self.has_more(length);
        let remote = self.via.is_none().then_some(self.remote);
        let (status, headers) = (parts.status, parts.headers);
        Ok(Reply { at, status, headers, remote, request_head, response_head, body, cut, keeps })
    }

    fn message(
        &self,
        request: &HttpRequest<'_>,
        agent: &Agent,
    ) -> Option<(Request<Empty<Bytes>>, Vec<u8>)> {
        let is_two = matches!(self.sender, Sender::Two(_));
        let mut headers = request.headers(agent)?;
        let mut head = request.head(&headers);
        if agent.extend(&mut headers, request) {
            head = request.head(&headers);
        }
        if let Some(authorization) = self.proxy_authorization() {
            headers.insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        if is_two {
            // HTTP/2 has it in the address.
            headers.remove(header::HOST);
        }
        let mut message = Request::new(Empty::new());
        *message.uri_mut() = request.uri(is_two || self.is_relayed())?;
        *message.headers_mut() = headers;
        Some((message, head))
    }

    /// Whether the server sent more than it announced: the next reply would begin with the rest.
    fn has_more(&self, length: Option<u64>) -> bool {
        match (&self.sender, length) {
            (Sender::One(_, recorder), Some(length)) => recorder.body_bytes() > length,
            _ => false,
        }
    }
}

impl Sender {
    async fn send(
        &mut self,
        request: Request<Empty<Bytes>>,
    ) -> Result<Response<Incoming>, NoReply> {
        match self {
            Self::One(sender, recorder) => {
                sender.ready().await.map_err(|_| NoReply::Unsent)?;
                recorder.rewind();
                let sent = sender.try_send_request(request).await;
                sent.map_err(|mut refused| {
                    let is_unsent = refused.take_message().is_some();
                    no_reply(refused.error(), is_unsent, recorder.is_blank())
                })
            }
            Self::Two(sender) => {
                sender.ready().await.map_err(|_| NoReply::Unsent)?;
                let sent = sender.try_send_request(request).await;
                sent.map_err(|mut refused| {
                    let is_unsent = refused.take_message().is_some();
                    no_reply(refused.error(), is_unsent, true)
                })
            }
        }
    }
}

fn no_reply(error: &hyper::Error, is_unsent: bool, is_silent: bool) -> NoReply {
    if is_unsent {
        return NoReply::Unsent;
    }
    // hyper has a method for this, but only for servers.
    let is_too_large = error.is_parse() && error.to_string().contains("too large");
    let failed = if is_too_large {
        fault(FaultKind::TooLarge, "its headers are too long".to_owned())
    } else if error.is_parse() {
        fault(FaultKind::Malformed, format!("the answer is not HTTP: {}", in_full(error)))
    } else {
        fault(FaultKind::Broken, format!("the connection broke: {}", in_full(error)))
    };
    if is_silent && failed.kind == FaultKind::Broken {
        NoReply::Silent(failed)
    } else {
        NoReply::Failed(failed)
    }
}

/// How much of a body is received.
#[derive(Clone, Copy)]
struct Room {
    /// The most bytes of a page.
    most: usize,
    /// The most bytes of a sitemap; the same where it cannot be one.
    longest: usize,
    /// Whether the server said that it is longer than a page may be. Then only a sitemap is received.
    is_refused: bool,
}

/// Receives a body. Returns the limit where it is longer than that.
async fn take(
    incoming: &mut Incoming,
    body: &mut Vec<u8>,
    room: Room,
    is_sitemap: impl Fn(&[u8]) -> bool,
) -> Result<Option<usize>, hyper::Error> {
    let mut permit = None;
    let mut most = if room.is_refused { START_BYTES.min(room.most) } else { room.most };
    while let Some(frame) = incoming.frame().await {
        let Ok(bytes) = frame?.into_data() else { continue };
        body.extend_from_slice(&bytes);
        if body.len() > most
            && room.longest > room.most
            && permit.is_none()
            && is_sitemap(&body[..body.len().min(START_BYTES)])
        {
            permit = LONG_SITEMAPS.acquire().await.ok();
            most = room.longest;
        }
        if body.len() > most {
            body.truncate(if room.is_refused && permit.is_none() { 0 } else { most });
            return Ok(Some(most.max(room.most)));
        }
    }
    Ok(None)
}

fn broken_body(error: &hyper::Error, came: usize) -> Fault {
    let is_nonsense = std::error::Error::source(error)
        .and_then(|cause| cause.downcast_ref::<std::io::Error>())
        .is_some_and(|cause| {
            use std::io::ErrorKind::{InvalidData, InvalidInput};
            matches!(cause.kind(), InvalidData | InvalidInput)
        });
    let why = in_full(error);
    if is_nonsense {
        fault(FaultKind::Malformed, format!("the body is invalid after {came} bytes: {why}"))
    } else {
        fault(FaultKind::Broken, format!("the connection broke after {came} bytes: {why}"))
    }
}

/// An error with its causes.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The announced length of the body.
fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}
