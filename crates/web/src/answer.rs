//! Turns a reply into an answer: content, a redirect, not modified, missing, gone, or a fault.
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use crawl::{Answer, Capture, Cost, Exchange, FaultKind, Request, Span, Time, Validators};
use extract::read::{
    coding::Undecodable,
    response::{self, Unreadable},
};
use http::{StatusCode, header};

use crate::{client::Reply, connect::fault, head, settings::Limits};

/// Whether a reply has a body to parse, which takes a while.
pub(crate) fn is_read(reply: &Reply) -> bool {
    reply.status.is_success() && reply.cut.is_none() && !reply.body.is_empty()
}

/// The capture of `reply` to `request`, received at `at`. The visit kept its host busy for `took`.
pub(crate) fn capture(
    request: &Request,
    reply: Reply,
    at: Time,
    took: Span,
    limits: &Limits,
) -> Capture {
    let cost = Cost { bytes: (reply.response_head.len() + reply.body.len()) as u64, time: took };
    // Parsing should never panic. If it does, one page must not end the crawl.
    let answer = catch_unwind(AssertUnwindSafe(|| answer(request, &reply, limits)));
    let answer = answer
        .unwrap_or_else(|_| failed(FaultKind::Malformed, "the page could not be read".to_owned()));
    let exchange = Some(Box::new(exchange(&request.address, reply)));
    Capture { page: request.page, at, answer, cost, exchange }
}

fn failed(kind: FaultKind, why: String) -> Answer {
    Answer::Failed(fault(kind, why))
}

fn answer(request: &Request, reply: &Reply, limits: &Limits) -> Answer {
    let status = reply.status;
    let code = status.as_u16();
    match status {
        StatusCode::NOT_MODIFIED => {
            let was_asked = request.validators.as_ref().is_some_and(|asked| !asked.is_empty());
            if was_asked {
                Answer::NotModified
            } else {
                failed(FaultKind::Malformed, "it says \"not modified\" unasked (304)".to_owned())
            }
        }
        StatusCode::NOT_FOUND => Answer::Missing,
        StatusCode::GONE => Answer::Gone,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            failed(FaultKind::Busy, format!("the server asks for fewer requests ({code})"))
        }
        StatusCode::PARTIAL_CONTENT => {
            failed(FaultKind::Malformed, "it is a part that was not asked for (206)".to_owned())
        }
        _ if status.is_redirection() || status.is_success() => content(request, reply, limits),
        _ if status.is_client_error() => {
            failed(FaultKind::Denied, format!("the server would not give it to us ({code})"))
        }
        _ if status.is_server_error() => {
            failed(FaultKind::Server, format!("the server failed ({code})"))
        }
        _ => failed(FaultKind::Malformed, format!("the status {code} means nothing here")),
    }
}

/// The content of a reply, or why it cannot be parsed.
fn content(request: &Request, reply: &Reply, limits: &Limits) -> Answer {
    if let Some((_, fault)) = &reply.cut
        && reply.status.is_success()
    {
        return Answer::Failed(fault.clone());
    }
    let headers = head::for_reading(&reply.headers);
    let (address, status) = (&request.address, reply.status.as_u16());
    match response::response(address, status, &headers, &reply.body, limits.decompressed) {
        Ok(snapshot) => Answer::Content(Arc::new(snapshot)),
        Err(error @ Unreadable::Undecodable(Undecodable::TooLong(_))) => {
            failed(FaultKind::TooLarge, error.to_string())
        }
        Err(error) => failed(FaultKind::Malformed, format!("{error} ({status})")),
    }
}

/// The exchange, for the archive.
pub(crate) fn exchange(address: &str, reply: Reply) -> Exchange {
    let text = |name| Some(head::text(&reply.headers, &name)).filter(|text| !text.is_empty());
    Exchange {
        address: address.to_owned(),
        at: reply.at,
        validators: Validators {
            entity_tag: text(header::ETAG),
            last_modified: text(header::LAST_MODIFIED),
        },
        content_type: text(header::CONTENT_TYPE).unwrap_or_default(),
        request_head: reply.request_head,
        response_head: reply.response_head,
        body: reply.body,
        status: reply.status.as_u16(),
        remote: reply.remote,
        truncated: reply.cut.map(|(truncation, _)| truncation),
    }
}
