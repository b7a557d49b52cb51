//! Encodes records: each becomes one gzip member, ready to be appended to a file.
use std::io::Write as _;

use libdeflater::{CompressionLvl, Compressor};

use super::{HttpExchange, PayloadDigest, RecordId, Timestamp, Truncated};

/// The default compression level. Measured in November 2026 on 841 pages of
/// HTML of 34 KB on average, on one core and with both digests:
///
/// | level | speed | of the size |
/// |---|---|---|
/// | 1 | 226 MB/s | 25.5 % |
/// | 3 | 153 MB/s | 24.5 % |
/// | 4 | 147 MB/s | 24.1 % |
/// | 6 | 113 MB/s | 23.5 % |
///
/// Level 4 is 5 % smaller than level 1, and still over 4,000 pages a second on a core.
pub const DEFAULT_LEVEL: u8 = 4;

const IDENTICAL_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const FORMAT: &str = "WARC File Format 1.1";
const CONFORMS_TO: &str =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// The response that a revisit refers to. It must hold its payload, because readers follow one step
/// only: it is never a revisit itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The identifier of the response record.
    pub id: RecordId,
    /// The address it was fetched from.
    pub address: String,
    /// Its date.
    pub at: Timestamp,
    /// The digest of its payload.
    pub payload: PayloadDigest,
}

/// Why a payload is not stored again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The server sent the same bytes again.
    IdenticalPayload,
    /// The server answered 304 Not Modified.
    NotModified,
}

/// The first record of a file, which describes the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warcinfo<'a> {
    /// The identifier of this record.
    pub id: RecordId,
    /// When the file was created.
    pub at: Timestamp,
    /// The name of the file, without a folder.
    pub file: &'a str,
    /// The software that wrote it, such as `sanderling/0.1.0`.
    pub software: &'a str,
    /// The host name of the machine.
    pub host: &'a str,
    /// More fields, such as `operator` or `http-header-user-agent`.
    pub more: &'a [(String, String)],
}

/// Encodes records. It keeps the compressor and its buffers: reuse one per thread.
pub struct Encoder {
    compressor: Compressor,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new(DEFAULT_LEVEL)
    }
}

impl Encoder {
    /// An encoder with a compression level from 1 (fast) to 12 (small). Other levels are clamped.
    pub fn new(level: u8) -> Self {
        let level = CompressionLvl::new(i32::from(level.clamp(1, 12))).unwrap_or_default();
        Self { compressor: Compressor::new(level), plain: Vec::new(), packed: Vec::new() }
    }

    /// A `request` record. `answer` is the identifier of the response or revisit.
    pub fn request(
        &mut self,
        exchange: &HttpExchange<'_>,
        id: RecordId,
        answer: RecordId,
    ) -> Vec<u8> {
        let mut head = Head::new("request", id, exchange.at);
        head.exchange(exchange);
        head.field("WARC-Concurrent-To", &format!("<{answer}>"));
        head.field("Content-Type", "application/http;msgtype=request");
        self.pack(head, &[exchange.request_head, missing_end(exchange.request_head)])
    }

    /// A `response` record. `payload` is the digest of the body, which the caller needed to look for an
    /// earlier response with the same payload.
    pub fn response(
        &mut self,
        exchange: &HttpExchange<'_>,
        id: RecordId,
        payload: PayloadDigest,
    ) -> Vec<u8> {
        let mut head = Head::new("response", id, exchange.at);
        head.exchange(exchange);
        head.field("WARC-Payload-Digest", &payload.to_string());
        if let Some(truncation) = exchange.truncated {
            head.field("WARC-Truncated", truncation.reason());
        }
        head.field("Content-Type", "application/http;msgtype=response");
        let http_head = exchange.response_head;
        self.pack(head, &[http_head, missing_end(http_head), exchange.body])
    }

    /// A `revisit` record: a response whose payload `original` holds. It stores the head of the response
    /// only. For a 304 it stores no head either, as the standard allows: pywb would replay the 304 and
    /// show an empty page instead of the original.
    pub fn revisit(
        &mut self,
        exchange: &HttpExchange<'_>,
        id: RecordId,
        profile: Profile,
        original: &Original,
    ) -> Vec<u8> {
        let mut head = Head::new("revisit", id, exchange.at);
        head.exchange(exchange);
        let uri = match profile {
            Profile::IdenticalPayload => IDENTICAL_PAYLOAD,
            Profile::NotModified => NOT_MODIFIED,
        };
        head.field("WARC-Profile", uri);
        head.field("WARC-Refers-To", &format!("<{}>", original.id));
        head.address("WARC-Refers-To-Target-URI", &original.address);
        head.field("WARC-Refers-To-Date", &original.at.to_string());
        head.field("WARC-Payload-Digest", &original.payload.to_string());
        if profile == Profile::IdenticalPayload {
            // The standard requires it: there was a body, and it is left out. A 304 has no body.
            head.field("WARC-Truncated", Truncated::Length.reason());
        }
        head.field("Content-Type", "application/http;msgtype=response");
        match profile {
            Profile::IdenticalPayload => {
                let http_head = exchange.response_head;
                self.pack(head, &[http_head, missing_end(http_head)])
            }
            Profile::NotModified => self.pack(head, &[]),
        }
    }

    /// A `warcinfo` record, the first of a file.
    pub fn warcinfo(&mut self, info: &Warcinfo<'_>) -> Vec<u8> {
        let mut head = Head::new("warcinfo", info.id, info.at);
        head.field("WARC-Filename", info.file);
        head.field("Content-Type", "application/warc-fields");
        let mut block = Head { text: Vec::new() };
        block.field("software", info.software);
        block.field("format", FORMAT);
        block.field("conformsTo", CONFORMS_TO);
        block.field("robots", "obey");
        block.field("hostname", info.host);
        for (name, value) in info.more {
            block.field(name, value);
        }
        self.pack(head, &[&block.text])
    }

    /// Adds the fields that depend on the block, and compresses head and block.
    fn pack(&mut self, mut head: Head, block: &[&[u8]]) -> Vec<u8> {
        let length: usize = block.iter().map(|part| part.len()).sum();
        head.field("WARC-Block-Digest", &PayloadDigest::compute_parts(block).to_string());
        head.field("Content-Length", &length.to_string());

        self.plain.clear();
        self.plain.reserve(head.text.len() + length + 6);
        self.plain.extend_from_slice(&head.text);
        self.plain.extend_from_slice(b"\r\n");
        for part in block {
            self.plain.extend_from_slice(part);
        }
        self.plain.extend_from_slice(b"\r\n\r\n");
        let bound = self.compressor.gzip_compress_bound(self.plain.len());
        if self.packed.len() < bound {
            self.packed.resize(bound, 0);
        }
        let size = self
            .compressor
            .gzip_compress(&self.plain, &mut self.packed)
            .expect("the buffer is as long as the compressor asked for");
        self.packed[..size].to_vec()
    }
}

/// The version and the named fields of a record.
struct Head {
    text: Vec<u8>,
}

impl Head {
    fn new(kind: &str, id: RecordId, at: Timestamp) -> Self {
        let mut head = Self { text: b"WARC/1.1\r\n".to_vec() };
        head.field("WARC-Type", kind);
        head.field("WARC-Record-ID", &format!("<{id}>"));
        head.field("WARC-Date", &at.to_string());
        head
    }

    fn exchange(&mut self, exchange: &HttpExchange<'_>) {
        self.address("WARC-Target-URI", exchange.address);
        if let Some(remote) = exchange.remote {
            self.field("WARC-IP-Address", &remote.to_canonical().to_string());
        }
    }

    /// Adds a field. Control characters become spaces, because a line break would start another field.
    fn field(&mut self, name: &str, value: &str) {
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b": ");
        self.text
            .extend(value.bytes().map(|byte| if byte.is_ascii_control() { b' ' } else { byte }));
        self.text.extend_from_slice(b"\r\n");
    }

    /// Adds a field with an address. Characters that RFC 3986 does not allow are escaped.
    fn address(&mut self, name: &str, address: &str) {
        let mut escaped = Vec::with_capacity(address.len());
        for byte in address.bytes() {
            if byte.is_ascii_graphic() {
                escaped.push(byte);
            } else {
                // Writing to memory cannot fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
        self.field(name, &String::from_utf8_lossy(&escaped));
    }
}

/// What an HTTP head lacks to end in an empty line. Without that line a reader would take the body for
/// headers.
fn missing_end(head: &[u8]) -> &'static [u8] {
    if head.ends_with(b"\r\n\r\n") || head.ends_with(b"\n\n") {
        b""
    } else if head.ends_with(b"\r\n") {
        b"\r\n"
    } else {
        b"\r\n\r\n"
    }
}
