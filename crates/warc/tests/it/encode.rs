//! What records say, and that they come back as they were written.

use crate::common::{NOON, exchange, id, only_record, payload, records};
use proptest::prelude::*;
use warc::{
    Encoder, HttpExchange, HttpResponse, Original, PayloadDigest, Profile, RecordId, RecordKind,
    Timestamp, Truncated, Warcinfo,
};

fn original() -> Original {
    Original {
        id: id(1),
        address: "http://example.com/first".to_owned(),
        at: Timestamp::from_millis(1_700_000_000_001),
        payload: PayloadDigest::compute(b"hello"),
    }
}

#[test]
fn a_response_says_what_was_fetched_from_where_and_when() {
    let exchange = exchange("http://example.com/", b"hello");
    let member = Encoder::default().response(&exchange, id(2), payload(&exchange));
    let record = only_record(&member);
    assert_eq!(record.kind(), RecordKind::Response);
    assert_eq!(record.id(), Some(id(2)));
    assert_eq!(record.target(), Some("http://example.com/"));
    assert_eq!(record.field("WARC-Date"), Some("2026-11-15T12:00:00.123Z"));
    assert_eq!(record.date(), Some(NOON));
    assert_eq!(record.field("WARC-IP-Address"), Some("192.0.2.7"));
    assert_eq!(record.field("Content-Type"), Some("application/http;msgtype=response"));
    // The well-known SHA-1 of "hello", aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d, in base 32.
    let digest = Some("sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N");
    assert_eq!(record.field("WARC-Payload-Digest"), digest);
    assert_eq!(record.block_is_intact(), Some(true));
    assert_eq!(record.truncated(), None);
    assert_eq!(record.location.map(|location| location.length), Some(member.len() as u64));
}

#[test]
fn a_response_keeps_head_and_body_byte_for_byte() {
    let exchange = exchange("http://example.com/", b"\r\n\r\n\x00\xFFbody\r\n");
    let record = only_record(&Encoder::default().response(&exchange, id(2), payload(&exchange)));
    assert_eq!(record.block, [exchange.response_head, exchange.body].concat());
    assert_eq!(record.http_response().unwrap().body, exchange.body);
}

#[test]
fn a_body_cut_short_is_marked_with_the_reason() {
    let reasons = [
        (Truncated::Length, "length"),
        (Truncated::Time, "time"),
        (Truncated::Disconnect, "disconnect"),
    ];
    for (truncation, reason) in reasons {
        let exchange =
            HttpExchange { truncated: Some(truncation), ..exchange("http://a.example/", b"x") };
        let record =
            only_record(&Encoder::default().response(&exchange, id(2), payload(&exchange)));
        assert_eq!(record.field("WARC-Truncated"), Some(reason));
        assert_eq!(record.truncated(), Some(truncation));
    }
}

#[test]
fn a_request_belongs_to_its_response() {
    let exchange = exchange("http://example.com/", b"hello");
    let record = only_record(&Encoder::default().request(&exchange, id(3), id(2)));
    assert_eq!(record.kind(), RecordKind::Request);
    assert_eq!(record.field("WARC-Concurrent-To"), Some(&*format!("<{}>", id(2))));
    assert_eq!(record.date(), Some(exchange.at));
    assert_eq!(record.block, exchange.request_head);
    assert_eq!(record.field("WARC-Payload-Digest"), None);
}

#[test]
fn a_revisit_of_the_same_bytes_holds_the_head_and_refers_to_the_response() {
    let exchange = exchange("http://example.com/again", b"hello");
    let member =
        Encoder::default().revisit(&exchange, id(4), Profile::IdenticalPayload, &original());
    let record = only_record(&member);
    let field = |name| record.field(name).unwrap().to_owned();
    assert_eq!(record.kind(), RecordKind::Revisit);
    assert_eq!(
        field("WARC-Profile"),
        "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    );
    assert_eq!(field("WARC-Refers-To"), format!("<{}>", id(1)));
    assert_eq!(field("WARC-Refers-To-Target-URI"), "http://example.com/first");
    assert_eq!(field("WARC-Refers-To-Date"), "2023-11-14T22:13:20.001Z");
    assert_eq!(record.payload_digest(), Some(original().payload));
    assert_eq!(field("WARC-Truncated"), "length");
    assert_eq!(record.block, exchange.response_head);
    assert_eq!(record.block_is_intact(), Some(true));
}

#[test]
fn a_revisit_of_what_is_not_modified_carries_the_digest_forward() {
    let exchange = HttpExchange {
        response_head: b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n",
        ..exchange("http://example.com/first", b"")
    };
    let record = only_record(&Encoder::default().revisit(
        &exchange,
        id(5),
        Profile::NotModified,
        &original(),
    ));
    assert_eq!(
        record.field("WARC-Profile"),
        Some("http://netpreserve.org/warc/1.1/revisit/server-not-modified")
    );
    assert_eq!(record.payload_digest(), Some(original().payload));
    assert_eq!(record.truncated(), None);
    // Without a head of its own, it is replayed with that of the response it refers to.
    assert!(record.block.is_empty() && record.http_response().is_none());
}

#[test]
fn only_a_response_can_be_referred_to() {
    let exchange = exchange("http://example.com/", b"hello");
    let mut encoder = Encoder::default();
    let response = only_record(&encoder.response(&exchange, id(2), payload(&exchange)));
    let revisit = encoder.revisit(&exchange, id(4), Profile::IdenticalPayload, &original());
    let expected = Original {
        id: id(2),
        address: exchange.address.to_owned(),
        at: NOON,
        payload: payload(&exchange),
    };
    assert_eq!(response.as_original(), Some(expected));
    assert_eq!(only_record(&revisit).as_original(), None);
}

#[test]
fn the_first_record_tells_of_the_file() {
    let more = [("operator".to_owned(), "Some\r\nOne".to_owned())];
    let member = Encoder::default().warcinfo(&Warcinfo {
        id: id(9),
        at: NOON,
        file: "a.warc.gz",
        software: "sanderling/0.1.0",
        host: "crawler",
        more: &more,
    });
    let record = only_record(&member);
    assert_eq!(record.kind(), RecordKind::Warcinfo);
    assert_eq!(record.field("WARC-Filename"), Some("a.warc.gz"));
    let block = String::from_utf8(record.block.clone()).unwrap();
    assert!(block.starts_with("software: sanderling/0.1.0\r\nformat: WARC File Format 1.1\r\n"));
    assert!(block.contains("\r\nrobots: obey\r\n"));
    assert!(block.ends_with("\r\noperator: Some  One\r\n"));
}

#[test]
fn no_address_can_add_a_field() {
    let exchange = exchange("http://example.com/\r\nWARC-Type: revisit\r\n\r\né", b"hello");
    let record = only_record(&Encoder::default().response(&exchange, id(2), payload(&exchange)));
    assert_eq!(record.kind(), RecordKind::Response);
    let target = "http://example.com/%0D%0AWARC-Type:%20revisit%0D%0A%0D%0A%C3%A9";
    assert_eq!(record.target(), Some(target));
}

#[test]
fn a_head_without_its_empty_line_gets_one() {
    for head in ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
        let exchange = HttpExchange {
            response_head: head.as_bytes(),
            ..exchange("http://a.example/", b"body")
        };
        let record =
            only_record(&Encoder::default().response(&exchange, id(2), payload(&exchange)));
        assert_eq!(record.http_response().unwrap().body, b"body");
    }
}

#[derive(Debug)]
struct OwnedExchange {
    address: String,
    at: Timestamp,
    request_head: Vec<u8>,
    response_head: Vec<u8>,
    body: Vec<u8>,
    status: u16,
    remote: Option<std::net::IpAddr>,
}

impl OwnedExchange {
    fn view(&self) -> HttpExchange<'_> {
        HttpExchange {
            address: &self.address,
            at: self.at,
            request_head: &self.request_head,
            response_head: &self.response_head,
            body: &self.body,
            remote: self.remote,
            truncated: None,
        }
    }
}

fn any_exchange() -> impl Strategy<Value = OwnedExchange> {
    let header = ("[A-Za-z-]{1,20}", "[ -~]{0,40}");
    (
        "https?://[a-z]{1,10}\\.example/[!-~]{0,50}",
        0_i64..4_000_000_000_000,
        prop::collection::vec(header, 0..8),
        prop::collection::vec(any::<u8>(), 0..5000),
        100_u16..600,
        any::<Option<std::net::IpAddr>>(),
    )
        .prop_map(|(address, at, headers, body, status, remote)| {
            let lines: Vec<String> =
                headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let lines = lines.concat();
            OwnedExchange {
                address,
                at: Timestamp::from_millis(at),
                request_head: format!("GET / HTTP/1.1\r\n{lines}\r\n").into_bytes(),
                response_head: format!("HTTP/1.1 {status} OK\r\n{lines}\r\n").into_bytes(),
                body,
                status,
                remote,
            }
        })
}

proptest! {
    #[test]
    fn any_exchange_comes_back(
        exchanges in prop::collection::vec(any_exchange(), 1..5), level in 0_u8..20, seed: u128,
    ) {
        let mut encoder = Encoder::new(level);
        let mut file = Vec::new();
        for (number, exchange) in exchanges.iter().enumerate() {
            let response_id = id(seed ^ number as u128);
            let request_id = RecordId::derived(&[&seed.to_le_bytes(), &number.to_le_bytes()]);
            let exchange = exchange.view();
            file.extend(encoder.response(&exchange, response_id, payload(&exchange)));
            file.extend(encoder.request(&exchange, request_id, response_id));
        }
        let records = records(&file).unwrap();
        prop_assert_eq!(records.len(), 2 * exchanges.len());
        let mut end = 0;
        for record in &records {
            let location = record.location.unwrap();
            prop_assert_eq!(location.offset, end);
            end = location.offset + location.length;
            prop_assert_eq!(record.block_is_intact(), Some(true));
        }
        prop_assert_eq!(end, file.len() as u64);
        for (exchange, pair) in exchanges.iter().zip(records.chunks(2)) {
            prop_assert_eq!(pair[0].target(), Some(exchange.address.as_str()));
            prop_assert_eq!(pair[0].date(), Some(exchange.at));
            prop_assert_eq!(pair[0].payload_digest(), Some(payload(&exchange.view())));
            let http = HttpResponse::parse(&pair[0].block).unwrap();
            prop_assert_eq!(http.status, exchange.status);
            prop_assert_eq!(http.body, exchange.body.as_slice());
            prop_assert_eq!(&pair[1].block, &exchange.request_head);
        }
    }
}
