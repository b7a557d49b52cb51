//! ZIP files whose entries are stored, not compressed: readers of WACZ jump into the middle of an entry.
//!
//! Sizes and offsets above 4 GB are written as ZIP64 (APPNOTE 6.3.10, section 4.3.14).
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Sizes and offsets from here on need ZIP64.
const LARGE: u64 = 0xffff_ffff;
/// 1980-01-01, the first date that ZIP knows: the same content gives the same bytes.
const DATE: u16 = 0x21;
/// Names are UTF-8.
const UTF_8: u16 = 1 << 11;

/// An entry that was written.
struct Entry {
    name: String,
    crc: u32,
    bytes: u64,
    offset: u64,
}

/// Writes a ZIP file.
pub(super) struct Zip<W> {
    out: W,
    at: u64,
    entries: Vec<Entry>,
}

impl<W: Write + Seek> Zip<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, at: 0, entries: vec![] }
    }

    /// Adds an entry of exactly `bytes` bytes; `watch` sees them.
    pub(super) fn add(
        &mut self,
        name: &str,
        bytes: u64,
        input: &mut dyn Read,
        watch: &mut dyn FnMut(&[u8]),
    ) -> io::Result<()> {
        let offset = self.at;
        let is_large = bytes >= LARGE;
        let mut head = Vec::with_capacity(64 + name.len());
        head.extend(0x0403_4b50_u32.to_le_bytes());
        head.extend(version(is_large).to_le_bytes());
        head.extend(UTF_8.to_le_bytes());
        head.extend([0; 2]); // stored
        head.extend([0; 2]);
        head.extend(DATE.to_le_bytes());
        head.extend([0; 4]); // the checksum, when it is known
        for _ in 0..2 {
            head.extend((bytes.min(LARGE) as u32).to_le_bytes());
        }
        head.extend((name.len() as u16).to_le_bytes());
        head.extend((if is_large { 20_u16 } else { 0 }).to_le_bytes());
        head.extend(name.as_bytes());
        if is_large {
            head.extend(1_u16.to_le_bytes());
            head.extend(16_u16.to_le_bytes());
            head.extend(bytes.to_le_bytes());
            head.extend(bytes.to_le_bytes());
        }
        self.write(&head)?;
        let mut crc = crc32fast::Hasher::new();
        let (mut buffer, mut left) = (vec![0; 64 << 10], bytes);
        while left > 0 {
            let most = left.min(buffer.len() as u64) as usize;
            let count = input.read(&mut buffer[..most])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            crc.update(&buffer[..count]);
            watch(&buffer[..count]);
            self.write(&buffer[..count])?;
            left -= count as u64;
        }
        let crc = crc.finalize();
        self.out.seek(SeekFrom::Start(offset + 14))?;
        self.out.write_all(&crc.to_le_bytes())?;
        self.out.seek(SeekFrom::Start(self.at))?;
        self.entries.push(Entry { name: name.to_owned(), crc, bytes, offset });
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let start = self.at;
        for entry in std::mem::take(&mut self.entries) {
            self.write(&directory_entry(&entry))?;
            self.entries.push(entry);
        }
        let (bytes, count) = (self.at - start, self.entries.len() as u64);
        let mut end = vec![];
        if start >= LARGE || bytes >= LARGE || count >= 0xffff {
            end.extend(0x0606_4b50_u32.to_le_bytes());
            end.extend(44_u64.to_le_bytes());
            end.extend(45_u16.to_le_bytes());
            end.extend(45_u16.to_le_bytes());
            end.extend([0; 8]);
            for number in [count, count, bytes, start] {
                end.extend(number.to_le_bytes());
            }
            end.extend(0x0706_4b50_u32.to_le_bytes());
            end.extend([0; 4]);
            end.extend(self.at.to_le_bytes());
            end.extend(1_u32.to_le_bytes());
        }
        end.extend(0x0605_4b50_u32.to_le_bytes());
        end.extend([0; 4]);
        for _ in 0..2 {
            end.extend((count.min(0xffff) as u16).to_le_bytes());
        }
        end.extend((bytes.min(LARGE) as u32).to_le_bytes());
        end.extend((start.min(LARGE) as u32).to_le_bytes());
        end.extend([0; 2]);
        self.write(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// The version of ZIP that a reader needs.
fn version(is_large: bool) -> u16 {
    if is_large { 45 } else { 20 }
}

fn directory_entry(entry: &Entry) -> Vec<u8> {
    let Entry { name, crc, bytes, offset } = entry;
    let mut large = vec![];
    if *bytes >= LARGE {
        large.extend(bytes.to_le_bytes());
        large.extend(bytes.to_le_bytes());
    }
    if *offset >= LARGE {
        large.extend(offset.to_le_bytes());
    }
    let version = version(!large.is_empty());
    let mut out = vec![];
    out.extend(0x0201_4b50_u32.to_le_bytes());
    out.extend(version.to_le_bytes());
    out.extend(version.to_le_bytes());
    out.extend(UTF_8.to_le_bytes());
    out.extend([0; 4]); // stored, and the time
    out.extend(DATE.to_le_bytes());
    out.extend(crc.to_le_bytes());
    for _ in 0..2 {
        out.extend((*bytes.min(&LARGE) as u32).to_le_bytes());
    }
    out.extend((name.len() as u16).to_le_bytes());
    let extra = if large.is_empty() { 0 } else { large.len() + 4 };
    out.extend((extra as u16).to_le_bytes());
    out.extend([0; 10]); // comment, disk, attributes
    out.extend((*offset.min(&LARGE) as u32).to_le_bytes());
    out.extend(name.as_bytes());
    if !large.is_empty() {
        out.extend(1_u16.to_le_bytes());
        out.extend((large.len() as u16).to_le_bytes());
        out.extend(large);
    }
    out
}
