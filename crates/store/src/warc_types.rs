//! Converts exchanges and times to the types of the crate `warc`.
use crawl::{Exchange, Time, Truncation};
use warc::{HttpExchange, Timestamp, Truncated};

pub(crate) fn timestamp(at: Time) -> Timestamp {
    Timestamp::from_millis(at.millis())
}

pub(crate) fn http_exchange(exchange: &Exchange) -> HttpExchange<'_> {
    HttpExchange {
        address: &exchange.address,
        at: timestamp(exchange.at),
        request_head: &exchange.request_head,
        response_head: &exchange.response_head,
        body: &exchange.body,
        remote: exchange.remote,
        truncated: exchange.truncated.map(|truncation| match truncation {
            Truncation::Length => Truncated::Length,
            Truncation::Time => Truncated::Time,
            Truncation::Disconnect => Truncated::Disconnect,
        }),
    }
}
