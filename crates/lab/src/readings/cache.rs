//! The cache file with all readings of a trace.
//!
//! Format: a magic number, one zstd frame, and a digest of the frame. The frame contains, as
//! `postcard`, pages with versions, readings, and each distinct link address and list of links.
use std::{fs, io, path::Path, sync::Arc};

use crawl::{Counts, Directives, Fingerprints, Form, Link, LinkList, Snapshot, TextDates, Time};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::ReadingsError;
use crate::history::{History, PageHistory, Version, Window};

/// Identifies the format; the last digits are its version. Raise it whenever the reading of pages
/// or the stored types change.
const MAGIC: &[u8; 16] = b"SANDERLING-R-006";
/// Higher levels save little space and slow down the first use of every trace.
const ZSTD_LEVEL: i32 = 1;

/// The contents of the file.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) source: String,
    pub(super) window: (Time, Time),
    pub(super) pages: Vec<StoredPage>,
    pub(super) readings: Vec<StoredReading>,
    pub(super) addresses: Vec<Arc<str>>,
    /// Lists of links: the position in `addresses`, the date shown for it, and whether to follow
    /// it.
    pub(super) lists: Vec<Vec<(u32, Option<Time>, bool)>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoredPage {
    pub(super) address: String,
    pub(super) versions: Vec<(Time, Option<u32>)>,
    /// The texts of the page in the texts file.
    pub(super) texts: Block,
}

/// A byte range of the texts file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Block {
    pub(super) begins: u64,
    pub(super) bytes: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoredReading {
    pub(super) form: Form,
    pub(super) fingerprints: Fingerprints,
    pub(super) counts: Counts,
    pub(super) runs: Arc<[u32]>,
    pub(super) dates: TextDates,
    pub(super) list: u32,
    pub(super) link_texts: Arc<[u32]>,
    pub(super) directives: Directives,
}

/// Whether the file exists, has this format and an intact frame.
pub(super) fn is_whole(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| frame(&bytes).is_some())
}

/// The zstd frame of the file; `None` if the format or the digest is wrong.
fn frame(bytes: &[u8]) -> Option<&[u8]> {
    let (frame, digest) = bytes.strip_prefix(MAGIC)?.split_last_chunk::<8>()?;
    (xxh3_64(frame).to_le_bytes() == *digest).then_some(frame)
}

/// Writes the file atomically.
pub(super) fn save(path: &Path, stored: &Stored) -> io::Result<()> {
    let packed = postcard::to_stdvec(stored).map_err(io::Error::other)?;
    let packed = zstd::bulk::compress(&packed, ZSTD_LEVEL)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&packed);
    bytes.extend_from_slice(&xxh3_64(&packed).to_le_bytes());
    let unfinished = path.with_extension(format!("{}.part", std::process::id()));
    fs::write(&unfinished, &bytes)?;
    fs::rename(&unfinished, path)
}

/// Loads the history under this name, and the positions of the texts of its pages.
pub(super) fn load(path: &Path, name: &str) -> Result<(History, Vec<Block>), ReadingsError> {
    let damaged = || ReadingsError::Damaged { path: path.to_owned() };
    let bytes =
        fs::read(path).map_err(|source| ReadingsError::Open { path: path.to_owned(), source })?;
    let packed = frame(&bytes).ok_or_else(damaged)?;
    let unpacked = zstd::stream::decode_all(packed).map_err(|_| damaged())?;
    let stored: Stored = postcard::from_bytes(&unpacked).map_err(|_| damaged())?;
    drop(bytes);
    restore(stored, name).ok_or_else(damaged)
}

fn restore(stored: Stored, name: &str) -> Option<(History, Vec<Block>)> {
    let Stored { source, window, pages, readings, addresses, lists } = stored;
    let lists: Vec<Arc<LinkList>> = lists
        .into_iter()
        .map(|list| {
            let link = |(address, date, follow): (u32, Option<Time>, bool)| {
                Some(Link { address: Arc::clone(addresses.get(address as usize)?), date, follow })
            };
            Some(Arc::new(LinkList::new(list.into_iter().map(link).collect::<Option<_>>()?)))
        })
        .collect::<Option<_>>()?;
    let readings: Vec<Arc<Snapshot>> = readings
        .into_iter()
        .map(|reading| {
            let list = reading.list;
            let StoredReading { form, fingerprints, counts, runs, dates, directives, .. } = reading;
            let links = Arc::clone(lists.get(list as usize)?);
            Some(Arc::new(Snapshot {
                form,
                fingerprints,
                counts,
                runs,
                dates,
                links,
                link_texts: reading.link_texts,
                directives,
                content: None,
                left_out: None,
            }))
        })
        .collect::<Option<_>>()?;
    let blocks = pages.iter().map(|page| page.texts).collect();
    let pages = pages
        .into_iter()
        .map(|page| PageHistory {
            address: page.address,
            versions: page
                .versions
                .into_iter()
                .map(|(at, reading)| Version { at, reading })
                .collect(),
        })
        .collect();
    let window = Window { start: window.0, end: window.1 };
    Some((History { name: name.to_owned(), source, window, pages, readings }, blocks))
}
