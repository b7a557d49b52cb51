//! Reads a whole trace in batches and writes the readings to the cache.
use std::{io, sync::Arc};

use crawl::{Digest, LinkList, Snapshot, Time};
use extract::read;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    CachedTrace, Progress, ReadingsError,
    cache::{self, Block, Stored, StoredPage, StoredReading},
    texts::TextsWriter,
};
use crate::{
    history::folder_of_index,
    trace::{Row, TraceReader},
};

pub(super) fn build(
    reader: &mut TraceReader,
    trace: &CachedTrace,
    progress: &Progress<'_>,
) -> Result<(), ReadingsError> {
    let rows = reader.rows();
    let (source, window) = (reader.source().to_owned(), reader.window());
    let texts = TextsWriter::create(&trace.texts_file()).map_err(|e| trace.unwritable(e))?;
    let mut build = Build::new(texts);
    let mut done = 0;
    for batch in reader.batches()? {
        let batch = batch?;
        done += batch.len() as u64;
        build.take(batch).map_err(|e| trace.unwritable(e))?;
        progress(done, rows);
    }
    build.end_page().map_err(|e| trace.unwritable(e))?;
    let Build { texts, pages, readings, addresses, lists, .. } = build;
    texts.finish().map_err(|e| trace.unwritable(e))?;
    let addresses = as_recorded(addresses, &pages);
    let window = (window.start, window.end);
    let stored = Stored { source, window, pages, readings, addresses, lists };
    cache::save(&trace.history_file(), &stored).map_err(|e| trace.unwritable(e))
}

/// The readings so far.
struct Build {
    texts: TextsWriter,
    pages: Vec<StoredPage>,
    readings: Vec<StoredReading>,
    /// Readings of the current page, by digest of type and bytes.
    of_page: FxHashMap<Digest, u32>,
    addresses: Vec<Arc<str>>,
    address_numbers: FxHashMap<Arc<str>, u32>,
    lists: Vec<Vec<(u32, Option<Time>, bool)>>,
    list_numbers: FxHashMap<u64, u32>,
}

impl Build {
    fn new(texts: TextsWriter) -> Self {
        Self {
            texts,
            pages: vec![],
            readings: vec![],
            of_page: FxHashMap::default(),
            addresses: vec![],
            address_numbers: FxHashMap::default(),
            lists: vec![],
            list_numbers: FxHashMap::default(),
        }
    }

    fn take(&mut self, rows: Vec<Row>) -> io::Result<()> {
        let keys: Vec<Option<Digest>> = rows.par_iter().map(key).collect();
        // Only the first row of a page with some content is read.
        let mut new: Vec<bool> = vec![false; rows.len()];
        let mut seen = rustc_hash::FxHashSet::default();
        let current = self.pages.last().map(|page| page.address.as_str());
        for (row, key) in keys.iter().enumerate() {
            let Some(key) = key else { continue };
            let known = current == Some(&rows[row].url) && self.of_page.contains_key(key);
            new[row] = !known && seen.insert((&rows[row].url, *key));
        }
        drop(seen);
        let read: Vec<Option<Snapshot>> = rows
            .par_iter()
            .zip(&new)
            .map(|(row, new)| row.body.as_ref().filter(|_| *new).map(|body| read_row(row, body)))
            .collect();
        for ((row, key), read) in rows.into_iter().zip(keys).zip(read) {
            self.add(row, key, read)?;
        }
        Ok(())
    }

    fn add(&mut self, row: Row, key: Option<Digest>, read: Option<Snapshot>) -> io::Result<()> {
        if self.pages.last().is_none_or(|page| page.address != row.url) {
            self.end_page()?;
            let texts = Block { begins: 0, bytes: 0 };
            self.pages.push(StoredPage { address: row.url, versions: vec![], texts });
        }
        if let (Some(key), Some(snapshot)) = (key, read) {
            let reading = self.readings.len() as u32;
            if let Some(content) = &snapshot.content {
                self.texts.add(reading, content)?;
            }
            let list = self.list(&snapshot.links);
            let Snapshot {
                form, fingerprints, counts, runs, dates, link_texts, directives, ..
            } = snapshot;
            self.readings.push(StoredReading {
                form,
                fingerprints,
                counts,
                runs,
                dates,
                list,
                link_texts,
                directives,
            });
            self.of_page.insert(key, reading);
        }
        let reading = key.map(|key| self.of_page[&key]);
        let page = self.pages.last_mut().expect("pushed just above");
        page.versions.push((row.at, reading));
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.of_page.clear();
        let block = self.texts.end_page()?;
        if let Some(page) = self.pages.last_mut() {
            page.texts = block;
        }
        Ok(())
    }

    fn list(&mut self, links: &LinkList) -> u32 {
        if let Some(&list) = self.list_numbers.get(&links.digest()) {
            return list;
        }
        let numbered = links.links().iter().map(|link| {
            let next = self.addresses.len() as u32;
            let number = *self.address_numbers.entry(Arc::clone(&link.address)).or_insert(next);
            if number == next {
                self.addresses.push(Arc::clone(&link.address));
            }
            (number, link.date, link.follow)
        });
        let list = self.lists.len() as u32;
        self.lists.push(numbered.collect());
        self.list_numbers.insert(links.digest(), list);
        list
    }
}

/// The key of a reading among those of its page: a digest of type and bytes.
fn key(row: &Row) -> Option<Digest> {
    let body = Digest::from_bytes(row.body.as_ref()?);
    Some(Digest(body.0 ^ u128::from(xxhash_rust::xxh3::xxh3_64(row.mime.as_bytes()))))
}

fn read_row(row: &Row, body: &[u8]) -> Snapshot {
    read::read(&row.url, &row.mime, body)
}

/// Replaces canonical link addresses by the form in which the trace records the page, if it has the
/// page.
fn as_recorded(addresses: Vec<Arc<str>>, pages: &[StoredPage]) -> Vec<Arc<str>> {
    let mut recorded: FxHashMap<String, &str> = FxHashMap::default();
    for page in pages {
        if let Some(canonical) = read::address::canonical(&page.address) {
            recorded.entry(canonical).or_insert(&page.address);
        }
    }
    let find = |address: &str| {
        let found = recorded.get(address).copied();
        found.or_else(|| recorded.get(folder_of_index(address)?).copied())
    };
    let recorded = |address: Arc<str>| find(&address).map_or(Arc::clone(&address), Arc::from);
    addresses.into_iter().map(recorded).collect()
}
