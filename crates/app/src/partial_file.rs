//! Files that appear only when they are complete. Until then they have another name in the same folder.
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::failure::{Failure, file_error};

/// A file that is being written. If it is dropped before [`finish`](Self::finish), an earlier file of that
/// name stays as it was.
pub(crate) struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
    writer: BufWriter<File>,
    is_finished: bool,
}

impl PartialFile {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        Self::begin(path).map_err(|error| Failure::Input(file_error("written", path, &error)))
    }

    fn begin(path: &Path) -> io::Result<Self> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        };
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let partial = path.with_file_name(hidden);
        let writer = BufWriter::new(File::create(&partial)?);
        Ok(Self { path: path.to_owned(), partial, writer, is_finished: false })
    }

    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        &mut self.writer
    }

    pub(crate) fn file(&self) -> &File {
        self.writer.get_ref()
    }

    /// Gives the file its name; one that has it is replaced.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()?;
        fs::rename(&self.partial, &self.path)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_finished {
            // The error has no receiver here, and a hidden file that remains does no harm.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Replaces the content of a file. Readers see the old one or the new one.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = PartialFile::begin(path)?;
    file.writer.write_all(content)?;
    file.finish()
}
