//! The repository on disk: SQLite for what is known, WARC files for what was fetched.
//!
//! A data folder holds `sanderling.db`, `archive/*.warc.gz`, `indexes/*.cdxj` and `lock`. A
//! [`Store`] writes it, one process at a time; a [`View`] reads it beside that; [`verify()`] checks all
//! of it. Its tables are described in `docs/store.md`.

mod batch;
mod column;
mod error;
mod folder;
mod held;
mod instruments;
mod load;
mod lock;
mod options;
mod query_log;
mod queue;
mod read_back;
mod schema;
mod store;
mod summary;
mod verify;
mod view;
mod warc_types;
mod writer;

pub use batch::CycleStart;
pub use column::{RecordForm, outcome_name};
pub use error::StoreError;
pub use load::Loaded;
pub use options::Options;
#[doc(hidden)]
pub use options::{Stage, Trial};
pub use query_log::{QueryLog, is_private};
pub use store::Store;
pub use verify::{Verified, verify};
pub use view::{
    Body, Brief, CaptureRow, ChangeRow, CycleSummary, FaultCount, Followed, HeldDigest, HeldPage,
    HeldView, Outcomes, PageView, Totals, Version, View, VisitRow,
};
