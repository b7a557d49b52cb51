//! Writes an archive of pages from files, for tools that check or replay archives.
//!
//! ```text
//! cargo run --release -p store --example write_archive -- FOLDER [HTML_FOLDER]
//! python3 bench/check_warc.py --indexes FOLDER/indexes FOLDER/archive/*.warc.gz
//! ```
//!
//! Each page is fetched three times, as it were: once for its content, once to find the same bytes,
//! once to be told that they are not modified. The same input makes the same records.
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use warc::cdxj::{self, CdxjEntry};
use warc::{
    Encoder, HttpExchange, Original, PayloadDigest, Profile, RecordId, Settings, Timestamp,
    Truncated, WarcReader, WarcWriter,
};

const START: i64 = 1_794_744_000_123;
const DAY: i64 = 86_400_000;
/// Small, to get several files.
const FILE_LIMIT: u64 = 20_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("name the folder to write to")?;
    let archive = folder.join("archive");
    let settings = Settings {
        limit: FILE_LIMIT,
        ..Settings::for_this_process("example", "sanderling/example")
    };
    let mut writer = WarcWriter::open(&archive, settings, &[])?;
    let mut encoder = Encoder::default();

    for (number, body) in pages(arguments.next().as_deref())?.into_iter().enumerate() {
        let address = format!("https://www.example.org/Pages/{number}?b=2&a=1");
        let at = START + number as i64;
        let head = response_head(&body);
        let mut exchange = fetched(&address, at, &head, &body);
        if number % 10 == 9 {
            exchange.truncated = Some(Truncated::Length);
        }
        let payload = PayloadDigest::compute(exchange.body);
        let id = name(&exchange, b"response");
        let original = Original { id, address: address.clone(), at: exchange.at, payload };
        write(&mut writer, &encoder.response(&exchange, id, payload), &exchange, id, &mut encoder)?;

        exchange.at = Timestamp::from_millis(at + DAY);
        exchange.truncated = None;
        revisit(&mut writer, &mut encoder, &exchange, Profile::IdenticalPayload, &original)?;

        exchange.at = Timestamp::from_millis(at + 2 * DAY);
        exchange.response_head = b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n";
        exchange.body = b"";
        revisit(&mut writer, &mut encoder, &exchange, Profile::NotModified, &original)?;
    }

    let mut entries = Vec::new();
    let files = writer.sync()?;
    for file in &files {
        for record in WarcReader::open(&archive.join(&file.name))? {
            entries.extend(CdxjEntry::from_record(&record?, &file.name));
        }
    }
    let indexes = folder.join("indexes");
    fs::create_dir_all(&indexes)?;
    println!("{} files, {} entries", files.len(), entries.len());
    cdxj::write(&indexes.join("index.cdxj"), entries)?;
    Ok(())
}

/// The files of a folder, or a few generated pages, one of them empty and one not text.
fn pages(folder: Option<&Path>) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let Some(folder) = folder else {
        let text =
            |number: usize| format!("<p>Page {number}</p>\r\n").repeat(100 * number).into_bytes();
        return Ok((0..20).map(text).chain([(0..=255).collect()]).collect());
    };
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths.into_iter().map(fs::read).collect::<Result<_, _>>()?)
}

fn response_head(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    head.into_bytes()
}

fn fetched<'a>(address: &'a str, at: i64, head: &'a [u8], body: &'a [u8]) -> HttpExchange<'a> {
    HttpExchange {
        address,
        at: Timestamp::from_millis(at),
        request_head: b"GET /Pages HTTP/1.1\r\nHost: www.example.org\r\n\r\n",
        response_head: head,
        body,
        remote: Some([192, 0, 2, 1].into()),
        truncated: None,
    }
}

fn name(exchange: &HttpExchange<'_>, kind: &[u8]) -> RecordId {
    RecordId::derived(&[exchange.address.as_bytes(), &exchange.at.millis().to_le_bytes(), kind])
}

fn revisit(
    writer: &mut WarcWriter,
    encoder: &mut Encoder,
    exchange: &HttpExchange<'_>,
    profile: Profile,
    original: &Original,
) -> Result<(), Box<dyn Error>> {
    let id = name(exchange, b"revisit");
    let member = encoder.revisit(exchange, id, profile, original);
    write(writer, &member, exchange, id, encoder)
}

/// Appends a record and its request record.
fn write(
    writer: &mut WarcWriter,
    member: &[u8],
    exchange: &HttpExchange<'_>,
    id: RecordId,
    encoder: &mut Encoder,
) -> Result<(), Box<dyn Error>> {
    writer.append(member, exchange.at)?;
    let request = encoder.request(exchange, name(exchange, b"request"), id);
    writer.append(&request, exchange.at)?;
    Ok(())
}
