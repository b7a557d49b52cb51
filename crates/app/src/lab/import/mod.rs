//! `sanderling lab import`: traces from history recorded elsewhere.
mod captures;
pub(crate) mod cdx;
mod git;
pub(crate) mod warc;

pub(crate) use self::{
    cdx::cdx,
    git::{Arguments, git},
    warc::warc,
};
