//! Bodies that cannot be read again in place, because they share a gzip member with other records.
//! They are stored in a hidden temporary file beside the trace.
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The stored bodies. The file is created with the first one and removed at the end.
#[derive(Debug)]
pub(super) struct Spill {
    path: PathBuf,
    file: Option<File>,
    length: u64,
}

/// The place of a stored body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    offset: u64,
    length: u64,
}

impl Spill {
    /// A spill file for the trace at `output`.
    pub(super) fn beside(output: &Path) -> Self {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(output.file_name().unwrap_or_default());
        hidden.push(format!(".{}.bodies", std::process::id()));
        Self { path: output.with_file_name(hidden), file: None, length: 0 }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn keep(&mut self, body: &[u8]) -> io::Result<Waiting> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(
                File::options()
                    .read(true)
                    .write(true)
                    .create(true)
                    .truncate(true)
                    .open(&self.path)?,
            ),
        };
        file.write_all(body)?;
        let waiting = Waiting { offset: self.length, length: body.len() as u64 };
        self.length += waiting.length;
        Ok(waiting)
    }

    pub(super) fn body(&mut self, waiting: Waiting) -> io::Result<Vec<u8>> {
        let mut body = Vec::with_capacity(waiting.length as usize);
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(waiting.offset))?;
            file.take(waiting.length).read_to_end(&mut body)?;
        }
        Ok(body)
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // There is no caller to report to, and a leftover hidden file does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}
