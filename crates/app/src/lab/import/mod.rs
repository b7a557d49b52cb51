//! `sanderling lab import`: traces from history recorded elsewhere.
mod git;
pub(crate) mod warc;

pub(crate) use self::{
    git::{Arguments, git},
    warc::warc,
};
