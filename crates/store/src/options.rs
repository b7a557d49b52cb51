//! How a data folder is written.
use std::time::Duration;

/// How a data folder is written. The defaults are what a crawl should use.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether what is held must come with title and text, for detectors that read them. It is
    /// then read back from the archive, which is slow.
    pub with_content: bool,
    /// A WARC file is closed before it grows over this.
    pub roll_bytes: u64,
    /// How hard records are compressed, from 1 to 12.
    pub level: u8,
    /// A batch is written when it has this many visits,
    pub batch_visits: usize,
    /// or takes about this much memory,
    pub batch_bytes: usize,
    /// or when this long has passed since the one before.
    pub batch_wait: Duration,
    /// A decoded body may have this many bytes when it is read back from the archive.
    pub body_limit: usize,
    /// More that each WARC file tells of itself, such as `operator` or `http-header-user-agent`.
    pub about: Vec<(String, String)>,
    /// Ways to fail, for tests.
    #[doc(hidden)]
    pub trial: Trial,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            with_content: false,
            roll_bytes: warc::DEFAULT_FILE_LIMIT,
            level: warc::DEFAULT_LEVEL,
            batch_visits: 512,
            batch_bytes: 16 << 20,
            batch_wait: Duration::from_secs(1),
            body_limit: 64 << 20,
            about: vec![],
            trial: Trial::default(),
        }
    }
}

/// Ways to fail, for tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Trial {
    /// The writer ends after this stage of the given batch, counted from 1, as if killed.
    pub stop_after: Option<(u64, Stage)>,
    /// The database cannot grow over this many pages.
    pub max_pages: Option<u32>,
}

/// What a batch goes through.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its records are in the files, but may not last.
    Appended,
    /// They last.
    Synced,
    /// The transaction is done.
    Committed,
}
