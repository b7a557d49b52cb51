//! Appends encoded records to files; starts new files and survives crashes.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::recovery::{recover, sync_folder};
use super::{
    CommittedFile, DEFAULT_LEVEL, Encoder, Error, FileNames, RecordId, Recovered, Timestamp,
    Warcinfo, machine_name,
};

/// The default size limit of a file: 1 GB, as the standard recommends.
pub const DEFAULT_FILE_LIMIT: u64 = 1_000_000_000;

/// Where a record was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The name of the file, without a folder.
    pub file: Arc<str>,
    /// Its first byte.
    pub offset: u64,
    /// Its compressed length.
    pub length: u64,
}

/// How files are written.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Their names.
    pub names: FileNames,
    /// The size limit of a file. Only a single record that is longer exceeds it.
    pub limit: u64,
    /// The compression level of the first record.
    pub level: u8,
    /// The software that writes them, such as `sanderling/0.1.0`.
    pub software: String,
    /// More fields of the first record, such as `operator` or `http-header-user-agent`.
    pub more: Vec<(String, String)>,
    /// The folder for whole records that were not committed; `None` to remove them.
    pub set_aside: Option<PathBuf>,
    /// For tests: the disk is full once a file has this many bytes.
    #[doc(hidden)]
    pub room: Option<u64>,
}

impl Settings {
    /// The defaults, with names for this process on this host.
    pub fn for_this_process(prefix: &str, software: &str) -> Self {
        Self {
            names: FileNames::new(prefix, &machine_name(), std::process::id()),
            limit: DEFAULT_FILE_LIMIT,
            level: DEFAULT_LEVEL,
            software: software.to_owned(),
            more: Vec::new(),
            set_aside: None,
            room: None,
        }
    }
}

/// Appends records to the files of a folder. Records are durable after [`Self::sync`]; commit their
/// positions elsewhere after that.
#[derive(Debug)]
pub struct WarcWriter {
    folder: PathBuf,
    settings: Settings,
    current: Option<Current>,
    serial: u32,
    /// Files that were closed and synced since the last call of `sync`.
    closed: Vec<CommittedFile>,
    /// A file was created, and its name is not synced yet.
    folder_is_stale: bool,
    recovered: Recovered,
}

/// The file to which records are appended.
#[derive(Debug)]
struct Current {
    name: Arc<str>,
    path: PathBuf,
    file: File,
    length: u64,
    /// The length of its first record.
    first: u64,
    is_stale: bool,
    /// An append failed and may have left bytes after `length`.
    is_torn: bool,
    room: Option<u64>,
}

impl WarcWriter {
    /// A writer into `folder`, which is created if missing. `committed` are the committed files in the
    /// order of their creation. They are cut to their committed length, other files with names of ours
    /// are removed, and the last one is continued if it is below the limit. Whole records in what is cut or
    /// removed are kept in [`Settings::set_aside`].
    ///
    /// # Errors
    ///
    /// If a committed file is missing or too short (nothing is changed then), or on I/O errors.
    pub fn open(
        folder: &Path,
        settings: Settings,
        committed: &[CommittedFile],
    ) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|e| Error::file("make", folder, e))?;
        let recovered = recover(folder, &settings.names, committed, settings.set_aside.as_deref())?;
        let mut writer = Self {
            folder: folder.to_owned(),
            settings,
            current: None,
            serial: u32::try_from(committed.len()).unwrap_or(u32::MAX),
            closed: Vec::new(),
            folder_is_stale: false,
            recovered,
        };
        if let Some(last) = committed.last().filter(|last| last.length < writer.settings.limit) {
            writer.current = Some(Current::reopen(folder, last, writer.settings.room)?);
        }
        Ok(writer)
    }

    /// What [`open`](Self::open) removed.
    pub fn recovered(&self) -> &Recovered {
        &self.recovered
    }

    /// Appends one record, a gzip member. `now` dates the file if a new one is started.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; [`Error::Full`] if there is no space. The record is not there then,
    /// and earlier records are intact.
    pub fn append(&mut self, member: &[u8], now: Timestamp) -> Result<Position, Error> {
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
                self.closed.push(current.committed());
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

    /// Syncs everything appended so far to disk. Returns the files that grew since the last call, with
    /// their new lengths: commit these.
    ///
    /// # Errors
    ///
    /// If the system cannot sync. Open a new writer then from what was committed: the system may have
    /// dropped what it failed to write.
    pub fn sync(&mut self) -> Result<Vec<CommittedFile>, Error> {
        let mut grown = self.closed.clone();
        if let Some(current) = self.current.as_mut().filter(|current| current.is_stale) {
            current.sync()?;
            grown.push(current.committed());
        }
        if self.folder_is_stale {
            sync_folder(&self.folder)?;
            self.folder_is_stale = false;
        }
        self.closed.clear();
        Ok(grown)
    }

    /// Starts a file with the record that describes it.
    fn begin(&mut self, now: Timestamp) -> Result<Current, Error> {
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
            room: self.settings.room,
        };
        if let Err(error) = current.append(&member) {
            // Useless without its first record. If this fails, the next `open` removes it.
            let _ = fs::remove_file(&current.path);
            return Err(error);
        }
        Ok(current)
    }
}

impl Current {
    fn reopen(folder: &Path, committed: &CommittedFile, room: Option<u64>) -> Result<Self, Error> {
        let path = folder.join(&committed.name);
        let mut file = OpenOptions::new()
            .write(true)
            .open(&path)
            .map_err(|e| Error::file("open", &path, e))?;
        file.seek(SeekFrom::Start(committed.length)).map_err(|e| Error::file("open", &path, e))?;
        Ok(Self {
            name: committed.name.as_str().into(),
            path,
            file,
            length: committed.length,
            first: 0,
            is_stale: false,
            is_torn: false,
            room,
        })
    }

    fn committed(&self) -> CommittedFile {
        CommittedFile { name: self.name.to_string(), length: self.length }
    }

    fn append(&mut self, member: &[u8]) -> Result<(), Error> {
        if self.is_torn {
            self.mend().map_err(|e| Error::file("mend", &self.path, e))?;
        }
        self.is_stale = true;
        if let Err(source) = self.write(member) {
            self.is_torn = self.mend().is_err();
            return Err(Error::file("write", &self.path, source));
        }
        self.length += member.len() as u64;
        Ok(())
    }

    /// Writes as much as there is room for, as a full disk does.
    fn write(&mut self, member: &[u8]) -> io::Result<()> {
        let room = self.room.map_or(u64::MAX, |room| room.saturating_sub(self.length));
        if member.len() as u64 <= room {
            return self.file.write_all(member);
        }
        self.file.write_all(&member[..room as usize])?;
        Err(io::ErrorKind::StorageFull.into())
    }

    /// Removes what a failed append may have left.
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
