//! The values, the seams and the loop of Sanderling.
//!
//! ```text
//!           ┌────────────────── one cycle, one budget ──────────────────┐
//!   Known ──► Policy::plan ──► Plan ──► World::fetch ──► Capture         │
//!     ▲        (score, why)             live │ replay      (snapshot)    │
//!     │                                                      │           │
//!   Pages ◄──absorb── Observation ◄─────observe(old, new)────┘           │
//!                         │ └────────► Policy::learn ────────────────────┘
//!                         └──────────► Repository (snapshot + log)
//! ```
//!
//! [`Crawl::cycle`] is the only crawl loop there is: the live crawler and the lab run it with
//! different [`World`]s. This crate is forbidden clocks, I/O, threads and async (see its
//! `clippy.toml`): time arrives from the world, evidence in captures, chance from a seed.

mod crawl;
pub mod detect;
mod error;
mod exchange;
mod fault;
pub mod features;
pub mod impact;
mod known;
mod links;
mod memory;
mod note;
mod observe;
mod page;
mod plan;
mod rank;
pub mod read;
pub mod relevance;
mod seams;
mod seen;
mod time;
mod waiting;
pub mod words;
pub mod workload;

pub use crawl::{Crawl, Cycle};
pub use error::Error;
pub use exchange::{Exchange, Truncation, Validators};
pub use fault::{Fault, FaultKind};
pub use known::Known;
pub use links::Links;
pub use memory::MemoryRepository;
pub use note::{Manners, Note, RobotsCopy, RobotsState};
pub use page::{HostNo, PageId, PageNo, PageRecord, Pages, State};
pub use plan::{Budget, Plan, Reason, Visit};
pub use rank::{DAMPING, page_rank};
pub use seams::{ChangeDetector, Foresight, Kept, Policy, Repository, Result, World};
pub use seen::{
    Answer, Arrival, Capture, Content, Counts, Digest, Directives, Form, Link, LinkList, Marks,
    Observation, Outcome, Place, Request, Signal, Snapshot,
};
pub use time::{Span, Time};
