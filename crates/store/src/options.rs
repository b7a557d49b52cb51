//! Options for writing a data folder.
use std::time::Duration;

/// Options for writing a data folder. The defaults suit a crawl.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum size of a WARC file.
    pub warc_file_bytes: u64,
    /// Compression level, from 1 to 12.
    pub compression_level: u8,
    /// Maximum visits in a batch.
    pub batch_visits: usize,
    /// Approximate maximum memory of a batch.
    pub batch_bytes: usize,
    /// Maximum time between two batches.
    pub batch_wait: Duration,
    /// Maximum bytes of a body, as sent and decoded. The data folder records the largest value it was
    /// opened with, and that one holds.
    pub body_limit: usize,
    /// More fields for warcinfo records, such as `operator` or `http-header-user-agent`.
    pub warcinfo: Vec<(String, String)>,
    /// For tests.
    #[doc(hidden)]
    pub fault_injection: FaultInjection,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            warc_file_bytes: warc::DEFAULT_FILE_LIMIT,
            compression_level: warc::DEFAULT_LEVEL,
            batch_visits: 512,
            batch_bytes: 16 << 20,
            batch_wait: Duration::from_secs(1),
            body_limit: extract::read::response::LONGEST_BODY,
            warcinfo: vec![],
            fault_injection: FaultInjection::default(),
        }
    }
}

/// Simulated failures, for tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultInjection {
    /// Stops the writer after this stage of this batch, counted from 1, as a crash would.
    pub stop_after: Option<(u64, Stage)>,
    /// Maximum number of database pages.
    pub max_pages: Option<u32>,
    /// The disk is full once a WARC file has this many bytes.
    pub archive_room: Option<u64>,
}

/// Stages of writing a batch.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Records are appended but not synced.
    Appended,
    /// Records are synced.
    Synced,
    /// The transaction is committed.
    Committed,
}
