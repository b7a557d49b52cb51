//! The crawl loop, the traits it runs on, and the values that pass between them.
//!
//! ```text
//!             ┌──────────────────── one cycle, one budget ────────────────────┐
//!             ▼                                                               │
//!  Known ─► Policy::plan ─► Plan ─► World::fetch ─► Capture                   │
//!    ▲                             (live, replay,      │                      │
//!    │                              simulation)        ▼                      │
//!    ├── Pages, Links ◄────────── ChangeDetector: compare with held snapshot  │
//!    │                                                 │                      │
//!    │  ┌─ beside the loop ─┐                          │                      │
//!    └──┤    Instruments    │◄──────── Visited ────────┤                      │
//!       └─────────┬─────────┘                          ▼                      │
//!                 └──── impact, page states ────► Observation ─► Policy::learn┘
//!                                                      │
//!                                                      ▼
//!                                       Repository (snapshots, log, states)
//! ```
//!
//! [`Crawl::cycle`] is the only crawl loop. The live crawler, the lab and forecasts run it on
//! different [`World`]s. [`Instrument`]s stand beside the loop: they see every visit before it is
//! logged, policies read them through [`Known::instruments`], and repositories store their state
//! as bytes. Start reading at [`Crawl`], then [`World`], [`Policy`] and [`Repository`].
//!
//! This crate must not use clocks, I/O, threads or async (see its `clippy.toml`). Time comes from
//! the world, evidence from captures, randomness from a seed. So a replay is exact.

mod allowance;
mod capture;
mod crawl;
mod error;
mod exchange;
mod fault;
mod frontier;
mod host;
mod instrument;
mod known;
mod link_list;
mod links;
mod memory;
mod needs;
mod observation;
mod page;
mod plan;
mod rank;
mod release;
mod simulation;
mod snapshot;
#[doc(hidden)]
pub mod testing;
mod time;
mod traits;
mod visits;

pub use allowance::{Allowance, Cost, Spent};
pub use capture::{Answer, Arrival, Capture, Request, answer_in_order};
pub use crawl::{Admits, Crawl, Cycle, Watch};
pub use error::Error;
pub use exchange::{Exchange, Truncation, Validators};
pub use fault::{Fault, FaultKind};
pub use host::{HostState, HostUpdate, RobotsCopy, RobotsState};
pub use instrument::{CycleStart, Instrument, Instruments, Recorded, Saved, States, Visited};
pub use known::Known;
pub use link_list::{Link, LinkList};
pub use links::Links;
pub use memory::MemoryRepository;
pub use needs::{Need, Needs};
pub use observation::{Expectation, Notice, Observation, Outcome, Signal, SignalSource};
pub use page::{HostNo, PageId, PageNo, PageRecord, Pages, State};
pub use plan::{Budget, Plan, Reason, Visit};
pub use rank::{DAMPING, PageRank, page_rank};
pub use simulation::{SimulatedRepository, Simulation};
pub use snapshot::{
    Content, Counts, Digest, Directives, Fingerprints, Form, Snapshot, TextDates, TextRange,
};
pub use time::{Span, Time};
pub use traits::{
    ChangeDetector, Explanation, LogEntry, Policy, Prediction, Repository, Result, Update, World,
};
