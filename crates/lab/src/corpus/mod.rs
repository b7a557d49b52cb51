//! The corpus: which recorded sites there are, and how anyone makes their traces again.
//!
//! A manifest names for each site the repository that publishes it, the commit, the window and the rules
//! by which files became pages, and the digest of the rows of the published trace. It holds no data of the
//! sites. [`Corpus::built_in`] is the project's own, `lab/corpus.toml`.
mod make;
mod manifest;
mod verify;

pub use self::{
    make::{clone_command, clone_folder, make},
    manifest::{Corpus, CorpusError, Site},
    verify::{Publication, verify},
};
