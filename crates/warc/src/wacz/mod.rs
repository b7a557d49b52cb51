//! Web archive collections (WACZ 1.1.1): WARC files with their index and a list of pages in one ZIP file,
//! which ReplayWeb.page opens.
mod index;
mod zip;

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use self::zip::Zip;
use crate::Error;
use crate::Timestamp;
use crate::cdxj::{self, CdxjEntry, IndexWriter};

/// A page in the list of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// Address.
    pub url: String,
    /// Title; empty if it has none.
    pub title: String,
    /// When it was captured.
    pub at: Timestamp,
}

/// Writes a collection. The file appears in [`finish`](Self::finish).
pub struct WaczWriter {
    path: PathBuf,
    partial: PathBuf,
    zip: Option<Zip<BufWriter<File>>>,
    resources: Vec<Value>,
    index: Option<IndexWriter>,
    index_path: PathBuf,
    pages_path: PathBuf,
    pages: Option<BufWriter<File>>,
}

impl WaczWriter {
    /// Begins the collection at `path`. Parts of it are beside it until it is complete.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let part = |what: &str| {
            let mut name = std::ffi::OsString::from(".");
            name.push(path.file_name().unwrap_or_default());
            name.push(format!(".{}.{what}", std::process::id()));
            path.with_file_name(name)
        };
        let (partial, index_path, pages_path) = (part("part"), part("cdxj"), part("pages"));
        let create = |path: &Path| File::create(path).map_err(|e| Error::file("write", path, e));
        let zip = Zip::new(BufWriter::new(create(&partial)?));
        let mut pages = BufWriter::new(create(&pages_path)?);
        let head = json!({ "format": "json-pages-1.0", "id": "pages", "title": "All pages" });
        writeln!(pages, "{head}").map_err(|e| Error::file("write", &pages_path, e))?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            zip: Some(zip),
            resources: vec![],
            index: Some(IndexWriter::new(&index_path)),
            index_path,
            pages_path,
            pages: Some(pages),
        })
    }

    /// Adds the first `bytes` bytes of a WARC file.
    ///
    /// # Errors
    /// If a file cannot be read or written, or is shorter.
    pub fn add_warc(&mut self, path: &Path, bytes: u64) -> Result<(), Error> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let input = File::open(path).map_err(|e| Error::file("open", path, e))?;
        self.add(&format!("archive/{name}"), bytes, &mut BufReader::new(input))
    }

    /// Adds a capture to the index.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub fn add_capture(&mut self, entry: &CdxjEntry) -> Result<(), cdxj::Error> {
        self.index.as_mut().map_or(Ok(()), |index| index.add(entry))
    }

    /// Adds a page to the list.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub fn add_page(&mut self, page: &PageEntry) -> Result<(), Error> {
        let PageEntry { url, title, at } = page;
        let title = if title.is_empty() { url } else { title };
        let id = HEXLOWER.encode(&Sha256::digest(url.as_bytes())[..10]);
        let line = json!({ "id": id, "url": url, "ts": at.to_string(), "title": title });
        let Some(pages) = &mut self.pages else { return Ok(()) };
        writeln!(pages, "{line}").map_err(|e| Error::file("write", &self.pages_path, e))
    }

    /// Writes the index, the list of pages and the description, and gives the file its name.
    ///
    /// # Errors
    /// If a file cannot be read or written; then there is no new file.
    pub fn finish(mut self, title: &str, software: &str, created: &str) -> Result<(), FinishError> {
        if let Some(index) = self.index.take() {
            index.finish()?;
        }
        let path = self.index_path.clone();
        let lines = File::open(&path).map_err(|e| Error::file("open", &path, e))?;
        let mut data = vec![];
        let blocks = index::compress(BufReader::new(lines), &mut data)
            .map_err(|e| Error::file("read", &path, e))?;
        self.add("indexes/index.cdx.gz", data.len() as u64, &mut Cursor::new(&data))?;
        self.add("indexes/index.idx", blocks.len() as u64, &mut Cursor::new(blocks.as_bytes()))?;
        let path = self.pages_path.clone();
        let wrong = |e| Error::file("write", &path, e);
        if let Some(mut pages) = self.pages.take() {
            pages.flush().map_err(wrong)?;
        }
        let bytes = fs::metadata(&path).map_err(wrong)?.len();
        let pages = File::open(&path).map_err(wrong)?;
        self.add("pages/pages.jsonl", bytes, &mut BufReader::new(pages))?;
        let description = json!({
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "title": title,
            "software": software,
            "created": created,
            "resources": std::mem::take(&mut self.resources),
        });
        let description = format!("{description:#}\n");
        let hash = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(description.as_bytes())));
        let digest = format!("{:#}\n", json!({ "path": "datapackage.json", "hash": hash }));
        for (name, text) in [("datapackage.json", description), ("datapackage-digest.json", digest)]
        {
            self.add(name, text.len() as u64, &mut Cursor::new(text.as_bytes()))?;
        }
        let partial = self.partial.clone();
        let wrong = |e| Error::file("write", &partial, e);
        if let Some(zip) = self.zip.take() {
            let file = zip.finish().map_err(wrong)?;
            let file = file.into_inner().map_err(|e| wrong(e.into_error()))?;
            file.sync_all().map_err(wrong)?;
        }
        fs::rename(&partial, &self.path).map_err(wrong)?;
        Ok(())
    }

    fn add(&mut self, name: &str, bytes: u64, input: &mut dyn Read) -> Result<(), Error> {
        let Some(zip) = &mut self.zip else { return Ok(()) };
        let mut hasher = Sha256::new();
        zip.add(name, bytes, input, &mut |piece| hasher.update(piece))
            .map_err(|e| Error::file("write", &self.partial, e))?;
        let hash = format!("sha256:{}", HEXLOWER.encode(&hasher.finalize()));
        self.resources.push(
            json!({ "name": resource_name(name), "path": name, "hash": hash, "bytes": bytes }),
        );
        Ok(())
    }
}

impl Drop for WaczWriter {
    fn drop(&mut self) {
        // After `finish` the first is gone. What remains otherwise does no harm.
        for path in [&self.partial, &self.index_path, &self.pages_path] {
            let _ = fs::remove_file(path);
        }
    }
}

/// The name of a resource. A Data Package allows small letters, digits, `-`, `.`, `_` and `/` in it.
fn resource_name(path: &str) -> String {
    let short = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_allowed = |c: &char| c.is_ascii_alphanumeric() || "-._".contains(*c);
    short.chars().map(|c| if is_allowed(&c) { c } else { '-' }).collect()
}

/// Why a collection cannot be finished.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] Error),
    /// The index cannot be written.
    #[error(transparent)]
    Index(#[from] cdxj::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_resources_are_those_that_a_data_package_allows() {
        let name = "archive/Sanderling-20261118~0001.warc.gz";
        assert_eq!(resource_name(name), "sanderling-20261118-0001.warc.gz");
        assert_eq!(resource_name("datapackage.json"), "datapackage.json");
    }
}
