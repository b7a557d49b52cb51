//! The cache file with the texts of a trace.
//!
//! Format: one zstd frame per page, with a checksum, of reading numbers and texts; then an end mark
//! by which a truncated file is detected. Versions of a page are similar, so a frame is little
//! larger than its first version would be.
use std::{
    fs::File,
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use crawl::Content;

use super::cache::Block;
use crate::compare::{Texts, TextsError};

const ZSTD_LEVEL: i32 = 1;
/// The end mark.
const END: &[u8; 8] = b"TEXTSEND";

/// Whether the file exists and is complete. Frames are checked when they are read.
pub(super) fn is_whole(path: &Path) -> bool {
    let end = || -> io::Result<[u8; END.len()]> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-(END.len() as i64)))?;
        let mut end = [0; END.len()];
        file.read_exact(&mut end)?;
        Ok(end)
    };
    end().is_ok_and(|end| end == *END)
}

/// The texts of a trace, read from disk on demand.
#[derive(Debug)]
pub(super) struct TextsFile {
    path: PathBuf,
    blocks: Vec<Block>,
}

impl TextsFile {
    pub(super) fn new(path: PathBuf, blocks: Vec<Block>) -> Self {
        Self { path, blocks }
    }
}

impl Texts for TextsFile {
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        let block = self.blocks[page];
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(block.begins))?;
        let mut unpacked = vec![];
        zstd::stream::read::Decoder::new(file.take(block.bytes))?.read_to_end(&mut unpacked)?;
        let mut contents = vec![];
        let mut rest = unpacked.as_slice();
        while !rest.is_empty() {
            let (entry, after): ((u32, Content), &[u8]) = postcard::take_from_bytes(rest)?;
            contents.push((entry.0, Arc::new(entry.1)));
            rest = after;
        }
        Ok(contents)
    }
}

/// Writes texts page by page.
pub(super) struct TextsWriter {
    file: BufWriter<File>,
    unfinished: PathBuf,
    path: PathBuf,
    page: Option<zstd::stream::write::Encoder<'static, Vec<u8>>>,
    written: u64,
}

impl TextsWriter {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let unfinished = path.with_extension(format!("{}.part", std::process::id()));
        let file = BufWriter::new(File::create(&unfinished)?);
        Ok(Self { file, unfinished, path: path.to_owned(), page: None, written: 0 })
    }

    /// Adds a text to the current page.
    pub(super) fn add(&mut self, reading: u32, content: &Content) -> io::Result<()> {
        if self.page.is_none() {
            let mut page = zstd::stream::write::Encoder::new(vec![], ZSTD_LEVEL)?;
            page.include_checksum(true)?;
            self.page = Some(page);
        }
        let entry = postcard::to_stdvec(&(reading, content)).map_err(io::Error::other)?;
        self.page.as_mut().expect("made just above").write_all(&entry)
    }

    /// Ends the current page and returns its byte range.
    pub(super) fn end_page(&mut self) -> io::Result<Block> {
        let begins = self.written;
        if let Some(page) = self.page.take() {
            let packed = page.finish()?;
            self.file.write_all(&packed)?;
            self.written += packed.len() as u64;
        }
        Ok(Block { begins, bytes: self.written - begins })
    }

    /// Completes the file and renames it to its final name.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.write_all(END)?;
        self.file.flush()?;
        std::fs::rename(&self.unfinished, &self.path)
    }
}

impl Drop for TextsWriter {
    fn drop(&mut self) {
        // After `finish` there is no file to remove, so an error is ignored.
        let _ = std::fs::remove_file(&self.unfinished);
    }
}
