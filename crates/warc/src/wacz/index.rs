//! The index of a WACZ: blocks of sorted CDXJ lines, each compressed, and a second index of the blocks.
use std::{
    fmt::Write as _,
    io::{self, BufRead, Write},
};

use libdeflater::{CompressionLvl, Compressor};

/// Lines of a block, as cdxj-indexer writes them.
const BLOCK_LINES: usize = 3_000;

/// Compresses sorted lines into `data`. Returns the index of the blocks.
pub(super) fn compress(lines: impl BufRead, data: &mut dyn Write) -> io::Result<String> {
    let mut index =
        "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n".to_owned();
    let mut compressor = Compressor::new(CompressionLvl::default());
    let mut offset = 0;
    let mut write = |block: &[String]| -> io::Result<()> {
        let Some(first) = block.first() else { return Ok(()) };
        let text = block.concat();
        let mut compressed = vec![0; compressor.gzip_compress_bound(text.len())];
        let length = compressor
            .gzip_compress(text.as_bytes(), &mut compressed)
            .map_err(|error| io::Error::other(error.to_string()))?;
        data.write_all(&compressed[..length])?;
        let key = first.split('{').next().unwrap_or_default().trim();
        let _ = writeln!(index, "{key} {{\"offset\": {offset}, \"length\": {length}}}");
        offset += length;
        Ok(())
    };
    let mut block = Vec::with_capacity(BLOCK_LINES);
    for line in lines.lines() {
        block.push(line? + "\n");
        if block.len() == BLOCK_LINES {
            write(&block)?;
            block.clear();
        }
    }
    write(&block)?;
    Ok(index)
}
