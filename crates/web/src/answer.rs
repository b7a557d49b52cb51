//! What an answer means: content, a redirect, nothing new, nothing there, or a fault.
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use flow::{
    Answer, Capture, Exchange, FaultKind, Request, Snapshot, Time, Validators,
    read::{
        self,
        coding::{self, Undecodable},
        directives,
    },
};
use http::{HeaderName, StatusCode, header};

use crate::{client::Reply, connect::fault, head, settings::Limits};

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Whether an answer has a body to be read, which takes a while.
pub(crate) fn is_read(reply: &Reply) -> bool {
    reply.status.is_success() && reply.cut.is_none() && !reply.body.is_empty()
}

/// The capture that `reply` to `request`, which came at `at`, makes.
pub(crate) fn capture(request: &Request, reply: Reply, at: Time, limits: &Limits) -> Capture {
    // Reading never fails. If it does all the same, one page must not end the crawl.
    let answer = catch_unwind(AssertUnwindSafe(|| answer(request, &reply, limits)));
    let answer = answer
        .unwrap_or_else(|_| failed(FaultKind::Malformed, "the page could not be read".to_owned()));
    let exchange = Some(Box::new(exchange(&request.address, reply)));
    Capture { page: request.page, at, answer, exchange }
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
        _ if status.is_redirection() => moved(request, reply),
        _ if status.is_success() => content(request, reply, limits),
        _ if status.is_client_error() => {
            failed(FaultKind::Denied, format!("the server would not give it to us ({code})"))
        }
        _ if status.is_server_error() => {
            failed(FaultKind::Server, format!("the server failed ({code})"))
        }
        _ => failed(FaultKind::Malformed, format!("the status {code} means nothing here")),
    }
}

fn moved(request: &Request, reply: &Reply) -> Answer {
    let code = reply.status.as_u16();
    let location = head::text(&reply.headers, &header::LOCATION);
    let snapshot = read::moved(&request.address, &location).filter(|_| !location.is_empty());
    snapshot.map_or_else(
        || failed(FaultKind::Malformed, format!("it redirects ({code}) to nowhere")),
        |snapshot| restricted(snapshot, reply),
    )
}

fn content(request: &Request, reply: &Reply, limits: &Limits) -> Answer {
    if let Some((_, fault)) = &reply.cut {
        return Answer::Failed(fault.clone());
    }
    let codings = head::text(&reply.headers, &header::CONTENT_ENCODING);
    let body = match coding::decode(&codings, &reply.body, limits.decompressed) {
        Ok(body) => body,
        Err(error @ Undecodable::TooLong(_)) => {
            return failed(FaultKind::TooLarge, error.to_string());
        }
        Err(error) => return failed(FaultKind::Malformed, error.to_string()),
    };
    let content_type = head::text(&reply.headers, &header::CONTENT_TYPE);
    if is_zipped(&request.address, &content_type, &body)
        && let Ok(inside) = coding::decode("gzip", &body, limits.decompressed)
    {
        // The type was that of the wrapping; the body says what is inside.
        return restricted(read::read(&request.address, "", &inside), reply);
    }
    restricted(read::read(&request.address, &content_type, &body), reply)
}

/// Whether a body is a file in gzip, as sitemaps often are.
fn is_zipped(address: &str, content_type: &str, body: &[u8]) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let may_be = ["application/gzip", "application/x-gzip", "application/octet-stream", ""];
    let path = address.split('?').next().unwrap_or_default();
    let is_named =
        path.get(path.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case(".gz"));
    is_named
        && coding::is_gzip(body)
        && may_be.iter().any(|kind| essence.eq_ignore_ascii_case(kind))
}

fn restricted(mut snapshot: Snapshot, reply: &Reply) -> Answer {
    for value in reply.headers.get_all(X_ROBOTS_TAG) {
        let value = String::from_utf8_lossy(value.as_bytes());
        snapshot.restrict(&directives::of_header(&value));
    }
    Answer::Content(Arc::new(snapshot))
}

/// What was said on the wire.
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
        remote: Some(reply.remote),
        truncated: reply.cut.map(|(truncation, _)| truncation),
    }
}
