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
mod links;
mod memory;
mod observe;
mod page;
mod plan;
mod rank;
pub mod read;
mod seams;
mod seen;
mod time;

pub use crawl::{Crawl, Cycle};
pub use error::Error;
pub use links::Links;
pub use memory::MemoryRepository;
pub use page::{HostNo, Known, PageId, PageNo, Pages, State};
pub use plan::{Budget, Plan, Reason, Visit};
pub use rank::{DAMPING, page_rank};
pub use seams::{ChangeDetector, Policy, Repository, Result, World};
pub use seen::{
    Answer, Capture, Content, Counts, Digest, Fault, Form, Link, LinkList, Marks, Observation,
    Outcome, Request, Signal, Snapshot,
};
pub use time::{Span, Time};
