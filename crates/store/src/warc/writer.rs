//! Ready members into files: names, rolling, and what survives a crash.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flow::Time;

use super::known::{sync_folder, tidy};
use super::{
    DEFAULT_LEVEL, Encoder, Error, FileNames, KnownFile, RecordId, Tidied, Warcinfo, machine_name,
};

/// A file is closed before it would grow over 1 GB, the size the standard recommends.
pub const DEFAULT_FILE_LIMIT: u64 = 1_000_000_000;

/// Where a record was put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The name of the file, without a folder.
    pub file: Arc<str>,
    /// Its first byte.
    pub offset: u64,
    /// How many bytes it takes, compressed.
    pub length: u64,
}

/// How files are to be written.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How they are named.
    pub names: FileNames,
    /// The size no file grows over, unless a single record does.
    pub limit: u64,
    /// How hard their first record is compressed.
    pub level: u8,
    /// Who writes them: `sanderling/0.1.0`.
    pub software: String,
    /// More that their first record tells, such as `operator` or `http-header-user-agent`.
    pub more: Vec<(String, String)>,
}

impl Settings {
    /// The usual, for files of this process on this machine.
    pub fn here(prefix: &str, software: &str) -> Self {
        Self {
            names: FileNames::new(prefix, &machine_name(), std::process::id()),
            limit: DEFAULT_FILE_LIMIT,
            level: DEFAULT_LEVEL,
            software: software.to_owned(),
            more: Vec::new(),
        }
    }
}

/// Appends records to the files of a folder. Nothing is promised to last before [`Self::sync`];
/// who commits positions elsewhere commits them after it.
#[derive(Debug)]
pub struct WarcWriter {
    folder: PathBuf,
    settings: Settings,
    current: Option<Current>,
    serial: u32,
    /// Files that were closed, whole and synced, since the last sync.
    closed: Vec<KnownFile>,
    /// A file was begun, and its name may not last yet.
    folder_is_stale: bool,
    tidied: Tidied,
}

/// The file that is appended to.
#[derive(Debug)]
struct Current {
    name: Arc<str>,
    path: PathBuf,
    file: File,
    length: u64,
    /// How much of it is the record that begins it.
    first: u64,
    is_stale: bool,
    /// An append failed, and behind `length` there may be a part of it.
    is_torn: bool,
}

impl WarcWriter {
    /// A writer into `folder`, which is made if it is not there. `known` are the files that were
    /// committed, in the order they were begun: they are cut to their committed length, files of
    /// ours that are not among them are removed, and the last of them is continued if it is below
    /// the limit.
    ///
    /// # Errors
    ///
    /// Where a known file is gone or shorter than was committed, which is found before anything is
    /// touched, or where the file system refuses.
    pub fn open(folder: &Path, settings: Settings, known: &[KnownFile]) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|e| Error::file("make", folder, e))?;
        let tidied = tidy(folder, &settings.names, known)?;
        let mut writer = Self {
            folder: folder.to_owned(),
            settings,
            current: None,
            serial: u32::try_from(known.len()).unwrap_or(u32::MAX),
            closed: Vec::new(),
            folder_is_stale: false,
            tidied,
        };
        if let Some(last) = known.last().filter(|last| last.length < writer.settings.limit) {
            writer.current = Some(Current::reopen(folder, last)?);
        }
        Ok(writer)
    }

    /// What opening had to clear away.
    pub fn tidied(&self) -> &Tidied {
        &self.tidied
    }

    /// Appends one record, a whole gzip member. `now` dates the file that may have to be begun for
    /// it.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written, [`Error::Full`] if for want of space. The record is not
    /// there then, and what was there before still is.
    pub fn append(&mut self, member: &[u8], now: Time) -> Result<Position, Error> {
        let length = member.len() as u64;
        let limit = self.settings.limit;
        let is_over =
            |current: &Current| current.length + length > limit && current.length > current.first;
        let mut current = match self.current.take() {
            Some(mut current) if is_over(&current) => {
                if let Err(error) = current.sync() {
                    self.current = Some(current);
                    return Err(error);
                }
                self.closed.push(current.known());
                self.begin(now)?
            }
            Some(current) => current,
            None => self.begin(now)?,
        };
        let position = Position { file: Arc::clone(&current.name), offset: current.length, length };
        let appended = current.append(member);
        self.current = Some(current);
        appended.map(|()| position)
    }

    /// Makes everything appended so far last, whatever happens to the machine. Returns the files
    /// that grew since the last time, as far as they go now: what to commit.
    ///
    /// # Errors
    ///
    /// Where the system cannot promise it. Open anew then from what was committed: what it failed
    /// to write once it may have forgotten.
    pub fn sync(&mut self) -> Result<Vec<KnownFile>, Error> {
        let mut grown = self.closed.clone();
        if let Some(current) = self.current.as_mut().filter(|current| current.is_stale) {
            current.sync()?;
            grown.push(current.known());
        }
        if self.folder_is_stale {
            sync_folder(&self.folder)?;
            self.folder_is_stale = false;
        }
        self.closed.clear();
        Ok(grown)
    }

    /// Begins a file with the record that describes it.
    fn begin(&mut self, now: Time) -> Result<Current, Error> {
        let (name, path, file) = loop {
            let name = self.settings.names.name(now, self.serial);
            self.serial = self.serial.wrapping_add(1);
            let path = self.folder.join(&name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => break (name, path, file),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Error::file("begin", &path, e)),
            }
        };
        self.folder_is_stale = true;
        let member = Encoder::new(self.settings.level).warcinfo(&Warcinfo {
            id: RecordId::derived(&[b"warcinfo", name.as_bytes()]),
            at: now,
            file: &name,
            software: &self.settings.software,
            host: self.settings.names.host(),
            more: &self.settings.more,
        });
        let mut current = Current {
            name: name.into(),
            path,
            file,
            length: 0,
            first: member.len() as u64,
            is_stale: true,
            is_torn: false,
        };
        if let Err(error) = current.append(&member) {
            // Of no use without its first record. What cannot be removed now is when opening.
            let _ = fs::remove_file(&current.path);
            return Err(error);
        }
        Ok(current)
    }
}

impl Current {
    fn reopen(folder: &Path, known: &KnownFile) -> Result<Self, Error> {
        let path = folder.join(&known.name);
        let mut file = OpenOptions::new()
            .write(true)
            .open(&path)
            .map_err(|e| Error::file("open", &path, e))?;
        file.seek(SeekFrom::Start(known.length)).map_err(|e| Error::file("open", &path, e))?;
        Ok(Self {
            name: known.name.as_str().into(),
            path,
            file,
            length: known.length,
            first: 0,
            is_stale: false,
            is_torn: false,
        })
    }

    fn known(&self) -> KnownFile {
        KnownFile { name: self.name.to_string(), length: self.length }
    }

    fn append(&mut self, member: &[u8]) -> Result<(), Error> {
        if self.is_torn {
            self.mend().map_err(|e| Error::file("mend", &self.path, e))?;
        }
        self.is_stale = true;
        if let Err(source) = self.file.write_all(member) {
            self.is_torn = self.mend().is_err();
            return Err(Error::file("write", &self.path, source));
        }
        self.length += member.len() as u64;
        Ok(())
    }

    /// Cuts off what a failed append may have left.
    fn mend(&mut self) -> io::Result<()> {
        self.is_torn = true;
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.is_torn = false;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Error> {
        if self.is_stale {
            self.file.sync_all().map_err(|e| Error::file("sync", &self.path, e))?;
            self.is_stale = false;
        }
        Ok(())
    }
}
