//! WARC files made by hand, and the traces that come of them.
#![allow(dead_code, reason = "each test file uses some of it")]
use std::fs;
use std::path::{Path, PathBuf};

use crawl::{Exchange, Span, Time, Truncation, Validators};
use lab::import::warc::{Options, Summary, import};
use lab::trace::TraceReader;
use tempfile::TempDir;
use warc::{
    Encoder, HttpExchange, Original, PayloadDigest, Profile, RecordId, Timestamp, Truncated,
};

/// The first instant of 2026.
pub(crate) const START: Time = Time::from_millis(1_767_225_600_000);

/// So many hours after [`START`].
pub(crate) fn hour(hours: i64) -> Time {
    START + Span::from_millis(hours * 3_600_000)
}

pub(crate) fn address(path: &str) -> String {
    format!("https://e.org/{path}")
}

/// One row of a trace as tests write it: path, hours of `at` and `after`, status, body.
pub(crate) type Written = (String, i64, Option<i64>, u16, Option<String>);

pub(crate) fn row(path: &str, at: i64, after: Option<i64>, body: &str) -> Written {
    (path.to_owned(), at, after, 200, Some(body.to_owned()))
}

pub(crate) fn gone(path: &str, at: i64, after: i64, status: u16) -> Written {
    (path.to_owned(), at, Some(after), status, None)
}

/// The bytes of a WARC file, record by record, each a gzip member.
#[derive(Default)]
pub(crate) struct Archive {
    pub(crate) bytes: Vec<u8>,
    encoder: Encoder,
    records: u128,
}

impl Archive {
    fn add(&mut self, make: impl FnOnce(&mut Encoder, RecordId) -> Vec<u8>) -> RecordId {
        self.records += 1;
        let id = RecordId::from_bits(self.records);
        let member = make(&mut self.encoder, id);
        self.bytes.extend_from_slice(&member);
        id
    }

    /// A response with status 200 and no header but its type.
    pub(crate) fn page(&mut self, path: &str, at: i64, body: &str) -> Original {
        self.response(path, at, "200 OK", "", body.as_bytes())
    }

    /// Any response; `headers` are whole lines.
    pub(crate) fn response(
        &mut self,
        path: &str,
        at: i64,
        status: &str,
        headers: &str,
        body: &[u8],
    ) -> Original {
        self.write(&exchange(path, at, status, headers, body))
    }

    /// A response whose body is not whole.
    pub(crate) fn cut_short(&mut self, path: &str, at: i64, body: &str) -> Original {
        let truncated = Some(Truncation::Disconnect);
        self.write(&Exchange { truncated, ..exchange(path, at, "200 OK", "", body.as_bytes()) })
    }

    fn write(&mut self, exchange: &Exchange) -> Original {
        let payload = PayloadDigest::compute(&exchange.body);
        let id = self.add(|encoder, id| encoder.response(&view(exchange), id, payload));
        Original {
            id,
            address: exchange.address.clone(),
            at: Timestamp::from_millis(exchange.at.millis()),
            payload,
        }
    }

    pub(crate) fn request(&mut self, path: &str, at: i64) {
        let exchange = exchange(path, at, "200 OK", "", b"");
        let answer = RecordId::from_bits(self.records);
        self.add(|encoder, id| encoder.request(&view(&exchange), id, answer));
    }

    /// The same bytes came again.
    pub(crate) fn identical(&mut self, path: &str, at: i64, original: &Original) {
        let exchange = exchange(path, at, "200 OK", "", b"");
        self.add(|encoder, id| {
            encoder.revisit(&view(&exchange), id, Profile::IdenticalPayload, original)
        });
    }

    /// The server said that it is the same.
    pub(crate) fn not_modified(&mut self, path: &str, at: i64, original: &Original) {
        let exchange = exchange(path, at, "304 Not Modified", "", b"");
        self.add(|encoder, id| {
            encoder.revisit(&view(&exchange), id, Profile::NotModified, original)
        });
    }
}

fn view(exchange: &Exchange) -> HttpExchange<'_> {
    HttpExchange {
        address: &exchange.address,
        at: Timestamp::from_millis(exchange.at.millis()),
        request_head: &exchange.request_head,
        response_head: &exchange.response_head,
        body: &exchange.body,
        remote: exchange.remote,
        truncated: exchange.truncated.map(|_| Truncated::Disconnect),
    }
}

fn exchange(path: &str, at: i64, status: &str, headers: &str, body: &[u8]) -> Exchange {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{headers}\r\n");
    Exchange {
        address: address(path),
        at: hour(at),
        request_head: b"GET / HTTP/1.1\r\nHost: e.org\r\n\r\n".to_vec(),
        response_head: head.into_bytes(),
        body: body.to_vec(),
        status: status[..3].parse().unwrap(),
        content_type: "text/html".to_owned(),
        remote: None,
        truncated: None,
        validators: Validators::default(),
    }
}

/// A record as others write it: not compressed, with these fields and this block.
pub(crate) fn plain(kind: &str, path: &str, date: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let (address, length) = (address(path), block.len());
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{address}>\r\nWARC-Date: {date}\r\n\
         {fields}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// A folder with files in it, and the trace to be.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A place with one file.
    pub(crate) fn with(name: &str, bytes: &[u8]) -> Self {
        let place = Self::new();
        place.write(name, bytes);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn options(&self, names: &[&str]) -> Options {
        Options {
            files: names.iter().map(|name| self.path(name)).collect(),
            from: None,
            weeks: None,
            source: None,
            output: self.path("out.parquet"),
        }
    }

    /// Imports these files with the window of their captures.
    pub(crate) fn import(&self, names: &[&str]) -> (Summary, Vec<Written>) {
        import_with(&self.options(names))
    }

    /// What an import that fails says, without the folder; nothing may be left behind.
    pub(crate) fn error(&self, options: &Options) -> String {
        let before = fs::read_dir(self.folder.path()).unwrap().count();
        let text = import(options, &mut |_| ()).unwrap_err().to_string();
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), before, "left a file");
        text.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

/// Imports, and checks that the summary adds up.
pub(crate) fn import_with(options: &Options) -> (Summary, Vec<Written>) {
    let summary = import(options, &mut |_| ()).unwrap();
    let rows = rows(&options.output);
    let skipped: usize = summary.skipped.values().sum();
    assert_eq!(
        summary.versions + summary.vanished + summary.unchanged + skipped,
        summary.captures,
        "every capture is counted once: {summary:?}"
    );
    assert_eq!(summary.versions + summary.vanished, rows.len());
    (summary, rows)
}

/// The rows of a trace.
pub(crate) fn rows(path: &Path) -> Vec<Written> {
    let heads = TraceReader::open(path)
        .unwrap()
        .heads()
        .unwrap()
        .flat_map(Result::unwrap)
        .collect::<Vec<_>>();
    let rows = TraceReader::open(path)
        .unwrap()
        .batches()
        .unwrap()
        .flat_map(Result::unwrap)
        .collect::<Vec<_>>();
    assert_eq!(heads.len(), rows.len());
    let hours = |time: Time| {
        let millis = (time - START).millis();
        assert_eq!(millis % 3_600_000, 0);
        millis / 3_600_000
    };
    let all = heads.into_iter().zip(rows);
    all.map(|(head, row)| {
        let path = row.url.strip_prefix("https://e.org/").unwrap().to_owned();
        let body = row.body.map(|body| String::from_utf8(body).unwrap());
        (path, hours(row.at), head.after.map(hours), row.status, body)
    })
    .collect()
}
