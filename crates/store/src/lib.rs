//! The repository on disk: SQLite for pages and the log, WARC files for what was fetched.
//!
//! A data folder holds `sanderling.db`, `archive/*.warc.gz`, `indexes/*.cdxj` and `lock`. A
//! [`Store`] writes it, one process at a time. A [`View`] reads it at the same time. [`verify()`]
//! checks all of it. `docs/store.md` describes the tables.
//!
//! Logs with `tracing`: `info` for opening and upgrades, `debug` for batches and WARC files.

mod batch;
mod body_limit;
mod column;
mod copy;
mod error;
mod folder;
mod held;
mod instruments;
mod load;
mod lock;
mod options;
mod private;
mod query_log;
mod queue;
mod read_back;
mod repair;
mod schema;
mod store;
mod summary;
mod verify;
mod view;
mod warc_types;
mod writer;

pub use batch::CycleStart;
pub use column::{RecordForm, budget_unit, budget_value, outcome_name};
pub use copy::copy;
pub use error::StoreError;
pub use load::Loaded;
pub use options::Options;
#[doc(hidden)]
pub use options::{FaultInjection, Stage};
pub use query_log::{QueryLog, is_private};
pub use repair::{Repaired, repair};
pub use store::Store;
pub use verify::{Damage, Verified, examine, verify};
pub use view::{
    ArchiveFile, Body, Brief, CaptureRow, ChangeRow, CorpusChange, CycleSummary, FaultCount,
    Followed, HeldBody, HeldDigest, HeldPage, HeldView, HostSummary, HostVisit, LeftOut, Outcomes,
    PageView, Totals, Version, View, VisitRow,
};
